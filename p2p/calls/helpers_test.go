package calls

import (
	"bufio"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-libp2p/p2p/transport/tcp"
)

const testNetwork = "test"

// countedHost counts the streams it opens, and says when it serves.
type countedHost struct {
	host.Host
	opened  atomic.Int64
	serving chan struct{} // gets a token when the last handler is set
}

func (h *countedHost) SetStreamHandler(id protocol.ID, f network.StreamHandler) {
	h.Host.SetStreamHandler(id, f)
	if id == Protocol(testNetwork, Bulk) {
		h.serving <- struct{}{}
	}
}

func (h *countedHost) NewStream(ctx context.Context, p peer.ID, ids ...protocol.ID) (network.Stream, error) {
	h.opened.Add(1)
	return h.Host.NewStream(ctx, p, ids...)
}

// clock is a Config.Now that stands still until it is moved.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// node is a host with Calls on it.
type node struct {
	*Calls
	host  *countedHost
	meter *Meter
	clock *clock
}

func newHost(t testing.TB, opts ...libp2p.Option) host.Host {
	t.Helper()
	return newHostOver(t, libp2p.Transport(tcp.NewTCPTransport), opts...)
}

// newHostOver returns a host with one transport.
func newHostOver(t testing.TB, transport libp2p.Option, opts ...libp2p.Option) host.Host {
	t.Helper()
	opts = append([]libp2p.Option{
		libp2p.ListenAddrStrings("/ip4/127.0.0.1/tcp/0"),
		libp2p.NoTransports, transport,
		libp2p.Security(noise.ID, noise.New),
		libp2p.DisableMetrics(),
	}, opts...)
	h, err := libp2p.New(opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// newNode returns a node that stands on h. change may alter its Config.
func newNode(t testing.TB, h host.Host, change ...func(*Config)) *node {
	t.Helper()
	n := &node{host: &countedHost{Host: h, serving: make(chan struct{}, 1)}, meter: &Meter{}, clock: newClock()}
	cfg := Config{Network: testNetwork, Meter: n.meter, Now: n.clock.now}
	for _, f := range change {
		f(&cfg)
	}
	var err error
	if n.Calls, err = New(n.host, cfg); err != nil {
		t.Fatal(err)
	}
	return n
}

// serve runs Serve until the test ends or stop is called.
func (n *node) serve(t testing.TB) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Serve(ctx) }()
	<-n.host.serving
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve() = %v, want %v", err, context.Canceled)
		}
	})
	t.Cleanup(stop)
	return stop
}

func (n *node) id() peer.ID { return n.host.ID() }

// meet makes a know the addresses of b.
func meet(a, b host.Host) { a.Peerstore().AddAddrs(b.ID(), b.Addrs(), peerstore.PermanentAddrTTL) }

// newPair returns a caller and a server that serves spec as kind 1.
func newPair(t testing.TB, spec Spec, change ...func(*Config)) (caller, server *node) {
	t.Helper()
	caller, server = newNode(t, newHost(t), change...), newNode(t, newHost(t), change...)
	caller.Register(1, spec)
	server.Register(1, spec)
	meet(caller.host, server.host)
	server.serve(t)
	return caller, server
}

// echo is a Spec that returns what it gets.
func echo() Spec {
	return Spec{Name: "echo", MaxRequest: MaxBody, MaxReply: MaxBody, Rate: 1e6, Burst: 1e6,
		Handle: func(_ context.Context, _ peer.ID, body []byte) ([]byte, error) { return body, nil }}
}

// answerWith is a Spec whose handler returns the same always.
func answerWith(reply []byte, err error) Spec {
	s := echo()
	s.Handle = func(context.Context, peer.ID, []byte) ([]byte, error) { return reply, err }
	return s
}

// rawStream opens a stream as a stranger would.
func rawStream(t testing.TB, from host.Host, to peer.ID, class Class) network.Stream {
	t.Helper()
	s, err := from.NewStream(network.WithAllowLimitedConn(t.Context(), "test"), to, Protocol(testNetwork, class))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Reset() })
	return s
}

// rawFrame returns a frame with any header.
func rawFrame(size int, code, flags byte, body []byte) []byte {
	var f []byte
	for ; size >= 0x80; size >>= 7 {
		f = append(f, byte(size)|0x80)
	}
	return append(append(f, byte(size), code, flags), body...)
}

// readStatus reads a reply from a raw stream and returns its status.
func readStatus(s network.Stream) (byte, error) {
	r := bufio.NewReader(s)
	h, err := readHead(r)
	if err != nil {
		return 0, err
	}
	_, err = readBody(r, h.size)
	return h.code, err
}

// rawServer answers calls on h with bytes that serve writes.
func rawServer(h host.Host, class Class, serve func(s network.Stream, request int)) {
	h.SetStreamHandler(Protocol(testNetwork, class), func(s network.Stream) {
		r := bufio.NewReader(s)
		for i := 0; ; i++ {
			head, err := readHead(r)
			if err == nil {
				_, err = readBody(r, head.size)
			}
			if err != nil {
				_ = s.Reset()
				return
			}
			serve(s, i)
		}
	})
}
