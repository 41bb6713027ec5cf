package app

import (
	"context"
	"slices"
	"strings"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/roster"
)

// Peers implements api.Node.
func (n *Node) Peers(ctx context.Context) (api.Peers, error) {
	m := n.member
	list := api.Peers{
		ID: m.Host.ID().String(), Share: m.Node.Share(), Members: int64(m.Node.Members()), Reachability: reachText(api.Lang(ctx), m.Finder.Reachability()),
		Private: n.opts.Config.Net.Private, Alone: m.Node.Alone(), Traffic: m.Traffic(),
		Shared: make(map[string]int64), Offences: make(map[string]int64),
	}
	if !list.Private { // the secret is told to those who ask for it
		list.Invite = n.member.Invite()
	}
	for kind, n := range n.swarm.Counts() {
		list.Shared[string(kind)] = n
	}
	for what, n := range m.Node.Offences() {
		list.Offences[what] = int64(n)
	}
	for _, a := range m.Host.Addrs() {
		list.Addrs = append(list.Addrs, a.String()+"/p2p/"+list.ID)
	}
	peers := m.Node.Peers()
	if len(peers) == 0 {
		return list, nil // nobody to lend to: leases need not be read
	}
	lent := make(map[string]int)
	for _, by := range n.leased() {
		lent[string(by)]++
	}
	held := n.pool.Held()
	ids := make([]crawl.PeerID, len(peers))
	for i, p := range peers {
		ids[i] = crawl.PeerID(p.ID)
	}
	checked := n.checked(ids)
	for _, p := range peers {
		x := describePeer(p)
		x.LeasesHeld, x.LeasesLent = int64(held[string(p.ID)]), int64(lent[string(p.ID)])
		r := checked[crawl.PeerID(p.ID)]
		x.Outcomes, x.Checks, x.ChecksAgreed, x.ChecksAlone = int64(r.Outcomes), int64(r.Checks), int64(r.Agreed), int64(r.Alone)
		if r.Barred.After(n.clock.Now()) {
			until := n.clock.Wall(r.Barred)
			x.BarredUntil = &until
		}
		list.Peers = append(list.Peers, x)
	}
	return list, nil
}

// Invitation implements api.Node.
func (n *Node) Invitation(context.Context) (api.Invitation, error) {
	return api.Invitation{Invite: n.member.Invite(), Private: n.opts.Config.Net.Private}, nil
}

// reachText says in a sentence who can open a connection to this node.
func reachText(lang string, r peerhost.Reachability) string {
	return words.Text(lang, "reach."+r.Code(), words.Args{"at": r.Places()})
}

func describePeer(p p2p.Peer) api.Peer {
	x := api.Peer{
		ID: p.ID.String(), Capacity: int64(p.Capacity), Share: p.Share, RTTMs: float64(p.RTT.Microseconds()) / 1000, Version: p.Version,
		Reach: p.Reach.String(),
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
	case p.Capacity == 0 || p.Share == 0: // it would own domains, and others do not let it yet
		x.State = "fetches"
	default:
		x.State = "owns and fetches"
	}
	return x
}

// Helping implements api.Node. Pages and bytes are those of the leases of now, and what is queued waits in
// them: what else there is of a domain, its owner knows.
func (n *Node) Helping(context.Context) ([]api.Domain, error) {
	visits := make(map[crawl.Domain]worker.Visit)
	for _, v := range n.pool.Visits(maxHelping) {
		if v.Granter != "" {
			visits[v.Domain] = v
		}
	}
	var list []api.Domain
	for d, owner := range n.helping() {
		a := api.Domain{Domain: string(d), State: "being visited", Owner: peer.ID(owner).String()}
		if v, is := visits[d]; is {
			a.Queued, a.Fetched, a.Bytes = int64(v.Left), int64(v.Fetched), v.Bytes
			if !v.Busy {
				next := n.clock.Wall(v.At)
				a.NextVisit = &next
			}
		}
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b api.Domain) int { return strings.Compare(a.Domain, b.Domain) })
	return list, nil
}

// maxHelping bounds the leases that are looked at.
const maxHelping = 4096
