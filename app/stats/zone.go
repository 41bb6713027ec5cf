package stats

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage"
)

const aDay = 24 * time.Hour

// dated is what was counted on a date, or in a year; it starts at the midnight of UTC of it.
type dated struct {
	start time.Time
	tally tally
}

// readDates returns the newest days or years of a zone that a query asks for, oldest first.
func readDates(db *storage.DB, q api.SeriesQuery) (api.Series, error) {
	days := q
	if q.Unit == api.UnitYear {
		days = api.SeriesQuery{Zone: q.Zone, Limit: math.MaxInt}
	}
	var list []dated
	err := db.View(func(tx *storage.Tx) (err error) {
		list, err = onDates(tx.Bucket(storage.BucketStats), days)
		return err
	})
	if q.Unit == api.UnitYear {
		list = inYears(list)
	}
	s := api.Series{Unit: q.Unit}
	for i := range list {
		if at := list[i].start; !at.Before(q.From) && (q.To.IsZero() || at.Before(q.To)) {
			s.Points = append(s.Points, api.Point{Start: at, Tally: list[i].tally.shown()})
		}
	}
	s.Points = s.Points[max(0, len(s.Points)-q.Limit):]
	s.Sum()
	return s, err
}

// onDates returns what was counted on the dates of a zone that a query asks for, and maybe on a few before and after,
// oldest first. A date is the sum of its hours. Days of UTC stand for those of which no hours are kept; of a day of
// which some are, for the others.
func onDates(b *storage.Bucket, q api.SeriesQuery) ([]dated, error) {
	days := make(map[time.Time]*tally)
	add := func(date time.Time, t *tally) {
		if days[date] == nil {
			days[date] = new(tally)
		}
		days[date].add(t)
	}
	hours := api.SeriesQuery{Unit: api.UnitHour, Limit: math.MaxInt}
	before := api.SeriesQuery{Unit: api.UnitDay, From: q.From, To: q.To, Limit: q.Limit}
	if !q.From.IsZero() {
		hours.From = q.From.Add(-aDay)
	}
	if !q.To.IsZero() {
		hours.To = q.To.Add(aDay)
	}
	var seam time.Time // the day of UTC of the oldest hour
	if key, _ := b.Cursor().First(); key != nil {
		if oldest, ok := spans[api.UnitHour].start(key); ok {
			seam = dayStart(dayOf(oldest))
			if end := seam.Add(aDay); q.To.IsZero() || end.Before(q.To) {
				before.To = end
			}
		}
	}
	var kept tally // of the hours of that day
	err := readBack(b, hours, func(start time.Time, t *tally) {
		add(dateIn(q.Zone, start), t)
		if dayStart(dayOf(start)).Equal(seam) {
			kept.add(t)
		}
	})
	if err != nil {
		return nil, err
	}
	err = readBack(b, before, func(start time.Time, t *tally) {
		if start.Equal(seam) && !t.takeOff(&kept) {
			return
		}
		add(start, t)
	})
	list := make([]dated, 0, len(days))
	for _, date := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		list = append(list, dated{date, *days[date]})
	}
	return list, err
}

// inYears adds up dates, of which the oldest come first, by years.
func inYears(dates []dated) (years []dated) {
	for i := range dates {
		start := time.Date(dates[i].start.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		if n := len(years); n == 0 || !years[n-1].start.Equal(start) {
			years = append(years, dated{start: start})
		}
		years[len(years)-1].tally.add(&dates[i].tally)
	}
	return years
}
