package limits

import "time"

const (
	cellSecs = 15 * 60
	dayCells = daySecs / cellSecs
	// Cells is how many cells a week has, of 15 minutes each.
	Cells = 7 * dayCells
)

// Grid says for each quarter of an hour of a week what is allowed, from Monday 00:00 on, by
// the clocks of the user's zone. An hour that these skip does not happen, and one that they show
// twice is governed by the same cells twice. The zero Grid allows nothing.
type Grid [Cells]Level

// AllWeek returns the grid with one level.
func AllWeek(l Level) Grid {
	var g Grid
	for i := range g {
		g[i] = l
	}
	return g
}

// At returns the level at t, in t's zone.
func (g *Grid) At(t time.Time) Level { return g[cellAt(local(t))] }

// cellAt returns the cell of a local second.
func cellAt(second int64) int {
	days := floorDiv(second, daySecs)
	weekday := (days%7 + 7 + 3) % 7 // the first day of 1970 was a Thursday
	return int(weekday)*dayCells + int((second-days*daySecs)/cellSecs)
}

// gridHorizon is how far ahead a grid is searched: a week, and a day for the days that are
// longer than others.
const gridHorizon = 8 * day

// levelSet is a set of levels.
type levelSet uint8

const anyLevel levelSet = 1<<Off | 1<<Gentle | 1<<Full

func (s levelSet) has(l Level) bool { return s>>l&1 != 0 }

// next returns the first moment after t at which the level is one of a set, or
// the zero time if there is none within eight days.
func (g *Grid) next(t time.Time, set levelSet) time.Time {
	limit := t.Add(gridHorizon).Unix()
	for at := t; ; {
		_, offset := at.Zone()
		second := local(at)
		cell := cellAt(second)
		if !at.Equal(t) && set.has(g[cell]) {
			return at
		}
		_, end := at.ZoneBounds() // until then, local time is even
		last := limit
		if !end.IsZero() {
			last = min(last, end.Unix()-1)
		}
		begin := floorDiv(second, cellSecs)*cellSecs - int64(offset)
		for range Cells {
			begin += cellSecs
			if begin > last {
				break
			}
			if cell++; cell == Cells {
				cell = 0
			}
			if set.has(g[cell]) {
				return time.Unix(begin, 0).In(t.Location())
			}
		}
		if end.IsZero() || end.Unix() > limit {
			return time.Time{}
		}
		at = end
	}
}

// change returns when the level changes after t, or the zero time.
func (g *Grid) change(t time.Time) time.Time { return g.next(t, anyLevel&^(1<<g.At(t))) }

// began returns since when the level is that at t, or the zero time if it has been so for eight days.
func (g *Grid) began(t time.Time) (since time.Time) {
	for at := g.change(t.Add(-gridHorizon)); !at.IsZero() && !at.After(t); at = g.change(at) {
		since = at
	}
	return since
}

// rise returns when more is allowed than at t, or the zero time.
func (g *Grid) rise(t time.Time) time.Time { return g.next(t, anyLevel&^(2<<g.At(t)-1)) }
