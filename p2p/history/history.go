// Package history tells by a node's own records whether its store is an older copy, and whether another node
// has the same key: numbers of records are stored before they are used, so others then know a record that its
// store does not.
package history

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
)

const (
	// justStarted is how long ago a node was started that takes itself for the later one of two with the same key.
	justStarted = 15 * time.Second
	// doubledAfter is how many later records of the other one it waits for before it may give way, since the
	// first may be of its own earlier life; doubledMost is the same for one that was there before. From then on
	// chance decides each time: both may be of the same kind.
	doubledAfter = 2
	doubledMost  = 12
	// contestedFor is how long it expects to hear more of the other one.
	contestedFor = 20 * time.Second
	// maxMine bounds the records of a run that are remembered. One that has issued so many does not tell them from
	// others any more.
	maxMine = 64
)

// History is what this node's records tell. Its methods are safe for concurrent use.
type History struct {
	self    peer.ID
	network string
	started time.Time
	loaded  uint64        // the number of the last record in the store, when this run began
	setBack chan struct{} // closed when others had a later record than its store
	doubled chan struct{} // closed when another node has the same key

	mu      sync.Mutex
	asked   bool     // rosters were compared with somebody in this run
	number  uint64   // of the last record of this run
	latest  []byte   // that one; nil if there is none
	mine    [][]byte // the first records of this run
	told    bool     // setBack is closed
	trusted bool     // what that means has been seen to
	late    bool     // it was closed soon after this run began
	yields  bool     // doubled is closed

	// A foreign record is one of this node's key that is later than its store's, and that this run has not issued.
	foreign     int // how many were heard since this run issued one
	lastForeign []byte
	foreignAt   time.Time
}

// New returns the history of a node whose store has a record of that number, 0 for none.
func New(self peer.ID, network string, loaded uint64) *History {
	return &History{
		self: self, network: network, started: time.Now(), loaded: loaded,
		setBack: make(chan struct{}), doubled: make(chan struct{}),
	}
}

// Check compares what others know of this node, the zero Member if nothing, with the last number of its store. It
// returns false while no record is to be issued.
func (h *History) Check(heard roster.Member, last uint64) (ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.loaded == 0 || !h.isForeign(heard, last) {
		return !h.told || h.trusted
	}
	h.tellSetBack()
	if bytes.Equal(heard.Raw, h.lastForeign) {
		return h.trusted
	}
	h.lastForeign, h.foreignAt = heard.Raw, time.Now()
	if h.latest != nil {
		h.foreign++
		most := doubledMost
		if h.late {
			most = doubledAfter
		}
		if h.foreign >= most && !h.yields && rand.N(2) == 0 {
			h.yields = true
			close(h.doubled)
		}
	}
	return h.trusted
}

// isForeign reports whether a record is later than the last of the store, or has its number and is not of this run.
// h.mu is held.
func (h *History) isForeign(m roster.Member, last uint64) bool {
	return m.Seq > last || m.Seq == last && h.latest != nil && !bytes.Equal(m.Raw, h.latest)
}

// IsForeign reports whether a record takes the place of one that this run has issued.
func (h *History) IsForeign(m roster.Member) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latest != nil && h.isForeign(m, h.number)
}

// IsContested reports whether a foreign record was heard lately. Who issued it may run now, and answer the next.
func (h *History) IsContested() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.foreignAt.IsZero() && time.Since(h.foreignAt) < contestedFor && !h.yields
}

// tellSetBack says that the store was set back. h.mu is held.
func (h *History) tellSetBack() {
	if h.told {
		return
	}
	h.told, h.late = true, time.Since(h.started) < justStarted
	close(h.setBack)
}

// IsUnsure reports whether nobody has yet been asked in this run for the record of this node that they know.
func (h *History) IsUnsure() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.asked && h.loaded > 0
}

// Compared notes that one has been.
func (h *History) Compared() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = true
}

// Issued notes a record of this run, and its number.
func (h *History) Issued(number uint64, raw []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.number, h.latest = number, raw
	if len(h.mine) < maxMine {
		h.mine = append(h.mine, raw)
	}
}

// See looks for a record of this node that is later than its store knew and not of this run: one that
// found nobody at first has used the same numbers again.
func (h *History) See(items [][]byte) {
	for _, raw := range items {
		r, err := roster.Open(h.network, raw)
		if err != nil || r.Peer != h.self {
			continue
		}
		h.mu.Lock()
		own := slices.ContainsFunc(h.mine, func(m []byte) bool { return bytes.Equal(m, raw) }) || len(h.mine) == maxMine
		if r.Seq > h.loaded && !own {
			h.tellSetBack()
		}
		h.mu.Unlock()
	}
}

// Trust says that what setBack tells has been acted on.
func (h *History) Trust() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trusted = true
}

// SetBack is closed when others have a later record of this node than its store knew.
func (h *History) SetBack() <-chan struct{} { return h.setBack }

// Doubled is closed when another node has the same key, and this one is to give way.
func (h *History) Doubled() <-chan struct{} { return h.doubled }
