package peerhost

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
)

// bucketTag is what the DHT protects the peers of its routing table with.
const bucketTag = "kbucket"

// Trim closes connections until a host has at most n, those with the fewest streams
// first, and of these to the peers furthest apart, as both ends see it: else all hosts would
// leave the same few. It returns how many peers it has closed. Peers that are needed are left
// alone, even if there are more; those of the routing table are not.
func Trim(h host.Host, n int, needed func(peer.ID) bool) (closed int) {
	conns := len(h.Network().Conns())
	if conns <= n {
		return 0
	}
	type candidate struct {
		id             peer.ID
		conns, streams int
	}
	var list []candidate
	for _, p := range h.Network().Peers() {
		if needed(p) {
			continue
		}
		c := candidate{id: p}
		for _, conn := range h.Network().ConnsToPeer(p) {
			c.conns++
			c.streams += len(conn.GetStreams())
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.streams, b.streams), bytes.Compare(apart(h.ID(), b.id), apart(h.ID(), a.id)),
			cmp.Compare(a.id, b.id))
	})
	for _, c := range list {
		if conns <= n {
			break
		}
		h.ConnManager().Unprotect(c.id, bucketTag)
		_ = h.Network().ClosePeer(c.id) // who has gone already is closed
		conns -= c.conns
		closed++
	}
	return closed
}

// apart returns how far two peers are apart, by the metric of Kademlia over their IDs as they are.
func apart(a, b peer.ID) []byte {
	d := make([]byte, min(len(a), len(b)))
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
	return d
}
