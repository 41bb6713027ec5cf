// Package sim lets nodes crawl a made-up web in virtual time: who fetches what is decided by a partition of others
// (partitioned.go, Loo's crawler) or as the product does (leased.go).
//
// A request takes the time that its parts take on the network: the name is looked up if the node has not done so, a
// connection is one round trip, the answer comes in the rounds of slow start, and no faster than the node's line
// allows a thread. What is assumed has its name and source at the constants. A run follows from its Config alone.
package sim

import (
	"container/heap"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/forage-net/forage/cmd/papers/web"
)

const (
	// lookupMs is the median time of a look-up that no cache answers (Jung and others, "DNS performance and the
	// effectiveness of caching", 2001: 85 to 97 ms), and lookupSpread the deviation of its logarithm, an assumption.
	lookupMs, lookupSpread = 97, 1.0
	// window is what TCP sends in the first round (RFC 3390); each further round doubles it.
	window = 4380
	// threadRate is what a thread gets of the node's line, in bytes a second: an assumption, of 2004.
	threadRate = 100_000
	// flushS is how long links wait for company (Loo), in seconds.
	flushS = 1
	// tupleBytes and packetBytes are what a link and a packet around links take: assumptions. A redirected link is
	// half as long again (Loo).
	tupleBytes, packetBytes, redirected = 100, 100, 1.5
	// loadS is the window, in seconds, in which requests to a site are counted.
	loadS = 10
)

// Config says what is crawled, and by whom.
type Config struct {
	Nodes, Threads int
	Seconds        float64
	Web            *web.Web
	// Seeds are the pages that are known at the start.
	Seeds []int32
	// Trip is the round trip between a node and a host, Between that between two nodes, in ms.
	Trip    func(node int, host int32) float64
	Between func(a, b int) float64
	// LinkS is how long a node works on each link that it sends or gets from another, in seconds; it works on one at
	// a time.
	LinkS float64
	Rand  *rand.Rand
}

// Result is what came of a run.
type Result struct {
	// Fetched are the pages of each node, Bytes their sum over all nodes, Twice pages that were fetched before.
	Fetched []int
	Bytes   float64
	Twice   int
	// Robots is how often a robots.txt was read; only the product's are counted.
	Robots int
	// Known is how many different pages were asked for.
	Known int
	// Sent is what went between nodes, in bytes. Links is how many links did; those of the product are not counted.
	Sent  float64
	Links int
	// Parallel is how many requests a site had at once at most, PerSecond how many a second within loadS.
	Parallel  int
	PerSecond float64
	// ConnectMs is the mean time of a connection.
	ConnectMs float64
}

// Rate is the throughput of all nodes, in kB a second.
func (r Result) Rate(seconds float64) float64 { return r.Bytes / seconds / 1000 }

// Idle is the part of the nodes that fetched nothing.
func (r Result) Idle() float64 {
	idle := 0
	for _, n := range r.Fetched {
		if n == 0 {
			idle++
		}
	}
	return float64(idle) / float64(len(r.Fetched))
}

// Total is how many pages were fetched.
func (r Result) Total() (n int) {
	for _, f := range r.Fetched {
		n += f
	}
	return n
}

// world has the clock, and what all nodes have in common.
type world struct {
	Config
	now    float64 // seconds
	events events
	seq    int
	got    set // pages that were fetched
	load   []site
	result Result
	sumMs  float64
}

// site counts the requests that a host has.
type site struct {
	parallel int
	window   int
	requests int
}

func newWorld(c Config) *world {
	return &world{Config: c, got: newSet(c.Web.Pages()), load: make([]site, c.Web.Hosts),
		result: Result{Fetched: make([]int, c.Nodes)}}
}

// after lets something happen in some seconds.
func (w *world) after(seconds float64, do func()) {
	w.seq++
	heap.Push(&w.events, event{w.now + seconds, w.seq, do})
}

// run lets time pass.
func (w *world) run() Result {
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(event)
		if e.at > w.Seconds {
			break
		}
		w.now = e.at
		e.do()
	}
	w.result.ConnectMs = w.sumMs / math.Max(1, float64(w.result.Total()))
	return w.result
}

// request begins a request and returns how long it takes, in seconds.
func (w *world) request(node int, page int32, resolved set) float64 {
	host := w.Web.Host[page]
	s := &w.load[host]
	s.parallel++
	w.result.Parallel = max(w.result.Parallel, s.parallel)
	if window := int(w.now / loadS); window != s.window {
		s.window, s.requests = window, 0
	}
	s.requests++
	w.result.PerSecond = max(w.result.PerSecond, float64(s.requests)/loadS)
	trip := w.Trip(node, host) / 1000
	w.sumMs += trip * 1000
	size := float64(w.Web.Bytes[page])
	rounds := math.Ceil(math.Log2(size/window + 1))
	took := trip + math.Max(trip*rounds, size/threadRate)
	if resolved.add(int(host)) {
		took += lookupMs / 1000.0 * math.Exp(lookupSpread*w.Rand.NormFloat64())
	}
	return took
}

// fetched ends a request.
func (w *world) fetched(node int, page int32) {
	w.load[w.Web.Host[page]].parallel--
	w.result.Fetched[node]++
	w.result.Bytes += float64(w.Web.Bytes[page])
	if !w.got.add(int(page)) {
		w.result.Twice++
	}
}

// set is a set of small numbers.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

// add reports whether the number was not there.
func (s set) add(i int) bool {
	bit := uint64(1) << (i % 64)
	was := s[i/64] & bit
	s[i/64] |= bit
	return was == 0
}

func (s set) len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

type event struct {
	at  float64
	seq int // of events at one time the first comes first
	do  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push implements heap.Interface.
func (e *events) Push(x any) { *e = append(*e, x.(event)) }

// Pop implements heap.Interface.
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	(*e)[last] = event{}
	*e = (*e)[:last]
	return x
}
