package config

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/creachadair/tomledit/scanner"
)

// We use tomledit's scanner, which knows where in the text each token stands, but read the statements ourselves. Its
// parser takes one key twice and a value that is cut off, ends at the first error, and recurses as deep as the file
// likes. Its document has no places in the text: written out, it has other blanks, empty lines and places of comments
// than the user's file.

// Bounds on what one file may hold, so that reading it takes little memory.
const (
	maxStatements = 4096
	maxItems      = 2*maxStatements + 2*maxList
	maxKeyParts   = 8
	maxNesting    = 8
)

// document is what a file says, with places as byte offsets.
type document struct {
	text     string
	entries  []entry
	sections []section // the first is the one before any heading
	comments []span
	errs     []*Error // in order of lines, without Path
}

type span struct{ start, end int }

// entry is one setting of the file. Those of an inline table are entries too.
type entry struct {
	key     string // in full
	name    string // as written in its section or inline table, normalised
	line    int
	section int
	inline  bool
	value   value
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
	doc    *document
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

// parse reads the text of a file. It returns what it could read, and errors
// for the rest.
func parse(text string) *document {
	p := &parser{doc: &document{text: text, sections: []section{{}}}, seen: map[string]int{}, closed: map[string]int{}, line: 1}
	if off := invalidUTF8(text); off >= 0 {
		p.fail(p.errorAt(off, "this is not UTF-8 text"))
		return p.doc
	}
	start := 0
	if strings.HasPrefix(text, byteOrderMark) {
		start = len(byteOrderMark)
	}
	p.restart(start)
	for range maxStatements {
		err := p.statement()
		if errors.Is(err, io.EOF) {
			return p.doc
		}
		var e *placedError
		if errors.As(err, &e) && !p.skipLine(e) {
			return p.doc
		}
	}
	p.fail(p.errorAt(p.tok.start, "the file is too long: at most %d lines that say something", maxStatements))
	return p.doc
}

// byteOrderMark is what Windows' editor begins files with.
const byteOrderMark = "\ufeff"

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

func (p *parser) errorAt(offset int, format string, args ...any) *placedError {
	return &placedError{err: &Error{Line: p.lineOf(offset), Reason: fmt.Sprintf(format, args...)}, offset: offset}
}

// unexpected is the error for a token that has no business where it is. Like all errors of a file it does not quote it: the file may
// hold secrets, or be another than its user meant, and errors are shown to other programs and pasted into reports.
func (p *parser) unexpected(want string) error {
	switch p.tok.kind {
	case endOfFile:
		return p.errorAt(p.tok.start, "the file ends where %s should be", want)
	case scanner.Newline, scanner.Comment:
		return p.errorAt(p.tok.start, "the line ends where %s should be", want)
	}
	return p.errorAt(p.tok.start, "something else stands where %s should be", want)
}

func (p *parser) fail(e *placedError) { p.doc.errs = append(p.doc.errs, e.err) }

// skipLine records an error and moves to the next line. It reports whether
// there is more to read.
func (p *parser) skipLine(e *placedError) bool {
	p.fail(e)
	i := strings.IndexByte(p.doc.text[e.offset:], '\n')
	if i < 0 || len(p.doc.errs) >= maxErrors {
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
			return p.errorAt(p.tok.start, "texts over several lines are not used here")
		}
		return nil
	}
	rest := p.doc.text[p.tok.start:]
	switch {
	case strings.HasPrefix(rest, `"`), strings.HasPrefix(rest, "'"):
		return p.errorAt(p.tok.start, "a text in quotes does not end, or holds a \\ that means nothing (write \\\\ for one)")
	case rest == "":
		return p.errorAt(p.tok.start, "the file ends too early")
	}
	return p.errorAt(p.tok.start, "the line cannot be read; texts need quotes")
}

// parseLiteral reads one value as written in a file.
func parseLiteral(text string) (value, error) {
	doc := parse("x = " + text)
	if len(doc.errs) > 0 {
		return value{}, errors.New(doc.errs[0].Reason)
	}
	if len(doc.entries) != 1 || doc.entries[0].key != "x" {
		return value{}, errors.New("this is not one value")
	}
	return doc.entries[0].value, nil
}
