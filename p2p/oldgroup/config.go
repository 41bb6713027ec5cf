package oldgroup

import (
	"context"
	"encoding/hex"
	"log/slog"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/forage-net/forage/storage"
)

const (
	// DefaultTick is the time between two ticks. All times of Raft are counts of ticks.
	DefaultTick = time.Second
	// DefaultElectionTicks is for how many ticks at least a member must not hear from its
	// leader before it stands for election by itself; it draws a number up to twice that. This
	// is only for when nobody calls LeaderDown and Campaign.
	DefaultElectionTicks = 12
	// DefaultKeepBytes is how much of a log is kept for members that lack it. One that lacks
	// more copies the state.
	DefaultKeepBytes = 64 << 20
	// DefaultChangeEvery is the time between two members that Tend brings into a group that
	// has enough of them.
	DefaultChangeEvery = 10 * time.Minute

	// heartbeatTicks is how often a leader says that it is there.
	heartbeatTicks = 3
	// spareTicks is for how many ticks a member needs no such word that has just taken entries. It never waits for it
	// for spareTicks and heartbeatTicks together, which is less than anybody waits to stand for election.
	spareTicks = 2 * heartbeatTicks
)

// Machine is what entries do to the store, and what a member copies. Its methods are
// called one at a time for each transaction; an error makes the transaction fail. They, and what
// they have the transaction do on its commit, must not call the group, but for what takes no locks.
type Machine interface {
	// Apply brings committed entries into the store, in their order. An error that every member would meet stops
	// the log for good.
	Apply(tx *storage.Tx, entries []Entry) error
	// Piece answers a request of a member that copies the state, with at most MaxPiece bytes. All pieces of
	// one copy are read from one transaction, unless the copy is begun again, with the empty request.
	Piece(tx *storage.Tx, request []byte) (answer []byte, err error)
	// Install takes an answer into the store of the member that copies and returns the
	// next request, of at most MaxRequest bytes, nil when all is there. The first request is empty. What was
	// in the store before, anything, is then equal to what was copied.
	Install(tx *storage.Tx, request, answer []byte) (next []byte, err error)
	// Wipe deletes everything of the log's state.
	Wipe(tx *storage.Tx) error
}

// Entry is a committed entry.
type Entry struct {
	// Data is what was proposed. It is valid while it is applied.
	Data []byte
	// Heard is Config.Now of when this member got the entry, which is after it was proposed; zero if an earlier run did.
	Heard time.Time
	// Mine is what Propose was given if this process proposed the entry and its caller still waits, else nil.
	Mine any
}

// Config is what groups need. The functions are called by several goroutines unless
// they say otherwise.
type Config struct {
	DB *storage.DB
	// Self is this node's peer, at most MaxPeer bytes.
	Self string
	// Call brings a packet to a peer and returns what it answers, what Deliver returned
	// there. It is called once at a time for each peer, and keeps nothing of the packet.
	Call func(ctx context.Context, to string, packet []byte) (answer []byte, err error)
	// Fetch brings a request for a piece to a peer and returns what GivePiece returned
	// there. It may take its time: bulk. Without Call and Fetch nobody is reached.
	Fetch func(ctx context.Context, to string, request []byte) (answer []byte, err error)
	// Admit says whether a peer may make this node hold a copy of a log, or may be a
	// new member of one it holds; and which bucket and Machine the copy has.
	Admit func(log, from string) (bucket string, m Machine, ok bool)

	// Led is told when this node begins and ceases to lead a log, in order. Like Dropped
	// and Epoch it is called by one goroutine, without locks held, and must not block long.
	Led func(g *Group, leads bool)
	// Dropped is told that this node is no longer a member of a log, also when such a
	// log is opened. Its copy stays until Drop is called.
	Dropped func(g *Group)
	// Epoch is told of a higher epoch of a log than this node's, and by which peer: a stranger
	// may have made it up. It may be nil.
	Epoch func(log, from string, e Epoch)

	// Now is the clock of what Machines are told; time.Now if nil.
	Now func() time.Time

	// Zero values of these mean the defaults.
	Tick          time.Duration
	ElectionTicks int // at least 4
	KeepBytes     int64
	ChangeEvery   time.Duration
	Log           *slog.Logger

	// Unsure makes groups that have other members do nothing until Sure is called: not before may it be known
	// that the store was set back (SetBack).
	Unsure bool

	// Align, if not nil, returns how long it is to the next of the moments, so much apart, at which
	// this process does what it does now and then.
	Align func(every time.Duration) time.Duration
}

func (c *Config) setDefaults() {
	nobody := func(context.Context, string, []byte) ([]byte, error) { return nil, errNobody }
	if c.Call == nil {
		c.Call = nobody
	}
	if c.Fetch == nil {
		c.Fetch = nobody
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tick <= 0 {
		c.Tick = DefaultTick
	}
	if c.ElectionTicks <= heartbeatTicks {
		c.ElectionTicks = DefaultElectionTicks
	}
	if c.KeepBytes <= 0 {
		c.KeepBytes = DefaultKeepBytes
	}
	if c.ChangeEvery <= 0 {
		c.ChangeEvery = DefaultChangeEvery
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// show returns the name of a peer or log as text.
func show(name string) string {
	if utf8.ValidString(name) {
		for _, r := range name {
			if !unicode.IsPrint(r) {
				return hex.EncodeToString([]byte(name))
			}
		}
		return name
	}
	return hex.EncodeToString([]byte(name))
}
