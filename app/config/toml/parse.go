package toml

import (
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/creachadair/tomledit/scanner"

	"github.com/forage-net/forage/assets/words"
)

// We use tomledit's scanner, which knows where in the text each token stands, but read the statements ourselves. Its
// parser takes one key twice and a value that is cut off, ends at the first error, and recurses as deep as the file
// likes. Its document has no places in the text: written out, it has other blanks, empty lines and places of comments
// than the user's file.

// Bounds on what one file may hold, so that reading it takes little memory.
const (
	maxStatements = 4096
	maxItems      = 2*maxStatements + 2000
	maxKeyParts   = 8
	maxNesting    = 8
)

// Document is what a file says.
type Document struct {
	// Entries are its settings, in their order.
	Entries []Entry
	// Errors are in order of lines, without Path, at most MaxErrors.
	Errors []*Error

	text     string
	sections []section // the first is the one before any heading
	comments []span
}

// span is a piece of the text, in bytes.
type span struct{ start, end int }

// Entry is one setting of the file.
type Entry struct {
	// Key is its name in full.
	Key   string
	Line  int
	Value Value
	// Inline says that it stands in an inline table.
	Inline bool

	name    string // as written in its section or inline table, normalised
	section int
	at      span // of the value
}

type section struct {
	name string
	line int
	end  int // after the "]"
}

// token is the scanner's, at home in the whole text.
type token struct {
	kind  scanner.Token
	text  string
	start int
	end   int
}

// endOfFile is a token kind that the scanner does not use.
const endOfFile scanner.Token = 255

// parser reads a document. After an error it goes on with the next line.
type parser struct {
	doc    *Document
	word   Word
	sc     *scanner.Scanner
	base   int // where in the text sc began
	tok    token
	seen   map[string]int // line of every key, table and inline table
	closed map[string]int // line of every inline table
	items  int            // values so far
	// broken is set after a heading that could not be read: nobody knows
	// what the settings under it are called.
	broken bool

	lineAt, line int // the line of an offset, counted as we go
}

// A Word says what is wrong with a setting whose value is a word without quotes, and nil if quotes would help.
type Word func(key, word string, line int) *Error

// Parse reads the text of a file. It returns what it could read, and errors for the rest. word may be nil.
func Parse(text string, word Word) *Document {
	p := &parser{
		doc: &Document{text: text, sections: []section{{}}}, word: word,
		seen: map[string]int{}, closed: map[string]int{}, line: 1,
	}
	if off := invalidUTF8(text); off >= 0 {
		p.fail(p.errorAt(off, "said.settings.this-is-not-utf-8-text", nil))
		return p.doc
	}
	start := 0
	if strings.HasPrefix(text, ByteOrderMark) {
		start = len(ByteOrderMark)
	}
	p.restart(start)
	for range maxStatements {
		err := p.statement()
		if errors.Is(err, io.EOF) {
			return p.doc
		}
		if e, ok := errors.AsType[*placedError](err); ok && !p.skipLine(e) {
			return p.doc
		}
	}
	p.fail(p.errorAt(p.tok.start, "said.settings.the-file-is-too-long-at", words.Args{"most": maxStatements}))
	return p.doc
}

// ByteOrderMark is what Windows' editor begins files with.
const ByteOrderMark = "\ufeff"

func invalidUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// placedError is a syntax error and where to go on after it.
type placedError struct {
	err    *Error
	offset int
}

func (e *placedError) Error() string { return e.err.Error() }

func (p *parser) errorAt(offset int, key string, args words.Args) *placedError {
	return &placedError{err: &Error{Line: p.lineOf(offset), Reason: words.New(key, args)}, offset: offset}
}

// unexpected is the error for a token that has no business where it is. Like all errors of a file it does not
// quote it: the file may hold secrets, or be another than its user meant, and errors are shown to other
// programs and pasted into reports.
func (p *parser) unexpected(want any) error {
	switch p.tok.kind {
	case endOfFile:
		return p.errorAt(p.tok.start, "said.settings.the-file-ends-where-should-be", words.Args{"what": want})
	case scanner.Newline, scanner.Comment:
		return p.errorAt(p.tok.start, "said.settings.the-line-ends-where-should-be", words.Args{"what": want})
	}
	return p.errorAt(p.tok.start, "said.settings.stands-where-should-be", words.Args{"what": want})
}

func (p *parser) fail(e *placedError) { p.doc.Errors = append(p.doc.Errors, e.err) }

// skipLine records an error and moves to the next line. It reports whether
// there is more to read.
func (p *parser) skipLine(e *placedError) bool {
	p.fail(e)
	i := strings.IndexByte(p.doc.text[e.offset:], '\n')
	if i < 0 || len(p.doc.Errors) >= MaxErrors {
		return false
	}
	p.restart(e.offset + i + 1)
	return true
}

func (p *parser) restart(offset int) {
	p.base = offset
	p.sc = scanner.New(strings.NewReader(p.doc.text[offset:]))
}

// lineOf returns the line of an offset. Offsets mostly grow.
func (p *parser) lineOf(offset int) int {
	if offset < p.lineAt {
		p.lineAt, p.line = 0, 1
	}
	p.line += strings.Count(p.doc.text[p.lineAt:offset], "\n")
	p.lineAt = offset
	return p.line
}

// next reads a token.
func (p *parser) next() error {
	err := p.sc.Next()
	at := p.sc.Span()
	p.tok = token{kind: p.sc.Token(), text: string(p.sc.Text()), start: p.base + at.Pos, end: p.base + at.End}
	if err == io.EOF && p.tok.text == "" {
		p.tok.kind = endOfFile
		return nil
	}
	if err == nil {
		switch p.tok.kind {
		case scanner.Newline:
			p.tok.start-- // the scanner says it starts where it ends
		case scanner.Comment:
			p.doc.comments = append(p.doc.comments, span{p.tok.start, p.tok.start + len(p.tok.text)})
		case scanner.MString, scanner.MLString:
			return p.errorAt(p.tok.start, "said.settings.texts-over-several-lines-are-not", nil)
		}
		return nil
	}
	rest := p.doc.text[p.tok.start:]
	switch {
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		return p.errorAt(p.tok.start, "said.settings.a-text-in-quotes-does-not", nil)
	case rest == "":
		return p.errorAt(p.tok.start, "said.settings.the-file-ends-too-early", nil)
	}
	return p.errorAt(p.tok.start, "said.settings.cannot-be-read-texts-need-quotes", nil)
}

// ParseValue reads one value as written in a file.
func ParseValue(text string) (Value, error) {
	doc := Parse("x = "+text, nil)
	if len(doc.Errors) > 0 {
		return Value{}, doc.Errors[0].Reason
	}
	if len(doc.Entries) != 1 || doc.Entries[0].Key != "x" {
		return Value{}, words.New("said.settings.this-is-not-one-value", nil)
	}
	return doc.Entries[0].Value, nil
}
