package stats

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// A day is that of who reads: from their midnight, whatever day it is in Greenwich.
func TestSeries_DaysOfAZone(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for i := range 48 {
		countNow(t, db, s, start.Add(time.Duration(i)*time.Hour), Committed{Found: 1})
	}
	day := func(n int) time.Time { return start.AddDate(0, 0, n) }
	for _, c := range []struct {
		name  string
		zone  *time.Location
		q     api.SeriesQuery
		first time.Time
		found []int64
	}{
		{"UTC", time.UTC, api.SeriesQuery{Limit: 9}, day(0), []int64{24, 24}},
		{"ahead", time.FixedZone("", 3*3600), api.SeriesQuery{Limit: 9}, day(0), []int64{21, 24, 3}},
		{"behind", time.FixedZone("", -8*3600), api.SeriesQuery{Limit: 9}, day(-1), []int64{8, 24, 16}},
		{"three quarters", time.FixedZone("", 5*3600+45*60), api.SeriesQuery{Limit: 9}, day(0), []int64{18, 24, 6}},
		{"the newest", time.FixedZone("", 3*3600), api.SeriesQuery{Limit: 2}, day(1), []int64{24, 3}},
		{"from a day", time.FixedZone("", -8*3600), api.SeriesQuery{Limit: 9, From: day(0)}, day(0), []int64{24, 16}},
		{"to a day", time.FixedZone("", 3*3600), api.SeriesQuery{Limit: 9, To: day(2)}, day(0), []int64{21, 24}},
	} {
		c.q.Unit, c.q.Zone = api.UnitDay, c.zone
		got, err := NewCounter(db).Series(t.Context(), c.q)
		if err != nil || len(got.Points) != len(c.found) || got.Points[0].Start != c.first {
			t.Errorf("%s: %+v, %v; want %v from %v", c.name, got.Points, err, c.found, c.first)
			continue
		}
		for i, p := range got.Points {
			if p.Found != c.found[i] {
				t.Errorf("%s: on day %d %d, want %d", c.name, i, p.Found, c.found[i])
			}
		}
	}
}

// Days of which no hours are kept are those of UTC, and none counts twice.
func TestSeries_DaysBeforeTheHours(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Date(2024, 3, 1, 12, 0, 0, 0, time.UTC)
	const days = 500
	for i := range days {
		countNow(t, db, s, start.AddDate(0, 0, i), Committed{Found: 1})
	}
	got, err := NewCounter(db).Series(t.Context(), api.SeriesQuery{Unit: api.UnitDay, Zone: time.FixedZone("", -9*3600), Limit: 1000})
	if err != nil || got.Totals.Found != days || len(got.Points) != days {
		t.Errorf("%d found on %d days, %v; want %d", got.Totals.Found, len(got.Points), err, days)
	}
}

// Years and what stands out are of the days of a zone, also where only a part of the hours is kept, and nothing is lost
// or counts twice.
func TestBest_DaysOfAZone(t *testing.T) {
	pages := func(n int) (c Committed) {
		for range n {
			c.Outcomes = append(c.Outcomes, crawl.Outcome{Result: crawl.Fetched})
		}
		return c
	}
	utc := func(day, hour int) time.Time { return time.Date(2025, 12, day, hour, 0, 0, 0, time.UTC) }
	counts := map[time.Time]int{utc(29, 20): 60, utc(30, 4): 50, utc(31, 4): 20, utc(31, 20): 30, utc(32, 4): 40}
	for _, c := range []struct {
		name       string
		zone       *time.Location
		busiest    string
		pages      int64
		days       int64
		streak     int64
		hundred    string // the day of the milestone of 100 pages
		this, next int64
	}{
		{"UTC", time.UTC, "2025-12-29", 60, 4, 4, "2025-12-30", 160, 40},
		{"behind", time.FixedZone("", -8*3600), "2025-12-29", 110, 3, 3, "2025-12-29", 200, 0},
		{"ahead", time.FixedZone("", 8*3600), "2025-12-30", 110, 3, 3, "2025-12-30", 130, 70},
	} {
		db := openDB(t)
		s := newMeteredStats("one")
		for _, at := range slices.SortedFunc(maps.Keys(counts), time.Time.Compare) {
			countNow(t, db, s, at, pages(counts[at]))
		}
		best, err := readBest(db, utc(32, 5), c.zone)
		if err != nil || best.DaysHelped != c.days || best.StreakDays != c.streak || best.BusiestDay.Pages != c.pages ||
			best.BusiestDay.Start.Format(time.DateOnly) != c.busiest {
			t.Errorf("%s: %+v, busiest %+v, %v; want %d days, %d in a row, the busiest %s with %d", c.name, best, best.BusiestDay, err, c.days, c.streak, c.busiest, c.pages)
		}
		if got := best.Milestones[len(best.Milestones)-1]; got.Count != 100 || got.Day.Format(time.DateOnly) != c.hundred {
			t.Errorf("%s: the first milestone is %+v on %v, want 100 on %s", c.name, got, got.Day, c.hundred)
		}
		years, err := NewCounter(db).Series(t.Context(), api.SeriesQuery{Unit: api.UnitYear, Zone: c.zone, Limit: 9})
		got := map[int]int64{}
		for _, p := range years.Points {
			got[p.Start.Year()] = p.Pages
		}
		if err != nil || got[2025] != c.this || got[2026] != c.next || years.Totals.Pages != 200 {
			t.Errorf("%s: by years %v, %v; want %d and %d", c.name, got, err, c.this, c.next)
		}
	}
}

// Where the hours that are kept begin within a day of UTC, the rest of that day counts with its date.
func TestBest_WhereHoursBegin(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	start := time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC)
	const hours = api.MaxHours + 24*5 + 7
	for i := range hours {
		countNow(t, db, s, start.Add(time.Duration(i)*time.Hour), Committed{Outcomes: []crawl.Outcome{{Result: crawl.Fetched}}})
	}
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", 9*3600), time.FixedZone("", -9*3600)} {
		got, err := NewCounter(db).Series(t.Context(), api.SeriesQuery{Unit: api.UnitYear, Zone: zone, Limit: 9})
		if err != nil || got.Totals.Pages != hours {
			t.Errorf("%v: %d pages, %v; want %d", zone, got.Totals.Pages, err, hours)
		}
	}
}

// The days that milestones of an absence count are the user's: where a day of UTC begins in their evening, none begins.
func TestCount_DaysOfTheUser(t *testing.T) {
	db := openDB(t)
	s := newMeteredStats("one")
	var reached []string
	s.Away = func(_ *storage.Tx, _ []crawl.Outcome, list []away.Milestone) error {
		for _, m := range list {
			reached = append(reached, string(m.Kind))
		}
		return nil
	}
	zone := time.FixedZone("", -8*3600)
	evening := func(day, hour int) {
		countNow(t, db, s, time.Date(2026, 3, day, hour, 0, 0, 0, zone), Committed{Outcomes: []crawl.Outcome{{Result: crawl.Fetched}}})
	}
	for day := range 6 {
		evening(1+day, 15) // before midnight of UTC
		evening(1+day, 17) // and after
	}
	evening(5, 12) // the clock was set back
	if len(reached) > 0 {
		t.Errorf("after six days %v is reached", reached)
	}
	evening(7, 15)
	if !slices.Equal(reached, []string{"days"}) {
		t.Errorf("after seven days %v is reached", reached)
	}
}
