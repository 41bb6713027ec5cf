package stats

import (
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Milestones are of what the days counted: a day tells its own, and those that nobody reached are not told.
func TestMilestones(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Date(2024, 2, 28, 12, 0, 0, 0, time.UTC)
	pages := func(n int, lang string) (list []crawl.Outcome) {
		for range n {
			list = append(list, crawl.Outcome{Result: crawl.Fetched, Language: lang})
		}
		return list
	}
	countNow(t, db, s, start, Committed{Outcomes: pages(99, "en"), Domains: 9})
	countNow(t, db, s, start.AddDate(0, 0, 1), Committed{Outcomes: pages(1, "fi"), Domains: 1})
	countNow(t, db, s, start.AddDate(0, 0, 2), Committed{Outcomes: pages(1, "fi")})
	countNow(t, db, s, start.AddDate(0, 12, -1), Committed{Outcomes: pages(1, "en")})
	countNow(t, db, s, start.AddDate(0, 12, 0), Committed{Outcomes: pages(900, "en")})
	best, err := readBest(db, start, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	type told struct {
		kind string
		n    int64
		lang string
		day  string
	}
	var got []told
	for _, m := range best.Milestones {
		got = append(got, told{m.Kind, m.Count, m.Language, m.Day.Format(time.DateOnly)})
	}
	want := []told{
		{"years", 1, "", "2025-02-28"}, {"pages", 1000, "", "2025-02-28"}, {"language", 0, "fi", "2024-02-29"},
		{"sites", 10, "", "2024-02-29"}, {"pages", 100, "", "2024-02-29"}, {"language", 0, "en", "2024-02-28"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("milestones %v, want %v", got, want)
	}
	if best.DaysHelped != 5 {
		t.Errorf("%d days, want 5", best.DaysHelped)
	}
}
