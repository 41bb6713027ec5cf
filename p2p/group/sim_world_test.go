package group_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
)

// world is a swarm in virtual time. Nothing in it is real: one goroutine takes events off a queue,
// and all chance comes from one seed, so a seed names one history.
//
// Machines (sim_node) run nodes of package group, the network (sim_net) carries their packets, the
// roster (sim_roster) tells each of them who is a member, crawlers (sim_load) ask them for leases, and
// the checker (sim_check) sees everything.
type world struct {
	seed    uint64
	rng     *rand.Rand
	now     time.Duration
	times   group.Times
	gap     time.Duration // politeness gap of every domain
	founder int           // index of the network's first node

	queue eventQueue
	seq   uint64
	still int // events since time last went on

	machines []*machine
	byID     map[crawl.PeerID]*machine
	net      *network
	roster   *roster
	load     *load
	check    *checker
	trace    *trace

	failed *failure // the first invariant that broke
}

// failure is a broken invariant, and the shard or domain it is about.
type failure struct {
	at     time.Duration
	text   string
	shard  stream.Shard
	domain crawl.Domain
}

// event is something that happens at a time; of two at one time the one planned first comes first.
type event struct {
	at  time.Duration
	seq uint64
	do  func()
}

type eventQueue []event

func (q eventQueue) Len() int { return len(q) }
func (q eventQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q eventQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *eventQueue) Push(e any)   { *q = append(*q, e.(event)) }
func (q *eventQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = event{}
	*q = old[:len(old)-1]
	return e
}

// maxStill is how many events may happen at one time. More are a loop without end.
const maxStill = 100_000

// newWorld returns a world without machines.
func newWorld(seed uint64, times group.Times, gap time.Duration) *world {
	w := &world{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x666f72616765)), times: times, gap: gap}
	w.byID = make(map[crawl.PeerID]*machine)
	w.trace = newTrace(w)
	w.net = newNetwork(w)
	w.roster = newRoster(w)
	w.check = newChecker(w)
	w.load = newLoad(w)
	return w
}

// after plans an event.
func (w *world) after(d time.Duration, do func()) {
	w.seq++
	heap.Push(&w.queue, event{w.now + max(d, 0), w.seq, do})
}

// every repeats do with a period until the world ends. The first time comes within one period.
func (w *world) every(period time.Duration, do func()) {
	var again func()
	again = func() {
		do()
		w.after(period, again)
	}
	w.after(w.between(0, period), again)
}

// step lets the next event happen. It returns false if there is none or an invariant broke.
func (w *world) step() bool {
	if len(w.queue) == 0 || w.failed != nil {
		return false
	}
	e := heap.Pop(&w.queue).(event)
	if w.still++; e.at > w.now {
		w.now, w.still = e.at, 0
	}
	if w.still > maxStill {
		w.fail("", "", "invariant 11: %d events happened and time stood still", maxStill)
	}
	e.do()
	return true
}

// run lets time pass. It returns false if an invariant broke.
func (w *world) run(d time.Duration) bool {
	end := w.now + d
	for w.failed == nil && len(w.queue) > 0 && w.queue[0].at <= end {
		w.step()
	}
	if w.failed == nil {
		w.now = end
	}
	return w.failed == nil
}

// until lets time pass until done is true, looking every half beat, and returns whether it was within the limit.
func (w *world) until(limit time.Duration, done func() bool) bool {
	for end := w.now + limit; w.now < end; {
		if done() {
			return true
		}
		if !w.run(w.times.Beat / 2) {
			return false
		}
	}
	return done()
}

// fail notes a broken invariant. The first one ends the run.
func (w *world) fail(shard stream.Shard, domain crawl.Domain, format string, args ...any) {
	if w.failed == nil {
		w.failed = &failure{w.now, fmt.Sprintf(format, args...), shard, domain}
	}
}

// between draws a duration.
func (w *world) between(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(w.rng.Int64N(int64(high-low)))
}

// chance is true in p of 1 cases.
func (w *world) chance(p float64) bool { return p > 0 && w.rng.Float64() < p }

// scaled turns a time of the real constants into one of this world's.
func (w *world) scaled(real time.Duration) time.Duration {
	return time.Duration(float64(real) * float64(w.times.Beat) / float64(shard.RealTimes.Beat))
}

// pick draws an element.
func pick[T any](w *world, of []T) T { return of[w.rng.IntN(len(of))] }
