package words

import (
	"slices"
	"unicode/utf8"
)

// Split calls fn for the words of a text in order, with where they stand: the same words that a Reader finds in text
// that comes in one piece. A word is good until fn returns. It ends when fn returns false.
func Split(text string, fn func(from, to int, word []byte) bool) {
	s := splitter{fn: fn}
	for i := 0; i < len(text) && !s.over; {
		char, n := utf8.DecodeRuneInString(text[i:])
		s.char(char, i, i+n)
		i += n
	}
	s.end()
}

type splitter struct {
	fn       func(from, to int, word []byte) bool
	word     []byte
	from, to int
	last     []byte // character of a run without spaces
	over     bool
}

func (s *splitter) char(char rune, from, to int) {
	kind, lower := classOf(char)
	switch kind {
	case between:
		s.end()
	case letter:
		if s.last != nil {
			s.end()
		}
		if len(s.word) == 0 {
			s.from = from
		}
		if len(s.word)+utf8.RuneLen(lower) <= MaxWord && (lower < utf8.RuneSelf || len(s.word)+utf8.UTFMax <= MaxWord) {
			s.word = utf8.AppendRune(s.word, lower)
		}
		s.to = to
	case paired:
		c := utf8.AppendRune(nil, lower)
		if s.last == nil {
			s.end()
		} else {
			s.tell(s.from, to, append(slices.Clone(s.last), c...))
		}
		s.last, s.from, s.to = c, from, to
	}
}

func (s *splitter) end() {
	switch {
	case s.last != nil:
		s.tell(s.from, s.to, s.last)
	case len(s.word) > 0:
		s.tell(s.from, s.to, s.word)
	}
	s.last, s.word = nil, s.word[:0]
}

func (s *splitter) tell(from, to int, word []byte) {
	if !s.over && !s.fn(from, to, word) {
		s.over = true
	}
}
