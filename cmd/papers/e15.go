package main

import (
	"fmt"
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
	ID: "E15", Paper: "Apoidea, thesis: refreshing", Cost: 20,
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

// changes are how often pages change and how many do so (Cho and Garcia-Molina, "The evolution of the Web and implications for an
// incremental crawler", 2000); each interval stands for a range there.
var changes = []struct {
	every time.Duration
	part  float64
}{{day / 2, 0.23}, {3 * day, 0.15}, {15 * day, 0.16}, {75 * day, 0.16}, {240 * day, 0.30}}

func runE15(l *lab.Lab) (lab.Result, error) {
	dir, err := os.MkdirTemp("", "forage-papers-")
	if err != nil {
		return lab.Result{}, err
	}
	defer os.RemoveAll(dir)
	hosts, pages := l.Size(200, 20), 20
	rng := l.Random("E15", 0)
	type page struct {
		every     time.Duration
		validator bool
		version   int
		next      time.Time // when it changes
	}
	web := make(map[string]*page)
	var seeds []crawl.Outlink
	for h := range hosts {
		for p := range pages {
			x := &page{validator: rng.Float64() < validated}
			at := rng.Float64()
			for _, c := range changes {
				if x.every = c.every; at < c.part {
					break
				}
				at -= c.part
			}
			x.next = sim.Began.Add(time.Duration(rng.ExpFloat64() * float64(x.every)))
			u, err := crawl.ParseURL(fmt.Sprintf("https://host%d.example/%d", h, p))
			if err != nil {
				return lab.Result{}, err
			}
			web[u.String()] = x
			seeds = append(seeds, crawl.Outlink{URL: u, Priority: crawl.PriorityHigh})
		}
	}
	var requests, bytes, changed [passes]float64
	_, err = sim.Alone(dir, seeds, (passes-1)*passDays*day+day, func(t crawl.Task, now time.Time) crawl.Outcome {
		x := web[t.URL.String()]
		for x.next.Before(now) {
			x.version++
			x.next = x.next.Add(time.Duration(rng.ExpFloat64() * float64(x.every)))
		}
		tag := fmt.Sprintf("%q", fmt.Sprint(x.version))
		pass := 0
		if t.Prior != nil {
			pass = min(1+int(now.Sub(sim.Began)/(passDays*day)), passes-1)
		}
		requests[pass]++
		l.Step(float64(now.Sub(sim.Began)) / float64((passes-1)*passDays*day))
		o := crawl.Outcome{Result: crawl.Fetched, Status: 200, Took: 10 * time.Millisecond, Received: 10_000}
		o.Digest = [20]byte{1, byte(x.version), byte(x.version >> 8), byte(len(t.URL.String())), t.URL.String()[len(t.URL.String())-1]}
		if t.Prior != nil && t.Prior.Digest != o.Digest {
			changed[pass]++
		}
		if x.validator {
			if o.ETag = tag; t.Prior != nil && t.Prior.ETag == tag {
				o.Result, o.Status, o.Received = crawl.Unchanged, 304, notModified
			}
		}
		bytes[pass] += float64(o.Received)
		return o
	})
	if err != nil {
		return lab.Result{}, err
	}
	t := lab.Table{"pass | requests ÷ first | bytes ÷ first | pages found changed, % of requests"}
	f := draw.Figure{File: "apoidea-refresh", Title: "Refreshing, in passes of 30 days", X: "pass", Y: "÷ the first", Curves: []draw.Curve{{Name: "requests"}, {Name: "bytes"}}}
	ours := ""
	for p := range passes {
		a, b := requests[p]/requests[0], bytes[p]/bytes[0]
		t = append(t, fmt.Sprintf("%d | %.2f | %.2f | %.0f", p+1, a, b, 100*changed[p]/max(1, requests[p])))
		for i, y := range []float64{a, b} {
			f.Curves[i].X, f.Curves[i].Y = append(f.Curves[i].X, float64(p+1)), append(f.Curves[i].Y, y)
		}
		if p > 0 {
			ours += fmt.Sprintf("pass %d: %.2f × the requests, %.2f × the bytes; ", p+1, a, b)
		}
	}
	return lab.Result{
		Ours: ours[:len(ours)-2],
		Notes: []string{fmt.Sprintf("%d pages change at the rates that Cho and Garcia-Molina found in 2000. Assumed: half of them have a validator, and an answer without a body takes %d bytes of 10,000. "+
			"The frontier waits %d days after a first visit, half as long after each change and half as long again after none, between %d and %d days.", hosts*pages, notModified,
			frontier.DefaultRevisitFirst/day, frontier.DefaultRevisitLeast/day, frontier.DefaultRevisitMost/day)},
		Tables:  []lab.Table{t},
		Figures: []draw.Figure{f},
	}, nil
}
