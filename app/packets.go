package app

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
)

// memberNet carries packets to other members.
type memberNet struct{ node *p2p.Node }

var laneKinds = [stream.NumLanes]wire.Kind{
	stream.LaneBeat: wire.KindBeat, stream.LaneAct: wire.KindAct, stream.LaneStream: wire.KindStream, stream.LanePull: wire.KindPull,
}

// Send implements driver.Net.
func (m memberNet) Send(ctx context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	_, err := m.node.Call(ctx, string(to), laneKinds[lane], packet)
	return err
}

// Receive implements driver.Net.
func (m memberNet) Receive(take func(from crawl.PeerID, lane stream.Lane, packet []byte) error) {
	for lane, kind := range laneKinds {
		m.node.Handle(kind, func(_ context.Context, from string, body []byte) ([]byte, error) {
			return nil, take(crawl.PeerID(from), stream.Lane(lane), body)
		})
	}
}

// Offend implements driver.Net.
func (m memberNet) Offend(p crawl.PeerID, what string, weight int) {
	m.node.Offend(string(p), what, weight)
}
