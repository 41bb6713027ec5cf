package route_test

// True time is in milliseconds. Clocks read in microseconds, so that a rate of so
// many per mille leaves no rest: a reading grows by 1000 ± rate a millisecond.
const (
	second = 1000      // true
	tick   = 1_000_000 // what a clock without error reads in a second

	leaseTime  = 120 * tick
	marginPart = 10 // members count a lease longer by this part of it
	gapTime    = 10 * tick
	wallStep   = 3600 * tick
	// stepFrom is the least difference between two clocks that counts as a step.
	stepFrom = tick

	// rateError is by how many per mille clocks run fast or slow at most.
	rateError = 10
)

const (
	maxMembers = 3
	fetchers   = 2
	computers  = maxMembers + fetchers
	maxTail    = 6
	maxNet     = 6
)

// rest is how a computer rests.
type rest uint8

const (
	awake  rest = iota
	asleep      // suspended: only the clock behind timers stands still
	frozen      // a virtual machine that was stopped: only the wall clock goes on
	off         // switched off: as frozen
)

// reading is what the clocks of a computer show. Mono stands still in suspend, boot
// does not; wall can be set.
type reading struct{ boot, mono, wall int64 }

// sub returns how far the clocks have come since r.
func (c reading) sub(r reading) reading {
	return reading{c.boot - r.boot, c.mono - r.mono, c.wall - r.wall}
}

type computer struct {
	reading
	rate int8 // per mille
	rest rest
}

func (c *computer) pass(ms int64) {
	d := ms * (1000 + int64(c.rate))
	c.wall += d
	if c.rest == awake {
		c.mono += d
	}
	if c.rest == awake || c.rest == asleep {
		c.boot += d
	}
}

// until returns after how many milliseconds a reading has grown by left.
func (c *computer) until(left int64) int64 {
	rate := 1000 + int64(c.rate)
	return (left + rate - 1) / rate
}

type kind uint8

const (
	askFor kind = iota + 1
	grantOf
	renewOf
	renewedOf
	releaseOf
)

// message is on its way: to whichever member is asked, or to fetcher f.
type message struct {
	kind kind
	f    uint8
	seq  uint16 // of the question
	id   uint16 // of the lease
}

// world is everything there is: three members of a log, of which the first is the
// owner, two fetchers on computers of their own, what is on its way between them, and one
// domain. It holds no pointers but to what is only appended to, so that an
// assignment copies it.
type world struct {
	now     int64
	size    uint8 // members
	pcs     [computers]computer
	members [maxMembers]member
	fetch   [fetchers]fetcher
	net     [maxNet]message
	onWay   uint8

	truth
}

// member keeps the log. What it has applied is as of the log that was committed, so of its
// own log only the tail that is not applied is kept.
type member struct {
	up, leads, wiped bool
	run              uint8 // counts its starts
	term             uint8
	last             uint8 // term of the last entry applied
	n                uint8 // length of tail
	tail             [maxTail]entry
	applied          uint16
	match            [maxMembers]uint16 // by the leader: up to where others have its log
	state            state
	due              int64 // by its clock: when the lease is over, or the gap
	wallDue          int64
}

// state is what all members that applied the same entries agree on.
type state struct {
	lease, next uint16
	holder      uint8
}

// entry is one of the log, with who proposed it: that one, in the same run, answers.
type entry struct {
	term, kind, f, by, run uint8
	id, seq                uint16
}

const (
	entryBegin   uint8 = iota + 1 // a leader's first
	entryGrant                    // to f
	entryRenew                    // id
	entryRelease                  // id; also for a lease that has lapsed
)

// fetcher works leases.
type fetcher struct {
	held      uint16 // lease, 0 for none
	flying    uint16 // the lease that a request in flight belongs to
	asking    bool
	renewing  bool
	asked     uint16  // seq of the last question
	renewal   uint16  // and of the last one for a renewal
	seq       uint16  // questions so far
	from      reading // what the lease is counted from
	askedAt   reading
	renewalAt reading
}

func newWorld(u *universe) *world {
	w := &world{size: uint8(u.members), truth: newTruth()}
	for i := range w.pcs {
		w.pcs[i].rate = u.rates[i]
	}
	for i := range u.members {
		w.members[i].up = true
		w.members[i].state.next = 1
		w.members[i].term = 1
	}
	// The owner leads, and all have its first entry.
	first := entry{term: 1, kind: entryBegin}
	w.log = []entry{first}
	for i := range u.members {
		w.members[i].applied, w.members[i].last = 1, 1
		w.members[0].match[i] = 1
	}
	w.members[0].leads = true
	return w
}

// pcOf returns the computer of a fetcher.
func pcOf(f int) int { return maxMembers + f }

func (w *world) isAwake(pc int) bool { return w.pcs[pc].rest == awake }

// acts reports whether a member can do anything now.
func (w *world) acts(m int) bool {
	return m < int(w.size) && w.members[m].up && !w.members[m].wiped && w.isAwake(m)
}

// send puts a message on its way. If too many are, the oldest is lost.
func (w *world) send(m message) {
	if w.onWay == maxNet {
		w.lose(0)
	}
	w.net[w.onWay] = m
	w.onWay++
}

func (w *world) lose(i int) {
	copy(w.net[i:], w.net[i+1:w.onWay])
	w.onWay--
	w.net[w.onWay] = message{}
}

// find returns the place of the nth message of a kind from or to a fetcher, -1 if
// there is none.
func (w *world) find(k kind, f, nth int) int {
	for i := range int(w.onWay) {
		if w.net[i].kind == k && int(w.net[i].f) == f {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	return -1
}

// pass lets time go by. What is in flight for a lease that ends meanwhile is cut
// then.
func (w *world) pass(r *rules, ms int64) {
	w.cut(r) // a clock may have been set
	for ms > 0 {
		d := ms
		for f := range w.fetch {
			if x := &w.fetch[f]; x.flying != 0 && w.isAwake(pcOf(f)) && r.cuts {
				if left, ok := w.untilOver(r, f); ok && left > 0 {
					d = min(d, left)
				}
			}
		}
		w.now += d
		for i := range w.pcs {
			w.pcs[i].pass(d)
		}
		ms -= d
		w.cut(r)
	}
}

// next returns how long it is until something is over for somebody: the lease
// of a fetcher, or what a member waits for. It is 0 if nothing will be.
func (w *world) next(r *rules) (ms int64) {
	take := func(d int64) {
		if d > 0 && (ms == 0 || d < ms) {
			ms = d
		}
	}
	for i := range int(w.size) {
		m := &w.members[i]
		if !m.wiped && w.pcs[i].rest <= asleep {
			take(w.pcs[i].until(w.left(r, i)))
		}
	}
	for f := range w.fetch {
		if left, ok := w.untilOver(r, f); ok {
			take(left)
		}
	}
	return ms
}
