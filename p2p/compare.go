package p2p

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/history"
	"github.com/forage-net/forage/p2p/members"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/vouches"
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

// exchange compares rosters with other members, so that all come to know the same records.
type exchange struct {
	cfg      Config
	self     peer.ID
	members  *members.Members
	requests *requests.Requests
	vouches  *vouches.Vouches
	history  *history.History
	// down reports whether a member does not answer.
	down func(p peer.ID) bool
	// met is called when a peer was met that knows owners, greet for one that knows none.
	met   func()
	greet func(ctx context.Context)
	// reissue has a new record of this node made.
	reissue func()

	resync   chan peer.ID
	synced   *paces
	settled  atomic.Bool // rosters were compared to the end, so no newcomer any more
	disputed disputes
}

// serve compares rosters: with every peer that connects, with one by chance
// now and then, and with those that seem to know other members.
func (e *exchange) serve(ctx context.Context) {
	hears := &network.NotifyBundle{
		ConnectedF: func(_ network.Network, c network.Conn) { e.soon(string(c.RemotePeer())) },
	}
	e.cfg.Host.Network().Notify(hears)
	defer e.cfg.Host.Network().StopNotify(hears)
	for _, p := range e.cfg.Host.Network().Peers() {
		e.soon(string(p))
	}
	ticker := time.NewTicker(e.cfg.Times.Compare)
	defer ticker.Stop()
	slots := make(chan struct{}, maxComparing)
	var running sync.WaitGroup
	defer running.Wait()
	for {
		var p peer.ID
		select {
		case <-ctx.Done():
			return
		case p = <-e.resync:
		case w := <-e.disputed.notes:
			running.Go(func() { e.warn(ctx, w) })
			continue
		case <-ticker.C:
			e.seekOut()
			peers := e.cfg.Host.Network().Peers()
			if len(peers) == 0 {
				continue
			}
			if p = peers[rand.N(len(peers))]; !e.settled.Load() { // founders alone can tell who the members are
				for _, f := range e.members.Roster.Moment().Founders {
					if slices.Contains(peers, f) && rand.N(2) == 0 {
						p = f
					}
				}
			}
		}
		if !e.synced.may(p) {
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		running.Go(func() {
			e.syncWith(ctx, string(p))
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

// soon compares rosters with a peer soon.
func (e *exchange) soon(p string) {
	select {
	case e.resync <- peer.ID(p):
	default: // many wait already
	}
}

// syncWith compares rosters with a peer until both are the same, and reports
// whether it answered.
func (e *exchange) syncWith(ctx context.Context, p string) bool {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var from uint64
	summarize := e.members.Roster.Summary
	unsure := e.history.IsUnsure()
	if unsure {
		summarize = e.members.Roster.AskingSummary
	}
	id := peer.ID(p)
	first, _, all := summarize(id, 0, wire.MaxSummary) // all: the first message is about all members
	m := e.syncMessage(id, nil, first)
	met, useful := false, false
	defer func() {
		if met {
			e.synced.note(id, useful)
		}
	}()
	for round := range maxRounds {
		if round >= strangerRounds && !e.members.Roster.Admitted(id) {
			return met
		}
		watch := e.requests.Watch(id)
		raw, err := e.requests.Call(ctx, p, wire.KindSync, wire.Encode(m))
		if err != nil {
			e.cfg.Log.Debug("Members not compared", "peer", id.String(), "error", err)
			return met
		}
		answer, err := wire.Decode[wire.Sync](raw)
		if err != nil {
			e.requests.Offend(id, "roster", 20)
			return met
		}
		watch.Stop(answer.Place)
		e.trust(id, answer.Items, answer.Few)
		if met = true; unsure {
			e.history.See(answer.Items)
			if all && len(answer.Items) < wire.MaxItems/2 { // with all that it has for this node
				e.history.Compared()
			}
		}
		useful = e.take(id, answer.Items) || useful
		if e.members.OthersOwn() {
			e.met()
		} else {
			e.greet(ctx)
		}
		if answer.Few {
			useful = true
			return true
		}
		digest := e.members.Roster.Digest()
		if bytes.Equal(answer.Digest, digest[:]) {
			useful = true
			e.history.Compared()
			e.settled.Store(true)
			return true
		}
		if len(answer.Summary) == 0 { // it knew the same, and this node has heard more since
			first, _, _ = e.members.Roster.Summary(id, 0, wire.MaxSummary)
			m, from = e.syncMessage(id, nil, first), 0
			continue
		}
		items, err := e.members.Roster.Missing(id, answer.Summary, wire.MaxItems, maxSyncBytes)
		if err != nil {
			e.requests.Offend(id, "roster", 20)
			return true
		}
		summary, next, done := summarize(id, from, wire.MaxSummary)
		if m, from = e.syncMessage(id, items, summary), next; done {
			from = 0
		}
	}
	return met
}

// maxSyncBytes bounds the items of one message.
const maxSyncBytes = 256 << 10

func (e *exchange) syncMessage(to peer.ID, items [][]byte, summary []byte) *wire.Sync {
	digest := e.members.Roster.Digest()
	// Nobody else passes on the record of one that only fetches, is not admitted, or just was.
	own, is := e.members.Roster.Get(e.self)
	members := e.members.Roster.Admitted(e.self) && e.members.Roster.Admitted(to)
	tells := own.Capacity == 0 || !members || e.vouches.IsNew()
	if is && tells && len(items) < wire.MaxItems {
		items = append(slices.Clip(items), own.Raw)
	}
	return &wire.Sync{Digest: digest[:], Summary: summary, Items: items, Place: e.requests.Place()}
}

// handleSync answers a comparison: with what the other lacks, and with what
// this node has.
func (e *exchange) handleSync(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Sync](body)
	if err != nil {
		return nil, &calls.Lie{What: "roster", Weight: 20}
	}
	e.take(from, m.Items)
	digest := e.members.Roster.Digest()
	if bytes.Equal(m.Digest, digest[:]) {
		return wire.Encode(&wire.Sync{Digest: digest[:], Place: e.requests.Place()}), nil
	}
	items, err := e.members.Roster.Missing(from, m.Summary, wire.MaxItems, maxSyncBytes)
	if err != nil {
		return nil, &calls.Lie{What: "roster", Weight: 20}
	}
	if !e.members.Roster.TellsAll(from) {
		few := e.syncMessage(from, items, nil)
		few.Few = true
		return wire.Encode(few), nil
	}
	summary, _, _ := e.members.Roster.Summary(from, 0, wire.MaxSummary)
	return wire.Encode(e.syncMessage(from, items, summary)), nil
}

// trust decides, before the first roster was compared to its end, whom a newcomer believes about who the members are:
// the founders that its invite named, or else the first one it meets that knows members.
func (e *exchange) trust(from peer.ID, items [][]byte, few bool) {
	if e.settled.Load() {
		return
	}
	if !e.members.Roster.Knows() {
		if !slices.ContainsFunc(items, e.tellsOfOwner) {
			return
		}
		e.members.Roster.Found(from)
	}
	e.members.Roster.Believe(from, items, few)
}

// tellsOfOwner reports whether an item is a record of another member that owns domains.
func (e *exchange) tellsOfOwner(raw []byte) bool {
	r, err := roster.Open(e.cfg.Network, raw)
	return err == nil && r.Peer != e.self && r.Capacity > 0
}

// take takes signed items of a peer into the roster, and reports whether one was
// new.
func (e *exchange) take(from peer.ID, items [][]byte) (fresh bool) {
	for _, raw := range items {
		changed, err := e.members.Roster.Add(from, raw)
		if errors.Is(err, roster.ErrUnentitled) {
			err = e.dispute(raw)
		}
		if errors.Is(err, roster.ErrInvalid) || errors.Is(err, roster.ErrForeign) {
			e.requests.Offend(from, "forged member", 20)
		}
		fresh = fresh || changed
	}
	if fresh {
		e.members.Refresh()
	}
	return fresh
}
