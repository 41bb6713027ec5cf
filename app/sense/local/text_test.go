package local

import (
	"strings"
	"testing"
)

func TestClean(t *testing.T) {
	for _, c := range [][2]string{
		{"plain", "plain"}, {"two\nlines\x1b[2J", "two lines[2J"}, {"\xff\xfe", "?"},
		{strings.Repeat("é", 100), strings.Repeat("é", 80) + "…"},
		{"\u202eevil\u200b", "evil"}, {strings.Repeat("x", 1<<20), strings.Repeat("x", 80) + "…"},
	} {
		if got := Clean(c[0], 80); got != c[1] {
			t.Errorf("Clean(%.20q) = %q, want %q", c[0], got, c[1])
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("two\nlines\x1b[2J")
	f.Fuzz(func(t *testing.T, s string) {
		if got := []rune(Clean(s, 20)); len(got) > 21 {
			t.Errorf("Clean leaves %d runes", len(got))
		}
	})
}
