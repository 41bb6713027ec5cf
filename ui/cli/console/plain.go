package console

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"
)

// plain is a writer of text for people. What a terminal would obey is left out: much of what is
// printed was written by sites and by other nodes. Line feeds and tabs stay, and a character that is
// written in pieces is put together.
type plain struct {
	to   io.Writer
	rest []byte // the beginning of a character
}

// NewPlain returns a writer of text for people.
func NewPlain(to io.Writer) *plain { return &plain{to: to} }

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

// harmless returns a character that does nothing but show itself, -1 for another: controls, old and new, what
// turns the direction of text around, and what has no width at all (U+200B, U+FEFF), by which one name looks
// like another.
func harmless(r rune) rune {
	switch r {
	case 0x200b, 0x200e, 0x200f, 0x061c, 0xfeff:
		return -1
	}
	if r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
		return -1
	}
	return r
}

// Printable takes out of what sites wrote what a terminal would obey, line feeds and tabs
// included.
func Printable(s string) string { return strings.Map(harmless, s) }
