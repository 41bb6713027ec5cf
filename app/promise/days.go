package promise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"
)

// monthDays is how many days, today among them, a month has here.
const monthDays = 30

// maxDaySeconds is more than a day has in which clocks are set.
const maxDaySeconds = 2 * 24 * 60 * 60

// Days are sums of what was used on each day of UTC, for the mean of a month. The zero value has none. They are not
// for concurrent use.
type Days struct{ list []day }

// day is what was measured on one day.
type day struct {
	Day     int64             `json:"day"` // since 1970
	Seconds float64           `json:"seconds"`
	Sums    [Measures]float64 `json:"sums"` // of what was measured, times seconds
}

func dayOf(t time.Time) int64 { return t.Unix() / (24 * 60 * 60) }

// Note adds what was measured for some seconds up to now.
func (d *Days) Note(now time.Time, seconds float64, measured [Measures]float64) {
	if !(seconds > 0 && seconds <= maxDaySeconds) {
		return
	}
	today := dayOf(now)
	i, found := slices.BinarySearchFunc(d.list, today, func(x day, n int64) int { return cmp.Compare(x.Day, n) })
	if !found {
		d.list = slices.Insert(d.list, i, day{Day: today})
	}
	x := &d.list[i]
	if x.Seconds += seconds; x.Seconds > maxDaySeconds {
		x.Seconds -= seconds
		return
	}
	for m, v := range measured {
		if v > 0 && v <= most {
			x.Sums[m] += v * seconds
		}
	}
	if !found {
		d.drop(today)
	}
}

// drop forgets days of more than a month ago, and of a time to come.
func (d *Days) drop(today int64) {
	d.list = slices.DeleteFunc(d.list, func(x day) bool { return x.Day <= today-monthDays || x.Day > today })
}

// Mean returns the mean of what was measured in the last 30 days, in the time that something was; -1 if nothing was.
func (d *Days) Mean(now time.Time, m Measure) float64 {
	sum, seconds, today := 0.0, 0.0, dayOf(now)
	for _, x := range d.list {
		if x.Day > today-monthDays && x.Day <= today {
			sum, seconds = sum+x.Sums[m], seconds+x.Seconds
		}
	}
	if seconds == 0 {
		return -1
	}
	return sum / seconds
}

// Save returns what is to survive a restart, as JSON of 31 days at most.
func (d *Days) Save() ([]byte, error) { return json.Marshal(d.list) }

// RestoreDays returns what Save saved; of bytes that are damaged nothing is taken.
func RestoreDays(now time.Time, data []byte) (*Days, error) {
	d := new(Days)
	if len(data) == 0 {
		return d, nil
	}
	if err := json.Unmarshal(data, &d.list); err != nil {
		return new(Days), fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	before := int64(math.MinInt64)
	for _, x := range d.list {
		bad := x.Day <= before || !(x.Seconds > 0 && x.Seconds <= maxDaySeconds)
		for _, sum := range x.Sums {
			bad = bad || !(sum >= 0 && sum <= most*maxDaySeconds)
		}
		if bad {
			return new(Days), ErrDamaged
		}
		before = x.Day
	}
	d.drop(dayOf(now))
	return d, nil
}
