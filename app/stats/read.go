package stats

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// Read returns the totals, and at most so many of the last hours.
func Read(db *storage.DB, hours int) (stats api.Stats, err error) {
	err = db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		var all allTime
		if _, err := getStat(b, keyAllTime, &all); err != nil {
			return err
		}
		stats.Totals = all.Tally.counts()
		return readBack(b, api.SeriesQuery{Unit: api.UnitHour, Limit: hours}, func(start time.Time, t *tally) {
			stats.Hours = append(stats.Hours, api.Hour{Start: start, Counts: t.counts()})
		})
	})
	slices.Reverse(stats.Hours)
	return stats, err
}

// readSeries returns the newest points that a query asks for, oldest first.
func readSeries(db *storage.DB, q api.SeriesQuery) (api.Series, error) {
	s := api.Series{Unit: q.Unit}
	err := db.View(func(tx *storage.Tx) error {
		return readBack(tx.Bucket(storage.BucketStats), q, func(start time.Time, t *tally) {
			s.Points = append(s.Points, api.Point{Start: start, Tally: t.shown()})
		})
	})
	slices.Reverse(s.Points)
	s.Sum()
	return s, err
}

// readBack calls fn with the records that a query asks for, newest first.
func readBack(b *storage.Bucket, q api.SeriesQuery, fn func(start time.Time, t *tally)) error {
	s, ok := spans[q.Unit]
	if !ok {
		return words.New("said.api.there-is-no-unit", words.Args{"name": fmt.Sprintf("%.20q", q.Unit)})
	}
	end := []byte{s.first + 1}
	if !q.To.IsZero() { // the first that begins at To or later
		end = s.key(q.To)
		if start, _ := s.start(end); start.Before(q.To) {
			end = append(end, 0)
		}
	}
	c := b.Cursor()
	key, raw := c.Seek(end)
	if key == nil {
		key, raw = c.Last()
	}
	for key != nil && bytes.Compare(key, end) >= 0 {
		key, raw = c.Prev()
	}
	for n := 0; n < q.Limit && key != nil && key[0] == s.first; n++ {
		start, ok := s.start(key)
		if !ok {
			return fmt.Errorf("damaged statistics: a key of %d bytes", len(key))
		}
		if start.Before(q.From) {
			return nil
		}
		var t tally
		if _, err := decodeStat(raw, &t); err != nil {
			return err
		}
		fn(start, &t)
		key, raw = c.Prev()
	}
	return nil
}
