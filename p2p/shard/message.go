package shard

import (
	"slices"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
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

const (
	maxPrefixes = 64      // in one message
	maxTermLeap = 1 << 20 // what a message's term may be ahead of ours
)

// message begins a message to a peer about shards.
func (h *Host) message(k kind, to crawl.PeerID, shards ...stream.Shard) *codec.Writer {
	w := &codec.Writer{B: []byte{byte(k)}}
	for _, s := range shards {
		stream.WriteShard(w, s, h.Self, to)
	}
	return w
}

// Read reads a message about a shard. fresh says that the peer has heard from this member's start. The caller calls do if
// there was nothing else in m, and nothing wrong. It is nil if the kind is unknown.
func (h *Host) Read(number byte, m *codec.Reader, from crawl.PeerID, fresh bool) (do func()) {
	shard := func() stream.Shard { return stream.ReadShard(m, from, h.Self) }
	switch k := kind(number); k {
	case kindStatus:
		s, x := shard(), readStatus(m)
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
		of, to, list := shard(), shard(), readClaims(m)
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
		of, to, id, above, list := shard(), shard(), m.Fixed(), readNumber(m), codec.ReadList(m, maxPrefixes, m.Prefix)
		return func() {
			if l := h.acting(of, from); l != nil && h.Speaks(from, to) {
				l.moves.release(from, to, id, above, list)
			}
		}
	case kindRelease:
		of, to, rel := shard(), shard(), readRelease(m)
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

// Speaks reports whether a peer may speak for a shard, as its leader would: one of the computed line may. A shard that is not on the
// ring any more has none, and any owner may have what it knew.
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
	x := status{founding: r.founding, none: !slices.Contains(r.voters(), r.h.Self), ask: ask, leads: r.lead != nil, heeds: r.Concerns(to)}
	if r.log != nil {
		x.term = r.log.Term()
		x.lastTerm, x.lastIndex = r.log.Last()
		_, x.member = r.rec.Members[raftlog.ID(to)]
	}
	r.h.sendStatus(to, r.shard, x)
}

func (h *Host) heardStatus(from crawl.PeerID, s stream.Shard, x status, fresh bool) {
	r := h.Replica(s)
	if r == nil {
		if x.ask {
			h.sendStatus(from, s, status{none: true})
		}
		return
	}
	if x.ask {
		r.tellStatus(from, false)
		h.sendLed(from, stream.LaneBeat, r)
	}
	r.trust.heard(from, x, fresh)
}

func readStatus(m *codec.Reader) status {
	flags := m.Byte()
	return status{
		none: flags&1 > 0, member: flags&2 > 0, leads: flags&4 > 0, ask: flags&8 > 0, heeds: flags&16 > 0,
		founding: m.Fixed(), term: m.Uint(), lastTerm: m.Uint(), lastIndex: m.Uint(),
	}
}

func (h *Host) sendStatus(to crawl.PeerID, of stream.Shard, s status) {
	w := h.message(kindStatus, to, of)
	flags := byte(0)
	for i, f := range []bool{s.none, s.member, s.leads, s.ask, s.heeds} {
		if f {
			flags |= 1 << i
		}
	}
	w.Byte(flags)
	w.Fixed(s.founding)
	w.Uint(s.term)
	w.Uint(s.lastTerm)
	w.Uint(s.lastIndex)
	h.Send(to, stream.LaneBeat, w)
}

// sendClaims sends claims of a shard to the leader of another. All that are whole have the same marks.
func (h *Host) sendClaims(k kind, to crawl.PeerID, of, other stream.Shard, list []claim) {
	w := h.message(k, to, of, other)
	var marks stream.Marks
	codec.WriteList(w, list, func(c claim) {
		w.Prefix(c.Prefix)
		w.Uint(c.Number)
		w.Byte(byte(c.State))
		if c.State == claimHeld {
			w.Text(string(c.Shard))
		}
		if c.Marks != nil {
			marks = c.Marks
		}
	})
	marks.Write(w)
	h.Send(to, stream.LaneAct, w)
}

func readClaims(r *codec.Reader) []claim {
	list := codec.ReadList(r, maxPrefixes, func() claim {
		c := claim{Prefix: r.Prefix(), Number: readNumber(r), State: claimState(r.Byte())}
		if c.State == claimHeld {
			c.Shard = stream.Shard(r.Text(codec.MaxName))
		}
		if c.State < claimActing || c.State > claimWhole {
			r.Fail()
		}
		return c
	})
	marks := stream.ReadMarks(r)
	for i := range list {
		list[i].Marks = marks
	}
	return list
}

func (h *Host) sendRelease(to crawl.PeerID, of, other stream.Shard, rel release) {
	w := h.message(kindRelease, to, of, other)
	w.Fixed(rel.id)
	codec.WriteList(w, rel.given, func(a record.Authority) {
		w.Prefix(a.Prefix)
		w.Uint(a.Number)
	})
	record.WriteLeases(w, rel.leases)
	rel.marks.Write(w)
	h.Send(to, stream.LaneAct, w)
}

// readNumber reads the number of an authority. No member comes as far as the bound, which leaves room to count on.
func readNumber(r *codec.Reader) uint64 { return r.UpTo(1 << 62) }

func readRelease(r *codec.Reader) release {
	given := func() record.Authority { return record.Authority{Prefix: r.Prefix(), Number: readNumber(r)} }
	return release{
		id: r.Fixed(), given: codec.ReadList(r, maxPrefixes, given),
		leases: record.ReadLeases(r), marks: stream.ReadMarks(r),
	}
}
