package local

import (
	"strings"
	"unicode"
)

// MaxWhy and MaxText bound the text of others that is kept, in runes: why something failed, and anything else.
const (
	MaxWhy  = 200
	MaxText = 80
)

// Clean makes text of others fit to be shown: one line without control or formatting characters, no longer than
// n runes.
func Clean(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	var b strings.Builder
	count := 0
	for _, r := range strings.ToValidUTF8(s, "?") {
		if unicode.IsSpace(r) {
			r = ' '
		}
		if !unicode.IsGraphic(r) {
			continue
		}
		if count++; count > n {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}
