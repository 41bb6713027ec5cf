package p2p

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	"github.com/libp2p/go-libp2p/core/peer"
	"golang.org/x/time/rate"

	"github.com/forage-net/forage/p2p/roster"
)

const (
	// backlogEvery is how often a member says that its domains wait, backlogFor for
	// how long that is believed.
	backlogEvery = time.Minute
	backlogFor   = 2 * time.Minute
	// enoughBacklogs is after how many members that have said so within backlogEvery the
	// others keep silent: who looks for work has found some. So what all say together does
	// not grow with the network (as in RFC 6206, Trickle).
	enoughBacklogs = 16
	// backlogRate is how many are taken from gossip a second, with bursts of backlogBurst.
	backlogRate, backlogBurst = 1, 4 * enoughBacklogs
	// maxBacklogs bounds the members whose last word is remembered.
	maxBacklogs = 1024
	// askedAnyway is how many members may ask an owner whose few domains wait, and
	// askedEach how many more for each domain.
	askedAnyway, askedEach = 64, 8
)

// backlogs are the members whose domains wait, as they say themselves.
type backlogs struct {
	gate *rate.Limiter

	mu    sync.Mutex
	heard map[peer.ID]backlog
	said  time.Time // when this node last said so
}

type backlog struct {
	domains uint32
	issued  time.Time
	at      time.Time // when it was heard
}

func newBacklogs() *backlogs {
	return &backlogs{gate: rate.NewLimiter(backlogRate, backlogBurst), heard: make(map[peer.ID]backlog)}
}

// take remembers what a member says, and reports whether that is news.
func (b *backlogs) take(said roster.Backlog, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last, ok := b.heard[said.Peer]; ok && said.Issued.Sub(last.issued) < backlogEvery/2 {
		return false // a replay, or more often than it may
	}
	b.forget(now)
	if len(b.heard) >= maxBacklogs {
		return false
	}
	b.heard[said.Peer] = backlog{domains: said.Domains, issued: said.Issued, at: now}
	return true
}

// forget drops what could not be replayed any more.
func (b *backlogs) forget(now time.Time) {
	if len(b.heard) < maxBacklogs {
		return
	}
	for p, x := range b.heard {
		if now.Sub(x.at) > 2*roster.MaxSkew {
			delete(b.heard, p)
		}
	}
}

// mayTell reports whether this node should say that its domains wait, and notes that it does.
func (b *backlogs) mayTell(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.said.IsZero() && now.Sub(b.said) < backlogEvery {
		return false
	}
	others := 0
	for _, x := range b.heard {
		if now.Sub(x.at) < backlogEvery {
			others++
		}
	}
	if others >= enoughBacklogs {
		return false
	}
	b.said = now
	return true
}

// fresh returns the members whose domains wait now, by how many do.
func (b *backlogs) fresh(now time.Time) map[peer.ID]uint32 {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := make(map[peer.ID]uint32)
	for p, x := range b.heard {
		if now.Sub(x.at) < backlogFor {
			list[p] = x.domains
		}
	}
	return list
}

// Announce tells the members that some domains of this node wait and nobody asks for them,
// at most once in backlogEvery, and not where enough others have said so of theirs.
func (n *Node) Announce(ctx context.Context, domains int) error {
	if domains <= 0 || n.silent.Load() || !n.backlogs.mayTell(time.Now()) {
		return nil
	}
	item, err := roster.SealBacklog(n.cfg.Network, n.cfg.Key, uint32(min(domains, 1<<20)), n.cfg.Now())
	if err != nil {
		return err
	}
	return n.publish(ctx, item)
}

// Announced returns at most k owners whose domains wait, taken by chance. Where there are few
// domains for many members, most members are not told of them: or all would ask.
func (n *Node) Announced(k int) []string {
	members := float64(len(n.roster.Members()))
	var list []string
	for p, domains := range n.backlogs.fresh(time.Now()) {
		if len(list) == k {
			break
		}
		if p == n.self || !n.Holds(string(p)) || n.Down(string(p)) {
			continue
		}
		if rand.Float64()*members < askedAnyway+askedEach*float64(domains) {
			list = append(list, string(p))
		}
	}
	return list
}

// judgeBacklog takes in what a member says of its work, and says whether it is worth passing on.
func (n *Node) judgeBacklog(from peer.ID, raw []byte) pubsub.ValidationResult {
	if ok, flood := n.gossip.admit(from, n.backlogs.gate); flood {
		n.calls.Offend(from, "gossip flood", 5)
		return pubsub.ValidationIgnore
	} else if !ok {
		return pubsub.ValidationIgnore
	}
	said, err := roster.OpenBacklog(n.cfg.Network, raw)
	if err != nil {
		n.calls.Offend(from, "forged backlog", 20)
		return pubsub.ValidationReject
	}
	if n.cfg.Now().Sub(said.Issued).Abs() > roster.MaxSkew || !n.Holds(string(said.Peer)) || !n.backlogs.take(said, time.Now()) {
		return pubsub.ValidationIgnore
	}
	return pubsub.ValidationAccept
}
