package stats

import (
	"context"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage"
)

// Counter answers what was counted. It implements api.Counter.
type Counter struct{ db *storage.DB }

// NewCounter returns one for a store.
func NewCounter(db *storage.DB) Counter { return Counter{db} }

// Stats implements api.Counter.
func (c Counter) Stats(_ context.Context, hours int) (api.Stats, error) {
	return Read(c.db, hours)
}

// Series implements api.Counter.
func (c Counter) Series(_ context.Context, q api.SeriesQuery) (api.Series, error) {
	if q.Unit != api.UnitHour && q.Zone != nil {
		return readDates(c.db, q)
	}
	return readSeries(c.db, q)
}

// Best implements api.Counter.
func (c Counter) Best(_ context.Context, zone *time.Location) (api.Best, error) {
	if zone == nil {
		zone = time.UTC
	}
	return readBest(c.db, time.Now(), zone)
}
