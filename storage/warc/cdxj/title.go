package cdxj

import (
	"strings"
	"unicode/utf8"
)

const (
	// titleField is the metadata whose value is in the index too.
	titleField = "title"
	// maxTitle bounds it there, in bytes: titles of ours have 200.
	maxTitle = 512
)

// indexTitle returns the title that an index line has for a capture with this
// metadata: as a reader gets it back from the metadata record, so that an
// index made again is the one that was written first.
func indexTitle(metadata [][2]string) string {
	for _, f := range metadata {
		if f[0] == titleField {
			return lineTitle(f[1])
		}
	}
	return ""
}

func lineTitle(s string) string {
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c // U+FFFD for each byte that is no UTF-8
	}, s)
	s = strings.TrimSpace(s)
	if len(s) <= maxTitle {
		return s
	}
	n := maxTitle
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n])
}

// appendTitle appends the member of a title that indexTitle returned, nothing
// for "".
func appendTitle(b []byte, title string) []byte {
	if title == "" {
		return b
	}
	b = append(b, `","title":"`...)
	for i := range len(title) {
		if c := title[i]; c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, title[i])
	}
	return b
}
