package stats

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
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
