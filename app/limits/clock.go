package limits

import "time"

// Clock is what time it is.
type Clock struct {
	// Wall is the wall clock, in the user's time zone.
	Wall time.Time
	// Steady is a clock that nobody can set and that counts suspend, from any
	// beginning. It never goes back while a State lives.
	Steady time.Duration
}

// wallAt returns what the wall clock shows, as far as can be known now, when the steady one
// shows at.
func (c Clock) wallAt(at time.Duration) time.Time { return c.Wall.Add(at - c.Steady) }

const (
	day     = 24 * time.Hour
	daySecs = 24 * 60 * 60
)

// local returns what the clocks of t's zone show, in seconds since they showed the beginning
// of 1970.
func local(t time.Time) int64 {
	_, offset := t.Zone()
	return t.Unix() + int64(offset)
}

// dayOf returns the number of t's day in its own zone; that of 1 January 1970 is 0.
func dayOf(t time.Time) int64 { return floorDiv(local(t), daySecs) }

// reach returns the first moment from t on at which the clocks of t's zone show want, as
// local has it, or later: daylight saving may skip it.
func reach(t time.Time, want int64) time.Time {
	for local(t) < want {
		_, offset := t.Zone()
		at := time.Unix(want-int64(offset), 0).In(t.Location())
		_, end := t.ZoneBounds()
		if end.IsZero() || at.Before(end) {
			return at
		}
		t = end
	}
	return t
}

// periodOf returns the first day of the month of data that t is in, and that of the next. A month
// begins on the given day, or on the last of a shorter month.
func periodOf(t time.Time, starts int) (first, next int64) {
	starts = min(max(starts, 1), 31)
	year, month, _ := t.Date()
	begin := func(m time.Month) int64 {
		last := time.Date(year, m+1, 0, 0, 0, 0, 0, time.UTC)
		return floorDiv(last.AddDate(0, 0, min(starts, last.Day())-last.Day()).Unix(), daySecs)
	}
	if this := begin(month); dayOf(t) >= this {
		return this, begin(month + 1)
	}
	return begin(month - 1), begin(month)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
