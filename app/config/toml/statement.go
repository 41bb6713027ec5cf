package toml

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/creachadair/tomledit/scanner"

	"github.com/forage-net/forage/assets/words"
)

// statement reads one line that says something: a heading or a setting. At
// the end of the file it returns io.EOF.
func (p *parser) statement() error {
	for {
		if err := p.next(); err != nil {
			return err
		}
		switch p.tok.kind {
		case endOfFile:
			return io.EOF
		case scanner.Newline, scanner.Comment:
			continue
		case scanner.LBracket:
			return p.heading()
		}
		if err := p.setting("", 0); err != nil {
			return err
		}
		return p.endOfLine()
	}
}

// endOfLine takes what may follow a statement: a comment. The current token
// is the one after the statement.
func (p *parser) endOfLine() error {
	switch p.tok.kind {
	case scanner.Newline, scanner.Comment, endOfFile:
		return nil
	}
	return p.errorAt(p.tok.start, "said.settings.the-line-should-end", nil)
}

// heading reads "[name]"; the current token is the "[".
func (p *parser) heading() error {
	p.broken = true
	open := p.tok
	if err := p.next(); err != nil {
		return err
	}
	if p.tok.kind == scanner.LBracket && p.tok.start == open.end {
		return p.errorAt(open.start, "said.settings.headings-in-double-brackets-are-not", nil)
	}
	name, err := p.key()
	if err != nil {
		return err
	}
	if p.tok.kind != scanner.RBracket {
		return p.unexpected(`"]"`)
	}
	s := section{name: name, line: p.lineOf(open.start), end: p.tok.end}
	if err := p.next(); err != nil {
		return err
	}
	if err := p.endOfLine(); err != nil {
		return err
	}
	if line, ok := p.seen["["+name]; ok {
		return p.errorAt(open.start, "said.settings.stands-in-line-already", words.Args{"line": line})
	}
	p.seen["["+name] = s.line
	if err := p.open(name, open.start); err != nil {
		return err
	}
	p.broken = false
	p.doc.sections = append(p.doc.sections, s)
	return nil
}

// open fails if a table above name, or name itself, was written as an inline
// table: TOML does not let those grow.
func (p *parser) open(name string, offset int) error {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '.' {
			continue
		}
		if line, ok := p.closed[name[:i]]; ok {
			return p.errorAt(offset, "said.settings.was-written-in-line-in-braces", words.Args{"line": line})
		}
	}
	return nil
}

// key reads "a.b.c" and the token after it. The current token is the first part.
func (p *parser) key() (string, error) {
	var parts []string
	for {
		switch p.tok.kind {
		case scanner.Word, scanner.Integer, scanner.Float, scanner.LocalDate:
			parts = append(parts, p.tok.text)
		case scanner.String, scanner.LString:
			s, err := p.unquote()
			if err != nil {
				return "", err
			}
			if !scanner.IsWord(s) {
				s = `"` + string(scanner.Escape(s)) + `"`
			}
			parts = append(parts, s)
		default:
			return "", p.unexpected(words.New("said.settings.a-name", nil))
		}
		if len(parts) > maxKeyParts {
			return "", p.errorAt(p.tok.start, "said.settings.the-name-has-too-many-parts", nil)
		}
		if err := p.next(); err != nil {
			return "", err
		}
		if p.tok.kind != scanner.Dot {
			return strings.Join(parts, "."), nil
		}
		if err := p.next(); err != nil {
			return "", err
		}
	}
}

// unquote returns what a text in quotes stands for. Control characters are
// refused: no setting has them, and messages are made of settings.
func (p *parser) unquote() (string, error) {
	s := p.tok.text[1 : len(p.tok.text)-1]
	if p.tok.kind == scanner.String {
		b, err := scanner.Unescape([]byte(s))
		if err != nil {
			return "", p.errorAt(p.tok.start, "said.settings.a-in-the-text-means-nothing", nil)
		}
		s = string(b)
	}
	if !Printable(s) {
		return "", p.errorAt(p.tok.start, "said.settings.the-text-holds-a-character-that", nil)
	}
	return s, nil
}

// Printable reports whether s has no control characters and no replacement
// characters, which stand for what could not be decoded.
func Printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }) < 0
}

