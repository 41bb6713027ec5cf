package main

import (
	"context"
	mathrand "math/rand/v2"
	"sync"

	"github.com/libp2p/go-libp2p/core/peer"
	"google.golang.org/protobuf/proto"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// What packages group and shard say on the wire, for lies that their own code does not tell. A packet is a
// version, the starts of sender and receiver, and messages after their length; a message is a kind and what
// belongs to it.
const (
	version     = 1
	maxMessage  = 600 << 10
	kindRaft    = 3
	kindRelayed = 6
	kindAsk     = 7
	kindGrant   = 8
	kindPut     = 10
	kindStored  = 11
	kindHand    = 13
	kindTell    = 14
	kindLed     = 18
	claimActing = 1
	claimLate   = 3
	maxClaims   = 64
)

// wires carry the packets of a member, and those that a liar adds.
type wires struct {
	node *p2p.Node
	boot uint64 // the member's start, where nothing was heard of it yet
	// swallow, if set before the member serves, is shown each message, and says whether the packet is to go no further.
	swallow func(from crawl.PeerID, message []byte) bool

	mu     sync.Mutex
	starts map[crawl.PeerID]uint64 // of others, as they said last
}

func newWires(n *p2p.Node) *wires {
	return &wires{node: n, boot: mathrand.Uint64(), starts: make(map[crawl.PeerID]uint64)}
}

var laneKinds = [stream.NumLanes]wire.Kind{
	stream.LaneBeat: wire.KindBeat, stream.LaneAct: wire.KindAct, stream.LaneStream: wire.KindStream,
	stream.LanePull: wire.KindPull,
}

// Send implements driver.Net.
func (w *wires) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	r := &codec.Reader{B: packet}
	r.Byte()
	w.mu.Lock()
	w.boot = r.Fixed()
	w.mu.Unlock()
	_, err := w.node.Requests.Call(ctx, string(to), laneKinds[lane], packet)
	return err
}

// Receive implements driver.Net.
func (w *wires) Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error) {
	for lane, kind := range laneKinds {
		w.node.Requests.Handle(kind, func(_ context.Context, from peer.ID, packet []byte) ([]byte, error) {
			if w.heard(crawl.PeerID(from), packet) {
				return nil, nil
			}
			return nil, take(crawl.PeerID(from), stream.Lane(lane), packet)
		})
	}
}

// Offend implements driver.Net: nobody is blamed.
func (w *wires) Offend(crawl.PeerID, string, int) {}

func (w *wires) heard(from crawl.PeerID, packet []byte) (swallowed bool) {
	r := &codec.Reader{B: packet}
	r.Byte()
	start := r.Fixed()
	r.Fixed()
	w.mu.Lock()
	w.starts[from] = start
	w.mu.Unlock()
	for w.swallow != nil && len(r.B) > 0 && !r.Failed {
		if m := r.Bytes(maxMessage); len(m) > 0 && w.swallow(from, m) {
			swallowed = true
		}
	}
	return swallowed
}

// say sends messages to a member, beside what the member's own Node sends.
func (w *wires) say(ctx context.Context, to crawl.PeerID, lane stream.Lane, messages ...[]byte) error {
	_, err := w.node.Requests.Call(ctx, string(to), laneKinds[lane], w.packet(to, messages...))
	return err
}

func (w *wires) packet(to crawl.PeerID, messages ...[]byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	return pack(w.boot, w.starts[to], messages...)
}

func pack(boot, echo uint64, messages ...[]byte) []byte {
	p := &codec.Writer{}
	p.Byte(version)
	p.Fixed(boot)
	p.Fixed(echo)
	for _, m := range messages {
		p.Bytes(m)
	}
	return p.B
}

func message(kind byte, shards ...stream.Shard) *codec.Writer {
	w := &codec.Writer{B: []byte{kind}}
	for _, s := range shards {
		w.Byte(2) // neither the sender's nor the receiver's, so named
		w.Text(string(s.Home()))
		w.Byte(byte(s.Unit()))
	}
	return w
}

// raftMessage is one of Raft about a shard.
func raftMessage(s stream.Shard, founding uint64, m *pb.Message) []byte {
	w := message(kindRaft, s)
	w.Fixed(founding)
	b, err := proto.Marshal(m)
	if err != nil {
		panic(err) // it is one of ours
	}
	return append(w.B, b...)
}

// claimMessage tells one shard that another has something to do with prefixes, under a number.
func claimMessage(of, to stream.Shard, state byte, number uint64, prefixes []ring.Prefix) []byte {
	w := message(kindTell, of, to)
	codec.WriteList(w, prefixes, func(p ring.Prefix) {
		w.Prefix(p)
		w.Uint(number)
		w.Byte(state)
	})
	stream.Marks{}.Write(w)
	return w.B
}

// handMessage tells a shard of leases that were granted carefully.
func handMessage(s stream.Shard, leases []record.Lease) []byte {
	w := message(kindHand, s)
	record.WriteLeases(w, leases)
	return w.B
}

// ledMessage says who leads a shard.
func ledMessage(s stream.Shard, by crawl.PeerID) []byte {
	w := message(kindLed, s)
	w.Text(string(by))
	return w.B
}

// storedMessage says that what was put is stored.
func storedMessage(id uint64) []byte {
	w := message(kindStored)
	w.Fixed(id)
	return w.B
}

// relayedMessage passes on a packet as if it were of another member.
func relayedMessage(of crawl.PeerID, packet []byte) []byte {
	w := message(kindRelayed)
	w.Text(string(of))
	w.Bytes(packet)
	return w.B
}

// readAsk reads a request for a lease.
func readAsk(m []byte) (id uint64, d crawl.Domain, ok bool) {
	r := &codec.Reader{B: m}
	if r.Byte() != kindAsk {
		return 0, "", false
	}
	id, d = r.Fixed(), crawl.Domain(r.Text(codec.MaxName))
	return id, d, r.Done()
}

// grantMessage answers one.
func grantMessage(id uint64, l record.Lease, body []byte) []byte {
	w := message(kindGrant)
	w.Fixed(id)
	l.Write(w)
	w.Bytes(body)
	return w.B
}
