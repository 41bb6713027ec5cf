package peerhost

import (
	"io"
	"sync/atomic"
	"testing"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// Both sides count the same bytes, whatever the transport and whoever dials.
func TestSockets_EveryByteIsCounted(t *testing.T) {
	for _, listen := range []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"} {
		var sent, received [2]atomic.Int64
		counted := func(i int) Config {
			c := labConfig(t)
			c.Listen = []ma.Multiaddr{addr(t, listen)}
			c.Sockets = func(out bool, n int) {
				if out {
					sent[i].Add(int64(n))
				} else {
					received[i].Add(int64(n))
				}
			}
			return c
		}
		a, _ := startHost(t, counted(0))
		b, _ := startHost(t, counted(1))
		b.SetStreamHandler("/echo", func(s network.Stream) {
			_, _ = io.Copy(s, s)
			_ = s.Close()
		})
		const size = 1 << 20
		if err := a.Connect(t.Context(), peer.AddrInfo{ID: b.ID(), Addrs: b.Addrs()}); err != nil {
			t.Fatal(err)
		}
		s, err := a.NewStream(t.Context(), b.ID(), "/echo")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = s.Write(make([]byte, size))
			_ = s.CloseWrite()
		}()
		if n, err := io.Copy(io.Discard, s); n != size || err != nil {
			t.Fatalf("%s: %d bytes came back, %v", listen, n, err)
		}
		_ = a.Close()
		_ = b.Close()
		for i := range 2 {
			out, in := sent[i].Load(), received[1-i].Load()
			if out < size || out > size*11/10 {
				t.Errorf("%s: %d bytes sent, want little more than %d", listen, out, size)
			}
			if in > out || out-in > 64<<10 { // the last words are not heard
				t.Errorf("%s: %d bytes received of %d sent", listen, in, out)
			}
		}
	}
}
