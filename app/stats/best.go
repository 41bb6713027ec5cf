package stats

import (
	"math"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage"
)

// readBest returns what stands out by the days of a zone.
func readBest(db *storage.DB, now time.Time, zone *time.Location) (best api.Best, err error) {
	err = db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketStats)
		days, err := onDates(b, api.SeriesQuery{Zone: zone, Limit: math.MaxInt})
		if err != nil {
			return err
		}
		var last time.Time // on which the node helped
		for i := range days {
			day := &days[i]
			if p := int64(day.tally.Pages); p > 0 && (best.BusiestDay == nil || p > best.BusiestDay.Pages) {
				best.BusiestDay = &api.BusiestDay{Start: day.start, Pages: p}
			}
			if !day.tally.isHelp() {
				continue
			}
			if best.StreakDays++; day.start.Sub(last) > aDay {
				best.StreakDays = 1
			}
			best.DaysHelped++
			last = day.start
		}
		if dateIn(zone, now.Truncate(time.Hour)).Sub(last) > aDay {
			best.StreakDays = 0
		}
		best.Milestones = milestones(days)
		var first firstPage
		found, err := getStat(b, keyFirst, &first)
		if found && first.URL != "" { // it may have been erased
			best.FirstPage = &api.FirstPage{Time: time.Unix(first.Time, 0).UTC(), URL: first.URL, Title: first.Title}
		}
		return err
	})
	return best, err
}
