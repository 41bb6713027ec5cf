package peerhost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/p2p/protocol/circuitv2/client"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/identity"
)

// A node that has no secret, or another one, gets no answer of any protocol, identify among them, over TCP or QUIC, whatever it
// knows of the network beside. One that has it joins.
func TestSecret_WithoutItNobodyIsAnswered(t *testing.T) {
	secret := identity.NewSecret()
	private := labConfig(t)
	private.Secret = secret
	member, g := startHost(t, private)
	name := secret.Network("lab-test")
	f, _ := startFinder(t, FinderConfig{Host: member, Gater: g, Network: name})
	member.SetStreamHandler("/forage/test", func(s network.Stream) { _, _ = s.Write([]byte("answer")); _ = s.Close() })
	for _, a := range member.Addrs() {
		if _, err := a.ValueForProtocol(ma.P_TCP); err != nil {
			t.Errorf("a member of a private network listens on %s, want TCP alone", a)
		}
	}
	var at string
	for _, a := range member.Addrs() {
		at, _ = a.ValueForProtocol(ma.P_TCP)
	}
	places := []ma.Multiaddr{addr(t, "/ip4/127.0.0.1/tcp/"+at), addr(t, "/ip4/127.0.0.1/udp/"+at+"/quic-v1")}
	protocols := member.Mux().Protocols()
	if len(protocols) < 4 { // identify, ping, the table of hosts, and the test's own
		t.Fatalf("the member speaks %q only", protocols)
	}
	for who, s := range map[string]identity.Secret{"no secret": {}, "another secret": identity.NewSecret()} {
		c := labConfig(t)
		c.Secret = s
		stranger, sg := startHost(t, c)
		startFinder(t, FinderConfig{Host: stranger, Gater: sg, Network: name, Bootstrap: Peers{Known: []peer.AddrInfo{{ID: member.ID(), Addrs: places}}}})
		for _, place := range places {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			if err := stranger.Connect(ctx, peer.AddrInfo{ID: member.ID(), Addrs: []ma.Multiaddr{place}}); err == nil {
				t.Errorf("with %s: connected at %s", who, place)
			}
			cancel()
		}
		for _, p := range protocols {
			if said := ask(t, stranger, member.ID(), p); said != "" {
				t.Errorf("with %s: %s answers %q", who, p, said)
			}
		}
		if got, err := stranger.Peerstore().GetProtocols(member.ID()); err == nil && len(got) > 0 {
			t.Errorf("with %s: the member has told what it speaks: %q", who, got)
		}
	}
	if n := f.TableSize(); n != 0 || len(member.Network().Peers()) != 0 {
		t.Errorf("the member knows %d hosts and is connected to %d, want none", n, len(member.Network().Peers()))
	}
	c := labConfig(t)
	c.Secret = secret
	friend, fg := startHost(t, c)
	startFinder(t, FinderConfig{Host: friend, Gater: fg, Network: name, Bootstrap: Peers{Known: []peer.AddrInfo{info(member)}}})
	await(t, "the one with the secret is in the table", func() bool { return f.TableSize() == 1 })
	if said := ask(t, friend, member.ID(), "/forage/test"); said != "answer" {
		t.Errorf("with the secret: answered %q", said)
	}
}

// ask returns what a host says in a protocol, "" if nothing.
func ask(t *testing.T, h host.Host, p peer.ID, id protocol.ID) string {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	s, err := h.NewStream(ctx, p, id)
	if err != nil {
		return ""
	}
	defer s.Reset()
	_ = s.SetDeadline(time.Now().Add(3 * time.Second))
	_, _ = s.Write([]byte("\n"))
	said, _ := io.ReadAll(io.LimitReader(s, 64))
	return string(said)
}

// What a stranger can read of the first bytes of a connection is no protocol of ours, nor of libp2p.
func TestSecret_ConnectionsShowNothing(t *testing.T) {
	c := labConfig(t)
	c.Secret = identity.NewSecret()
	h, _ := startHost(t, c)
	port, err := h.Addrs()[0].ValueForProtocol(ma.P_TCP)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(3 * time.Second))
	if _, err := conn.Write([]byte("\x13/multistream/1.0.0\n\x07/noise\n")); err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(conn)
	for _, word := range []string{"multistream", "noise", "forage", "ipfs"} {
		if bytes.Contains(said, []byte(word)) {
			t.Errorf("a stranger reads %q in %q", word, said)
		}
	}
}

func TestSecret_ShowsNowhere(t *testing.T) {
	s := identity.NewSecret()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%T"} {
		fmt.Fprintf(&out, verb, s)
		fmt.Fprintf(&out, verb, &s)
		fmt.Fprintf(&out, verb, Config{Secret: s})
		fmt.Fprintf(&out, verb, Invite{Secret: s})
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("Message", "secret", s, "invite", Invite{Secret: s})
	}
	if err := json.NewEncoder(&out).Encode(Invite{Secret: s}); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{s.Text(), fmt.Sprintf("%x", s.PSK()), fmt.Sprint(s.PSK()), strings.Trim(fmt.Sprint(s.PSK()[:8]), "[]")} {
		if strings.Contains(out.String(), shown) {
			t.Errorf("the secret shows as %q in\n%s", shown, out.String())
		}
	}
}

func TestSecret_LiesInAFileOfTheUserAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "swarm.key")
	if _, err := identity.LoadSecret(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("identity.LoadSecret without a file = %v, want fs.ErrNotExist", err)
	}
	s, err := identity.LoadOrCreateSecret(path)
	if err != nil || s.IsZero() {
		t.Fatalf("identity.LoadOrCreateSecret = %v", err)
	}
	again, err := identity.LoadOrCreateSecret(path)
	if err != nil || again != s {
		t.Errorf("the secret changed from one start to the next, %v", err)
	}
	if err := os.WriteFile(path, []byte(s.Text()[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := identity.LoadOrCreateSecret(path); !errors.Is(err, identity.ErrSecret) || strings.Contains(err.Error(), s.Text()[:20]) {
		t.Errorf("identity.LoadOrCreateSecret of a damaged file = %v, want identity.ErrSecret without what is in the file", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := s.Save(path); err != nil {
		t.Fatal(err)
	}
	if at, err := os.Stat(path); err != nil || at.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", at.Mode())
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := identity.LoadOrCreateSecret(path); !errors.Is(err, identity.ErrKeyExposed) {
		t.Errorf("identity.LoadOrCreateSecret of an open file = %v, want identity.ErrKeyExposed", err)
	}
}

func TestSecret_NamesAnotherNetwork(t *testing.T) {
	a, b := identity.NewSecret(), identity.NewSecret()
	if a.Network("main") == b.Network("main") || a.Network("main") == "main" || (identity.Secret{}).Network("main") != "main" {
		t.Errorf("networks are %q, %q and %q", a.Network("main"), b.Network("main"), (identity.Secret{}).Network("main"))
	}
	if n := len(a.Network("lab-" + strings.Repeat("n", 32))); n > maxNetwork {
		t.Errorf("the longest name has %d bytes, want %d at most", n, maxNetwork)
	}
	if serviceName(a.Network("main")) == serviceName("main") {
		t.Error("a private network looks on the local network for members of the public one")
	}
}

func TestConfig_PrivateNetworksListenOnTCP(t *testing.T) {
	for _, tt := range []struct {
		listen []string
		want   int // addresses, 0 for an error
	}{
		{nil, 2},
		{[]string{"/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/udp/0/quic-v1"}, 1},
		{[]string{"/ip4/127.0.0.1/udp/0/quic-v1"}, 0},
	} {
		c := Config{Key: newKey(t), World: Lab, Secret: identity.NewSecret()}
		for _, text := range tt.listen {
			c.Listen = append(c.Listen, addr(t, text))
		}
		got, err := c.withDefaults()
		if len(got.listen()) != tt.want && err == nil || (err != nil) != (tt.want == 0) {
			t.Errorf("listen on %v: %v, %v, want %d", tt.listen, got.listen(), err, tt.want)
		}
	}
}

// Relays forward for members of a private network as they do elsewhere, and hosts of the internet begin with a secret in every role.
func TestSecret_GoesThroughRelays(t *testing.T) {
	secret := identity.NewSecret()
	server := onLoopback(t, libp2p.PrivateNetwork(secret.PSK()), libp2p.ForceReachabilityPublic(), relayService())
	home := onLoopback(t, libp2p.PrivateNetwork(secret.PSK()), libp2p.EnableRelay())
	caller := onLoopback(t, libp2p.PrivateNetwork(secret.PSK()), libp2p.EnableRelay())
	home.SetStreamHandler("/forage/test", func(s network.Stream) { _, _ = s.Write([]byte("answer")); _ = s.Close() })
	if err := home.Connect(t.Context(), info(server)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Reserve(t.Context(), home, info(server)); err != nil {
		t.Fatal(err)
	}
	way := addr(t, server.Addrs()[0].String()+"/p2p/"+server.ID().String()+"/p2p-circuit")
	if err := caller.Connect(t.Context(), peer.AddrInfo{ID: home.ID(), Addrs: []ma.Multiaddr{way}}); err != nil {
		t.Fatal(err)
	}
	s, err := caller.NewStream(network.WithAllowLimitedConn(t.Context(), "test"), home.ID(), "/forage/test")
	if err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(s); err != nil || string(said) != "answer" {
		t.Errorf("through a relay it says %q, %v", said, err)
	}
	for _, role := range []Role{Member, Bootstrap} {
		h, _, err := New(Config{Key: newKey(t), World: Public, Role: role, Secret: secret, PortMap: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
}
