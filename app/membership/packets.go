package membership

import (
	"context"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// Net carries packets to other members.
type Net struct{ Node *p2p.Node }

var laneKinds = [stream.NumLanes]wire.Kind{
	stream.LaneBeat: wire.KindBeat, stream.LaneAct: wire.KindAct, stream.LaneStream: wire.KindStream,
	stream.LanePull: wire.KindPull,
}

// Send implements driver.Net.
func (m Net) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	_, err := m.Node.Requests.Call(ctx, string(to), laneKinds[lane], packet)
	return err
}

// Receive implements driver.Net.
func (m Net) Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error) {
	for lane, kind := range laneKinds {
		m.Node.Requests.Handle(kind, func(_ context.Context, from peer.ID, body []byte) ([]byte, error) {
			return nil, take(crawl.PeerID(from), stream.Lane(lane), body)
		})
	}
}

// Offend implements driver.Net.
func (m Net) Offend(p crawl.PeerID, what string, weight int) {
	m.Node.Requests.Offend(peer.ID(p), what, weight)
}
