package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/forage-net/forage/app/api"
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
	s := &screen{out: term, log: term, width: func() int { return columns }}
	s.Write([]byte("first\n"))
	s.show("1 page")
	s.show("22 pages and a long title")
	n, err := s.Write([]byte("second\n"))
	if n != 7 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	want := []string{"first", "second", "22 pages and a long"}
	if !slices.Equal(term.rows, want) {
		t.Errorf("the terminal shows %q, want %q", term.rows, want)
	}
	s.show("3 pages")
	s.finish()
	s.finish() // leaves no second line
	s.Write([]byte("last\n"))
	want = []string{"first", "second", "3 pages", "last", ""}
	if !slices.Equal(term.rows, want) {
		t.Errorf("the terminal shows %q, want %q", term.rows, want)
	}
}

func TestScreen_PlainLinesWhereThereIsNoTerminal(t *testing.T) {
	var out, log bytes.Buffer
	s := newScreen(&out, &log)
	if s.live() {
		t.Error("a buffer is taken for a terminal")
	}
	s.show("1 page")
	s.Write([]byte("a log line\n"))
	s.show(strings.Repeat("long ", 100))
	s.finish()
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
		if got := clip(c.text, c.columns); got != c.want {
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
		if clip(string(r), 1) != "" {
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
		got := clip(text, columns)
		if !strings.HasPrefix(text, got) || columns >= 0 && columnsIn(got) > columns {
			t.Errorf("clip(%q, %d) = %q", text, columns, got)
		}
		if rest := text[len(got):]; columns >= 0 && rest != "" {
			next, _ := utf8.DecodeRuneInString(rest)
			if columnsIn(got)+columnsFor(next) <= columns {
				t.Errorf("clip(%q, %d) = %q, and there was room for %q", text, columns, got, next)
			}
		}
	})
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
		if got := printable(in); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 999_999: "999,999", 1_000_000: "1,000,000",
		-1: "-1", -100: "-100", -1000: "-1,000", -123_456: "-123,456", -1_234_567: "-1,234,567",
		1<<63 - 1: "9,223,372,036,854,775,807", -1 << 63: "-9,223,372,036,854,775,808",
	} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for at, want := range map[time.Time]string{
		now.Add(time.Hour):   "13:00:00",
		now.AddDate(0, 0, 1): "2026-03-02 12:00",
		now.Add(time.Hour).In(time.FixedZone("far", 14*3600)): "13:00:00",
	} {
		if got := when(at, now); got != want {
			t.Errorf("when(%v) = %q, want %q", at, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	var b bytes.Buffer
	if err := table(&b, [][]string{{"A", "LONGER", "C"}, {"first", "2", ""}, {"", "x", "y"}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "A      LONGER  C\nfirst  2\n       x       y\n"; got != want {
		t.Errorf("table:\n%s\nwant:\n%s", got, want)
	}
}

// still is a node that answers what the test put into it.
type still struct {
	api.Node
	status api.Status
	err    error
	events []api.Event
}

func (n *still) StatusIn(context.Context, string) (api.Status, error) { return n.status, n.err }

func (n *still) Events(since uint64, limit int) ([]api.Event, uint64, bool) {
	rest := n.events[min(int(since), len(n.events)):]
	rest = rest[:min(limit, len(rest))]
	return rest, since + uint64(len(rest)), false
}

func TestProgress_SaysWhatHappensInOneLine(t *testing.T) {
	n := &still{status: api.Status{State: api.StateWorking, PagesSession: 1234, PagesPerS: 2.34, Domains: 5, BytesReceived: 5e6, Queued: 678}}
	p := nodeText{node: n}
	if got, want := p.text(t.Context()), "1,234 pages · 2.3 pages/s · 5 domains · 5.0 MB · 678 queued"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	for i := range 2500 {
		n.events = append(n.events, api.Event{Kind: api.KindPage, Title: fmt.Sprint("page ", i), Domain: "a.test"})
	}
	n.events = append(n.events, api.Event{Kind: api.KindPage, Title: "the \x1b[2Jlast", Domain: "b.test"}, api.Event{Kind: api.KindNode, Title: "no page"}, api.Event{Kind: api.KindPage})
	if got := p.text(t.Context()); !strings.HasSuffix(got, " · the [2Jlast (b.test)") {
		t.Errorf("text %q", got)
	}
	n.status.State, n.status.Reasons = api.StatePaused, []string{"you paused it", "disk full"}
	if got := p.text(t.Context()); !strings.HasSuffix(got, "678 queued · paused: you paused it; disk full") && !strings.HasSuffix(got, "678 queued · paused: you paused it, disk full") {
		t.Errorf("text %q", got)
	}
	n.err = errors.New("no answer")
	if got := p.text(t.Context()); got != "status unknown: no answer" {
		t.Errorf("text %q", got)
	}
}

func TestShowProgress_EndsWithTheLastState(t *testing.T) {
	n := &still{status: api.Status{State: api.StateStopping, Reasons: []string{"Stopping"}}}
	var out bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	showProgress(ctx, n, newScreen(&out, io.Discard))
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "stopping") {
		t.Errorf("shown %q", got)
	}
}
