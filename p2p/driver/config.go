package driver

import (
	"errors"
	"log/slog"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

var (
	// ErrNotOpen is the answer to a job while the node is not open: it rests, or its store has failed.
	ErrNotOpen = errors.New("the node is not open")
	// ErrEnded is the answer after Serve has returned.
	ErrEnded = errors.New("the driver has ended")
)

// DefaultCommitEvery is how long items wait for others. Halved, a busy node syncs its disk twice as often; doubled, an
// outlink is acknowledged later, by up to three times that.
const DefaultCommitEvery = 300 * time.Millisecond

// Config is what a Driver is made of. Node, Store and Net are required.
type Config struct {
	// Node is the configuration of the node. Clock and Chance may be nil: then they are those of the computer, and
	// random bits of the system. Offend is set by the driver. What Node calls must not wait for the driver.
	Node group.Config
	// Founder, if set, is asked in place of Node.Founder when the node is opened.
	Founder func() bool
	// Store is a *storage.DB.
	Store stream.Bolt
	// Net carries packets.
	Net Net
	// Admit reports whether a peer may send packets: the members of the roster, and peers that fetch. Nil
	// admits all. It is called by many goroutines and must return at once.
	Admit func(crawl.PeerID) bool

	// CommitEvery is how long items wait for others; 0 means DefaultCommitEvery.
	CommitEvery time.Duration
	// BeforeCommit, if set, is called before every transaction that writes: what the transaction relies on has to be
	// durable when it returns. InCommit, if set, is called at the end of such a transaction, and writes what others
	// have for it. An error of either makes the transaction fail.
	BeforeCommit func() error
	InCommit     func(tx *storage.Tx) error

	// Opened, if set, is told of every node that was opened, before its first tick: it leads nothing, and no request of
	// the one before will be answered. It may use the node until it returns.
	Opened func(*group.Node)
	// Trouble, if set, is told why the node was closed, or could not be opened.
	Trouble func(error)

	// Align, if set, returns how long it is to the next of the moments, so much apart, at which this process
	// does what it does now and then, as pulse.Until.
	Align func(every time.Duration) time.Duration
	Log   *slog.Logger
}

func (c *Config) setDefaults() {
	if c.Node.Clock == nil {
		c.Node.Clock = NewClock(nil, nil)
	}
	if c.Node.Chance == nil {
		c.Node.Chance = randomBits
	}
	if c.Admit == nil {
		c.Admit = func(crawl.PeerID) bool { return true }
	}
	if c.CommitEvery <= 0 {
		c.CommitEvery = DefaultCommitEvery
	}
	if c.Opened == nil {
		c.Opened = func(*group.Node) {}
	}
	if c.Trouble == nil {
		c.Trouble = func(error) {}
	}
	if c.Align == nil {
		c.Align = func(every time.Duration) time.Duration { return every }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}
