package app

import (
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/storage/requests"
)

// establishedAfter is for how long a member has owned domains before its outcomes are believed from the start. In a lab it is no time.
const establishedAfter = 7 * 24 * time.Hour

// established implements swarm.Config.Established.
func (n *Node) established(p crawl.PeerID) bool {
	if !slices.ContainsFunc(n.member.Node.Ring().Members(), func(m ring.Member) bool { return m.ID == string(p) }) {
		return false
	}
	since, _ := n.member.Node.Known(string(p))
	return n.opts.Lab != nil || !since.IsZero() && time.Since(since) >= establishedAfter
}

// networkOf implements swarm.Config.Network. Where all owners are in one network, and in a lab, each member is one of its own.
func (n *Node) networkOf(p crawl.PeerID) string {
	members := n.member.Node.Ring().Members()
	_, net := n.member.Node.Known(string(p))
	if n.opts.Lab != nil || net == "" || !slices.ContainsFunc(members, func(m ring.Member) bool { return m.Net != members[0].Net }) {
		return string(p)
	}
	return net
}

// recordCheck records that another node fetched a page again because this one wanted it checked.
func (n *Node) recordCheck(x checks.Checked) {
	if n.requests == nil {
		return
	}
	o := &x.Outcome
	n.requests.Append(&requests.Record{
		Time: o.Date, URL: o.Task.URL.String(), Domain: string(o.Domain), Code: string(codeOf(o.Result)), Status: o.Status, Bytes: o.Received, Took: o.Took,
		Waited: -1, Title: o.Title, By: peer.ID(x.By).String(), Check: peer.ID(x.Of).String(),
	})
}

// checked returns what checks say of other fetchers.
func (n *Node) checked(list []crawl.PeerID) map[crawl.PeerID]checks.Record {
	if !n.joined.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	known, err := n.swarm.Fetchers(ctx, list)
	if err != nil {
		return nil // it rests, or ends
	}
	return known
}
