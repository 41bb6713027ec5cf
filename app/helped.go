package app

import (
	"context"
	"sync"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/storage"
)

const (
	// lookIfHelpingEvery is how exactly the time is known in which the node helped.
	lookIfHelpingEvery = time.Second
	// longestLook is the most that counts between two looks: a computer that slept, or had no
	// time for this node, did not help meanwhile.
	longestLook = 3 * lookIfHelpingEvery
	// countEvery is how much of what meters count a kill can cost.
	countEvery = time.Minute
)

// helped measures for how long the node was allowed to work and had something to do. It is by Go's
// monotonic clock, which nobody can set.
type helped struct {
	mu   sync.Mutex
	sum  time.Duration
	last time.Time // when it was looked last
	was  bool      // at work then
}

// look notes whether the node is at work. Time counts if it was at both ends.
func (h *helped) look(now time.Time, is bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if took := now.Sub(h.last); h.was && is && took > 0 {
		h.sum += min(took, longestLook)
	}
	h.last, h.was = now, is
}

// seconds returns the time so far, in whole seconds.
func (h *helped) seconds() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(h.sum / time.Second)
}

// isHelping reports whether work is allowed and something is in flight or leased.
func (n *Node) isHelping() bool {
	if requests, leases := n.pool.InFlight(); requests+leases == 0 {
		return false
	}
	return n.governor.works()
}

// watchHelped measures until ctx is done, and counts what meters say when no commit has.
func (n *Node) watchHelped(ctx context.Context) error {
	if n.opts.Sim != nil {
		return nil // time costs nothing there
	}
	counted := time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case now := <-time.After(pulse.Until(n.unhurried(lookIfHelpingEvery))):
			if n.helped.look(now, n.isHelping()); now.Sub(counted) >= countEvery {
				counted = now
				n.countMeters(now)
			}
		}
	}
}

// countRest counts what meters say that no commit has.
func (n *Node) countRest() error {
	return n.db.Update(func(tx *storage.Tx) error { return n.stats.count(tx, time.Now(), committed{}) })
}

// countLast is countRest at the end of a run, which a full disk does not make a failure.
func (n *Node) countLast() {
	if err := n.countRest(); err != nil {
		n.log.Warn("Time and bytes of the last minute are not in the statistics", "error", err)
	}
}

// readMeters returns what was counted since the start.
func (n *Node) readMeters() meters {
	moved := n.bandwidth.Totals()
	received, sent := n.siteBytes()
	return meters{
		Received: received, Sent: sent, Helped: n.helped.seconds(),
		PeerReceived: moved.Received.All - moved.Received.Class[bandwidth.Pages],
		PeerSent:     moved.Sent.All - moved.Sent.Class[bandwidth.Pages],
	}
}
