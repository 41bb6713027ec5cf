package p2p

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/roster"
)

// Peer is what is known of another node.
type Peer struct {
	ID       peer.ID
	Addrs    []ma.Multiaddr // where its record says it is, or where it is connected from
	Member   bool           // it has a record
	Vouches  bool           // its word counts about who is a member
	Capacity uint8
	State    roster.State
	Reach    roster.Reach
	Version  string
	// Connected says how: Direct, Relayed or not at all.
	Connected, Relayed bool
	Remote             ma.Multiaddr // of the connection, nil if there is none
	// RTT is the time a request takes there and back, 0 if unknown.
	RTT time.Duration
	// Share is its share of the ring, 0 to 1.
	Share float64
	// Down says that it does not answer, Out that others have taken over from it.
	Down, Out bool
}

// Peers returns the members and whoever is connected, ordered by ID.
func (n *Node) Peers() []Peer {
	v, signers := n.view.Load(), n.roster.Vouchers()
	seen := make(map[peer.ID]bool)
	var list []Peer
	for _, m := range n.roster.Members() {
		if seen[m.Peer] = true; m.Peer == n.self {
			continue
		}
		p := Peer{
			ID: m.Peer, Addrs: m.Addrs, Member: true, Capacity: m.Capacity, State: m.State, Reach: m.Reach,
			Version: m.Version,
			Share:   v.ring.Share(string(m.Peer)), Out: m.Out,
		}
		_, p.Vouches = slices.BinarySearch(signers, m.Peer)
		list = append(list, n.describePeer(p))
	}
	for _, id := range n.cfg.Host.Network().Peers() {
		if !seen[id] {
			list = append(list, n.describePeer(Peer{ID: id}))
		}
	}
	return list
}

func (n *Node) describePeer(p Peer) Peer {
	p.Relayed = true
	for _, c := range n.cfg.Host.Network().ConnsToPeer(p.ID) {
		p.Connected, p.Remote = true, c.RemoteMultiaddr()
		p.Relayed = p.Relayed && c.Stat().Limited
	}
	p.Relayed = p.Relayed && p.Connected
	p.RTT = n.cfg.Host.Peerstore().LatencyEWMA(p.ID)
	n.beats.mu.Lock()
	defer n.beats.mu.Unlock()
	if s := n.beats.state[p.ID]; s != nil {
		p.Down = !s.down.IsZero()
	}
	return p
}

// Holds reports whether a peer may hold domains: it is a member that is neither
// out nor has left with nothing.
func (n *Node) Holds(p string) bool {
	m, ok := n.roster.Get(peer.ID(p))
	return ok && !m.Out && m.State != roster.StateLeft
}

// Left reports whether a member has left with nothing: all that it had was handed over before.
func (n *Node) Left(p string) bool { return n.State(p) == roster.StateLeft }

// AnyOut reports whether any member is out: it may be gone, or part of another network that
// this one was cut off from.
func (n *Node) AnyOut() bool {
	return slices.ContainsFunc(n.roster.Leaving(), func(m roster.Member) bool { return m.Out })
}

// Out reports whether others have declared a member out.
func (n *Node) Out(p string) bool {
	m, ok := n.roster.Get(peer.ID(p))
	return ok && m.Out
}

// IsMember reports whether the roster has a record of a peer.
func (n *Node) IsMember(p string) bool {
	_, ok := n.roster.Get(peer.ID(p))
	return ok
}

// Known returns since when a member is known here, and the network that its addresses are in, "" if it has
// none; zero for one that is no member, or out.
func (n *Node) Known(p string) (since time.Time, net string) {
	if m, ok := n.roster.Get(peer.ID(p)); ok && !m.Out {
		return m.Since, m.Net()
	}
	return time.Time{}, ""
}

// State returns what a member says of itself; 0 if it is none, or gone for good.
func (n *Node) State(p string) roster.State {
	if m, ok := n.roster.Get(peer.ID(p)); ok && !m.Out {
		return m.State
	}
	return 0
}

// Share returns this node's share of the ring, 0 to 1.
func (n *Node) Share() float64 { return n.view.Load().ring.Share(string(n.self)) }

// Members returns how many members own domains.
func (n *Node) Members() int { return n.view.Load().ring.Len() }
