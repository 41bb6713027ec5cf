package main

import (
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/forage-net/forage/cmd/papers/draw"
	"github.com/forage-net/forage/cmd/papers/lab"
	"github.com/forage-net/forage/cmd/papers/sim"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
)

// e15 asks what it costs to keep pages fresh: Apoidea's and the thesis's refresh.
var e15 = lab.Experiment{
	ID: "E15", Paper: "Apoidea, thesis: refreshing", Cost: 14,
	Setup: "pages that change as the Web's do; the first crawl, then three times 30 days by the frontier's revisits",
	Said:  "–",
	Run:   runE15,
}

const (
	day = 24 * time.Hour
	// notModified is what an answer without a body takes, in bytes, and validated the part of pages with a validator:
	// assumptions.
	notModified = 300
	validated   = 0.5
	passDays    = 30
	passes      = 4
)

// changes are how often pages change and how many do so (Cho and Garcia-Molina, "The evolution of the Web and
// implications for an incremental crawler", 2000); each interval stands for a range there.
var changes = []struct {
	every time.Duration
	part  float64
}{{day / 2, 0.23}, {3 * day, 0.15}, {15 * day, 0.16}, {75 * day, 0.16}, {240 * day, 0.30}}

// changing is a page that changes.
type changing struct {
	every     time.Duration
	validator bool
	version   int
	next      time.Time // when it changes
}

// newChanging draws how often a page changes.
func newChanging(rng *rand.Rand) *changing {
	x := &changing{validator: rng.Float64() < validated}
	at := rng.Float64()
	for _, c := range changes {
		if x.every = c.every; at < c.part {
			break
		}
		at -= c.part
	}
	x.next = sim.Began.Add(x.wait(rng))
	return x
}

func (x *changing) wait(rng *rand.Rand) time.Duration {
	return time.Duration(rng.ExpFloat64() * float64(x.every))
}

// answer is what a site says to a visit, conditional or not.
func (x *changing) answer(t crawl.Task, now time.Time, rng *rand.Rand) crawl.Outcome {
	for x.next.Before(now) {
		x.version++
		x.next = x.next.Add(x.wait(rng))
	}
	o := crawl.Outcome{Result: crawl.Fetched, Status: 200, Took: 10 * time.Millisecond, Received: 10_000}
	o.Digest = sha1.Sum(fmt.Append(nil, t.URL, x.version))
	if x.validator {
		if o.ETag = fmt.Sprintf("%q", fmt.Sprint(x.version)); t.Prior != nil && t.Prior.ETag == o.ETag {
			o.Result, o.Status, o.Received = crawl.Unchanged, 304, notModified
		}
	}
	return o
}

// refreshed counts visits by pass.
type refreshed struct{ requests, bytes, changed [passes]float64 }

// refresh visits pages of some hosts for all passes.
func refresh(l *lab.Lab, hosts, pages int) (r refreshed, err error) {
	dir, err := os.MkdirTemp("", "forage-papers-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	rng := l.Random("E15", 0)
	web := make(map[string]*changing)
	var seeds []crawl.Outlink
	for i := range hosts * pages {
		u, err := crawl.ParseURL(fmt.Sprintf("https://host%d.example/%d", i/pages, i%pages))
		if err != nil {
			return r, err
		}
		web[u.String()] = newChanging(rng)
		seeds = append(seeds, crawl.Outlink{URL: u, Priority: crawl.PriorityHigh})
	}
	const lasts = (passes - 1) * passDays * day
	_, err = sim.Alone(dir, seeds, lasts+day, func(t crawl.Task, now time.Time) crawl.Outcome {
		o, pass := web[t.URL.String()].answer(t, now, rng), 0
		if t.Prior != nil {
			pass = min(1+int(now.Sub(sim.Began)/(passDays*day)), passes-1)
			if o.Result == crawl.Fetched && t.Prior.Digest != o.Digest {
				r.changed[pass]++
			}
		}
		r.requests[pass]++
		r.bytes[pass] += float64(o.Received)
		l.Step(float64(now.Sub(sim.Began)) / float64(lasts))
		return o
	})
	return r, err
}

func runE15(l *lab.Lab) (lab.Result, error) {
	hosts, pages := l.Size(200, 20), 20
	got, err := refresh(l, hosts, pages)
	if err != nil {
		return lab.Result{}, err
	}
	t := lab.Table{"pass | requests ÷ first | bytes ÷ first | pages found changed, % of requests"}
	f := draw.Figure{File: "apoidea-refresh", Title: "Refreshing, in passes of 30 days", X: "pass",
		Y: "÷ the first", Curves: []draw.Curve{{Name: "requests"}, {Name: "bytes"}}}
	ours := ""
	for p := range passes {
		a, b := got.requests[p]/got.requests[0], got.bytes[p]/got.bytes[0]
		t = append(t, fmt.Sprintf("%d | %.2f | %.2f | %.0f", p+1, a, b, 100*got.changed[p]/max(1, got.requests[p])))
		for i, y := range []float64{a, b} {
			f.Curves[i].X, f.Curves[i].Y = append(f.Curves[i].X, float64(p+1)), append(f.Curves[i].Y, y)
		}
		if p > 0 {
			ours += fmt.Sprintf("pass %d: %.2f × the requests, %.2f × the bytes; ", p+1, a, b)
		}
	}
	return lab.Result{
		Ours: ours[:len(ours)-2],
		Notes: []string{fmt.Sprintf("%d pages change at the rates that Cho and Garcia-Molina found in 2000. "+
			"Assumed: half of them have a validator, and an answer without a body takes %d bytes of 10,000. "+
			"The frontier waits %d days after a first visit, half as long after each change and half as long again "+
			"after none, between %d and %d days.", hosts*pages, notModified,
			frontier.DefaultRevisitFirst/day, frontier.DefaultRevisitLeast/day, frontier.DefaultRevisitMost/day)},
		Tables:  []lab.Table{t},
		Figures: []draw.Figure{f},
	}, nil
}
