package p2p

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// maxRounds is how many messages one comparison takes at most, strangerRounds the same with a stranger.
	maxRounds, strangerRounds = 8, 2
	// resyncEvery is how often rosters are compared with the same peer at most,
	// when something seems amiss.
	resyncEvery = time.Second
	// resyncMost is how long a peer is left alone at most with which comparing
	// leads to nothing; the wait doubles each time.
	resyncMost = time.Minute
	// maxSynced bounds the peers that are remembered for that.
	maxSynced = 1024
	// maxComparing is how many comparisons run at a time.
	maxComparing = 8
)

// compare compares rosters: with every peer that connects, with one by chance
// now and then, and with those that seem to know other members.
func (n *Node) compare(ctx context.Context) {
	hears := &network.NotifyBundle{
		ConnectedF: func(_ network.Network, c network.Conn) { n.Resync(string(c.RemotePeer())) },
	}
	n.cfg.Host.Network().Notify(hears)
	defer n.cfg.Host.Network().StopNotify(hears)
	for _, p := range n.cfg.Host.Network().Peers() {
		n.Resync(string(p))
	}
	ticker := time.NewTicker(n.cfg.Times.Compare)
	defer ticker.Stop()
	slots := make(chan struct{}, maxComparing)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		var p peer.ID
		select {
		case <-ctx.Done():
			return
		case p = <-n.resync:
		case w := <-n.disputed.notes:
			running.Go(func() { n.warn(ctx, w) })
			continue
		case <-ticker.C:
			n.seekOut()
			peers := n.cfg.Host.Network().Peers()
			if len(peers) == 0 {
				continue
			}
			if p = peers[rand.N(len(peers))]; !n.settled.Load() { // founders alone can tell who the members are
				for _, f := range n.Members.Roster.Moment().Founders {
					if slices.Contains(peers, f) && rand.N(2) == 0 {
						p = f
					}
				}
			}
		}
		if !n.synced.may(p) {
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		running.Go(func() {
			n.syncWith(ctx, string(p))
			<-slots
		})
	}
}

// compared is when rosters were compared with a peer, and how long to wait until
// they are again.
type compared struct {
	at   time.Time
	wait time.Duration
}

// paces are when rosters were compared with peers.
type paces struct {
	mu sync.Mutex
	of *simplelru.LRU[peer.ID, compared]
}

func newPaces() *paces {
	of, _ := simplelru.NewLRU[peer.ID, compared](maxSynced, nil) // fails for no size only
	return &paces{of: of}
}

// may reports whether the last comparison with a peer is long enough ago.
func (s *paces) may(p peer.ID) bool {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	c, _ := s.of.Get(p)
	if now.Sub(c.at) < max(c.wait, resyncEvery) {
		return false
	}
	s.of.Add(p, compared{now, c.wait})
	return true
}

// note notes whether a comparison led to something: both know the same
// now, or this node has learned of somebody. With a peer that always seems to
// know others and never tells, that is rarely tried.
func (s *paces) note(p peer.ID, useful bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, is := s.of.Get(p)
	if !is {
		return
	}
	if useful {
		c.wait = 0
	} else {
		c.wait = min(max(2*c.wait, resyncEvery), resyncMost)
	}
	s.of.Add(p, c)
}

// Resync compares rosters with a peer soon.
func (n *Node) Resync(p string) {
	select {
	case n.resync <- peer.ID(p):
	default: // many wait already
	}
}

