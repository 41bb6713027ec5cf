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

// overCalls returns a Net over c, which must not serve yet.
func overCalls(c *calls.Calls) Net {
	n := &callsNet{calls: c}
	n.Receive(func(crawl.PeerID, stream.Lane, []byte) error { return &calls.Busy{After: time.Second} })
	for lane, l := range lanes {
		c.Register(calls.Kind(l.kind), calls.Spec{
			Name: l.kind.String(), Class: l.class, MaxRequest: calls.MaxBody, Rate: l.rate, Burst: l.burst,
			Handle: func(_ context.Context, from peer.ID, packet []byte) ([]byte, error) {
				return nil, n.take(crawl.PeerID(from), stream.Lane(lane), packet)
			},
		})
	}
	return n
}

type callsNet struct {
	calls *calls.Calls
	take  func(from crawl.PeerID, lane stream.Lane, packet []byte) error
}

// Receive is called before c serves.
func (n *callsNet) Receive(take func(crawl.PeerID, stream.Lane, []byte) error) { n.take = take }

func (n *callsNet) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	_, err := n.calls.Call(ctx, peer.ID(to), calls.Kind(lanes[lane].kind), packet)
	return err
}

func (n *callsNet) Offend(p crawl.PeerID, what string, weight int) {
	n.calls.Offend(peer.ID(p), what, weight)
}
