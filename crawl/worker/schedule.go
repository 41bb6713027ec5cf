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

	mu     sync.Mutex
	full   bool // turns wait for a fetcher longer than they should
	ready  int  // turns that wait for nothing but this node, of those in the queue
	coming int  // turns that run is yet to see
	sated  bool // the sites of those in the queue would take all pages that may be requested
}

// take takes in the turn of a new lease.
func (s *schedule) take(t *turn) {
	s.mu.Lock()
	s.coming++
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
	return max(min(room, ahead(s.bounds.pageGap())-s.ready-s.coming), 0)
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
			s.handedOut(from)
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

// handedOut notes that a fetcher has the first turn of a heap. Only run calls it.
func (s *schedule) handedOut(from *turns) {
	heap.Pop(from)
	s.bounds.add(1)
	if from == &s.queue.slow {
		s.slow.add(1)
	}
}

// takeBack puts a turn into the queue. Only run calls it.
func (s *schedule) takeBack(t *turn) {
	if s.rests {
		s.second.Reset(time.Second)
		s.rests = false
	}
	s.noteBack(t)
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
	s.mu.Lock()
	most := ahead(gap)
	wanted := !s.full && !s.sated && s.ready+s.coming < most
	s.full, s.ready, s.sated = late, ready, used >= plenty
	wants := !s.full && !s.sated && ready+s.coming < most
	s.mu.Unlock()
	if wants && !wanted {
		signal(s.wanting)
	}
}

// noteBack counts a turn that run has seen now.
func (s *schedule) noteBack(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !t.seen {
		t.seen = true
		s.coming--
	}
}
