package worker

import (
	"math"
	"time"
)

// Where few pages may be requested a minute, a few sites that answer fast use them up. More leases
// would only wait here, while somebody else could work them: so no more are taken than are used within
// aheadFor, none where those at hand would take more pages than there are, and those that have waited longer
// than aheadFor go home.

const (
	aheadFor = 6 * time.Second
	// leastAhead is how many are taken however few pages may be requested.
	leastAhead = 2
	// plenty is how many times the pages that may be requested the sites at hand would take, if each
	// took no more than half of them.
	plenty = 1.5
)

// ahead returns how many turns may wait for nothing but this node, with a gap between pages.
func ahead(gap time.Duration) int {
	if gap <= 0 {
		return math.MaxInt
	}
	return max(int(aheadFor/gap), leastAhead)
}

// mustWait reports whether a turn that waits for another page to be allowed has to wait on, since
// others have had the last one. It is not handed to a fetcher to find that out.
func (p *Pool) mustWait(t *turn) bool {
	if !t.paged || t.recalled {
		return false
	}
	at := p.bounds.pageDue()
	if !at.After(t.at) || !at.After(p.cfg.Now()) {
		return false
	}
	t.at = at
	return true
}

// isReady reports whether a turn waits for nothing but this node: not for its site.
func (t *turn) isReady(now time.Time) bool {
	return !t.recalled && (t.paged || !t.asked || !t.at.After(now))
}

// noteQueue remembers how many turns wait for this node, whether one has for too long, and whether
// those at hand are enough: since when Want is less.
func (p *Pool) noteQueue(quick turns, others ...turns) {
	now := p.cfg.Now()
	late := len(quick) > 0 && !quick[0].at.IsZero() && !quick[0].paged && now.Sub(quick[0].at) > lateAfter
	gap := p.bounds.pageGap()
	ready, used := 0, 0.0
	for _, heaped := range append([]turns{quick}, others...) {
		for _, t := range heaped {
			if t.isReady(now) {
				ready++
			}
			if t.gap > 0 && !t.recalled {
				used += min(float64(gap)/float64(t.gap), 0.5)
			}
		}
	}
	p.mu.Lock()
	most := ahead(gap)
	wanted := !p.full && !p.sated && p.ready+p.coming < most
	p.full, p.ready, p.sated = late, ready, used >= plenty
	wants := !p.full && !p.sated && ready+p.coming < most
	p.mu.Unlock()
	if wants && !wanted {
		signal(p.wanting)
	}
}

// noteBack counts a turn that the schedule has seen now.
func (p *Pool) noteBack(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !t.seen {
		t.seen = true
		p.coming--
	}
}

// recallSurplus has turns go home that have waited longer than aheadFor for another page to be
// allowed, and reports whether there are any.
func (p *Pool) recallSurplus(heaped turns) (any bool) {
	most := aheadFor + leastAhead*p.bounds.pageGap()
	now := p.cfg.Now()
	for _, t := range heaped {
		if t.paged && !t.recalled && now.Sub(t.due) > most {
			t.at, t.recalled, any = time.Time{}, true, true
		}
	}
	return any
}
