package worker

import (
	"container/heap"
	"time"
)

// queue holds the turns that wait for their time. Turns of slow domains wait apart, for as many fetchers as those may
// have, and so do turns that go before others.
type queue struct{ quick, slow, before turns }

// next returns the heap whose first turn is to be handed out next; it is empty if no turn may be. slow says that
// another fetcher may take a turn of a slow domain.
func (q *queue) next(now time.Time, slow bool) *turns {
	from := &q.quick
	if slow && len(q.slow) > 0 && (len(q.quick) == 0 || q.slow[0].at.Before(q.quick[0].at)) {
		from = &q.slow
	}
	if len(q.before) > 0 && goesBefore(q.before[0], *from, now) {
		from = &q.before
	}
	return from
}

// goesBefore reports whether a turn that goes before others is handed out before those of a heap: when its time has
// come, unless the first of them goes before all, or when it comes earlier.
func goesBefore(t *turn, heaped turns, now time.Time) bool {
	if len(heaped) == 0 || t.at.Before(heaped[0].at) {
		return true
	}
	return !t.at.After(now) && !heaped[0].at.IsZero()
}

// add puts a turn where it belongs.
func (q *queue) add(t *turn) {
	switch {
	case t.slow:
		heap.Push(&q.slow, t)
	case t.first && !t.recalled:
		heap.Push(&q.before, t)
	default:
		heap.Push(&q.quick, t)
	}
}

// recallAll has all turns go home.
func (q *queue) recallAll() {
	q.quick, q.slow, q.before = append(append(q.quick, q.slow...), q.before...), nil, nil
	for _, t := range q.quick {
		t.recall()
	}
}

// recallOverdue has turns go home that have waited for another page to be allowed since before a time.
func (q *queue) recallOverdue(since time.Time) {
	any := false
	for _, t := range q.quick {
		if t.paged && !t.recalled && t.due.Before(since) {
			t.at, t.recalled, any = time.Time{}, true, true
		}
	}
	if any {
		heap.Init(&q.quick)
	}
}

// setPageDue tells turns that wait for another page when that is allowed.
func (q *queue) setPageDue(at time.Time) {
	for _, heaped := range []turns{q.quick, q.slow, q.before} {
		for _, t := range heaped {
			if t.paged && !t.recalled {
				t.at = at
			}
		}
		heap.Init(&heaped)
	}
}

// count returns how many turns wait for nothing but this node, and how many times the pages that are allowed, with a
// gap between two, the sites of all turns would take.
func (q *queue) count(now time.Time, gap time.Duration) (ready int, used float64) {
	for _, heaped := range []turns{q.quick, q.slow, q.before} {
		for _, t := range heaped {
			if t.isReady(now) {
				ready++
			}
			if t.gap > 0 && !t.recalled {
				used += min(float64(gap)/float64(t.gap), 0.5)
			}
		}
	}
	return ready, used
}

// isLate reports whether a turn has waited for a fetcher longer than lateAfter.
func (q *queue) isLate(now time.Time) bool {
	return len(q.quick) > 0 && !q.quick[0].at.IsZero() && !q.quick[0].paged && now.Sub(q.quick[0].at) > lateAfter
}
