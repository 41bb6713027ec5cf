package promise

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/forage-net/forage/app/limits"
)

const (
	// maxRecords is one a minute of a day.
	maxRecords = 24 * 60
	// maxBreaches is far more than a day may have before nobody reads on. The oldest go first.
	maxBreaches = 200
	// maxCause is the length of a cause, in bytes.
	maxCause = 200
	// most is more than anything measured, and exact in a float64 and an int64.
	most = 1e15
)

// Recorder keeps account. The zero value is that of a node that never ran.
type Recorder struct {
	minutes  []minute // oldest first
	breaches []broken // in the order in which they ended

	last    time.Duration // the sample before
	started bool
	gauges  [Measures]gauge
	runs    [Measures]broken // what is over its limit now, if its length is above 0
	open    tally            // the minute that is not over
}

// minute is a Record as it is kept: numbers are whole ones in the scale of the measure, so that saving loses
// nothing.
type minute struct {
	at      time.Duration // by the steady hand
	seconds uint8
	level   limits.Level
	figures [Measures]figures
}

type figures struct {
	limit     int64 // limits.NoLimit for none, not scaled
	mean, max int64
}

// broken is a Breach as it is kept.
type broken struct {
	measure      Measure
	at, length   time.Duration
	limit, worst float64
	cause        string
}

// tally adds up a minute.
type tally struct {
	running    bool
	start, end time.Duration
	covered    time.Duration
	levels     [3]time.Duration
	used       [Measures]float64 // measured by seconds
	limit, max [Measures]float64
}

// Note takes what was found now. It is to be called about once a second; what is measured
// since the sample before counts unless that is more than 10 s ago. A steady hand that stands still or goes back
// is a gap.
func (r *Recorder) Note(now limits.Clock, s Sample) {
	start, at := r.last, now.Steady
	step := at - start
	if r.open.running && (at >= r.open.end || at < r.open.start) {
		r.finishMinute()
	}
	if !r.open.running {
		r.beginMinute(now)
	}
	if !r.started || step <= 0 || step > maxStep {
		r.gap(at)
	} else {
		r.judge(start, at, s)
	}
	r.last, r.started = at, true
	r.forget(at)
}

// judge takes what was between two samples.
func (r *Recorder) judge(start, now time.Duration, s Sample) {
	step := now - start
	r.open.covered += step
	r.open.levels[min(int(s.Level), len(r.open.levels)-1)] += step
	for m := range Measure(Measures) {
		v := s.Values[m]
		v.Limit, v.Measured = saneLimit(v.Limit), sane(v.Measured)
		value, over := r.gauges[m].add(judgements[m], start, now, v)
		r.open.used[m] += v.Measured * step.Seconds()
		r.open.max[m] = max(r.open.max[m], value)
		if r.open.limit[m] != limits.NoLimit {
			r.open.limit[m] = max(r.open.limit[m], v.Limit)
		}
		if v.Limit == limits.NoLimit {
			r.open.limit[m] = limits.NoLimit
		}
		run := &r.runs[m]
		if !over {
			r.endRun(m)
			continue
		}
		if run.length == 0 {
			*run = broken{measure: m, at: start, limit: v.Limit, worst: value, cause: causeText(s.Cause)}
		}
		run.length = now - run.at
		if run.cause == "" {
			run.cause = causeText(s.Cause)
		}
		if value-v.Limit > run.worst-run.limit {
			run.limit, run.worst = v.Limit, value
		}
	}
}

// gap ends what cannot be known to go on, and begins again.
func (r *Recorder) gap(now time.Duration) {
	for m := range Measure(Measures) {
		r.endRun(m)
		r.gauges[m] = gauge{since: now}
	}
}

// endRun ends what was over its limit; a breach is what lasted.
func (r *Recorder) endRun(m Measure) {
	if r.runs[m].length > hold {
		if len(r.breaches) >= maxBreaches {
			r.breaches = slices.Delete(r.breaches, 0, 1)
		}
		r.breaches = append(r.breaches, r.runs[m])
	}
	r.runs[m] = broken{}
}

// beginMinute begins one that ends with the minute of the wall clock, or with the next if that is
// near: at most each half minute there is one, however the clock is set.
func (r *Recorder) beginMinute(now limits.Clock) {
	length := time.Minute - time.Duration(now.Wall.Second())*time.Second
	if length < time.Minute/2 {
		length += time.Minute
	}
	r.open = tally{running: true, start: now.Steady, end: now.Steady + length}
}

