package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/roster"
)

// Peers implements api.Node.
func (n *Node) Peers(context.Context) (api.Peers, error) {
	m := n.member
	list := api.Peers{
		ID: m.host.ID().String(), Share: m.node.Share(), Members: int64(m.node.Members()), Reachability: m.finder.Reachability().String(),
		Invite: n.Invite(), Alone: m.node.Alone(), Traffic: m.traffic(),
		Shared: make(map[string]int64), Offences: make(map[string]int64),
	}
	for kind, n := range m.swarm.Counts() {
		list.Shared[string(kind)] = n
	}
	for what, n := range m.node.Offences() {
		list.Offences[what] = int64(n)
	}
	for _, a := range m.host.Addrs() {
		list.Addrs = append(list.Addrs, a.String()+"/p2p/"+list.ID)
	}
	lent, err := n.frontier.LentLeases()
	if err != nil {
		return list, err
	}
	held := n.pool.Held()
	for _, p := range m.node.Peers() {
		x := describePeer(p)
		x.LeasesHeld, x.LeasesLent = int64(held[string(p.ID)]), int64(lent[string(p.ID)])
		list.Peers = append(list.Peers, x)
	}
	return list, nil
}

func describePeer(p p2p.Peer) api.Peer {
	x := api.Peer{
		ID: p.ID.String(), Capacity: int64(p.Capacity), Share: p.Share, RTTMs: float64(p.RTT.Microseconds()) / 1000, Version: p.Version,
		Reach: p.Reach.String(), Due: int64(p.Due),
	}
	if p.Remote != nil {
		x.Addr = p.Remote.String()
	} else if len(p.Addrs) > 0 {
		x.Addr = p.Addrs[0].String()
	}
	switch {
	case p.Relayed:
		x.Connection = "through a relay"
	case p.Connected:
		x.Connection = "direct"
	default:
		x.Connection = "none now"
	}
	switch {
	case p.Out:
		x.State = "out"
	case p.Down:
		x.State = "does not answer"
	case !p.Member:
		x.State = "visitor"
	case p.State == roster.StateResting:
		x.State = "rests"
	case p.State == roster.StateLeaving:
		x.State = "leaving"
	case p.State == roster.StateLeft:
		x.State = "left"
	case p.Capacity == 0:
		x.State = "fetches"
	default:
		x.State = "owns and fetches"
	}
	return x
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shortPeer is the end of a peer's ID: the beginnings are all alike.
func shortPeer(id string) string {
	s := peer.ID(id).String()
	return s[max(len(s)-6, 0):]
}

// Helping implements api.Node.
func (n *Node) Helping(context.Context) ([]api.Domain, error) {
	var list []api.Domain
	for d, owner := range n.member.swarm.Held() {
		list = append(list, api.Domain{Domain: string(d), State: "being visited", Owner: peer.ID(owner).String()})
	}
	slices.SortFunc(list, func(a, b api.Domain) int { return strings.Compare(a.Domain, b.Domain) })
	return list, nil
}
