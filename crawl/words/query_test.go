package words

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Query
	}{
		{"", Query{}},
		{"  The  QUICK fox ", Query{Words: []string{"the", "quick", "fox"}}},
		{"fox fox FOX", Query{Words: []string{"fox"}}},
		{`"quick fox" jumps`, Query{Words: []string{"quick", "fox", "jumps"}, Exact: [][]string{{"quick", "fox"}}}},
		{`"quick fox`, Query{Words: []string{"quick", "fox"}, Exact: [][]string{{"quick", "fox"}}}},
		{`fox -dog -"lazy cat" -`, Query{Words: []string{"fox"}, None: []string{"dog", "lazy", "cat"}}},
		{"e-mail", Query{Words: []string{"e", "mail"}}},
		{"fox SITE:www.Example.org/ lang:de-AT", Query{Words: []string{"fox"}, Sites: []string{"example.org"}, Languages: []string{"de"}}},
		{"after:2026-03 before:2026-04-01", Query{From: date(2026, 3, 1), Until: date(2026, 4, 1)}},
		{"after:2026", Query{From: date(2026, 1, 1)}},
		{"std::vec site:", Query{Words: []string{"std", "vec", "site"}}},
		{`"` + strings.Repeat("x ", 20) + `"`, Query{Words: []string{"x"}, Exact: [][]string{slices.Repeat([]string{"x"}, MaxParts)}}},
		{"東京都", Query{Words: []string{"東京", "京都"}}},
		{"本", Query{Words: []string{"本"}}},
	} {
		got, err := ParseQuery(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.Local) }

func TestParseQuery_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, part := range map[string]string{
		"fox lang:german":                     "lang:german",
		"after:yesterday":                     "after:yesterday",
		"fox before:2026-13":                  "before:2026-13",
		strings.Repeat("x", MaxQuery+1):       strings.Repeat("x", 32) + "…",
		"x" + strings.Repeat("é", MaxQuery/2): "x" + strings.Repeat("é", 15) + "…",
	} {
		_, err := ParseQuery(text)
		var wrong *QueryError
		if !errors.As(err, &wrong) || wrong.Args["part"] != strconv.Quote(part) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseQuery(f *testing.F) {
	for _, q := range []string{`words "a phrase" -without site:a.test lang:de after:2026-01 before:2026-06-30`, `-"`, "- -", `"`, "東京 site:x:y", "-\xff:"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text)
		if err != nil {
			var wrong *QueryError
			if !errors.As(err, &wrong) || len(wrong.Error()) > 8*MaxQuery {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, n := range []int{len(q.Words), len(q.None), len(q.Exact), len(q.Sites), len(q.Languages)} {
			if n > MaxParts {
				t.Errorf("%q: %+v has more than %d parts", text, q, MaxParts)
			}
		}
		for _, e := range q.Exact {
			if len(e) == 0 || len(e) > MaxParts {
				t.Errorf("%q: a phrase of %d words", text, len(e))
			}
		}
		for _, w := range append(q.Words, q.None...) {
			if w == "" || len(w) > MaxWord {
				t.Errorf("%q: %q is no word", text, w)
			}
		}
	})
}

func TestPrimary(t *testing.T) {
	t.Parallel()
	for tag, want := range map[string]string{"de": "de", "de-AT": "de", "EN_gb": "en", "gsw": "gsw", "": "", "e": "", "deutsch": "", "d1": "", "é": "", "<b": ""} {
		if got := Primary(tag); got != want {
			t.Errorf("Primary(%q) = %q, want %q", tag, got, want)
		}
	}
}
