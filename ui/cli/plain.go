package cli

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"

	"golang.org/x/term"
)

// plain is a writer of text for people. What a terminal would obey is left out: much of what is
// printed was written by sites and by other nodes. Line feeds and tabs stay, and a character that is
// written in pieces is put together.
type plain struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

func newPlain(to io.Writer) *plain { return &plain{to: to} }

func (p *plain) Write(b []byte) (int, error) {
	text := append(p.rest, b...)
	end := len(text)
	for i := max(0, end-utf8.UTFMax+1); i < end; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			end = i
			break
		}
	}
	p.rest = bytes.Clone(text[end:])
	if _, err := p.to.Write(bytes.Map(legible, text[:end])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// legible returns a character that may be printed in text of several lines, -1 for what may not.
func legible(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	return harmless(r)
}

// harmless returns a character that does nothing but show itself, -1 for another: controls, old
// and new, what turns the direction of text around, and what has no width at all (U+200B, U+FEFF), by which one name looks like another.
func harmless(r rune) rune {
	switch r {
	case 0x200b, 0x200e, 0x200f, 0x061c, 0xfeff:
		return -1
	}
	if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
		return -1
	}
	return r
}

// terminalBehind returns what is behind a plain writer if it is a terminal that obeys, to be told where to write.
// What is written there must be harmless.
func terminalBehind(w io.Writer) (*os.File, bool) {
	if p, is := w.(*plain); is {
		w = p.to
	}
	f, is := w.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil, false
	}
	return f, true
}

// columnsOf returns how many columns there are, 0 where it is no terminal.
func columnsOf(w io.Writer) int {
	if p, is := w.(*plain); is {
		w = p.to
	}
	f, is := w.(*os.File)
	if !is || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil || columns <= 0 {
		return 80
	}
	return columns
}
