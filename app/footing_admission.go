package app

import (
	"sync"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// StandbyRate is how many bytes a second a node on standby moves each way, over
	// StandbyOver, as the arbiter allows. Signs of life are not in it.
	StandbyRate = limits.StandbyKbit * 1000 / 8
	StandbyOver = 10 * time.Second

	// standbySlot is how exactly the time of bytes is known.
	standbySlot  = 500 * time.Millisecond
	standbySlots = int64(StandbyOver/standbySlot) + 1 // the oldest counts in full
	standbyBytes = int(StandbyRate * StandbyOver / time.Second)

	// heartbeatBytes is how large a packet for logs may be that brings nothing but
	// heartbeats.
	heartbeatBytes = 512
	// copies is how many partners are sent what is entered into a log.
	copies = groupSize - 1

	// owedSlots is how long entries take at most until they are on their way.
	owedSlots = int64(2 * time.Second / standbySlot)

	// trickleEvery is how often one request of a kind is answered though its share is
	// used up, if not more than trickleMost is: what comes for the logs of partners cannot
	// be put off, and would keep all fetchers away.
	trickleEvery = 2 * time.Second
	trickleMost  = standbyBytes * 7 / 10

	// strainedMost is how many percent of the machine the node may use when requests are still answered that bring what
	// is under way to its end; strainedWait is how long those wait that are not, at first, and strainedTrickle how often one
	// of a kind is answered all the same: a slow computer uses more before anybody asks for anything.
	strainedMost    = 1.5 * limits.StandbyCPUPercent
	strainedWait    = 5 * time.Second
	strainedTrickle = 4 * time.Second

	// moveWait is the longest that a part of a move is told to wait: longer is said by who takes none. Messages of moves of
	// questionBytes and less bring nothing.
	moveWait      = 10 * time.Second
	questionBytes = 1 << 10

	minBusy = time.Second
	maxBusy = time.Minute
)

// admission keeps calls of a node on standby from waiting in line for StandbyRate, which the one
// byte budget of the node holds everything to (package bandwidth): it counts calls, and
// tells those that would not get through in time to come again, and when. So it does while the node uses more of the
// processor than its books may take. Requests that cause others are put off
// first, so that what is under way can come to its end.
type admission struct {
	next  calls.Counter
	start time.Time
	// used returns how many percent of the whole machine this process has used of late; nil where nodes share one.
	used func() float64

	mu      sync.Mutex
	in, out window
	// owed is what was caused and is not sent yet, as far as is known: of the last owedSlots.
	owed   window
	served map[wire.Kind]time.Time // when one was answered last
	booked time.Time               // when the last of those that were told to wait may come
}

func newAdmission(next calls.Counter) *admission {
	return &admission{next: next, start: time.Now(), served: make(map[wire.Kind]time.Time)}
}

// Count implements calls.Counter.
func (a *admission) Count(class calls.Class, kind calls.Kind, sent bool, n int) {
	a.next.Count(class, kind, sent, n)
	if isHeartbeat(class, wire.Kind(kind), n) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &a.in
	if sent {
		w = &a.out
	}
	w.add(a.slot(), n)
}

// isHeartbeat reports whether bytes are a sign of life, or of a class that has its own
// bounds.
func isHeartbeat(class calls.Class, kind wire.Kind, n int) bool {
	return class == calls.Bulk && kind != wire.KindMove || kind == wire.KindPing || kind == wire.KindLog && n <= heartbeatBytes
}

// slot returns which slot of time it is.
func (a *admission) slot() int64 { return int64(time.Since(a.start) / standbySlot) }

// share is the part of the budget, in tenths, up to which requests of a kind are
// answered; 0 if they always are. What is above all shares is for what is under way.
func share(kind wire.Kind) int {
	switch kind {
	case wire.KindAsk: // leases bring reports, and those entries
		return 2
	case wire.KindLinks, wire.KindHave:
		return 4
	case wire.KindMove:
		return 5
	case wire.KindReport:
		return 7
	}
	return 0
}

