package group

import (
	"fmt"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
)

// A packet is a version, the sender's start, the start of the receiver that the sender last heard of, and
// messages: a kind, a length, a body.

const (
	version    = 1
	maxPacket  = 1 << 20
	maxMessage = 600 << 10
	packetSize = 64 << 10 // messages are put together up to here
)

type kind byte

const (
	kindBeat       kind = 1  // whom the sender hears
	kindStatus     kind = 2  // how far a shard's log is
	kindRaft       kind = 3  //
	kindStream     kind = 4  //
	kindRelay      kind = 5  // to be passed on
	kindRelayed    kind = 6  // passed on
	kindAsk        kind = 7  // for a lease
	kindGrant      kind = 8  // a lease
	kindMoved      kind = 9  // the request was sent to one who does not act; or not now
	kindPut        kind = 10 // items
	kindStored     kind = 11 // they count
	kindReturn     kind = 12 // a lease
	kindHand       kind = 13 // leases granted carefully
	kindTell       kind = 14 // what a shard has of another
	kindAnswer     kind = 15 // to that
	kindAskRelease kind = 16 //
	kindRelease    kind = 17 //
	kindLed        kind = 18 // who leads a shard
)

// message begins a message.
func newMessage(k kind) *codec.Writer { return &codec.Writer{B: []byte{byte(k)}} }

// open reads a packet and handles its messages. An error means that the sender is at fault.
func (n *Node) open(from crawl.PeerID, b []byte, direct bool) error {
	r := &codec.Reader{B: b}
	if v := r.Byte(); v != version {
		return fmt.Errorf("version %d of the protocol, want %d", v, version)
	}
	boot, echo := r.Fixed(), r.Fixed()
	if r.Failed {
		return errShort
	}
	p := n.peers.of(from)
	p.hear(n.now(), boot, echo == n.peers.boot, direct)
	for len(r.B) > 0 && !r.Failed {
		m := &codec.Reader{B: r.Bytes(maxMessage)}
		if err := n.handle(p, m, direct); err != nil {
			return err
		}
	}
	if r.Failed {
		return errShort
	}
	return nil
}

var errShort = fmt.Errorf("the packet ends too early")

// handle handles one message.
func (n *Node) handle(p *peer, m *codec.Reader, direct bool) error {
	k := kind(m.Byte())
	from := p.id
	var do func()
	switch k {
	case kindBeat:
		read := p.readBeat(m)
		do = func() {
			if read(); !p.partner {
				n.peers.send(from, stream.LaneBeat, n.peers.heartbeat([]crawl.PeerID{from})) // it wants this member for a line
			}
		}
	case kindStatus:
		s, x := readShard(m, from, n.cfg.Self), readStatus(m)
		do = func() { n.heardStatus(p, s, x) }
	case kindRaft:
		s, founding := readShard(m, from, n.cfg.Self), m.Fixed()
		var x pb.Message
		if m.Failed || proto.Unmarshal(m.B, &x) != nil || !allowed(&x) {
			return fmt.Errorf("a message of kind %d cannot be read", k)
		}
		m.B = nil
		do = func() {
			if r := n.invited(s); r != nil {
				r.message(from, founding, &x)
			}
		}
	case kindStream:
		b := m.B
		m.B = nil
		if err := n.streams.Receive(from, b); err != nil {
			return err
		}
	case kindRelay, kindRelayed:
		other, inner := m.Peer(), m.Bytes(maxMessage)
		do = func() {
			switch _, known := n.peers.known[other]; {
			case !direct || other == p.id:
			case k == kindRelay:
				n.peers.relay(p, other, inner)
			case known:
				n.malformed(n.open(other, inner, false))
			}
		}
	case kindAsk:
		id, d := m.Fixed(), crawl.Domain(m.Text(codec.MaxName))
		do = func() { n.requests.ask(from, id, d) }
	case kindReturn:
		id, d := record.LeaseID(m.Fixed()), crawl.Domain(m.Text(codec.MaxName))
		do = func() { n.requests.giveBack(from, id, d) }
	case kindPut:
		id, d := m.Fixed(), crawl.Domain(m.Text(codec.MaxName))
		items := readItems(m, d)
		do = func() { n.requests.put(from, id, d, items) }
	case kindGrant:
		id, l := m.Fixed(), record.ReadLease(m)
		do = func() { n.calls.granted(from, id, l) }
	case kindStored:
		id := m.Fixed()
		do = func() { n.calls.stored(id) }
	case kindMoved:
		id, hint := m.Fixed(), crawl.PeerID(m.Text(codec.MaxName))
		do = func() { n.calls.moved(id, hint) }
	case kindHand:
		s, list := readShard(m, from, n.cfg.Self), record.ReadLeases(m)
		do = func() { n.requests.hand(from, s, list) }
	case kindTell, kindAnswer:
		of, to, list := readShard(m, from, n.cfg.Self), readShard(m, from, n.cfg.Self), readClaims(m)
		do = func() { n.requests.claims(k, from, of, to, list) }
	case kindAskRelease:
		of, to, id, above, list := readShard(m, from, n.cfg.Self), readShard(m, from, n.cfg.Self), m.Fixed(), readNumber(m), codec.ReadList(m, maxPrefixes, m.Prefix)
		do = func() {
			if l := n.actingFor(of, from); l != nil {
				l.moves.release(from, to, id, above, list)
			}
		}
	case kindRelease:
		of, to, rel := readShard(m, from, n.cfg.Self), readShard(m, from, n.cfg.Self), readRelease(m)
		do = func() {
			if l := n.actingFor(to, from); l != nil && l.moves.from[of] != nil {
				l.moves.from[of].released(from, rel)
			}
		}
	case kindLed:
		s, by := readShard(m, from, n.cfg.Self), m.Peer()
		do = func() { n.routes.hint(s, by, from) }
	default:
		return fmt.Errorf("a message of unknown kind %d", k)
	}
	if !m.Done() {
		return fmt.Errorf("a message of kind %d cannot be read", k)
	}
	if do != nil {
		do()
	}
	return nil
}

