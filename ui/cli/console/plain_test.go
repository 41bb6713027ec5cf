package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forage-net/forage/app/api"
)

// hostile is text as a site may have it for a title.
const hostile = "a\x1b[2J\x1b]0;owned\x07b\r\x00\u009b31mc\u202ed\x7f\xff\u2066\u200b\u200e\u200f\ufeffé森"

// tame is what may be left of it.
const tame = "a[2J]0;ownedb31mcdé森"

func TestPlain_LeavesOutWhatATerminalObeys(t *testing.T) {
	text := "line\n\t" + hostile + "\n"
	want := "line\n\t" + tame + "\n"
	for size := 1; size < len(text); size++ { // characters arrive in pieces
		var b bytes.Buffer
		p := NewPlain(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if written, err := p.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatalf("%d of %d bytes written, %v", written, n, err)
			}
			rest = rest[n:]
		}
		if b.String() != want {
			t.Errorf("in pieces of %d: %q, want %q", size, b.String(), want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add([]byte(hostile), 3)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var b bytes.Buffer
		p := NewPlain(&b)
		cut = min(max(cut, 0), len(text))
		p.Write(text[:cut])
		p.Write(text[cut:])
		for _, r := range b.String() {
			if r != '\n' && r != '\t' && harmless(r) < 0 {
				t.Fatalf("%q came through of %q", r, text)
			}
		}
		if !utf8.Valid(b.Bytes()) {
			t.Fatalf("%q is no text", b.String())
		}
	})
}

// What is printed as JSON is harmless too, and says the same.
func TestEncodeJSON(t *testing.T) {
	var b bytes.Buffer
	if err := EncodeJSON(&b, api.Event{Title: hostile, Text: "<&>"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r != utf8.RuneError && harmless(r) < 0 {
			t.Errorf("%q is printed: %s", r, b.String())
		}
	}
	var back api.Event
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back.Title != strings.ToValidUTF8(hostile, "\ufffd") || !strings.Contains(b.String(), "<&>") {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		widths  []int
		columns int
		want    string
	}{
		{[]int{3, 5}, 80, "[3 5]"},
		{[]int{3, 5}, 10, "[3 5]"},
		{[]int{10, 40, 30}, 60, "[10 23 23]"},
		{[]int{10, 100}, 40, "[10 28]"},
		{[]int{20, 20, 20}, 10, "[8 8 8]"}, // no narrower
		{[]int{5, 5, 5}, 10, "[5 5 5]"},
	} {
		got := fmt.Sprint(c.widths)
		fit(c.widths, c.columns)
		if fmt.Sprint(c.widths) != c.want {
			t.Errorf("%s in %d columns: %v, want %s", got, c.columns, c.widths, c.want)
		}
	}
}

func TestCutAndWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{{"short", 5, "short"}, {"longer", 5, "long…"}, {"森森森", 5, "森森…"}, {"森森森", 6, "森森森"}, {"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"}} {
		if got := Cut(c.text, c.columns); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
	if got := fmt.Sprintf("%q", Wrap(strings.Fields("one two a-very-long-word three"), 8)); got != `["one two" "a-very-long-word" "three"]` {
		t.Errorf("wrapped into %s", got)
	}
}

func TestPrintable_TakesOutWhatATerminalObeys(t *testing.T) {
	for in, want := range map[string]string{
		"plain · Ünïcode 日本":   "plain · Ünïcode 日本",
		"red \x1b[31m title":   "red [31m title",
		"bell\a tab\t\r\n":     "bell tab",
		"C1 \u009b31m \u0085x": "C1 31m x",
		"del\x7f":              "del",
		"bidi \u202eevil\u202c \u2066x\u2069 \u202a\u202b\u202d": "bidi evil x ",
		"bad \xff\xfe bytes": "bad  bytes",
		"\x00\x01":           "",
	} {
		if got := Printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}
