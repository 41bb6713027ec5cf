package route

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// DefaultStay is how long a domain that is due waits for who fetched it last, or
	// for the fetcher of its owner if nobody did, while others have room: a new
	// fetcher reads its robots.txt anew. Shorter, domains change hands whenever their
	// fetcher is busy for a moment; three times as long saves few more requests, and
	// slow owners keep work that others have room for.
	DefaultStay = time.Second
	// sharedStay takes its place where others keep the log too: a fetcher is heard and answered later there, by as
	// long as commits wait for company, at the owner and between them.
	sharedStay = 3 * time.Second
	// unseenFor is after how long a domain that was not seen to be due begins to
	// wait anew. Rounds are never as seldom while some wait.
	unseenFor = 2 * idleWait
	// maxStays bounds the domains that are remembered. Those beyond go to whoever
	// has room.
	maxStays = 4096
)

// stays remembers since when domains that are due wait for who should fetch
// them next. The zero value is ready.
type stays map[crawl.Domain]stay

type stay struct {
	since, seen time.Time
}

// waits notes that a domain is due, and reports whether nobody but who fetched
// it last may have it yet: it waits for so long at most.
func (s *stays) waits(d crawl.Domain, now time.Time, long time.Duration) bool {
	w, ok := (*s)[d]
	if !ok && len(*s) >= maxStays {
		return false
	}
	if !ok || w.over(now) {
		w.since = now
	}
	w.seen = now
	if *s == nil {
		*s = make(stays)
	}
	(*s)[d] = w
	return w.since.Add(long).After(now)
}

// waiting forgets domains that are not due any more, and returns how many wait, and when the first of them may go to
// anybody; zero if there is none.
func (s *stays) waiting(now time.Time, long time.Duration) (n int, next time.Time) {
	for d, w := range *s {
		if w.over(now) {
			delete(*s, d)
			continue
		}
		at := w.since.Add(long)
		if !at.After(now) {
			continue
		}
		if n++; next.IsZero() || at.Before(next) {
			next = at
		}
	}
	return n, next
}

// granted ends the wait of a domain.
func (s *stays) granted(d crawl.Domain) { delete(*s, d) }

// over reports whether a domain was not seen for long, or the clock was set back.
func (w stay) over(now time.Time) bool {
	return now.Sub(w.seen) > unseenFor || now.Before(w.since)
}
