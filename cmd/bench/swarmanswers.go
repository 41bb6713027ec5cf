package main

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// answers is a tally that keeps the times of pages.
type answers struct {
	*tally
	timesMu  sync.Mutex
	expected map[string]bool
	times    []time.Time
	at       time.Time // of the last answer of any kind
}

func (a *answers) expect(pages []string) {
	a.timesMu.Lock()
	defer a.timesMu.Unlock()
	a.expected = make(map[string]bool, len(pages))
	for _, u := range pages {
		a.expected[u] = true
	}
}

func (a *answers) add(h demo.Hit) {
	a.tally.add(h)
	a.timesMu.Lock()
	defer a.timesMu.Unlock()
	a.at = time.Now()
	if h.Status == 200 && a.expected[h.URL] {
		a.times = append(a.times, h.End)
	}
}

func (a *answers) count() int {
	a.timesMu.Lock()
	defer a.timesMu.Unlock()
	return len(a.times)
}

// latest returns when the last answer was given; long ago if there was none.
func (a *answers) latest() time.Time {
	a.timesMu.Lock()
	defer a.timesMu.Unlock()
	if a.at.IsZero() {
		return time.Now() // the crawl has not begun
	}
	return a.at
}

// sorted returns the times of the pages in order.
func (a *answers) sorted() []time.Time {
	a.timesMu.Lock()
	defer a.timesMu.Unlock()
	times := slices.Clone(a.times)
	slices.SortFunc(times, time.Time.Compare)
	return times
}
