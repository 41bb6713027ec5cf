package footing

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

	// heartbeatBytes is how large a packet of the lane of heartbeats may be that brings nothing else.
	heartbeatBytes = 512

	// sendWithin is how long it takes at most until a packet that may go is counted.
	sendWithin = int64(2 * time.Second / standbySlot)

	// trickleEvery is how often one request of a kind is answered though its share is used up, if not more than
	// trickleMost is.
	trickleEvery = 2 * time.Second
	trickleMost  = standbyBytes * 9 / 10

	// strainedMost is how many percent of the machine the node may use when it still takes acts; strainedWait is how
	// long what comes then waits at first, and strainedTrickle how often one of a kind is answered all the same: a slow
	// computer uses more before anybody asks for anything.
	strainedMost    = 1.5 * limits.StandbyCPUPercent
	strainedWait    = 5 * time.Second
	strainedTrickle = 4 * time.Second

	// groupSize is how many members keep a shard.
	groupSize = 3

	// minBusy is how long others are told to wait at least.
	minBusy = time.Second
)

// admission holds the packets of a node on standby to StandbyRate, each way: it counts what calls bring, and tells
// those that would not get through in time to come again, and when. So it does while the node uses more of the
// processor than its shards may take. What causes more is put off first, so that what is under way comes to its end.
// Beneath it, the one byte budget of the node (package bandwidth) holds everything back at the sockets.
type admission struct {
	next  calls.Counter
	start time.Time
	// used returns how many percent of the whole machine this process has used of late; nil where nodes share one.
	used func() float64
	// maxBusy is how long others are told to wait at most: outcomes have to come before their lease is over.
	maxBusy time.Duration

	mu      sync.Mutex
	in, out window
	leaving window                  // what may be sent and is not counted yet: of the last sendWithin
	served  map[wire.Kind]time.Time // when one was answered last
	lent    time.Time               // when a lease was lent last
	booked  time.Time               // when the last of those that were told to wait may come
}

// newAdmission returns one for leases of some length.
func newAdmission(next calls.Counter, lease time.Duration) *admission {
	return &admission{
		next: next, start: time.Now(), maxBusy: max(lease/6, minBusy), served: make(map[wire.Kind]time.Time),
	}
}

// Count implements calls.Counter.
func (a *admission) Count(class calls.Class, kind calls.Kind, sent bool, n int) {
	a.next.Count(class, kind, sent, n)
	if isHeartbeat(wire.Kind(kind), n) {
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

// isHeartbeat reports whether bytes are a sign of life.
func isHeartbeat(kind wire.Kind, n int) bool {
	return kind == wire.KindPing || kind == wire.KindBeat && n <= heartbeatBytes
}

// slot returns which slot of time it is.
func (a *admission) slot() int64 { return int64(time.Since(a.start) / standbySlot) }

// share is the part of the budget, in tenths, up to which packets of a kind may come or go; 0 if they always may. The
// commits of others may wait: each shard has another follower. Those of this node are what others wait for.
func share(kind wire.Kind, sent bool) int {
	switch {
	case kind == wire.KindPull:
		return 3
	case kind == wire.KindStream && !sent:
		return 4
	case kind == wire.KindAct:
		return 6
	case kind == wire.KindStream:
		return 9
	}
	return 0
}

// lendMost is the part of the budget, in tenths, up to which leases go to others, lendEvery how often one does: they
// bring outcomes, and those commits.
const (
	lendMost  = 5
	lendEvery = 2 * time.Second
)

// answer returns for how long a packet that has come must wait.
func (a *admission) answer(kind wire.Kind, n int) time.Duration {
	tenths := share(kind, false)
	if tenths == 0 {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	slot, now := a.slot(), time.Now()
	if now.Sub(a.served[kind]) < strainedTrickle && a.isStrained(kind) {
		return a.book(now, strainedWait, n)
	}
	wait := a.wait(slot, standbyBytes*tenths/10)
	if wait > 0 && now.Sub(a.served[kind]) >= trickleEvery {
		wait = a.wait(slot, trickleMost)
	}
	if wait > 0 {
		return a.book(now, wait, n)
	}
	a.served[kind] = now
	return 0
}

// wait returns how long it takes until both ways hold at most so many bytes. a.mu is held.
func (a *admission) wait(slot int64, most int) time.Duration {
	return max(a.in.wait(slot, most), a.out.wait(slot, most-a.leaving.last(slot, sendWithin)))
}

// isStrained reports whether the processor is used so much that packets of a kind have to wait. a.mu is held.
func (a *admission) isStrained(kind wire.Kind) bool {
	if a.used == nil {
		return false
	}
	most := limits.StandbyCPUPercent
	if kind == wire.KindAct {
		most = strainedMost
	}
	return a.used() > most
}

// book returns for how long a packet of so many bytes waits that needs not wait less than given: those that
// wait come back one after another, and leave room for what they cause. a.mu is held.
func (a *admission) book(now time.Time, wait time.Duration, bytes int) time.Duration {
	at := now.Add(wait)
	if at.Before(a.booked) {
		at = a.booked
	}
	a.booked = at.Add(time.Duration(min(groupSize*bytes, standbyBytes)) * time.Second / StandbyRate)
	if limit := now.Add(a.maxBusy); a.booked.After(limit) {
		a.booked = limit
	}
	return min(max(at.Sub(now), minBusy), a.maxBusy)
}

// ask returns for how long this node must wait with a packet of its own. If it need not, the packet counts from now on.
func (a *admission) ask(kind wire.Kind, n int) time.Duration {
	tenths := share(kind, true)
	if tenths == 0 {
		return 0
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	most, slot := standbyBytes*tenths/10, a.slot()
	n = min(n, most*3/4) // what never fits waits until little else is there
	wait := a.out.wait(slot, most-n-a.leaving.last(slot, sendWithin))
	if kind == wire.KindPull { // it brings more than it takes
		wait = max(wait, a.in.wait(slot, most))
	}
	if wait > 0 {
		return min(max(wait, minBusy), a.maxBusy)
	}
	a.leaving.add(slot, n)
	return 0
}

// lends reports whether there is room for one more lease to another fetcher, and for what it brings. It counts from now
// on.
func (a *admission) lends() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if now.Sub(a.lent) < lendEvery || a.isStrained(wire.KindPull) || a.wait(a.slot(), standbyBytes*lendMost/10) > 0 {
		return false
	}
	a.lent = now
	return true
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
