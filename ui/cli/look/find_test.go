package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/cli/console"
	"github.com/forage-net/forage/ui/cli/env"
)

func TestPrintFound(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	snippet := []api.SnippetPiece{{Text: "a\x1b[31m red\u202e "}, {Text: "apple\ntree", Match: true}, {Text: "s, " + strings.Repeat("and more ", 8)}}
	all := api.SearchPage{Results: []api.SearchResult{{URL: "https://a.example/\x07", Time: at, Title: "A\x01", Snippet: snippet}}, Total: 1}
	const address, end = "https://a.example/\n", "1 page matches. \"forage read URL\" shows it.\n"
	title := "    " + at.Local().Format("2006-01-02 15:04") + "  A\n"
	for _, bold := range []bool{false, true} {
		var b strings.Builder
		err := printFound(console.Printer{To: &b, Bold: bold, Width: 48, Text: &strings.Builder{}}, "", all)
		text := "      a[31m red \x01apple\x02 \x01tree\x02s, and more and more\n      and more and more and more and more and\n      more and more\n"
		text = strings.NewReplacer("\x01", mark(bold, "\x1b[1m"), "\x02", mark(bold, "\x1b[0m")).Replace(text)
		if want := address + title + text + end; err != nil || b.String() != want {
			t.Errorf("bold %v: got %v\n%q\nwant\n%q", bold, err, b.String(), want)
		}
	}
}

func mark(bold bool, text string) string {
	if bold {
		return text
	}
	return ""
}

// Words with a dash come through the flags, and phrases through the shell.
func TestFind_Query(t *testing.T) {
	for _, c := range []struct {
		args  []string
		query string
		limit int
	}{
		{[]string{"cats", "-dogs"}, "cats -dogs", 20},
		{[]string{"-dogs", "--limit", "5", "cats"}, "cats -dogs", 5},
		{[]string{"cats", "-limit", "--limit=7"}, "cats -limit", 7},
		{[]string{"--", "cats", "-dogs", "--limit"}, "cats -dogs --limit", 20},
		{[]string{"-json", "--", "-h"}, "-json -h", 20},
		{[]string{"winter garden", "site:a.example"}, `"winter garden" site:a.example`, 20},
		{[]string{"cats -dogs site:a.example"}, "cats -dogs site:a.example", 20},
		{[]string{`say "winter garden" now`}, `say "winter garden" now`, 20},
		{[]string{" cats "}, " cats ", 20},
	} {
		e := &env.Env{Home: t.TempDir()}
		find := NewFind(e)
		err := find.ParseFlags(AsWords(c.args))
		limit, _ := find.Flags().GetInt("limit")
		if got := queryOf(find.Flags().Args()); err != nil || got != c.query || limit != c.limit {
			t.Errorf("%q: %q, limit %d, %v; want %q, limit %d", c.args, got, limit, err, c.query, c.limit)
		}
	}
}

// shelves has so many pages, and links, and notes how they are asked for.
type shelves struct {
	api.Librarian
	n      int
	limits []int
}

func (s *shelves) take(from string, limit int) (first, last int, next string) {
	s.limits = append(s.limits, limit)
	fmt.Sscan(from, &first)
	last = min(first+limit, s.n)
	if last < s.n {
		next = fmt.Sprint(last)
	}
	return first, last, next
}

func (s *shelves) SearchArchive(_ context.Context, _, from string, limit int) (p api.SearchPage, _ error) {
	first, last, next := s.take(from, limit)
	for i := first; i < last; i++ {
		p.Results = append(p.Results, api.SearchResult{ID: fmt.Sprint(i)})
	}
	p.Next, p.Total = next, s.n
	return p, nil
}

func (s *shelves) LinksTo(_ context.Context, _, from string, limit int) (p api.LinksPage, _ error) {
	first, last, next := s.take(from, limit)
	for i := first; i < last; i++ {
		p.List = append(p.List, api.InLink{ID: fmt.Sprint(i)})
	}
	p.Next, p.Links = next, s.n
	return p, nil
}

// A call gives a hundred at most; more come by further calls.
func TestSearch_GoesOnUntilThereAreEnough(t *testing.T) {
	for _, c := range []struct {
		there, limit, want int
		limits             []int
	}{
		{there: 0, limit: 20, want: 0, limits: []int{20}},
		{there: 50, limit: 20, want: 20, limits: []int{20}},
		{there: 150, limit: 1000, want: 150, limits: []int{100, 100}},
		{there: 900, limit: 250, want: 250, limits: []int{100, 100, 50}},
	} {
		s := &shelves{n: c.there}
		all, err := search(t.Context(), s, "x", c.limit)
		if err != nil || len(all.Results) != c.want || !slices.Equal(s.limits, c.limits) || all.Results == nil || all.Total != c.there {
			t.Errorf("%d of %d: %d results of %d, asked for %v, %v", c.limit, c.there, len(all.Results), all.Total, s.limits, err)
		}
		s.limits = nil
		links, err := linksTo(t.Context(), s, "x", c.limit)
		if err != nil || len(links.List) != c.want || !slices.Equal(s.limits, c.limits) || links.List == nil {
			t.Errorf("%d of %d: %d links, asked for %v, %v", c.limit, c.there, len(links.List), s.limits, err)
		}
		for i := range all.Results {
			if all.Results[i].Snippet == nil {
				t.Fatalf("result %d has no list of pieces", i)
			}
			if all.Results[i].ID != fmt.Sprint(i) || links.List[i].ID != fmt.Sprint(i) {
				t.Fatalf("%d of %d: result %d is %s, link %s", c.limit, c.there, i, all.Results[i].ID, links.List[i].ID)
			}
		}
	}
}

// Whatever a site wrote, a terminal is told of nothing but marks, and each that begins ends in its line.
func FuzzMarked(f *testing.F) {
	f.Add("a word", " and\x1b[31m another\x01\x02\x1b")
	f.Add("\x02\u202e", "\xff \n")
	f.Fuzz(func(t *testing.T, before, match string) {
		var b strings.Builder
		p := console.Printer{To: &b, Bold: true, Width: 40, Text: &strings.Builder{}}
		p.Wrapped("  ", marked([]api.SnippetPiece{{Text: before}, {Text: match, Match: true}, {Text: before}}))
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if strings.Count(line, "\x1b[1m") != strings.Count(line, "\x1b[0m") {
				t.Errorf("%q is not closed", line)
			}
			if plain := strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(strings.TrimSuffix(line, "\n")); console.Printable(plain) != plain {
				t.Errorf("%q has what a terminal obeys", plain)
			}
		}
	})
}

// Where nothing is archived, that is said, and not that nothing was found in no page.
func TestFound_NothingArchived(t *testing.T) {
	for all, want := range map[*api.SearchPage]string{
		{}:          "Nothing is archived yet.",
		{Pages: 2}:  "Nothing found in 2 pages.",
		{Off: true}: "Nothing found in titles and addresses. The search index is off.",
	} {
		if got := foundText("en", *all); got != want {
			t.Errorf("of %+v it says %q, want %q", all, got, want)
		}
	}
}
