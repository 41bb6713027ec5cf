package app

import (
	"fmt"
	"sync/atomic"
	"testing"
)

// goodSite has pages that all must be fetched, however its neighbours behave.
type goodSite struct {
	*hostileSite
	pages int
	seen  []atomic.Int64 // the order of the first request for each page, 0 for none
}

// newGoodSite starts a site of so many pages: each links to three others.
func (l *hostileLab) newGoodSite(t testing.TB, name string, pages int) {
	g := &goodSite{hostileSite: l.newSite(t, name), pages: pages, seen: make([]atomic.Int64, pages)}
	l.good = append(l.good, g)
	l.goodLeft.Add(int64(pages))
	g.answer = func(v *visit) bool {
		if v.isRobots() {
			return v.notFound()
		}
		i := 0
		if _, err := fmt.Sscanf(v.URL.Path, "/%d", &i); err != nil && v.URL.Path != "/" || i < 0 || i >= pages {
			return v.notFound()
		}
		if g.seen[i].CompareAndSwap(0, l.order.Add(1)) && l.goodLeft.Add(-1) == 0 {
			l.noteHolding()
			close(l.goodDone)
		}
		var links []string
		for next := i + 1; next <= i+3 && next < pages; next++ {
			links = append(links, fmt.Sprintf("/%d", next))
		}
		return v.page(fmt.Sprintf("page %d of %s", i, name), links...)
	}
	g.serve()
}

// noteHolding counts the sites that hold a connection now, and what they were
// asked for.
func (l *hostileLab) noteHolding() {
	for _, s := range l.sites {
		if !s.holding {
			continue
		}
		s.mu.Lock()
		if len(s.open) > 0 {
			l.heldThen.Add(1)
		}
		l.holdsThen.Add(s.requests.Load())
		s.mu.Unlock()
	}
}
