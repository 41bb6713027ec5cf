package driver

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// Net carries packets between peers. Its methods are called by many goroutines.
type Net interface {
	// Send brings a packet to a peer, and returns when that has it, or with an error: a *calls.Busy to try again later.
	Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error
	// Receive sets who takes the packets of peers. An error of take is an answer for the peer, as those of calls.Handler.
	Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error)
	// Offend charges a peer with an offence, as calls.Calls.Offend.
	Offend(p crawl.PeerID, what string, weight int)
}

// lanes are the kinds of calls that carry packets, by lane. Rates are packets a second from one peer: a node sends one
// per lane after a commit, or two if they are full.
var lanes = [stream.NumLanes]struct {
	kind  wire.Kind
	class calls.Class
	rate  float64
	burst int
}{
	stream.LaneBeat:   {wire.KindBeat, calls.Control, 100, 200},
	stream.LaneAct:    {wire.KindAct, calls.Work, 100, 200},
	stream.LaneStream: {wire.KindStream, calls.Work, 100, 200},
	stream.LanePull:   {wire.KindPull, calls.Work, 50, 100},
}

// maxPacket is the largest packet in bytes, as in p2p/group.
const maxPacket = calls.MaxBody

// OverCalls returns a Net over c, which must not serve yet. reach, if set, is called before every packet and sees to it
// that the host knows where the peer is.
func OverCalls(c *calls.Calls, reach func(ctx context.Context, to peer.ID) error) Net {
	n := &callsNet{calls: c, reach: reach}
	n.Receive(func(crawl.PeerID, stream.Lane, []byte) error { return &calls.Busy{After: time.Second} })
	for lane, l := range lanes {
		c.Register(calls.Kind(l.kind), calls.Spec{
			Name: l.kind.String(), Class: l.class, MaxRequest: maxPacket, Rate: l.rate, Burst: l.burst,
			Handle: func(_ context.Context, from peer.ID, packet []byte) ([]byte, error) {
				return nil, n.take(crawl.PeerID(from), stream.Lane(lane), packet)
			},
		})
	}
	return n
}

type callsNet struct {
	calls *calls.Calls
	reach func(ctx context.Context, to peer.ID) error
	take  func(from crawl.PeerID, lane stream.Lane, packet []byte) error
}

// Receive is called before c serves.
func (n *callsNet) Receive(take func(crawl.PeerID, stream.Lane, []byte) error) { n.take = take }

func (n *callsNet) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	if n.reach != nil {
		if err := n.reach(ctx, peer.ID(to)); err != nil {
			return err
		}
	}
	_, err := n.calls.Call(ctx, peer.ID(to), calls.Kind(lanes[lane].kind), packet)
	return err
}

func (n *callsNet) Offend(p crawl.PeerID, what string, weight int) {
	n.calls.Offend(peer.ID(p), what, weight)
}
