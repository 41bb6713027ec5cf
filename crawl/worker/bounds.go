package worker

import (
	"sync"
	"time"
)

// maxFetchers is how many requests may be in flight where nobody sets a bound.
const maxFetchers = 16

// bounds is what may be done now. Its methods are safe for concurrent use.
type bounds struct {
	slow func() int    // Politeness.Slow; may be nil
	free chan struct{} // told when a turn comes back that others had to wait for

	mu       sync.Mutex
	fetchers int       // turns that may be in hand
	pages    int       // requested a minute; 0 for none, below 0 for any number
	lastPage time.Time // when the last one was requested
	hands    int       // turns that fetchers have in hand
}

// change lets a function change the bounds, and reports whether they are others then.
func (b *bounds) change(set func(fetchers, pages *int)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	fetchers, pages := b.fetchers, b.pages
	set(&b.fetchers, &b.pages)
	return b.fetchers != fetchers || b.pages != pages
}

// most returns how many turns may be in hand.
func (b *bounds) most() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fetchers
}

// none reports whether nothing may begin.
func (b *bounds) none() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.fetchers == 0 || b.pages == 0
}

// hasRoom reports whether another fetcher may take a turn in hand.
func (b *bounds) hasRoom() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hands < b.fetchers
}

// isSurplus reports whether more turns are in hand than may be.
func (b *bounds) isSurplus() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hands > b.fetchers
}

// add counts a fetcher that takes a turn, or has put it back.
func (b *bounds) add(n int) {
	b.mu.Lock()
	full := b.hands >= b.fetchers
	b.hands += n
	b.mu.Unlock()
	if n < 0 && full {
		signal(b.free)
	}
}

// takePage returns when the next page may be requested, and takes that place if it is now.
func (b *bounds) takePage(now time.Time) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at := b.lastPage.Add(b.gap()); b.pages >= 0 && at.After(now) {
		return at
	}
	b.lastPage = now
	return now
}

// pageDue returns when the next page may be requested.
func (b *bounds) pageDue() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lastPage.Add(b.gap())
}

// pageGap returns the time between two pages.
func (b *bounds) pageGap() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gap()
}

// gap is pageGap with b.mu held.
func (b *bounds) gap() time.Duration {
	if b.pages <= 0 {
		return 0
	}
	slow := 1
	if b.slow != nil {
		slow = max(b.slow(), 1)
	}
	return time.Duration(slow) * time.Minute / time.Duration(b.pages)
}

// signal tells whoever waits at a channel with room for one, and does not wait itself.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
