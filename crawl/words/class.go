package words

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// kind says what a character is to a text.
type kind uint8

const (
	between kind = iota // parts words
	letter              // belongs to a word: letters, marks, digits
	paired              // of a script without spaces between words
	silent              // has no width: words go on past it
)

// classTable is how many characters have their kind in a table: all alphabets in use.
const classTable = 0x3000

// classes holds kind and lower case of the first characters.
var classes = sync.OnceValue(func() *[classTable]class {
	var table [classTable]class
	for r := range rune(classTable) {
		table[r] = class{kindOf(r), unicode.ToLower(r)}
	}
	return &table
})

type class struct {
	kind  kind
	lower rune
}

// classOf returns the kind of a character, and the character in lower case.
func classOf(r rune) (kind, rune) {
	if r < classTable {
		c := classes()[r]
		return c.kind, c.lower
	}
	if 0xff01 <= r && r <= 0xff5e { // wide ASCII
		return classOf(r - 0xfee0)
	}
	return kindOf(r), unicode.ToLower(r)
}

// spaceless are the scripts whose words are not told apart by spaces. Korean has spaces, but its words carry endings
// that pairs see past.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Bopomofo,
}

func kindOf(r rune) kind {
	switch {
	case r == 0xad || 0x200b <= r && r <= 0x200d || r == 0x2060 || r == 0xfeff:
		return silent
	case r == 0x30fb || r == utf8.RuneError:
		return between
	case r >= 0x0e00 && unicode.In(r, spaceless...) || r == 0x30fc: // the mark of a long vowel belongs to no script
		return paired
	case unicode.In(r, unicode.L, unicode.M, unicode.N):
		return letter
	}
	return between
}
