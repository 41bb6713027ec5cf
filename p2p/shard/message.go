package shard

import (
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/message"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// kind says what a message about a shard is. The numbers in between are those of package group.
type kind byte

const (
	kindStatus     kind = 2  // how far a shard's log is
	kindRaft       kind = 3  //
	kindHand       kind = 13 // leases granted carefully
	kindTell       kind = 14 // what a shard has of another
	kindAnswer     kind = 15 // to that
	kindAskRelease kind = 16 //
	kindRelease    kind = 17 //
	kindLed        kind = 18 // who leads a shard
)

// maxTermLeap is what a message's term may be ahead of ours.
const maxTermLeap = 1 << 20

// message begins a message to a peer about shards.
func (h *Host) message(k kind, to crawl.PeerID, shards ...stream.Shard) *codec.Writer {
	w := &codec.Writer{B: []byte{byte(k)}}
	for _, s := range shards {
		stream.WriteShard(w, s, h.Self, to)
	}
	return w
}

// Read reads a message about a shard. fresh says that the peer has heard from this member's start. The caller
// calls do if there was nothing else in m, and nothing wrong. It is nil if the kind is unknown.
func (h *Host) Read(number byte, m *codec.Reader, from crawl.PeerID, fresh bool) (do func()) {
	shard := func() stream.Shard { return stream.ReadShard(m, from, h.Self) }
	switch k := kind(number); k {
	case kindStatus:
		s, x := shard(), message.ReadStatus(m)
		return func() { h.heardStatus(from, s, x, fresh) }
	case kindRaft:
		s, founding := shard(), m.Fixed()
		var x pb.Message
		if m.Failed || proto.Unmarshal(m.B, &x) != nil || !raftlog.Allowed(&x) {
			m.Fail()
		}
		m.B = nil
		return func() {
			if r := h.Invite(s); r != nil {
				r.message(from, founding, &x)
			}
		}
	case kindHand:
		s, list := shard(), record.ReadLeases(m)
		return func() {
			l := h.acting(s, from)
			if l == nil || !l.r.Concerns(from) {
				return
			}
			for _, x := range list {
				if l.r.rec.Holds(crawl.KeyOf(x.Domain)) {
					l.learn(x)
				}
			}
		}
	case kindTell, kindAnswer:
		of, to, list := shard(), shard(), message.ReadClaims(m)
		return func() {
			l := h.acting(to, from)
			if l == nil || !h.Speaks(from, of) {
				return
			}
			if h.Hint(of, from, from); k == kindTell {
				l.moves.told(from, of, list)
			} else {
				l.moves.answered(of, list)
			}
		}
	case kindAskRelease:
		of, to, id, above, list := shard(), shard(), m.Fixed(), message.ReadNumber(m),
			codec.ReadList(m, message.MaxPrefixes, m.Prefix)
		return func() {
			if l := h.acting(of, from); l != nil && h.Speaks(from, to) {
				l.moves.release(from, to, id, above, list)
			}
		}
	case kindRelease:
		of, to, rel := shard(), shard(), message.ReadRelease(m)
		return func() {
			if l := h.acting(to, from); l != nil && l.moves.from[of] != nil {
				l.moves.from[of].released(from, rel)
			}
		}
	case kindLed:
		s, by := shard(), m.Peer()
		return func() { h.Hint(s, by, from) }
	}
	return nil
}

// acting returns the leading of a shard if this member acts for it. Else it tells the asker who leads.
func (h *Host) acting(s stream.Shard, asker crawl.PeerID) *leading {
	r := h.Replica(s)
	if r != nil && r.lead != nil && r.lead.acts {
		return r.lead
	}
	if r != nil {
		h.sendLed(asker, stream.LaneAct, r)
	}
	return nil
}

// Speaks reports whether a peer may speak for a shard, as its leader would: one of the computed line may. A
// shard that is not on the ring any more has none, and any owner may have what it knew.
func (h *Host) Speaks(p crawl.PeerID, s stream.Shard) bool {
	line := h.Directory.Line(s)
	return slices.Contains(line, p) || len(line) == 0 && h.Directory.Owner(p)
}

// sendLed tells who leads, if this member knows another that does.
func (h *Host) sendLed(to crawl.PeerID, lane stream.Lane, r *Replica) {
	leader := heardLeader(r)
	if leader == "" || leader == h.Self || leader == to {
		return
	}
	w := h.message(kindLed, to, r.shard)
	w.Text(string(leader))
	h.Send(to, lane, w)
}

// tellStatus tells a member how far the shard is here, and asks it for the same if ask is set.
func (r *Replica) tellStatus(to crawl.PeerID, ask bool) {
	x := message.Status{
		Founding: r.founding, None: !slices.Contains(r.voters(), r.h.Self), Ask: ask, Leads: r.lead != nil,
		Heeds: r.Concerns(to),
	}
	if r.log != nil {
		x.Term = r.log.Term()
		x.LastTerm, x.LastIndex = r.log.Last()
		_, x.Member = r.rec.Members[raftlog.ID(to)]
	}
	r.h.sendStatus(to, r.shard, x)
}

func (h *Host) heardStatus(from crawl.PeerID, s stream.Shard, x message.Status, fresh bool) {
	r := h.Replica(s)
	if r == nil {
		if x.Ask {
			h.sendStatus(from, s, message.Status{None: true})
		}
		return
	}
	if x.Ask {
		r.tellStatus(from, false)
		h.sendLed(from, stream.LaneBeat, r)
	}
	r.trust.heard(from, x, fresh)
}

func (h *Host) sendStatus(to crawl.PeerID, of stream.Shard, s message.Status) {
	w := h.message(kindStatus, to, of)
	s.Write(w)
	h.Send(to, stream.LaneBeat, w)
}

// sendClaims sends claims of a shard to the leader of another.
func (h *Host) sendClaims(k kind, to crawl.PeerID, of, other stream.Shard, list []message.Claim) {
	w := h.message(k, to, of, other)
	message.WriteClaims(w, list)
	h.Send(to, stream.LaneAct, w)
}
