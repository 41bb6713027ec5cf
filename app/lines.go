package app

import (
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/shard"
)

// makeLayout prepares what knows whose a domain is.
func (n *Node) makeLayout() error {
	n.layout = layout.NewDirectory(crawl.PeerID(n.member.node.Self()))
	return nil
}

// groupSize is how many members keep a shard.
const groupSize = 3

// owners returns the members that may act for domains.
func (n *Node) owners() []crawl.PeerID {
	var list []crawl.PeerID
	for _, m := range n.member.node.Ring().Members() {
		list = append(list, crawl.PeerID(m.ID))
	}
	return list
}

// watchLayout keeps the layout as the roster says, until ctx is done.
func (n *Node) watchLayout(ctx context.Context) error {
	timer := time.NewTicker(membersEvery)
	defer timer.Stop()
	for {
		n.setLayout()
		select {
		case <-ctx.Done():
			return nil
		case <-n.member.node.Changed():
		case <-timer.C:
		}
	}
}

func (n *Node) setLayout() {
	ring := n.member.node.Ring()
	units := make(map[string]int)
	for _, m := range ring.Members() {
		units[m.ID] = m.Units
	}
	self := n.member.node.Self()
	list := []layout.Member{{ID: crawl.PeerID(self), Units: units[self]}}
	for _, p := range n.member.node.Peers() {
		if p.Member {
			id := string(p.ID)
			list = append(list, layout.Member{ID: crawl.PeerID(id), Units: units[id], Out: p.Out || n.member.node.Left(id)})
		}
	}
	n.layout.Set(list)
}

// countShards says in a status what this node leads and follows.
func (n *Node) countShards(s *api.Status) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.driver.Do(ctx, func(g *group.Node) error {
		for _, v := range g.Look() {
			if len(v.Held)+v.Live > 0 { // else of a member that has left
				n.countShard(s, v)
			}
		}
		return nil
	})
}

func (n *Node) countShard(s *api.Status, v group.View) {
	switch v.Role {
	case shard.Leader:
		if s.Leads++; len(v.Learners) == 0 && len(v.Voters) == len(n.layout.Line(v.Shard)) {
			s.Whole++
		}
	case shard.CarefulLeader:
		s.Leads++
		s.Careful++
	case shard.Follower:
		if s.Follows++; slices.Contains(v.Learners, crawl.PeerID(n.member.node.Self())) {
			s.CatchingUp++
		}
	}
}