// answer returns for how long a request that has come must wait.
func (a *admission) answer(kind wire.Kind, n int) time.Duration {
	tenths := share(kind)
	if tenths == 0 || isQuestion(kind, n) {
		return 0
	}
	most := standbyBytes * tenths / 10
	causes := 0 // it is entered into the log
	if kind == wire.KindReport || kind == wire.KindLinks || kind == wire.KindMove {
		causes = min(copies*n, most*3/4) // what never fits waits until little else is there
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	slot := a.slot()
	owed, now := a.owed.last(slot, owedSlots), time.Now()
	if now.Sub(a.served[kind]) < strainedTrickle && a.isStrained(kind) {
		return a.book(now, strainedWait, n+causes)
	}
	wait := max(a.in.wait(slot, most), a.out.wait(slot, most-causes-owed))
	if wait > 0 && now.Sub(a.served[kind]) >= trickleEvery {
		wait = max(a.in.wait(slot, trickleMost), a.out.wait(slot, trickleMost-causes-owed))
	}
	if wait == 0 {
		a.owed.add(slot, causes)
		a.served[kind] = now
		return 0
	}
	if kind == wire.KindMove { // it comes again and again, one at a time
		return min(max(wait, minBusy), moveWait)
	}
	return a.book(now, wait, n+causes)
}

// isQuestion reports whether a message of a move is one that asks, or calls it off.
func isQuestion(kind wire.Kind, n int) bool { return kind == wire.KindMove && n <= questionBytes }

// isStrained reports whether the processor is used so much that requests of a kind have to wait.
func (a *admission) isStrained(kind wire.Kind) bool {
	if a.used == nil {
		return false
	}
	most := limits.StandbyCPUPercent
	if kind == wire.KindReport {
		most = strainedMost
	}
	return a.used() > most
}

// book returns for how long a request waits that brings so many bytes and needs not wait less than given: those that
// wait come back one after another. a.mu is held.
func (a *admission) book(now time.Time, wait time.Duration, bytes int) time.Duration {
	at := now.Add(wait)
	if at.Before(a.booked) {
		at = a.booked
	}
	a.booked = at.Add(time.Duration(min(bytes, standbyBytes)) * time.Second / StandbyRate)
	if limit := now.Add(maxBusy); a.booked.After(limit) {
		a.booked = limit
	}
	return min(max(at.Sub(now), minBusy), maxBusy)
}

// ask returns for how long this node must wait with a request of its own.
func (a *admission) ask(kind wire.Kind, n int) time.Duration {
	if kind != wire.KindLinks && kind != wire.KindMove || isQuestion(kind, n) {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	most := standbyBytes / 2
	return a.out.wait(a.slot(), most-min(n, most*3/4))
}

// window is the bytes of the last slots.
type window struct {
	bytes [standbySlots]int
	at    int64 // the slot up to which bytes are true
}

func (w *window) forward(slot int64) {
	if slot-w.at > standbySlots {
		w.at = slot - standbySlots
	}
	for w.at < slot {
		w.at++
		w.bytes[w.at%standbySlots] = 0
	}
}

// last returns the bytes of the last n slots.
func (w *window) last(slot, n int64) (sum int) {
	w.forward(slot)
	for i := range n {
		sum += w.bytes[(slot+standbySlots-i)%standbySlots]
	}
	return sum
}

func (w *window) add(slot int64, n int) {
	w.forward(slot)
	w.bytes[slot%standbySlots] += n
}

// wait returns how long it takes until the window holds at most so many bytes, 0 if
// it does.
func (w *window) wait(slot int64, most int) time.Duration {
	sum := w.last(slot, standbySlots)
	for i := range standbySlots {
		if sum <= most {
			return time.Duration(i) * standbySlot
		}
		sum -= w.bytes[(slot+1+i)%standbySlots] // the oldest
	}
	return time.Duration(standbySlots) * standbySlot
}
