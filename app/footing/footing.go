package footing

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Gate holds the calls of a node to its footing. It is the requests.Gate of a member and the
// calls.Counter of its calls.
type Gate struct {
	*admission

	is   atomic.Uint32 // limits.Footing
	full atomic.Bool
}

// NewGate returns that of a node which begins with a footing. next counts bytes, too; leases are of some length, 0 for
// the usual one. used returns how many percent of the machine this process uses; it is nil where nodes share one.
func NewGate(is limits.Footing, next calls.Counter, lease time.Duration, used func() float64) *Gate {
	g := &Gate{admission: newAdmission(next, lease)}
	g.admission.used = used
	g.is.Store(uint32(is))
	return g
}

// Now returns the footing of the node.
func (g *Gate) Now() limits.Footing { return limits.Footing(g.is.Load()) }

// SetFull says whether the disk is nearly full: then nothing of others is enqueued.
func (g *Gate) SetFull(full bool) { g.full.Store(full) }

// Answer implements requests.Gate.
func (g *Gate) Answer(_ calls.Class, kind wire.Kind, n int) time.Duration {
	if g.Now() != limits.Standby {
		return 0
	}
	return g.answer(kind, n)
}

// Ask implements requests.Gate.
func (g *Gate) Ask(_ calls.Class, kind wire.Kind, n int) time.Duration {
	if g.Now() != limits.Standby {
		return 0
	}
	return g.ask(kind, n)
}

// Enqueues reports whether links of others may be taken in.
func (g *Gate) Enqueues() bool { return !g.full.Load() }

// Lends reports whether one more lease may be offered to another fetcher.
func (g *Gate) Lends() bool {
	return g.Enqueues() && (g.Now() != limits.Standby || g.lends()) // they bring links
}

// Config is what a Changer works with.
type Config struct {
	Gate   *Gate
	Member *membership.Member
	// Fetchers hold leases, which go back before a silence.
	Fetchers Fetchers
	// Shards are what this node leads and follows.
	Shards Shards
	// Waits returns how many outcomes and leases are on their way to their leaders.
	Waits func() int
	// Sockets returns how many connections to other nodes there may be on duty, limits.NoLimit where that is for
	// the host to say.
	Sockets func() int
	// Tell is told of a footing before it is taken, and Work when there may be work again.
	Tell func(limits.Footing)
	Work func()
	Log  *slog.Logger
}

// Fetchers is what a Changer asks of a pool of fetchers.
type Fetchers interface {
	Cut()
	InFlight() (requests, leases int)
}

// Shards is what a Changer asks of a driver of shards.
type Shards interface {
	Commit(context.Context) error
	Rest(ctx context.Context, within time.Duration) error
	Wake(context.Context) error
	Leave(context.Context) error
}

// Changer takes the footings of a node.
type Changer struct {
	cfg Config

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

// New returns what takes the footings of a node.
func New(cfg Config) *Changer {
	return &Changer{cfg: cfg, heard: make(chan struct{}), wakes: func() {}}
}

// Take takes a footing; until is when a silence is planned to end, zero if that is
// not known, and for the other footings. A silence planned for longer than an absence
// is waited for is like leaving: the node's domains go to others.
//
// It returns when the footing is taken: for limits.Silent when the last packet has been
// sent, which takes at most 2 s, or less if ctx ends before: then others find out by
// themselves. From limits.Silent it returns when the node speaks again, before the others know. An error
// says what is not as it should be; the footing is taken nevertheless. Before Begin it
// notes the footing to begin with. Calls take effect one after another.
func (c *Changer) Take(ctx context.Context, to limits.Footing, until time.Time) error {
	c.changing.Lock()
	defer c.changing.Unlock()
	from := c.cfg.Gate.Now()
	if to > limits.Silent || to == from {
		return nil
	}
	c.cfg.Log.Info("Footing changed", "footing", to.String())
	c.cfg.Tell(to)
	var err error
	if c.serving && to == limits.Silent {
		err = c.rest(ctx, until)
	} else {
		c.cfg.Gate.is.Store(uint32(to))
		if c.serving && from == limits.Silent {
			err = c.wake()
		}
	}
	if to == limits.Duty {
		c.cfg.Work() // what could not move may move now
	}
	return err
}
