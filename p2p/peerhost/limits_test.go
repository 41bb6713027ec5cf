package peerhost

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/address"
	"github.com/forage-net/forage/p2p/peerhost/identity"
)

func TestHost_RefusesMoreThanItsSockets(t *testing.T) {
	for _, listen := range []string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"} {
		c := labConfig(t)
		c.MaxSockets, c.Listen = 8, []ma.Multiaddr{addr(t, listen)}
		server, _ := startHost(t, c)
		const inbound = 6 // the rest is kept for connections of its own
		refused := 0
		var clients []host.Host
		for range 12 {
			h, _ := startHost(t, labConfig(t))
			clients = append(clients, h)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if err := h.Connect(ctx, info(server)); err != nil {
				refused++
			}
			cancel()
			if n := len(server.Network().Conns()); n > inbound {
				t.Fatalf("%s: %d inbound connections, want at most %d", listen, n, inbound)
			}
		}
		await(t, "no more than allowed stay", func() bool {
			n := 0
			for _, h := range clients {
				if h.Network().Connectedness(server.ID()) == network.Connected {
					n++
				}
			}
			return n <= inbound
		})
		t.Logf("%s: %d of 12 refused in the handshake", listen, refused)
		own, _ := startHost(t, labConfig(t))
		if err := server.Connect(t.Context(), info(own)); err != nil {
			t.Errorf("%s: full of strangers, the host cannot connect itself: %v", listen, err)
		}
	}
}

func TestHost_LimitsConnectionsOfOnePeer(t *testing.T) {
	server, _ := startHost(t, labConfig(t))
	key := newKey(t) // one identity on many computers is one peer
	for range 8 {
		c := labConfig(t)
		c.Key = key
		client, _ := startHost(t, c)
		_ = client.Connect(t.Context(), info(server))
		if n := len(server.Network().ConnsToPeer(client.ID())); n > peerConns {
			t.Fatalf("%d connections of one peer, want at most %d", n, peerConns)
		}
	}
}

func TestConfig_RefusesWhatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no key":               func(c *Config) { c.Key = nil },
		"no world":             func(c *Config) { c.World = 0 },
		"no such world":        func(c *Config) { c.World = 3 },
		"no such role":         func(c *Config) { c.Role = 3 },
		"bootstrap in a lab":   func(c *Config) { c.Role = Bootstrap },
		"too few sockets":      func(c *Config) { c.MaxSockets = 7 },
		"too many sockets":     func(c *Config) { c.MaxSockets = 10000 },
		"port":                 func(c *Config) { c.Port = 65536 },
		"public address":       func(c *Config) { c.Listen = []ma.Multiaddr{addr(t, "/ip4/5.5.5.10/tcp/4001")} },
		"websocket":            func(c *Config) { c.Listen = []ma.Multiaddr{addr(t, "/ip4/127.0.0.1/tcp/4001/ws")} },
		"external public":      func(c *Config) { c.External = []ma.Multiaddr{addr(t, "/ip4/5.5.5.10/tcp/4001")} },
		"external name":        func(c *Config) { c.External = []ma.Multiaddr{addr(t, "/dns4/example.org/tcp/4001")} },
		"relay without any IP": func(c *Config) { c.Relays = somePeers(t)[1:] },
	} {
		c := labConfig(t)
		change(&c)
		if _, _, err := New(c); err == nil {
			t.Errorf("%s: New = nil error", name)
		}
	}
}

func TestHost_ListensOnBothFamiliesAndTransports(t *testing.T) {
	port, err := identity.LoadOrChoosePort(filepath.Join(t.TempDir(), "port"), "")
	if err != nil {
		t.Fatal(err)
	}
	h, _ := startHost(t, Config{Key: newKey(t), World: Lab, Port: port.Use})
	kinds := map[int]bool{}
	for _, a := range h.Network().ListenAddresses() {
		e, ok := address.Parse(a)
		if !ok || int(e.Port) != port.Use {
			t.Errorf("listens on %s, want port %d", a, port)
		}
		kinds[a[len(a)-1].Code()] = true
	}
	if !kinds[ma.P_TCP] || !kinds[ma.P_QUIC_V1] {
		t.Errorf("listens on %v, want TCP and QUIC", h.Network().ListenAddresses())
	}
}

func TestHost_AnnouncesExternalAddress(t *testing.T) {
	external := addr(t, "/ip4/5.5.5.10/tcp/4001")
	h, g := startHost(t, Config{Key: newKey(t), World: Public, Role: Bootstrap, External: []ma.Multiaddr{external}})
	if got := h.Addrs(); len(got) != 1 || !got[0].Equal(external) {
		t.Errorf("announces %v, want %v", got, external)
	}
	f, _ := startFinder(t, FinderConfig{Host: h, Gater: g, World: Public, Role: Bootstrap, Network: "main"})
	await(t, "the server takes itself for reachable", func() bool { return f.Reachability().Direct == Yes })
}

func TestHost_PublicRolesStart(t *testing.T) {
	relay := somePeers(t)[:1]
	for _, c := range []Config{
		{Role: Member, Relays: relay},
		{Role: Bootstrap},
	} {
		c.Key, c.World = newKey(t), Public // at any port of all interfaces
		h, g := startHost(t, c)
		if got := h.Addrs(); len(got) != 0 {
			t.Errorf("role %d announces %v, want no private address", c.Role, got)
		}
		if own := h.Peerstore().Addrs(h.ID()); len(own) != 0 {
			t.Errorf("role %d puts %v into its record, want no private address", c.Role, own)
		}
		f, stop := startFinder(t, FinderConfig{Host: h, Gater: g, World: Public, Role: c.Role, Network: "main"})
		if r := f.Reachability(); r.Direct == Yes {
			t.Errorf("role %d without a public address takes itself for reachable: %s", c.Role, r.Code())
		}
		stop()
	}
}
