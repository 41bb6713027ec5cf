package worker

import "time"

// maxFetchers is how many requests may be in flight where nobody sets a bound.
const maxFetchers = 16

// bounds is what may be done now. Pool.mu guards it.
type bounds struct {
	fetchers int       // turns that may be in hand
	pages    int       // requested a minute; 0 for none, below 0 for any number
	lastPage time.Time // when the last one was requested
}

// none reports whether nothing may begin.
func (b *bounds) none() bool { return b.fetchers == 0 || b.pages == 0 }

// SetFetchers changes how many requests may be in flight at once. 0 is none: all leases go home. Below 0
// there is no bound but the number of fetchers, 16 or what the configuration says. What is
// in flight goes on; until it has become less, nothing new begins.
func (p *Pool) SetFetchers(n int) {
	if n < 0 || n > p.fetchers {
		n = p.fetchers
	}
	p.setBounds(func(b *bounds) { b.fetchers = n })
}

// SetPagesPerMin changes how many pages may be requested a minute. 0 is none: all leases go home. Below 0
// there is no bound. What is in flight goes on.
func (p *Pool) SetPagesPerMin(n int) { p.setBounds(func(b *bounds) { b.pages = max(n, -1) }) }

func (p *Pool) setBounds(set func(*bounds)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.bounds
	if set(&p.bounds); p.bounds == before {
		return
	}
	p.slow.most = slowMost(p.bounds.fetchers)
	if p.bounds.none() {
		p.recallAll()
	}
	signal(p.rebound)
	signal(p.wanting)
}

// recallAll has the schedule give back what it has, and ends all waits. The caller holds mu.
func (p *Pool) recallAll() {
	for _, cancel := range p.asks {
		cancel()
	}
	signal(p.kick)
}

// isResting reports whether nothing may begin.
func (p *Pool) isResting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.resting()
}

func (p *Pool) resting() bool { return p.stopped || p.bounds.none() }

// handFree reports whether another fetcher may take a turn in hand.
func (p *Pool) handFree() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hands < p.bounds.fetchers
}

// isSurplus reports whether more turns are in hand than may be.
func (p *Pool) isSurplus() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hands > p.bounds.fetchers
}

// addHand counts a fetcher that takes a turn, or has put it back.
func (p *Pool) addHand(n int) {
	p.mu.Lock()
	full := p.hands >= p.bounds.fetchers
	p.hands += n
	p.mu.Unlock()
	if n < 0 && full {
		signal(p.lane)
	}
}

// takePage returns when the next page may be requested, and takes that place if it is now.
func (p *Pool) takePage(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.bounds.lastPage.Add(p.pageGap()); p.bounds.pages >= 0 && at.After(now) {
		return at
	}
	p.bounds.lastPage = now
	return now
}

// pageDue returns when the next page may be requested.
func (p *Pool) pageDue() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bounds.lastPage.Add(p.pageGap())
}

// pageGap is the time between two pages.
func (p *Pool) pageGap() time.Duration {
	if p.bounds.pages <= 0 {
		return 0
	}
	slow := 1
	if p.cfg.Politeness.Slow != nil {
		slow = max(p.cfg.Politeness.Slow(), 1)
	}
	return time.Duration(slow) * time.Minute / time.Duration(p.bounds.pages)
}
