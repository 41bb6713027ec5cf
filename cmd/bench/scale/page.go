package scale

import (
	"crypto/sha1"
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// linksPerPage counts links that are not repeated within the page.
	linksPerPage = 10
	// took is the time of a request and of the least gap after it: a lease has 27 tasks.
	took = 2200 * time.Millisecond
)

// outcome makes the outcome of a task: mostly a page with links, of which up
// to fresh were never offered before. One task in fifty fails when tried first, one
// in twenty-five is gone.
func (w *web) outcome(l *turn, t crawl.Task, fresh int, now time.Time) (crawl.Outcome, error) {
	h := mix(hashOf(t.URL), 3)
	o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: t, Date: now, Took: took,
		Received: 9000 + int64(h>>20%8192)}
	switch {
	case h%50 == 0 && t.Attempts == 0:
		o.Result, o.Reason = crawl.Failed, "connection refused"
		return o, nil
	case h%25 == 1:
		o.Result, o.Status = crawl.Gone, 404
	default:
		o.Result, o.Status = crawl.Fetched, 200
		o.ETag, o.Title = `"5f3b-62a1c0de"`, "A title as pages have one"
		o.Duplicate = h>>8%20 == 0
		o.Digest = sha1.Sum(binary.BigEndian.AppendUint64(nil, h))
		if err := w.links(&o, l.domain, fresh, h); err != nil {
			return o, err
		}
	}
	w.closed(l.domain)
	return o, nil
}

// calibrated is how many pages are made to learn what making them takes.
const calibrated = 20_000

// linkCPU returns the CPU time of making a link, with its part of the page. Nothing
// else may run in the process meanwhile.
func linkCPU() (time.Duration, error) {
	w := newWeb(1000, 10*calibrated)
	began, links := cpuTime(), 0
	for i := range uint64(calibrated) {
		home := w.pick(mix(i, 7))
		u, err := w.fresh(home)
		if err != nil {
			return 0, err
		}
		o, err := w.outcome(&turn{domain: home}, crawl.Task{URL: u}, int(i%4), time.Time{})
		if err != nil {
			return 0, err
		}
		links += len(o.Outlinks)
	}
	return (cpuTime() - began) / time.Duration(max(links, 1)), nil
}

// hashOf returns a number that follows from a URL.
func hashOf(u crawl.URL) uint64 {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(u.String()) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// links gives a page its links: nine in ten lead into its own domain while that
// has room. The fresh ones come last.
func (w *web) links(o *crawl.Outcome, home, fresh int, h uint64) error {
	o.Outlinks = make([]crawl.Outlink, 0, linksPerPage)
	depth := min(o.Task.Depth, crawl.MaxDepth-1) + 1
	for i := range linksPerPage {
		h = mix(h, uint64(i)+4)
		to := home
		if h%10 == 0 {
			to = w.pick(mix(h, 5))
		}
		isNew := i >= linksPerPage-fresh
		if isNew && !w.room(to) {
			to = w.pick(mix(h, 6))
			isNew = w.room(to)
		}
		u, err := w.link(to, isNew, h)
		if err != nil {
			return err
		}
		o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: u, Depth: depth, Priority: crawl.PriorityNormal})
	}
	return nil
}

func (w *web) link(to int, isNew bool, h uint64) (crawl.URL, error) {
	if isNew {
		return w.fresh(to)
	}
	return w.repeat(to, h>>10)
}

// growth returns how many links of the next page may be new: two to four while
// the queue grows, one or none near its bound.
func (w *web) growth(h uint64) int {
	if w.waiting >= maxQueued {
		return 0
	}
	if w.waiting >= maxQueued*19/20 {
		return 1
	}
	return 2 + int(h%3)
}
