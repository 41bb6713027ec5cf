package membership

import (
	"fmt"
	"testing"

	"github.com/libp2p/go-libp2p/core/metrics"
	"github.com/libp2p/go-libp2p/core/protocol"
)

func TestStreamMeter(t *testing.T) {
	m := new(streamMeter)
	m.LogSentMessageStream(5, "/a", "p")
	m.LogSentMessageStream(2, "/a", "q")
	m.LogRecvMessageStream(3, "/a", "p")
	m.LogRecvMessageStream(1, "/b", "p")
	if got, want := m.GetBandwidthForProtocol("/a"), (metrics.Stats{TotalIn: 3, TotalOut: 7}); got != want {
		t.Errorf("/a: %+v, want %+v", got, want)
	}
	if got, want := m.GetBandwidthTotals(), (metrics.Stats{TotalIn: 4, TotalOut: 7}); got != want {
		t.Errorf("totals: %+v, want %+v", got, want)
	}
}

// A stranger that speaks of ever new protocols takes no memory.
func TestStreamMeter_Bounded(t *testing.T) {
	m := new(streamMeter)
	for i := range 10 * maxProtocols {
		m.LogSentMessageStream(1, protocol.ID(fmt.Sprint("/", i)), "p")
	}
	all := m.GetBandwidthByProtocol()
	if len(all) != maxProtocols+1 || all[""].TotalOut != 9*maxProtocols || m.GetBandwidthTotals().TotalOut != 10*maxProtocols {
		t.Errorf("%d protocols, %d bytes of the rest, %d in all", len(all), all[""].TotalOut, m.GetBandwidthTotals().TotalOut)
	}
}
