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
	ring, signers := n.Members.Ring(), n.Members.Roster.Vouchers()
	seen := make(map[peer.ID]bool)
	var list []Peer
	for _, m := range n.Members.Roster.Members() {
		if seen[m.Peer] = true; m.Peer == n.self {
			continue
		}
		p := Peer{
			ID: m.Peer, Addrs: m.Addrs, Member: true, Capacity: m.Capacity, State: m.State, Reach: m.Reach,
			Version: m.Version,
			Share:   ring.Share(string(m.Peer)), Out: m.Out,
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
	p.Down = n.beats.silent(p.ID)
	return p
}
