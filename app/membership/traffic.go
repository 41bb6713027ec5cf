package membership

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// maxProtocols bounds the protocols that are told apart; the rest counts as "".
const maxProtocols = 64

// streamMeter counts what went over the streams of a host, by protocol. What
// is around it is not in it: multiplexing, encryption, packets. The zero value
// is ready; it is safe for concurrent use.
type streamMeter struct {
	mu         sync.Mutex
	byProtocol map[protocol.ID]*metrics.Stats
	total      metrics.Stats
}

func (m *streamMeter) add(p protocol.ID, in, out int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.byProtocol[p]
	if s == nil {
		if m.byProtocol == nil {
			m.byProtocol = make(map[protocol.ID]*metrics.Stats)
		}
		if len(m.byProtocol) >= maxProtocols {
			p = ""
		}
		if s = m.byProtocol[p]; s == nil {
			s = new(metrics.Stats)
			m.byProtocol[p] = s
		}
	}
	s.TotalIn += in
	s.TotalOut += out
	m.total.TotalIn += in
	m.total.TotalOut += out
}

// LogSentMessage implements metrics.Reporter; the streams say more.
func (m *streamMeter) LogSentMessage(int64) {}

// LogRecvMessage implements metrics.Reporter; the streams say more.
func (m *streamMeter) LogRecvMessage(int64) {}

// LogSentMessageStream implements metrics.Reporter.
func (m *streamMeter) LogSentMessageStream(n int64, p protocol.ID, _ peer.ID) { m.add(p, 0, n) }

// LogRecvMessageStream implements metrics.Reporter.
func (m *streamMeter) LogRecvMessageStream(n int64, p protocol.ID, _ peer.ID) { m.add(p, n, 0) }

// GetBandwidthForPeer implements metrics.Reporter: peers are not told apart.
func (m *streamMeter) GetBandwidthForPeer(peer.ID) metrics.Stats { return metrics.Stats{} }

// GetBandwidthByPeer implements metrics.Reporter: peers are not told apart.
func (m *streamMeter) GetBandwidthByPeer() map[peer.ID]metrics.Stats { return nil }

// GetBandwidthForProtocol implements metrics.Reporter.
func (m *streamMeter) GetBandwidthForProtocol(p protocol.ID) metrics.Stats {
	return m.GetBandwidthByProtocol()[p]
}

// GetBandwidthTotals implements metrics.Reporter.
func (m *streamMeter) GetBandwidthTotals() metrics.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

// GetBandwidthByProtocol implements metrics.Reporter.
func (m *streamMeter) GetBandwidthByProtocol() map[protocol.ID]metrics.Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make(map[protocol.ID]metrics.Stats, len(m.byProtocol))
	for p, s := range m.byProtocol {
		all[p] = *s
	}
	return all
}

// Reset implements metrics.Reporter. Totals are since the start.
func (m *streamMeter) Reset() {}

// TrimIdle implements metrics.Reporter. There are few protocols.
func (m *streamMeter) TrimIdle(time.Time) {}

var _ metrics.Reporter = (*streamMeter)(nil)

// Calls returns what calls have moved, by kind.
func (m *Member) Calls() []calls.Traffic { return m.cfg.Meter.Snapshot() }

// Traffic returns what was exchanged with other nodes.
func (m *Member) Traffic() (list []api.Traffic) {
	at := make(map[string]int) // what cannot be read is in more than one class
	for _, t := range m.Calls() {
		name := wire.Kind(t.Kind).String()
		i, is := at[name]
		if !is {
			i = len(list)
			at[name] = i
			list = append(list, api.Traffic{Kind: name})
		}
		k := &list[i]
		k.Sent += int64(t.Sent)
		k.Received += int64(t.Received)
		k.BytesSent += int64(t.SentBytes)
		k.BytesReceived += int64(t.ReceivedBytes)
	}
	for p, s := range m.streams.GetBandwidthByProtocol() {
		list = append(list, api.Traffic{Protocol: string(p), BytesSent: s.TotalOut, BytesReceived: s.TotalIn})
	}
	slices.SortStableFunc(list, func(a, b api.Traffic) int { return strings.Compare(a.Protocol, b.Protocol) })
	return list
}

// peerBytes holds what nodes say to each other to the byte budget. It implements calls.Limiter.
type peerBytes struct{ peers bandwidth.Peers }

// Send implements calls.Limiter.
func (b peerBytes) Send(ctx context.Context, c calls.Class, frame []byte, write func([]byte) (int, error)) error {
	return b.peers.Send(ctx, classOf(c), frame, write)
}

// Received implements calls.Limiter.
func (b peerBytes) Received(ctx context.Context, c calls.Class, n int) error {
	return b.peers.Received(ctx, classOf(c), n)
}

func classOf(c calls.Class) bandwidth.Class {
	switch c {
	case calls.Work:
		return bandwidth.Work
	case calls.Bulk:
		return bandwidth.Bulk
	}
	return bandwidth.Control
}

// Conns returns how many connections to other nodes are open.
func (m *Member) Conns() int { return len(m.Host.Network().Conns()) }
