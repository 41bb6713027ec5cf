package peerhost

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/p2p/transport/quicreuse"
	"github.com/libp2p/go-libp2p/x/simlibp2p"
	"github.com/marcopolo/simnet"
	ma "github.com/multiformats/go-multiaddr"
)

func newKey(t testing.TB) crypto.PrivKey {
	t.Helper()
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newID(t testing.TB) peer.ID {
	t.Helper()
	id, err := peer.IDFromPrivateKey(newKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func addr(t testing.TB, text string) ma.Multiaddr {
	t.Helper()
	a, err := ma.NewMultiaddr(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func info(h host.Host) peer.AddrInfo { return *host.InfoFromHost(h) }

// labConfig is a lab host on loopback, at any port.
func labConfig(t testing.TB) Config {
	return Config{
		Key: newKey(t), World: Lab,
		Listen: []ma.Multiaddr{addr(t, "/ip4/127.0.0.1/tcp/0"), addr(t, "/ip4/127.0.0.1/udp/0/quic-v1")},
	}
}

func startHost(t testing.TB, c Config) (host.Host, *Gater) {
	t.Helper()
	h, g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h, g
}

// startFinder serves a finder until the test ends or stop is called.
func startFinder(t testing.TB, c FinderConfig) (f *Finder, stop func()) {
	t.Helper()
	if c.Network == "" {
		c.Network = "lab-test"
	}
	if c.World == 0 {
		c.World = Lab
	}
	f, err := NewFinder(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- f.Serve(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v, want context.Canceled", err)
		}
	})
	t.Cleanup(stop)
	return f, stop
}

// await fails the test if cond does not come true.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// simHosts starts n hosts on a simulated network with 60 ms round trips; it
// must be called inside a synctest bubble, which closeAll lets end.
func simHosts(t testing.TB, world World, n int) (hosts []host.Host, gaters []*Gater, closeAll func()) {
	t.Helper()
	ips := make([]string, n)
	for i := range ips {
		ips[i] = simnet.IntToPublicIPv4(i).String()
		if world == Lab {
			ips[i] = fmt.Sprintf("10.0.%d.%d", i/250, i%250+1)
		}
	}
	return simHostsAt(t, world, ips...)
}

// simSource is the address that packets of a simulated host come from.
type simSource net.IP

func (s simSource) PreferredSourceIPForDestination(*net.UDPAddr) (net.IP, error) {
	return net.IP(s), nil
}

// simHostsAt is simHosts with given addresses.
func simHostsAt(t testing.TB, world World, ips ...string) (hosts []host.Host, gaters []*Gater, closeAll func()) {
	t.Helper()
	nw := &simnet.Simnet{LatencyFunc: simnet.StaticLatency(30 * time.Millisecond)}
	link := simnet.NodeBiDiLinkSettings{
		Downlink: simnet.LinkSettings{BitsPerSecond: 50 * simlibp2p.OneMbps},
		Uplink:   simnet.LinkSettings{BitsPerSecond: 10 * simlibp2p.OneMbps},
	}
	for _, ip := range ips {
		h, g, err := New(Config{
			Key: newKey(t), World: world, Simulated: true,
			Listen:    []ma.Multiaddr{addr(t, "/ip4/"+ip+"/udp/8000/quic-v1")},
			ListenUDP: func(_ string, at *net.UDPAddr) (net.PacketConn, error) { return nw.NewEndpoint(at, link), nil },
			QUIC: []quicreuse.Option{quicreuse.OverrideSourceIPSelector(func() (quicreuse.SourceIPSelector, error) {
				return simSource(net.ParseIP(ip)), nil
			})},
		})
		if err != nil {
			t.Fatal(err)
		}
		hosts, gaters = append(hosts, h), append(gaters, g)
	}
	nw.Start()
	return hosts, gaters, func() {
		for _, h := range hosts {
			if err := h.Close(); err != nil {
				t.Errorf("close host: %v", err)
			}
		}
		nw.Close()
	}
}

// memoryBook is a Book in memory.
type memoryBook struct {
	mu    sync.Mutex
	list  []peer.AddrInfo
	saves int
}

func (b *memoryBook) Load() ([]peer.AddrInfo, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.list, nil
}

func (b *memoryBook) Save(list []peer.AddrInfo) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.list, b.saves = list, b.saves+1
	return nil
}
