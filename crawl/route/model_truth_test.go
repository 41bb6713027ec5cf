package route_test

import (
	"fmt"
	"time"
)

// leastGap is the gap as it truly is if the clock of the member that counts it runs
// fast by as much as is allowed.
const leastGap = (gapTime + 1000 + rateError - 1) / (1000 + rateError)

// truth is what no computer knows.
type truth struct {
	log   []entry   // what is committed
	taken []message // the grants that fetchers took, by lease
	ended [2]struct {
		lease uint16
		at    int64
	} // the last request of each of the last two leases
	grants uint16 // taken
	wrong  string // what must not be, and was
}

func newTruth() truth { return truth{taken: make([]message, 1)} }

func (w *world) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// record notes that an entry is committed at an index, from 0.
func (w *world) record(at uint16, e entry) {
	if int(at) > len(w.log) || int(at) < len(w.log) && w.log[at] != e {
		w.fail("what was committed is lost")
		return
	}
	if int(at) == len(w.log) {
		w.log = append(w.log[:at:at], e)
	}
}

// noteTaken notes that a fetcher took a lease.
func (w *world) noteTaken(a message) {
	w.grants++
	w.taken = append([]message(nil), w.taken...)
	for int(a.id) >= len(w.taken) {
		w.taken = append(w.taken, message{})
	}
	if was := w.taken[a.id]; was.kind != 0 && was != a {
		w.fail("lease %d was granted twice", a.id)
	}
	w.taken[a.id] = a
}

// noteBegin notes that the site sees a request.
func (w *world) noteBegin(f int) {
	lease := w.fetch[f].flying
	for _, last := range w.ended {
		if last.lease != 0 && last.lease != lease && w.now-last.at < leastGap {
			w.fail("a request of lease %d came %v after one of lease %d", lease, trueTime(w.now-last.at), last.lease)
		}
	}
}

// noteEnd notes that the site sees no more of it.
func (w *world) noteEnd(f int) {
	lease := w.fetch[f].flying
	if w.ended[0].lease != lease {
		w.ended[1] = w.ended[0]
	}
	w.ended[0].lease, w.ended[0].at = lease, w.now
}

// check looks for what must not be between fetchers. What is in flight for a computer that
// rests counts as ended when it fell asleep: nothing can be done about it
// before it wakes up.
func (w *world) check(r *rules) {
	a, b := &w.fetch[0], &w.fetch[1]
	if a.flying != 0 && b.flying != 0 && w.isAwake(pcOf(0)) && w.isAwake(pcOf(1)) {
		w.fail("requests of leases %d and %d are in flight at once", a.flying, b.flying)
	}
	if w.isLive(r, 0) && w.isLive(r, 1) {
		w.fail("leases %d and %d are live at once", a.held, b.held)
	}
}

func trueTime(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond }
