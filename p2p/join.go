package p2p

import (
	"context"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
)

// maxDials is how many members of the last run are dialled at a time.
const maxDials = 8

// connectKnown lets the host know where the members of the last run were.
func (n *Node) connectKnown(ctx context.Context) {
	var list []peer.AddrInfo
	for _, raw := range n.known {
		r, err := roster.Open(n.cfg.Network, raw)
		if err != nil || r.Peer == n.self || r.State != roster.StateActive || len(r.Addrs) == 0 {
			continue
		}
		list = append(list, peer.AddrInfo{ID: r.Peer, Addrs: r.Addrs})
	}
	n.wg.Go(func() {
		slots := make(chan struct{}, maxDials)
		var dials sync.WaitGroup
		for _, p := range list {
			slots <- struct{}{}
			dials.Go(func() {
				dial, cancel := context.WithTimeout(ctx, 10*time.Second)
				defer cancel()
				_ = n.cfg.Host.Connect(dial, p) // others are tried
				<-slots
			})
		}
		dials.Wait()
	})
}

// findOthers ends the wait for others after a while.
func (n *Node) findOthers(ctx context.Context) {
	wait := time.Duration(0)
	if n.cfg.Expects {
		wait = n.cfg.Times.Join
	}
	if n.knewOthers() {
		wait = n.cfg.Times.JoinKnown
	}
	for n.Requests.Silent() { // nobody can be found
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	select {
	case <-n.joined:
	case <-ctx.Done():
	case <-n.greeted: // others may begin at the same time: one of them may be admitted in a moment
		select {
		case <-n.joined:
			return
		case <-ctx.Done():
			return
		case <-time.After(greetFor):
		}
		peers := n.cfg.Host.Network().Peers()
		for _, p := range peers[:min(len(peers), maxTold)] {
			n.exchange.syncWith(ctx, string(p))
		}
		n.met()
	case <-time.After(wait):
		n.join.Do(func() {
			n.alone.Store(true)
			if n.Members.Roster.Knows() {
				n.Members.Roster.SetAlone(true)
			} else {
				n.Members.Roster.Found(n.self) // the first member of a network
			}
			tellOwn(ctx, n) // the ring has this member by the time that Joined is closed
			close(n.joined)
		})
	}
}

// knewOthers reports whether other members owned domains at the end of the
// last run: they are hardly all gone.
func (n *Node) knewOthers() bool {
	for _, raw := range n.known {
		r, err := roster.Open(n.cfg.Network, raw)
		if err == nil && r.Peer != n.self && r.State == roster.StateActive && r.Capacity > 0 &&
			n.cfg.Now().Unix()-r.Issued < int64(roster.Lifetime/time.Second) {
			return true
		}
	}
	return false
}

// greetFor is how long a newcomer that has met nobody who owns domains waits for
// others that come at the same time.
const greetFor = 3 * time.Second

// greet tells a peer that knows no owner of this node. Other newcomers may do so: findOthers waits for them, or each
// would take everything for its own.
func (n *Node) greet(ctx context.Context) {
	select {
	case n.greeted <- struct{}{}:
		tellOwn(ctx, n)
	default: // it was told
	}
}

// met ends the wait for others: one was met, and its roster read.
func (n *Node) met() {
	n.alone.Store(false)
	n.Members.Roster.SetAlone(false)
	n.join.Do(func() {
		if !n.Members.Roster.Knows() || !n.Members.OthersOwn() {
			n.Members.Roster.Found(n.self) // whom it met is new as well, or never owns domains
		}
		n.mu.Lock()
		n.checkOwn()
		n.mu.Unlock()
		n.Members.Roster.Import(n.known)
		n.Members.Refresh()
		close(n.joined)
	})
}
