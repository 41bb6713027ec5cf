package group

import (
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/stream"
)

// peer is what this member knows of another, and what waits to be sent to it.
type peer struct {
	id    crawl.PeerID
	queue stream.Queue
	boot  uint64 // the start that it last spoke of

	heard, direct bool // at all, and without a relay
	at, directAt  time.Duration
	echoes        bool // it has heard from this start
	hears         []uint32
	told          bool // hears was told
	partner       bool // it shares a shard with this member: the two hear from each other every beat
	window        int  // bytes passed on for it in the present beat
}

// maxHeard bounds the members that a beat names.
const maxHeard = 64

// relayBytes is what a member passes on for another in a beat.
const relayBytes = 256 << 10

func (p *peer) hear(now time.Duration, boot uint64, echoes, direct bool) {
	if boot != p.boot {
		p.boot, p.told = boot, false
	}
	p.echoes = echoes
	p.heard, p.at = true, now
	if direct {
		p.direct, p.directAt = true, now
	}
}

func shortOf(p crawl.PeerID) uint32 {
	h := fnv.New32a()
	h.Write([]byte(p))
	return h.Sum32()
}

func (p *peer) readBeat(m *reader) func() {
	hears := codec.ReadList(&m.Reader, maxHeard, func() uint32 { return uint32(m.UpTo(math.MaxUint32)) })
	return func() { p.hears, p.told = hears, true }
}

func (p *peer) hearsOf(other crawl.PeerID) bool { return slices.Contains(p.hears, shortOf(other)) }

// peer returns what is known of a peer.
func (n *Node) peer(id crawl.PeerID) *peer {
	p := n.peers[id]
	if p == nil {
		p = &peer{id: id}
		n.peers[id] = p
	}
	return p
}

// up reports whether a member was heard within three beats, be it through a relay.
func (n *Node) up(id crawl.PeerID) bool {
	p := n.peers[id]
	return id == n.cfg.Self || p != nil && p.heard && n.now()-p.at < 3*n.cfg.Times.Beat
}

// upDirect reports whether it was heard without a relay.
func (n *Node) upDirect(p *peer) bool {
	return p != nil && p.direct && n.now()-p.directAt < 3*n.cfg.Times.Beat
}

// beat sends a heartbeat to everybody this member shares a shard with.
func (n *Node) beat() {
	partners := n.partners()
	w := n.beatMessage(partners)
	for _, id := range partners {
		n.peer(id).window, n.peer(id).partner = 0, true
		n.send(id, stream.LaneBeat, w)
	}
	n.forgetPeers(partners)
}

// beatMessage names those of the partners that this member hears without a relay.
func (n *Node) beatMessage(partners []crawl.PeerID) *writer {
	w := n.message(kindBeat)
	var hears []crawl.PeerID
	for _, id := range partners {
		if n.upDirect(n.peers[id]) && len(hears) < maxHeard {
			hears = append(hears, id)
		}
	}
	codec.WriteList(&w.Writer, hears, func(id crawl.PeerID) { w.Uint(uint64(shortOf(id))) })
	return w
}

// partners are the others of all shards that are kept here.
func (n *Node) partners() []crawl.PeerID {
	var all []crawl.PeerID
	for _, s := range n.shards() {
		all = append(all, n.replicas[s].others()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// forgetPeers forgets whoever is not heard and not needed.
func (n *Node) forgetPeers(partners []crawl.PeerID) {
	for id, p := range n.peers {
		if _, p.partner = slices.BinarySearch(partners, id); !p.partner && !n.up(id) && p.queue.Len() == 0 {
			delete(n.peers, id)
		}
	}
}

// send queues a message. One to this member itself is handled in the next commit.
func (n *Node) send(to crawl.PeerID, lane stream.Lane, w *writer) {
	if to == n.cfg.Self {
		n.receive(to, n.seal(n.peer(to), [][]byte{w.B}))
		return
	}
	if !n.peer(to).queue.Push(lane, w.B) {
		n.dropped++
	}
}

// Take gives the driver everything that may be sent now, in order of peers and lanes. The callee may keep the packets.
func (n *Node) Take(send func(to crawl.PeerID, lane stream.Lane, packet []byte)) {
	for _, id := range sortedKeys(n.peers) {
		p := n.peers[id]
		via := n.relayFor(p)
		for lane := stream.Lane(0); lane < stream.NumLanes; lane++ {
			for {
				messages := p.queue.Take(lane, packetSize)
				if len(messages) == 0 {
					break
				}
				packet := n.seal(p, messages)
				if via == nil || lane == stream.LaneBeat {
					send(id, lane, packet) // also tried where a relay is needed: that ends when it gets through
				}
				if via != nil {
					w := n.message(kindRelay)
					w.Text(string(id))
					w.Bytes(packet)
					send(via.id, lane, n.seal(via, [][]byte{w.B}))
				}
			}
		}
	}
}

// relayFor returns a member that both hear, if one of the two does not hear the other.
func (n *Node) relayFor(p *peer) *peer {
	if !p.partner || n.upDirect(p) && (!p.told || p.hearsOf(n.cfg.Self)) {
		return nil
	}
	for _, id := range sortedKeys(n.peers) {
		q := n.peers[id]
		if q != p && n.upDirect(q) && q.told && q.hearsOf(p.id) && q.hearsOf(n.cfg.Self) {
			return q
		}
	}
	return nil
}

// passOn passes a packet on, or opens one that was passed on to this member. A relay acknowledges nothing.
func (n *Node) passOn(k kind, p *peer, other crawl.PeerID, inner []byte, direct bool) {
	switch {
	case !direct || other == p.id:
	case k == kindRelayed:
		if _, known := n.peers[other]; known {
			n.malformed(n.open(other, inner, false))
		}
	case n.upDirect(n.peers[other]) && p.window < relayBytes:
		p.window += len(inner)
		n.relayed += len(inner)
		w := n.message(kindRelayed)
		w.Text(string(p.id))
		w.Bytes(inner)
		n.send(other, stream.LaneAct, w)
	}
}
