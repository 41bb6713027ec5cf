package limiter

import (
	"testing"
	"time"
)

func TestEase(t *testing.T) {
	var e ease
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i, c := range []struct {
		after          time.Duration
		pages          int64
		requests       int
		rests, changed bool
	}{
		{0, 7, 0, false, false}, // it has begun with the pages of earlier runs
		{restsAfter - 1, 7, 0, false, false},
		{1, 7, 0, true, true},
		{easeEvery - 1, 7, 0, true, false},
		{1, 7, 0, true, true},
		{easeEvery - 1, 7, 0, true, false},
		{time.Hour, 7, 0, true, true},
		{time.Second, 7, 1, false, true},
		{restsAfter, 7, 1, false, false}, // a slow site
		{restsAfter - 1, 7, 0, false, false},
		{0, 8, 0, false, false},
		{restsAfter, 8, 0, true, true},
		{time.Second, 9, 0, false, true},
	} {
		at = at.Add(c.after)
		if changed := e.look(at, c.pages, c.requests); changed != c.changed || e.rests != c.rests {
			t.Errorf("%d: rests %v, changed %v", i, e.rests, changed)
		}
	}
}