// allowed reports whether a message of Raft is one that members send each other, with everything in it.
func allowed(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgApp, pb.MsgAppResp, pb.MsgVote, pb.MsgVoteResp, pb.MsgPreVote, pb.MsgPreVoteResp,
		pb.MsgHeartbeat, pb.MsgHeartbeatResp, pb.MsgTimeoutNow:
		if m.Snapshot != nil && m.Snapshot.GetMetadata().GetIndex() > 0 {
			return false
		}
	case pb.MsgSnap:
		if m.Snapshot.GetMetadata().GetConfState() == nil || len(m.Snapshot.GetData()) > maxSnapshot {
			return false
		}
	default:
		return false
	}
	if m.Type == nil || len(m.Responses) > 0 {
		return false
	}
	for i, e := range m.GetEntries() {
		if e.GetIndex() != m.GetIndex()+uint64(i)+1 || e.GetTerm() > m.GetTerm() {
			return false
		}
	}
	return true
}

// ---- bodies ------------------------------------------------------------------

func readStatus(m *codec.Reader) status {
	flags := m.Byte()
	return status{
		none: flags&1 > 0, member: flags&2 > 0, leads: flags&4 > 0, ask: flags&8 > 0,
		founding: m.Fixed(), term: m.Uint(), lastTerm: m.Uint(), lastIndex: m.Uint(),
	}
}

func (s status) write(w *codec.Writer) {
	flags := byte(0)
	for i, f := range []bool{s.none, s.member, s.leads, s.ask} {
		if f {
			flags |= 1 << i
		}
	}
	w.Byte(flags)
	w.Fixed(s.founding)
	w.Uint(s.term)
	w.Uint(s.lastTerm)
	w.Uint(s.lastIndex)
}

const maxItems = 512 // in one put

func writeItems(w *codec.Writer, list []stream.Item) {
	codec.WriteList(w, list, func(i stream.Item) {
		w.Text(i.Key)
		w.Bytes(i.Value)
	})
}

func readItems(r *codec.Reader, d crawl.Domain) []stream.Item {
	return codec.ReadList(r, maxItems, func() stream.Item {
		i := stream.Item{Domain: d, Key: r.Text(64), Value: r.Bytes(16 << 10)}
		if i.Key == "" {
			r.Fail()
		}
		return i
	})
}

// claims makes a message from the shard of to the shard to. All that are whole have the same marks.
func (n *Node) claims(k kind, of, to stream.Shard, receiver crawl.PeerID, list []claim) *codec.Writer {
	w := newMessage(k)
	writeShard(w, of, n.cfg.Self, receiver)
	writeShard(w, to, n.cfg.Self, receiver)
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
	return w
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

func (n *Node) sendRelease(to crawl.PeerID, of, shard stream.Shard, rel release) {
	w := newMessage(kindRelease)
	writeShard(w, of, n.cfg.Self, to)
	writeShard(w, shard, n.cfg.Self, to)
	w.Fixed(rel.id)
	codec.WriteList(w, rel.given, func(a record.Authority) {
		w.Prefix(a.Prefix)
		w.Uint(a.Number)
	})
	record.WriteLeases(w, rel.leases)
	rel.marks.Write(w)
	n.peers.send(to, stream.LaneAct, w)
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
