package console

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// terminal understands what a live line needs: CR, LF and erase to the end.
type terminal struct {
	rows []string
	col  int
}

func (t *terminal) Write(p []byte) (int, error) {
	if len(t.rows) == 0 {
		t.rows = []string{""}
	}
	for s := string(p); s != ""; {
		row := &t.rows[len(t.rows)-1]
		switch {
		case strings.HasPrefix(s, "\x1b[K"):
			*row, s = (*row)[:t.col], s[3:]
		case s[0] == '\r':
			t.col, s = 0, s[1:]
		case s[0] == '\n':
			t.rows, t.col, s = append(t.rows, ""), 0, s[1:]
		default:
			if t.col < len(*row) { // overwritten
				*row = (*row)[:t.col]
			}
			*row += s[:1]
			t.col, s = t.col+1, s[1:]
		}
	}
	return len(p), nil
}

func TestScreen_LogStandsAboveTheLiveLine(t *testing.T) {
	term := &terminal{}
	columns := 20
	s := &Screen{out: term, log: term, width: func() int { return columns }}
	s.Write([]byte("first\n"))
	s.Show("1 page")
	s.Show("22 pages and a long title")
	n, err := s.Write([]byte("second\n"))
	if n != 7 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	want := []string{"first", "second", "22 pages and a long"}
	if !slices.Equal(term.rows, want) {
		t.Errorf("the terminal shows %q, want %q", term.rows, want)
	}
	s.Show("3 pages")
	s.Finish()
	s.Finish() // leaves no second line
	s.Write([]byte("last\n"))
	want = []string{"first", "second", "3 pages", "last", ""}
	if !slices.Equal(term.rows, want) {
		t.Errorf("the terminal shows %q, want %q", term.rows, want)
	}
}

func TestScreen_PlainLinesWhereThereIsNoTerminal(t *testing.T) {
	var out, log bytes.Buffer
	s := NewScreen(&out, &log)
	if s.Live() {
		t.Error("a buffer is taken for a terminal")
	}
	s.Show("1 page")
	s.Write([]byte("a log line\n"))
	s.Show(strings.Repeat("long ", 100))
	s.Finish()
	if got, want := out.String(), "1 page\n"+strings.Repeat("long ", 100)+"\n"; got != want {
		t.Errorf("out %q, want %q", got, want)
	}
	if got := log.String(); got != "a log line\n" {
		t.Errorf("log %q", got)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		want    string
	}{
		{"", 5, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"äöü", 2, "äö"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本"},
		{"a日本", 3, "a日"},
		{"日", 1, ""},
		{"한국", 3, "한"},
		{"ＡＢ", 3, "Ａ"},
		{"😀😀", 3, "😀"},
		{"𠀀𠀀", 3, "𠀀"},
	} {
		if got := Clip(c.text, c.columns); got != c.want {
			t.Errorf("clip(%q, %d) = %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// A live line that is wider than the terminal scrolls, and what it leaves
// behind is never erased.
func TestClip_NeverTakesAWideCharacterForANarrowOne(t *testing.T) {
	wrong := 0
	for r := rune(0x20); r <= unicode.MaxRune; r++ {
		kind := width.LookupRune(r).Kind()
		if !utf8.ValidRune(r) || !unicode.IsPrint(r) || kind != width.EastAsianWide && kind != width.EastAsianFullwidth {
			continue
		}
		if Clip(string(r), 1) != "" {
			if wrong++; wrong <= 5 {
				t.Errorf("%U %c takes two columns", r, r)
			}
		}
	}
	if wrong > 5 {
		t.Errorf("and %d more", wrong-5)
	}
}

func FuzzClip(f *testing.F) {
	f.Add("日本語 text", 5)
	f.Add("\xff\xfe", 1)
	f.Add("e\u0322\xb4\x81u", 5)
	f.Fuzz(func(t *testing.T, text string, columns int) {
		got := Clip(text, columns)
		if !strings.HasPrefix(text, got) || columns >= 0 && ColumnsIn(got) > columns {
			t.Errorf("clip(%q, %d) = %q", text, columns, got)
		}
		if rest := text[len(got):]; columns >= 0 && rest != "" {
			next, _ := utf8.DecodeRuneInString(rest)
			if ColumnsIn(got)+columnsFor(next) <= columns {
				t.Errorf("clip(%q, %d) = %q, and there was room for %q", text, columns, got, next)
			}
		}
	})
}
