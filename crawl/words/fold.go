package words

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldTable covers all alphabets with case that are in use, their accents, and
// signs: 190 kB.
const foldTable = 0x2e80

// foldings holds the folded form of each character below foldTable. It is made
// at the first use, in about a millisecond, and never changed.
var foldings = sync.OnceValue(func() *[foldTable]string {
	var table [foldTable]string
	for r := range rune(foldTable) {
		table[r] = foldRune(r)
	}
	return &table
})

// accents are marks that searches do not look at.
var accents = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x0300, Hi: 0x036f, Stride: 1}, // of Latin, Greek, Cyrillic
	{Lo: 0x0591, Hi: 0x05bd, Stride: 1}, // Hebrew points
	{Lo: 0x05bf, Hi: 0x05c7, Stride: 1},
	{Lo: 0x064b, Hi: 0x065f, Stride: 1}, // Arabic vowels
	{Lo: 0x0670, Hi: 0x0670, Stride: 1},
	{Lo: 0x1ab0, Hi: 0x1aff, Stride: 1},
	{Lo: 0x1dc0, Hi: 0x1dff, Stride: 1},
	{Lo: 0x20d0, Hi: 0x20ff, Stride: 1},
	{Lo: 0xfe20, Hi: 0xfe2f, Stride: 1},
}}

// unmarked are letters with a stroke or the like, which Unicode does not
// decompose and people type without.
var unmarked = strings.NewReplacer("ø", "o", "đ", "d", "ł", "l", "ħ", "h", "ı", "i", "æ", "ae", "œ", "oe", "ð", "d",
	"þ", "th", "’", "'")

func foldRune(r rune) string {
	caser := cases.Fold()
	var b strings.Builder
	for _, c := range norm.NFKD.String(caser.String(norm.NFKD.String(string(r)))) {
		if !unicode.Is(accents, c) && !unicode.Is(unicode.C, c) {
			b.WriteRune(c)
		}
	}
	return unmarked.Replace(b.String())
}

// AppendFolded appends a text without case and accents: Unicode full case folding of the
// compatibility decomposition, without marks that are accents. Each
// character is folded by itself. Vowel signs and the like stay: without them words of many
// scripts would be others.
func AppendFolded(b, text []byte) []byte {
	table := foldings()
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			b = append(b, c)
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		switch {
		case r < foldTable:
			b = append(b, table[r]...)
		case r < 0xd7a4, r > 0xffff: // Chinese, Japanese and Korean have no case, nor have pictures
			b = append(b, text[i:i+n]...)
		case 0xff01 <= r && r <= 0xff5e: // wide ASCII
			b = append(b, table[r-0xfee0]...)
		default:
			b = append(b, foldRune(r)...)
		}
		i += n
	}
	return b
}
