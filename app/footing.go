package app

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Footing is how far a node takes part in the swarm now: how much of what others rely
// on it goes on doing while the user's limits keep it from crawling.
type Footing uint8

const (
	// FootingDuty is all of it.
	FootingDuty Footing = 0
	// FootingStandby goes on in the lines of its shards and does nothing else, within narrow bounds: no request to
	// any site, StandbyRate of bytes, StandbySockets.
	FootingStandby Footing = 1
	// FootingSilent sends not one packet. Others act for the node until it is back.
	FootingSilent Footing = 2
)

// String returns the footing in lower case.
func (f Footing) String() string {
	switch f {
	case FootingDuty:
		return "duty"
	case FootingStandby:
		return "standby"
	case FootingSilent:
		return "silent"
	}
	return "invalid"
}

// why is the key of the words that say why nothing is fetched, "" if that is not the footing's doing.
func (f Footing) why() string {
	switch f {
	case FootingStandby:
		return "status.reason.standby"
	case FootingSilent:
		return "status.reason.silent"
	}
	return ""
}

// footing is the footing of a node, and what keeps it to that. It is the Gate of its
// calls.
type footing struct {
	n         *Node
	admission *admission

	is   atomic.Uint32 // Footing
	full atomic.Bool   // the disk nearly is: nothing of others is enqueued

	changing sync.Mutex // one change after the other; guards the next
	serving  bool
	speak    func() error

	mu     sync.Mutex
	life   context.Context // of the node; nil before Serve
	finder *finding        // nil while no peers are looked for
	heard  chan struct{}   // closed when the node speaks again
	bg     sync.WaitGroup
	wakes  context.CancelFunc // ends what a return does in the background
}

// finding is one run of the finder.
type finding struct {
	end   context.CancelFunc
	ended chan struct{}
}

// newFooting returns that of a node which has no other parts yet. next counts bytes,
// too.
func newFooting(n *Node, next calls.Counter) *footing {
	f := &footing{n: n, admission: newAdmission(next, n.opts.leaseFor()), heard: make(chan struct{}), wakes: func() {}}
	f.is.Store(uint32(n.opts.Footing))
	if n.opts.Sim == nil && (n.opts.Lab == nil || n.opts.Lab.RealTimes) { // other labs look after everything far more often
		f.admission.used = n.pacer.Used
	}
	return f
}

// Footing returns the footing of the node.
func (n *Node) Footing() Footing { return n.foot.now() }

func (f *footing) now() Footing { return Footing(f.is.Load()) }

// unhurried is how often something is to be looked at that is looked at every so often while
// there is work: half as often in silence, when only time and the user change anything, and while the node rests.
func (n *Node) unhurried(every time.Duration) time.Duration {
	if n.foot.isSilent() || n.rests.Load() {
		return 2 * every
	}
	return every
}

func (f *footing) isSilent() bool { return f.now() == FootingSilent }

// SetFooting takes a footing; until is when a silence is planned to end, zero if that is
// not known, and for the other footings. A silence planned for longer than an absence
// is waited for is like leaving: the node's domains go to others.
//
// It returns when the footing is taken: for FootingSilent when the last packet has been
// sent, which takes at most 2 s, or less if ctx ends before: then others find out by
// themselves. From FootingSilent it returns when the node speaks again, before the others know. An error
// says what is not as it should be; the footing is taken nevertheless. Before Serve it
// notes the footing to begin with. It is safe for concurrent use: calls take effect one after another.
func (n *Node) SetFooting(ctx context.Context, to Footing, until time.Time) error {
	f := n.foot
	f.changing.Lock()
	defer f.changing.Unlock()
	from := f.now()
	if to > FootingSilent || to == from {
		return nil
	}
	n.log.Info("Footing changed", "footing", to.String())
	n.governor.setFooting(to.why())
	var err error
	switch {
	case !f.serving:
		f.is.Store(uint32(to))
	case to == FootingSilent:
		err = f.rest(ctx, until)
	case from == FootingSilent:
		f.is.Store(uint32(to))
		err = f.wake()
	default:
		f.is.Store(uint32(to))
	}
	if to == FootingDuty {
		n.lookForWork() // what could not move may move now
	}
	return err
}

// Answer implements p2p.Gate.
func (f *footing) Answer(_ calls.Class, kind wire.Kind, n int) time.Duration {
	if f.now() != FootingStandby {
		return 0
	}
	return f.admission.answer(kind, n)
}

// Ask implements p2p.Gate.
func (f *footing) Ask(_ calls.Class, kind wire.Kind, n int) time.Duration {
	if f.now() != FootingStandby {
		return 0
	}
	return f.admission.ask(kind, n)
}

// enqueues reports whether links of others may be taken in.
func (f *footing) enqueues() bool { return !f.full.Load() }

// lends reports whether one more lease may be offered to another fetcher.
func (f *footing) lends() bool {
	return f.enqueues() && (f.now() != FootingStandby || f.admission.lends()) // they bring links
}
