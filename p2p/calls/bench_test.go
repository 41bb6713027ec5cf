package calls

import (
	"bytes"
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
	ma "github.com/multiformats/go-multiaddr"
)

// wireDialer counts what goes over the sockets it opens: all that a call
// costs but the headers of TCP and IP.
type wireDialer struct {
	net.Dialer
	bytes *atomic.Int64
}

func (d *wireDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &wireConn{c.(*net.TCPConn), d.bytes}, nil
}

type wireConn struct {
	*net.TCPConn
	bytes *atomic.Int64
}

func (c *wireConn) Read(p []byte) (int, error) {
	n, err := c.TCPConn.Read(p)
	c.bytes.Add(int64(n))
	return n, err
}

func (c *wireConn) Write(p []byte) (int, error) {
	n, err := c.TCPConn.Write(p)
	c.bytes.Add(int64(n))
	return n, err
}

// benchPair is newPair with a caller whose socket is counted.
func benchPair(b *testing.B, bytes *atomic.Int64) (caller, server *node) {
	dialer := func(ma.Multiaddr) (tcp.ContextDialer, error) { return &wireDialer{bytes: bytes}, nil }
	h := newHostOver(b, libp2p.Transport(tcp.NewTCPTransport, tcp.WithDialerForAddr(dialer)))
	caller, server = newNode(b, h), newNode(b, newHost(b))
	caller.Register(1, echo())
	server.Register(1, echo())
	for class := range server.door.bounds {
		bounds := &server.door.bounds[class]
		bounds.bytesPerSecond, bounds.bytesBurst, bounds.openBurst = 1<<40, 1<<40, 1<<40
	}
	meet(caller.host, server.host)
	server.serve(b)
	return caller, server
}

func benchmarkCall(b *testing.B, size int, after func(caller *node)) {
	var wire atomic.Int64
	caller, server := benchPair(b, &wire)
	body := bytes.Repeat([]byte("https://a.example/"), size)[:size]
	call := func() {
		if _, err := caller.Call(b.Context(), server.id(), 1, body); err != nil {
			b.Fatal(err)
		}
		after(caller)
	}
	call()
	sum := func() (n uint64) {
		for _, t := range caller.meter.Snapshot() {
			n += t.SentBytes + t.ReceivedBytes
		}
		return n
	}
	frames, total := sum(), wire.Load()
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
	b.ReportMetric(float64(sum()-frames)/float64(b.N), "framebytes/op")
	b.ReportMetric(float64(wire.Load()-total)/float64(b.N), "wirebytes/op")
}

func BenchmarkCallKeptStream(b *testing.B) { benchmarkCall(b, 40, func(*node) {}) }

func BenchmarkCallNewStream(b *testing.B) {
	benchmarkCall(b, 40, func(caller *node) { caller.pool.expire(time.Now()) })
}

func BenchmarkCallKeptStream64K(b *testing.B) { benchmarkCall(b, 64<<10, func(*node) {}) }

func BenchmarkCallParallel(b *testing.B) {
	var wire atomic.Int64
	caller, server := benchPair(b, &wire)
	body := make([]byte, 40)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := caller.Call(context.Background(), server.id(), 1, body); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
