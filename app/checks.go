package app

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

// establishedAfter is for how long a member has owned domains before its outcomes are believed from the start. In a lab
// it is no time.
const establishedAfter = 7 * 24 * time.Hour

// established implements swarm.Config.Established.
func (n *Node) established(p crawl.PeerID) bool {
	if n.member.Node.Members.Ring().Units(string(p)) == 0 {
		return false
	}
	since, _ := n.member.Node.Members.Known(string(p))
	return n.opts.Lab != nil || !since.IsZero() && time.Since(since) >= establishedAfter
}

// networkOf implements swarm.Config.Network. Where all owners are in one network, and in a lab, each member is one of
// its own.
func (n *Node) networkOf(p crawl.PeerID) string {
	members := n.member.Node.Members.Ring().Members()
	_, net := n.member.Node.Members.Known(string(p))
	elsewhere := func(m ring.Member) bool { return m.Net != members[0].Net }
	if n.opts.Lab != nil || net == "" || !slices.ContainsFunc(members, elsewhere) {
		return string(p)
	}
	return net
}
