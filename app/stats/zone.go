package stats

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage"
)

const aDay = 24 * time.Hour

// readDays returns the newest days of a zone that a query asks for, oldest first. Each is the sum of its hours and
// starts at the midnight of UTC of its date. Days of UTC stand for days of which no hours are kept.
func readDays(db *storage.DB, q api.SeriesQuery) (api.Series, error) {
	days := make(map[time.Time]*tally)
	add := func(date time.Time, t *tally) {
		sum := days[date]
		if sum == nil {
			sum = new(tally)
			days[date] = sum
		}
		sum.add(t)
	}
	err := db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		hours := api.SeriesQuery{Unit: api.UnitHour, Limit: api.MaxHours}
		if !q.From.IsZero() {
			hours.From = q.From.Add(-aDay)
		}
		if !q.To.IsZero() {
			hours.To = q.To.Add(aDay)
		}
		if err := readBack(b, hours, func(start time.Time, t *tally) { add(dateIn(q.Zone, start), t) }); err != nil {
			return err
		}
		before := api.SeriesQuery{Unit: api.UnitDay, From: q.From, To: q.To, Limit: q.Limit}
		if key, _ := b.Cursor().First(); key != nil {
			if oldest, ok := spans[api.UnitHour].start(key); ok && (q.To.IsZero() || oldest.Before(q.To)) {
				before.To = dayStart(dayOf(oldest))
			}
		}
		return readBack(b, before, add)
	})
	s := api.Series{Unit: api.UnitDay}
	for date, t := range days {
		if !date.Before(q.From) && (q.To.IsZero() || date.Before(q.To)) {
			s.Points = append(s.Points, api.Point{Start: date, Tally: t.shown()})
		}
	}
	slices.SortFunc(s.Points, func(a, b api.Point) int { return cmp.Compare(a.Start.Unix(), b.Start.Unix()) })
	s.Points = s.Points[max(0, len(s.Points)-q.Limit):]
	s.Sum()
	return s, err
}

// dateIn is the date of most of an hour in a zone.
func dateIn(zone *time.Location, hour time.Time) time.Time {
	year, month, day := hour.Add(time.Hour / 2).In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
