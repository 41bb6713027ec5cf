package worker

import (
	"container/heap"
	"context"
	"math"
	"sync"
	"time"
)

const (
	// leasesPerFetcher is how many leases a pool holds for each of its fetchers. At the usual gap of seconds a
	// fetcher could serve many more; leases that wait long would lapse.
	leasesPerFetcher = 8

	// lateAfter is how long a turn may wait for a fetcher. While some wait longer, more leases would only wait here
	// instead of where somebody else could work them.
	lateAfter = time.Second
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

// schedule hands turns to the fetchers when their time has come, and knows how many more leases there is work for. A
// turn between two requests waits in its queue and holds no fetcher. Its methods are safe for concurrent use, but those
// that say that only run calls them.
type schedule struct {
	now     func() time.Time
	bounds  *bounds
	slow    *slowness
	leases  *leases
	flights *flights

	work    chan *turn     // to the fetchers
	back    chan *turn     // from whoever had a turn; never full
	free    chan struct{}  // a turn that others had to wait for is back from its fetcher
	kick    chan struct{}  // all turns shall go home
	rebound chan struct{}  // the bounds have changed
	wanting chan struct{}  // want may have grown
	ticking sync.WaitGroup // of flights.gates: turns come back by a channel that run reads

	// What follows is of run alone.
	queue  queue
	second *time.Ticker
	rests  bool // it stands still: nothing is held that time could change

	mu    sync.Mutex
	full  bool // turns wait for a fetcher longer than they should
	ready int  // turns that wait for nothing but this node; those that run is yet to see may be such
	sated bool // the sites of those in the queue would take all pages that may be requested
}

// take takes in the turn of a new lease.
func (s *schedule) take(t *turn) {
	s.mu.Lock()
	s.ready++
	s.mu.Unlock()
	s.back <- t
}

// want returns how many more leases there is work for.
func (s *schedule) want() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full || s.sated {
		return 0
	}
	room := s.bounds.most()*leasesPerFetcher - s.leases.count()
	return max(min(room, ahead(s.bounds.pageGap())-s.ready), 0)
}

// run hands out turns until ctx is done.
func (s *schedule) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	s.second = time.NewTicker(time.Second)
	defer s.second.Stop()
	for {
		from, first, out := s.next(timer)
		s.noteQueue()
		select {
		case out <- first:
			heap.Pop(from)
			s.bounds.add(1)
			if from == &s.queue.slow {
				s.slow.add(1)
			}
		case t := <-s.back:
			s.takeBack(t)
		case <-timer.C:
		case <-s.free:
		case <-s.second.C:
			s.tick()
		case <-s.kick:
			s.ticking.Go(s.flights.gates.Tick) // turns in their lines go home, too
			s.queue.recallAll()
		case <-s.rebound:
			s.queue.setPageDue(s.bounds.pageDue())
		case <-ctx.Done():
			return
		}
	}
}

// next returns the turn that is next, its heap, and the channel of the fetchers if one may have it now. Else timer
// tells when it may be time. Only run calls it.
func (s *schedule) next(timer *time.Timer) (from *turns, first *turn, out chan<- *turn) {
	for {
		from = s.queue.next(s.now(), s.slow.hasRoom(s.bounds.most()))
		if len(*from) == 0 {
			return from, nil, nil
		}
		if first = (*from)[0]; !s.mustWait(first) {
			break
		}
		heap.Fix(from, 0)
	}
	if wait := first.at.Sub(s.now()); wait > 0 {
		timer.Reset(wait)
	} else if first.recalled || s.bounds.hasRoom() {
		out = s.work
	}
	return from, first, out
}

// mustWait reports whether a turn that waits for another page to be allowed has to wait on, since
// others have had the last one. It is not handed to a fetcher to find that out.
func (s *schedule) mustWait(t *turn) bool {
	if !t.paged || t.recalled {
		return false
	}
	at := s.bounds.pageDue()
	if !at.After(t.at) || !at.After(s.now()) {
		return false
	}
	t.at = at
	return true
}

// takeBack puts a turn into the queue. Only run calls it.
func (s *schedule) takeBack(t *turn) {
	if s.rests {
		s.second.Reset(time.Second)
		s.rests = false
	}
	if s.flights.resting() {
		t.recall()
	} else if t.paged {
		t.at = s.bounds.pageDue() // its bound may have changed
	}
	t.slow = !t.recalled && !t.gate.IsValid() && s.slow.is(t.Domain)
	s.queue.add(t)
}

// tick does what has to be done every second. Only run calls it.
func (s *schedule) tick() {
	s.flights.cutOver()
	s.ticking.Go(s.flights.gates.Tick)
	s.recallSurplus()
	if s.leases.count() == 0 {
		s.second.Stop()
		s.rests = true
	}
}

// recallSurplus has turns go home that have waited for long for another page to be allowed. Only run calls it.
func (s *schedule) recallSurplus() {
	s.queue.recallOverdue(s.now().Add(-aheadFor - leastAhead*s.bounds.pageGap()))
}

// noteQueue remembers how many turns wait for this node, whether one has for too long, and whether
// those at hand are enough: since when want is less. Only run calls it.
func (s *schedule) noteQueue() {
	now, gap := s.now(), s.bounds.pageGap()
	late := s.queue.isLate(now)
	ready, used := s.queue.count(now, gap)
	ready += len(s.back)
	s.mu.Lock()
	most := ahead(gap)
	wanted := !s.full && !s.sated && s.ready < most
	s.full, s.ready, s.sated = late, ready, used >= plenty
	wants := !s.full && !s.sated && ready < most
	s.mu.Unlock()
	if wants && !wanted {
		signal(s.wanting)
	}
}

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
