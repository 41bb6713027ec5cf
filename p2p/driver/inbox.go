package driver

import (
	"sync"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

const (
	// maxLane is how many bytes may wait in a lane for the node, which takes all of them as soon as its commit is done.
	maxLane = 8 << 20
	// maxFromOne is how many of them one peer may have, beside a packet: none keeps the others out.
	maxFromOne = 1 << 20
	// packetCost is what a packet counts beside its bytes.
	packetCost = 64
)

// inbox holds packets until the node takes them.
type inbox struct {
	mu    sync.Mutex
	lanes [stream.NumLanes]struct {
		packets []inPacket
		bytes   int
		from    map[crawl.PeerID]int // bytes of each peer
	}
}

type inPacket struct {
	from  crawl.PeerID
	bytes []byte
}

// put adds a packet, which the inbox keeps, and reports whether there was room.
func (b *inbox) put(from crawl.PeerID, lane stream.Lane, packet []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, cost := &b.lanes[lane], len(packet)+packetCost
	if l.bytes+cost > maxLane || l.from[from] > maxFromOne {
		return false
	}
	if l.from == nil {
		l.from = make(map[crawl.PeerID]int)
	}
	l.packets = append(l.packets, inPacket{from, packet})
	l.bytes += cost
	l.from[from] += cost
	return true
}

// take removes all packets, those of lower lanes first.
func (b *inbox) take() []inPacket {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []inPacket
	for i := range b.lanes {
		l := &b.lanes[i]
		all = append(all, l.packets...)
		l.packets, l.bytes = nil, 0
		clear(l.from)
	}
	return all
}
