package plain

import (
	"bytes"
	"unicode/utf8"
)

// builder makes paragraphs of pieces of text.
type builder struct {
	done  Text
	text  []byte // of the paragraph that is under way
	blank bool   // a blank belongs before what comes next
	kind  Kind
	total int  // bytes in done
	full  bool // nothing more is taken
}

// add adds text of a kind to the paragraph under way, or begins another if that is of another kind.
func (b *builder) add(text []byte, kind Kind) {
	if kind != b.kind {
		b.end()
		b.kind = kind
	}
	for len(text) > 0 && !b.full {
		r, n := utf8.DecodeRune(text)
		b.rune(r, text[:n])
		text = text[n:]
	}
}

func (b *builder) rune(r rune, raw []byte) {
	switch {
	case r == '\n' && b.kind == Preformatted:
		b.text = append(bytes.TrimRight(b.text, " \t"), '\n')
		b.bound()
		return
	case isBlank(r):
		if b.kind == Preformatted {
			b.text = append(b.text, ' ')
			b.bound()
		}
		b.blank = len(b.text) > 0 && b.kind != Preformatted
		return
	case isSilent(r):
		return
	}
	if b.blank {
		b.text, b.blank = append(b.text, ' '), false
	}
	if r == utf8.RuneError {
		raw = []byte("\uFFFD")
	}
	b.text = append(b.text, raw...)
	b.bound()
}

// bound cuts the text off where it becomes too long.
func (b *builder) bound() {
	over := b.total + len(b.text) - MaxText
	if over <= 0 {
		return
	}
	n := len(b.text) - over
	for n > 0 && !utf8.RuneStart(b.text[n]) {
		n--
	}
	b.text, b.full, b.done.Cut = b.text[:n], true, true
}

// end ends the paragraph under way, if there is any text in it.
func (b *builder) end() {
	b.blank = false
	text := b.text
	b.text = b.text[:0]
	if b.kind == Preformatted {
		text = bytes.TrimRight(text, " \n")
		for len(text) > 0 && text[0] == '\n' {
			text = text[1:]
		}
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if len(b.done.Paragraphs) == MaxParagraphs {
		b.full, b.done.Cut = true, true
		return
	}
	b.total += len(text)
	b.done.Paragraphs = append(b.done.Paragraphs, Paragraph{b.kind, string(text)})
}

// finish returns what was found.
func (b *builder) finish() Text {
	b.end()
	return b.done
}

// isBlank reports whether a character is space between words. No-break spaces
// are.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000:
		return true
	}
	return 0x2000 <= r && r <= 0x200a
}

// isSilent reports whether a character is left out: controls, soft hyphens,
// marks of byte order, and what changes the direction of text or is for tags.
func isSilent(r rune) bool {
	switch {
	case r < ' ', 0x7f <= r && r < 0xa0, r == 0xad, r == 0xfeff:
		return true
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x206f, 0xfff9 <= r && r <= 0xfffc, r == 0xfffe, r == 0xffff:
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f
}

// bounded returns the beginning of a text that is read.
func (b *builder) bounded(text []byte) []byte {
	if len(text) <= MaxInput {
		return text
	}
	b.done.Cut = true
	return text[:MaxInput]
}
