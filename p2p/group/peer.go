package group

import (
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/stream"
)

// peer is what this member knows of another, and what waits to be sent to it.
type peer struct {
	id    crawl.PeerID
	raft  uint64 // what Raft calls it
	queue stream.Queue
	boot  uint64 // the start that it last spoke of

	heard, direct bool // at all, and without a relay
	at, directAt  time.Duration
	echoes        bool // it has heard from this start
	hears         []uint32
	told          bool          // hears was told
	partner       bool          // it shares a shard with this member: the two hear from each other every beat
	window        int           // bytes passed on for it in the present beat
	asked         time.Duration // when a heartbeat of one that is no partner was answered
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

func (p *peer) readBeat(m *codec.Reader) func() {
	hears := codec.ReadList(m, maxHeard, func() uint32 { return uint32(m.UpTo(math.MaxUint32)) })
	return func() { p.hears, p.told = hears, true }
}

func (p *peer) hearsOf(other crawl.PeerID) bool { return slices.Contains(p.hears, shortOf(other)) }

// peers are all that this member hears of or sends to.
type peers struct {
	self   crawl.PeerID
	boot   uint64 // this member's start
	beat   time.Duration
	now    func() time.Duration
	toSelf func(packet []byte)
	busy   func(crawl.PeerID, stream.Lane) bool // see Config.Busy
	known  map[crawl.PeerID]*peer
	order  []crawl.PeerID // of known; nil: to be made again

	dropped int // messages that found a full queue
	relayed int // bytes passed on
}

// of returns what is known of a peer.
func (s *peers) of(id crawl.PeerID) *peer {
	p := s.known[id]
	if p == nil {
		p = &peer{id: id, raft: raftlog.ID(id)}
		s.known[id], s.order = p, nil
	}
	return p
}

// ids returns all known peers in order.
func (s *peers) ids() []crawl.PeerID {
	if s.order == nil {
		s.order = slices.Sorted(maps.Keys(s.known))
	}
	return s.order
}

// byID returns the peer that Raft knows by a number, "" if none is near.
func (s *peers) byID(id uint64) crawl.PeerID {
	for _, p := range s.ids() {
		if s.known[p].raft == id {
			return p
		}
	}
	return ""
}

// up reports whether a member was heard within three beats, be it through a relay.
func (s *peers) up(id crawl.PeerID) bool {
	p := s.known[id]
	return id == s.self || p != nil && p.heard && s.now()-p.at < 3*s.beat
}

// silent reports whether a member that shares a shard with this one is not heard any more.
func (s *peers) silent(id crawl.PeerID) bool {
	p := s.known[id]
	return p != nil && p.partner && !s.up(id)
}

// upDirect reports whether it was heard without a relay.
func (s *peers) upDirect(p *peer) bool {
	return p != nil && p.direct && s.now()-p.directAt < 3*s.beat
}

// tick sends a heartbeat to everybody this member shares a shard with, and forgets those that are neither heard
// nor needed.
func (s *peers) tick(partners []crawl.PeerID) {
	for _, id := range partners {
		s.of(id)
	}
	for id, p := range s.known {
		p.window = 0
		if _, p.partner = slices.BinarySearch(partners, id); !p.partner && !s.up(id) && p.queue.Len() == 0 {
			delete(s.known, id)
			s.order = nil
		}
	}
	w := s.heartbeat()
	for _, id := range partners {
		s.send(id, stream.LaneBeat, w)
	}
}

// answer sends a heartbeat to a member that is no partner, at most once a beat. That member wants this one for a line,
// or as a relay.
func (s *peers) answer(p *peer) {
	if s.now()-p.asked >= s.beat {
		p.asked = s.now()
		s.send(p.id, stream.LaneBeat, s.heartbeat())
	}
}

// heartbeat names those that this member hears without a relay, of its partners and of those that asked lately.
func (s *peers) heartbeat() *codec.Writer {
	w := newMessage(kindBeat)
	var hears, asked []crawl.PeerID
	for _, id := range s.ids() {
		switch p := s.known[id]; {
		case !s.upDirect(p):
		case p.partner:
			hears = append(hears, id)
		case s.now()-p.asked < 3*s.beat:
			asked = append(asked, id)
		}
	}
	hears = append(hears, asked...)
	codec.WriteList(w, hears[:min(len(hears), maxHeard)], func(id crawl.PeerID) { w.Uint(uint64(shortOf(id))) })
	return w
}

// send queues a message. One to this member itself is handled in the next commit.
func (s *peers) send(to crawl.PeerID, lane stream.Lane, w *codec.Writer) {
	switch {
	case to == s.self:
		s.toSelf(s.seal(s.of(to), [][]byte{w.B}))
	case !s.of(to).queue.Push(lane, w.B):
		s.dropped++
	}
}

// seal puts messages into a packet.
func (s *peers) seal(p *peer, messages [][]byte) []byte {
	w := &codec.Writer{}
	w.Byte(version)
	w.Fixed(s.boot)
	w.Fixed(p.boot)
	for _, m := range messages {
		w.Bytes(m)
	}
	return w.B
}

// take gives the driver what may be sent now.
func (s *peers) take(last stream.Lane, send func(to crawl.PeerID, lane stream.Lane, packet []byte)) {
	for _, id := range s.ids() {
		p := s.known[id]
		if p.queue.Len() == 0 {
			continue
		}
		via, carrier := s.relayFor(p), id
		if via != nil {
			carrier = via.id
		}
		for lane := stream.LaneBeat; lane <= last; lane++ {
			if s.isBusy(carrier, lane) {
				continue
			}
			for messages := p.queue.Take(lane, packetSize); len(messages) > 0; messages = p.queue.Take(lane,
				packetSize) {
				if lane == stream.LaneAct && via == nil {
					messages = append(messages, p.queue.TakeAll(stream.LaneStream, ridesAlong)...)
				}
				packet := s.seal(p, messages)
				if via == nil || lane == stream.LaneBeat && !s.isBusy(id, lane) {
					send(id, lane, packet) // also tried where a relay is needed: that ends when it gets through
				}
				if via != nil {
					w := newMessage(kindRelay)
					w.Text(string(id))
					w.Bytes(packet)
					send(via.id, lane, s.seal(via, [][]byte{w.B}))
				}
			}
		}
	}
}

// isBusy reports whether a packet is on its way to a peer in a lane: see Config.Busy.
func (s *peers) isBusy(to crawl.PeerID, lane stream.Lane) bool {
	return s.busy != nil && s.busy(to, lane)
}

// waits reports whether something waits in the lanes behind the first.
func (s *peers) waits() bool {
	for _, p := range s.known {
		if p.queue.Behind() > 0 {
			return true
		}
	}
	return false
}

// needsRelay reports whether one of the two, this member and a partner, does not hear the other.
func (s *peers) needsRelay(p *peer) bool {
	return p != nil && p.partner && !(s.upDirect(p) && (!p.told || p.hearsOf(s.self)))
}

// relayFor returns a member that hears both and is heard by both, if one of the two does not hear the other.
func (s *peers) relayFor(p *peer) *peer {
	if !s.needsRelay(p) {
		return nil
	}
	for _, id := range s.ids() {
		q := s.known[id]
		heard := !p.told || !s.up(p.id) || p.hearsOf(id)
		if q != p && s.upDirect(q) && q.told && q.hearsOf(p.id) && q.hearsOf(s.self) && heard {
			return q
		}
	}
	return nil
}

// relay passes a packet on. A relay acknowledges nothing.
func (s *peers) relay(p *peer, to crawl.PeerID, packet []byte) {
	if !s.upDirect(s.known[to]) || p.window >= relayBytes {
		return
	}
	p.window += len(packet)
	s.relayed += len(packet)
	w := newMessage(kindRelayed)
	w.Text(string(p.id))
	w.Bytes(packet)
	s.send(to, stream.LaneAct, w)
}