// finishMinute keeps the minute that is over, unless nothing is known of it.
func (r *Recorder) finishMinute() {
	if m, ok := r.open.minute(); ok {
		if len(r.minutes) >= maxRecords {
			r.minutes = slices.Delete(r.minutes, 0, 1)
		}
		r.minutes = append(r.minutes, m)
	}
	r.open = tally{}
}

// minute returns what is known of the minute up to now.
func (t *tally) minute() (minute, bool) {
	seconds := t.covered.Round(time.Second) / time.Second
	if seconds <= 0 {
		return minute{}, false
	}
	m := minute{at: t.start, seconds: uint8(min(seconds, maxSeconds))}
	for level, d := range t.levels {
		if d > t.levels[m.level] {
			m.level = limits.Level(level)
		}
	}
	for i := range m.figures {
		scale := judgements[i].scale
		f := figures{limit: limits.NoLimit, mean: scaled(t.used[i]/t.covered.Seconds(), scale),
			max: scaled(t.max[i], scale)}
		if t.limit[i] != limits.NoLimit {
			f.limit = scaled(t.limit[i], scale)
		}
		m.figures[i] = f
	}
	return m, true
}

// maxSeconds is the longest that a minute may be.
const maxSeconds = 90

// forget drops what is older than a day.
func (r *Recorder) forget(now time.Duration) {
	old := func(at time.Duration) bool { return at < now-kept }
	n := 0
	for n < len(r.minutes) && old(r.minutes[n].at) {
		n++
	}
	if n > 0 {
		r.minutes = slices.Delete(r.minutes, 0, n)
	}
	r.breaches = slices.DeleteFunc(r.breaches, func(b broken) bool { return old(b.at + b.length) })
}

// Records returns the last 24 hours, oldest first, with the minute that is not over. Minutes
// without any sample are not there.
func (r *Recorder) Records(now limits.Clock) []Record {
	list := make([]Record, 0, len(r.minutes)+1)
	for _, m := range r.minutes {
		if m.at >= now.Steady-kept {
			list = append(list, m.record(now))
		}
	}
	if m, ok := r.open.minute(); ok && m.at >= now.Steady-kept {
		list = append(list, m.record(now))
	}
	return list
}

func (m *minute) record(now limits.Clock) Record {
	r := Record{Start: wallAt(now, m.at), Seconds: int(m.seconds), Level: m.level}
	for i, f := range m.figures {
		scale := judgements[i].scale
		r.Figures[i] = Figures{Limit: limits.NoLimit, Mean: float64(f.mean) / scale, Max: float64(f.max) / scale}
		if f.limit != limits.NoLimit {
			r.Figures[i].Limit = float64(f.limit) / scale
		}
	}
	return r
}

// Breaches returns those of the last 24 hours, in the order in which they began, with those that
// last. At most 200 that are over are kept.
func (r *Recorder) Breaches(now limits.Clock) []Breach {
	list := make([]Breach, 0, len(r.breaches))
	for _, b := range r.breaches {
		if b.at+b.length >= now.Steady-kept {
			list = append(list, b.breach(now, false))
		}
	}
	for _, b := range r.runs {
		if b.length > hold {
			list = append(list, b.breach(now, true))
		}
	}
	slices.SortStableFunc(list, func(a, b Breach) int { return a.Start.Compare(b.Start) })
	return list
}

func (b *broken) breach(now limits.Clock, open bool) Breach {
	return Breach{Measure: b.measure, Start: wallAt(now, b.at), Length: b.length, Limit: b.limit, Worst: b.worst,
		Cause: b.cause, Open: open}
}

// wallAt returns what the wall clock, as it is now, shows for a time of the steady hand.
func wallAt(now limits.Clock, at time.Duration) time.Time {
	return now.Wall.Add(at - now.Steady).Round(0)
}

// sane returns a measured value, 0 for what is none.
func sane(v float64) float64 {
	if v > 0 {
		return min(v, most)
	}
	return 0
}

func saneLimit(v float64) float64 {
	if v == limits.NoLimit {
		return v
	}
	return sane(v)
}

// scaled returns a value that is kept.
func scaled(v, scale float64) int64 { return int64(min(sane(v)*scale, most) + 0.5) }

// causeText bounds what others pass in, to one line.
func causeText(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s[:min(len(s), maxCause)], ""))
	return strings.TrimSpace(s)
}
