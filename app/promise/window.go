package promise

import (
	"math"
	"time"

	"github.com/forage-net/forage/app/limits"
)

// span is what was between two samples.
type span struct {
	start, end time.Duration
	measured   float64
	allowed    float64 // +Inf for no limit
}

// gauge judges one measure.
type gauge struct {
	since  time.Duration // it knows what was
	limits []held        // those that still count, oldest first
	spans  []span        // of the window
}

// held is a limit that was in force until a time.
type held struct {
	limit float64 // +Inf for no limit
	until time.Duration
}

// maxSpans bounds the window of who calls more often than each 100 ms.
const maxSpans = 600

// limit returns a limit for comparing; what is none allows nothing.
func limit(v float64) float64 {
	switch {
	case v == limits.NoLimit:
		return math.Inf(1)
	case v > 0:
		return v
	}
	return 0
}

// allow notes the limit found now, and returns what was allowed since start: the highest of the
// limits that were in force then, or less than the grace before.
func (g *gauge) allow(j judgement, start, now time.Duration, current float64) float64 {
	if n := len(g.limits); n > 0 {
		g.limits[n-1].until = now
	}
	if n := len(g.limits); n > 0 && n >= maxSpans {
		g.limits[n-1].limit = max(g.limits[n-1].limit, current)
	} else if n == 0 || g.limits[n-1].limit != current {
		g.limits = append(g.limits, held{current, now})
	}
	n, highest := 0, 0.0
	for _, h := range g.limits {
		if h.until > start-j.grace {
			g.limits[n] = h
			n++
			highest = max(highest, h.limit)
		}
	}
	g.limits = g.limits[:n]
	return highest
}

// add judges what was measured since start. value is what counts, and over whether it was more
// than allowed. At first a limit may have been lowered just before.
func (g *gauge) add(j judgement, start, now time.Duration, v Value) (value float64, over bool) {
	allowed := g.allow(j, start, now, limit(v.Limit))
	settled := start >= g.since+j.grace
	if j.window == 0 {
		return v.Measured, settled && v.Measured > allowed+j.points+allowed*j.share
	}
	if len(g.spans) >= maxSpans {
		g.spans = g.spans[1:]
	}
	g.spans = append(g.spans, span{start, now, v.Measured, allowed})
	var used, budget, covered float64
	first := len(g.spans)
	for i := len(g.spans) - 1; i >= 0; i-- {
		// Only what lies in the window as a whole: half of what was measured may be all there was.
		if g.spans[i].start < now-j.window {
			break
		}
		first = i
		d := (g.spans[i].end - g.spans[i].start).Seconds()
		covered += d
		used += g.spans[i].measured * d
		budget += g.spans[i].allowed * d
	}
	g.spans = append(g.spans[:0], g.spans[min(first, len(g.spans)-1):]...)
	// Where nothing is known, nothing was used of what was allowed.
	window := j.window.Seconds()
	if rest := window - covered; rest > 0 {
		budget += g.spans[0].allowed * rest
	}
	if allowed == 0 {
		return v.Measured, settled && v.Measured > j.points
	}
	// What was allowed before excuses what was used before, and does not forbid what is allowed now.
	value, bound := used/window, max(budget/window, allowed)
	return value, settled && value > bound+j.points+bound*j.share+tiny
}

// tiny is what adding up fractions may be wrong by.
const tiny = 1e-6