// syncWith compares rosters with a peer until both are the same, and reports
// whether it answered.
func (n *Node) syncWith(ctx context.Context, p string) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var from uint64
	summarize := n.Members.Roster.Summary
	unsure := n.history.IsUnsure()
	if unsure {
		summarize = n.Members.Roster.AskingSummary
	}
	id := peer.ID(p)
	first, _, all := summarize(id, 0, wire.MaxSummary) // all: the first message is about all members
	m := n.syncMessage(id, nil, first)
	met, useful := false, false
	defer func() {
		if met {
			n.synced.note(id, useful)
		}
	}()
	for round := range maxRounds {
		if round >= strangerRounds && !n.Members.Roster.Admitted(id) {
			return met
		}
		watch := n.Requests.Watch(id)
		raw, err := n.Requests.Call(ctx, p, wire.KindSync, wire.Encode(m))
		if err != nil {
			n.log.Debug("Members not compared", "peer", id.String(), "error", err)
			return met
		}
		answer, err := wire.Decode[wire.Sync](raw)
		if err != nil {
			n.Requests.Offend(id, "roster", 20)
			return met
		}
		watch.Stop(answer.Place)
		n.trust(id, answer.Items, answer.Few)
		if met = true; unsure {
			n.history.See(answer.Items)
			if all && len(answer.Items) < wire.MaxItems/2 { // with all that it has for this node
				n.history.Compared()
			}
		}
		useful = n.take(id, answer.Items) || useful
		if n.Members.OthersOwn() {
			n.met()
		} else {
			n.greet(ctx)
		}
		if answer.Few {
			useful = true
			return true
		}
		digest := n.Members.Roster.Digest()
		if bytes.Equal(answer.Digest, digest[:]) {
			useful = true
			n.history.Compared()
			n.settled.Store(true)
			return true
		}
		if len(answer.Summary) == 0 { // it knew the same, and this node has heard more since
			first, _, _ = n.Members.Roster.Summary(id, 0, wire.MaxSummary)
			m, from = n.syncMessage(id, nil, first), 0
			continue
		}
		items, err := n.Members.Roster.Missing(id, answer.Summary, wire.MaxItems, maxSyncBytes)
		if err != nil {
			n.Requests.Offend(id, "roster", 20)
			return true
		}
		summary, next, done := summarize(id, from, wire.MaxSummary)
		if m, from = n.syncMessage(id, items, summary), next; done {
			from = 0
		}
	}
	return met
}

// maxSyncBytes bounds the items of one message.
const maxSyncBytes = 256 << 10

func (n *Node) syncMessage(to peer.ID, items [][]byte, summary []byte) *wire.Sync {
	digest := n.Members.Roster.Digest()
	// Nobody else passes on the record of one that only fetches, is not admitted, or just was.
	own, is := n.Members.Roster.Get(n.self)
	members := n.Members.Roster.Admitted(n.self) && n.Members.Roster.Admitted(to)
	tells := own.Capacity == 0 || !members || n.Vouches.IsNew()
	if is && tells && len(items) < wire.MaxItems {
		items = append(slices.Clip(items), own.Raw)
	}
	return &wire.Sync{Digest: digest[:], Summary: summary, Items: items, Place: n.Requests.Place()}
}

// handleSync answers a comparison: with what the other lacks, and with what
// this node has.
func (n *Node) handleSync(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Sync](body)
	if err != nil {
		return nil, &calls.Lie{What: "roster", Weight: 20}
	}
	n.take(from, m.Items)
	digest := n.Members.Roster.Digest()
	if bytes.Equal(m.Digest, digest[:]) {
		return wire.Encode(&wire.Sync{Digest: digest[:], Place: n.Requests.Place()}), nil
	}
	items, err := n.Members.Roster.Missing(from, m.Summary, wire.MaxItems, maxSyncBytes)
	if err != nil {
		return nil, &calls.Lie{What: "roster", Weight: 20}
	}
	if !n.Members.Roster.TellsAll(from) {
		few := n.syncMessage(from, items, nil)
		few.Few = true
		return wire.Encode(few), nil
	}
	summary, _, _ := n.Members.Roster.Summary(from, 0, wire.MaxSummary)
	return wire.Encode(n.syncMessage(from, items, summary)), nil
}

// trust decides, before the first roster was compared to its end, whom a newcomer believes about who the members are:
// the founders that its invite named, or else the first one it meets that knows members.
func (n *Node) trust(from peer.ID, items [][]byte, few bool) {
	if n.settled.Load() {
		return
	}
	if !n.Members.Roster.Knows() {
		if !slices.ContainsFunc(items, n.tellsOfOwner) {
			return
		}
		n.Members.Roster.Found(from)
	}
	n.Members.Roster.Believe(from, items, few)
}

// tellsOfOwner reports whether an item is a record of another member that owns domains.
func (n *Node) tellsOfOwner(raw []byte) bool {
	r, err := roster.Open(n.cfg.Network, raw)
	return err == nil && r.Peer != n.self && r.Capacity > 0
}

// take takes signed items of a peer into the roster, and reports whether one was
// new.
func (n *Node) take(from peer.ID, items [][]byte) (fresh bool) {
	for _, raw := range items {
		changed, err := n.Members.Roster.Add(from, raw)
		if errors.Is(err, roster.ErrUnentitled) {
			err = n.dispute(raw)
		}
		if errors.Is(err, roster.ErrInvalid) || errors.Is(err, roster.ErrForeign) {
			n.Requests.Offend(from, "forged member", 20)
		}
		fresh = fresh || changed
	}
	if fresh {
		n.Members.Refresh()
	}
	return fresh
}
