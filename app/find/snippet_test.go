package find

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A snippet is a part of its page's text: nothing is added but dots, and no character is cut.
func FuzzSnippet(f *testing.F) {
	f.Add("The heron waits by the water.", "heron", "water")
	f.Add(strings.Repeat("nothing to see ", 40)+"the heron "+strings.Repeat("x", 400), "heron", "")
	f.Add(strings.Repeat("é東京", 200), "東京", "京é")
	f.Add("a\x00b\nc\u00ada\u2026 \u202e", "a", "c")
	f.Fuzz(func(t *testing.T, text, first, second string) {
		if len(text) > 1<<16 {
			return
		}
		text = strings.ToValidUTF8(text, "\ufffd")
		word := func(w []byte) int {
			switch string(w) {
			case first:
				return 0
			case second:
				return 1
			}
			return -1
		}
		list := snippet([]string{"nothing", text}, word)
		joined, marked := "", false
		for _, p := range list {
			if !utf8.ValidString(p.Text) || p.Text == "" {
				t.Fatalf("a piece is %q", p.Text)
			}
			joined += p.Text
			marked = marked || p.Match
		}
		found := len(matches(text, word)) > 0 || len(matches("nothing", word)) > 0
		if found != (len(list) > 0) {
			t.Fatalf("found is %v, the snippet is %+v", found, list)
		}
		if len(list) == 0 {
			return
		}
		if len(joined) > 2*snippetLength+len("…  …") {
			t.Errorf("it has %d bytes", len(joined))
		}
		seen := strings.Map(visible, "nothing · "+text)
		whole := false // the dots may be the text's own
		for _, s := range []string{joined, strings.TrimPrefix(joined, "… "), strings.TrimSuffix(joined, " …"), strings.TrimSuffix(strings.TrimPrefix(joined, "… "), " …")} {
			whole = whole || strings.Contains(seen, s)
		}
		if !whole {
			t.Errorf("%q is no part of %q", joined, seen)
		}
		if !marked {
			t.Errorf("no word is marked in %q", joined)
		}
	})
}
