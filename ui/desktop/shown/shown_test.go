package shown

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"Baking sourdough":                 "Baking sourdough",
		"  a\tb\r\n c\x00d \u2028e\u0085 ": "a b c d e",
		"evil\u202egnp.exe\u202c":          "evilgnp.exe",
		"\u2066a\u2069\u200e\u200f\u061cb": "ab",
		"\ufeffa\u00adb\u200bc\U000e0041":  "abc",
		"\u3164\u115f":                     "",
		"brau\u0301ð":                      "brau\u0301ð",
		"a" + strings.Repeat("\u0301", 50): "a" + strings.Repeat("\u0301", maxMarks),
		"👩\u200d🔬":                         "👩\u200d🔬",
		"שלום":                             "שלום",
		"bad \xff byte":                    "bad \ufffd byte",
		strings.Repeat("x", 1000):          strings.Repeat("x", Most) + "…",
		strings.Repeat("\u200b", 1<<20):    "…",
	} {
		if got := Text(text); got != want {
			t.Errorf("Text(%.40q) = %.40q, want %.40q", text, got, want)
		}
	}
}

func FuzzShown(f *testing.F) {
	f.Add("evil\u202egnp.exe")
	f.Add("a\u0301\u0301\u0301\u0301\u0301\u0301")
	f.Add("\xff\x00 \u2028")
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > Most+2 || strings.TrimSpace(got) != got {
			t.Fatalf("Text(%q) = %q", text, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) {
				t.Fatalf("Text(%q) has %U", text, r)
			}
		}
		if again := Text(got); again != got && !strings.HasSuffix(got, "…") {
			t.Fatalf("Text(%q) = %q", got, again)
		}
	})
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]time.Duration{1.5: 1500 * time.Millisecond, -1: 0, math.Inf(1): 365 * 24 * time.Hour, 1e300: 365 * 24 * time.Hour} {
		if got := Seconds(s); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", s, got, want)
		}
	}
	if got := Seconds(math.NaN()); got != 0 {
		t.Errorf("Seconds(NaN) = %s", got)
	}
}