// setting reads "name = value" and the token after it. inside names the inline
// table it stands in, "" if it stands in none.
func (p *parser) setting(inside string, depth int) error {
	start := p.tok.start
	e := Entry{Line: p.lineOf(start), section: len(p.doc.sections) - 1, Inline: inside != ""}
	if p.items++; p.items > maxItems {
		return p.errorAt(start, "said.settings.the-file-holds-too-much-at", words.Args{"most": maxItems})
	}
	name, err := p.key()
	if err != nil {
		return err
	}
	if p.tok.kind != scanner.Equal {
		return p.unexpected(`"="`)
	}
	e.name, e.Key = name, name
	if table := p.doc.sections[e.section].name; e.Inline {
		e.Key = inside + "." + name
	} else if table != "" {
		e.Key = table + "." + name
	}
	if err := p.next(); err != nil {
		return err
	}
	if !e.Inline {
		if err := p.open(e.Key, start); err != nil {
			return err
		}
	}
	if p.tok.kind == scanner.LInline {
		return p.inlineTable(e.Key, depth+1)
	}
	e.at.start = p.tok.start
	if e.Value, err = p.value(depth); err != nil {
		return p.bareWord(e, start, err)
	}
	e.at.end = p.tok.end
	if err := p.next(); err != nil {
		return err
	}
	if p.broken {
		return nil
	}
	if line, ok := p.seen[e.Key]; ok {
		why := words.New("said.settings.is-set-in-line-already", words.Args{"line": line})
		return &placedError{offset: start, err: &Error{Line: e.Line, Reason: why}}
	}
	p.seen[e.Key] = e.Line
	p.doc.Entries = append(p.doc.Entries, e)
	return nil
}

// inlineTable reads "{a = 1, b = 2}" and the token after it; the current token
// is the "{".
func (p *parser) inlineTable(name string, depth int) error {
	open := p.tok
	if depth > maxNesting {
		return p.errorAt(open.start, "said.settings.braces-are-nested-too-deep", nil)
	}
	if err := p.next(); err != nil {
		return err
	}
	for comma := false; comma || p.tok.kind != scanner.RInline; {
		if err := p.setting(name, depth); err != nil {
			return err
		}
		if comma = p.tok.kind == scanner.Comma; comma {
			if err := p.next(); err != nil {
				return err
			}
		} else if p.tok.kind != scanner.RInline {
			return p.unexpected(`"," or "}"`)
		}
	}
	p.closed[name] = p.lineOf(open.start)
	return p.next()
}

// bareWord returns the error of a setting whose value could not be read, err. Where a word without quotes is the
// reason, and quotes would not help, it says what should stand there instead.
func (p *parser) bareWord(e Entry, start int, err error) error {
	if p.tok.kind != scanner.Word || p.word == nil {
		return err
	}
	if wrong := p.word(e.Key, p.tok.text, e.Line); wrong != nil {
		return &placedError{offset: start, err: wrong}
	}
	return err
}

// value reads a value; the current token is its first, and then its last.
func (p *parser) value(depth int) (Value, error) {
	switch p.tok.kind {
	case scanner.String, scanner.LString:
		s, err := p.unquote()
		return Value{Kind: Text, Text: s}, err
	case scanner.Integer:
		return Value{Kind: Whole, Text: p.tok.text}, nil
	case scanner.Float, scanner.DateTime, scanner.LocalDate, scanner.LocalTime, scanner.LocalDateTime:
		return Value{Kind: Other, Text: p.tok.text}, nil
	case scanner.Word:
		if p.tok.text == "true" || p.tok.text == "false" {
			return Value{Kind: Other, Text: p.tok.text}, nil
		}
		return Value{}, p.errorAt(p.tok.start, "said.settings.needs-quotes", nil)
	case scanner.LBracket:
		return p.list(depth + 1)
	}
	return Value{}, p.unexpected(words.New("said.settings.a-value", nil))
}

// list reads "[1, 2]"; the current token is the "[", and then the "]".
func (p *parser) list(depth int) (Value, error) {
	open := p.tok
	if depth > maxNesting {
		return Value{}, p.errorAt(open.start, "said.settings.brackets-are-nested-too-deep", nil)
	}
	v := Value{Kind: List}
	for comma := true; ; {
		if err := p.next(); err != nil {
			return Value{}, err
		}
		switch {
		case p.tok.kind == scanner.Newline, p.tok.kind == scanner.Comment:
			continue
		case p.tok.kind == scanner.RBracket:
			return v, nil
		case p.tok.kind == scanner.Comma && !comma:
			comma = true
			continue
		case !comma:
			return Value{}, p.unexpected(`"," or "]"`)
		}
		if p.items++; p.items > maxItems {
			return Value{}, p.errorAt(open.start, "said.settings.the-file-holds-too-much-at",
				words.Args{"most": maxItems})
		}
		item, err := p.value(depth)
		if err != nil {
			return Value{}, err
		}
		v.Items, comma = append(v.Items, item), false
	}
}
