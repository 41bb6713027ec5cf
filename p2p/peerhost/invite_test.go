package peerhost

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/identity"
)

func somePeers(t testing.TB) []peer.AddrInfo {
	id, err := peer.Decode(someID)
	if err != nil {
		t.Fatal(err)
	}
	return []peer.AddrInfo{
		{ID: id, Addrs: []ma.Multiaddr{
			addr(t, "/ip4/5.5.5.10/tcp/4001"), addr(t, "/ip6/2a00::1/udp/4001/quic-v1"), addr(t, "/ip4/5.5.5.10/tcp/1/ws"),
			addr(t, "/ip4/5.5.5.10/tcp/4002"), addr(t, "/ip4/5.5.5.10/tcp/4003"), addr(t, "/ip4/5.5.5.10/tcp/4004"),
		}},
		{ID: newID(t), Addrs: []ma.Multiaddr{addr(t, "/dns4/boot.example/tcp/4001")}},
	}
}

func TestInvite_ComesBackWhole(t *testing.T) {
	for _, network := range []string{"main", "lab-main", "a b?c&d=é/%", strings.Repeat("n", maxNetwork)} {
		secret := identity.NewSecret()
		line := MakeInvite(network, secret, somePeers(t))
		if u, err := url.Parse(line); err != nil || u.Scheme != "forage" {
			t.Errorf("invite %s is no URL: %v", line, err)
		}
		broken := line[:40] + "\r\n  " + line[40:80] + "\n" + line[80:] + " "
		for _, l := range []string{line, broken} {
			got, err := ParseInvite(l)
			if err != nil || got.Network != network || got.Secret != secret || len(got.Addrs) != maxInvitePeerAddrs+1 {
				t.Errorf("ParseInvite(%q) = %+v, %v, want %q and %d addresses", l, got, err, network, maxInvitePeerAddrs+1)
			}
		}
	}
	line := MakeInvite("main", identity.Secret{}, nil)
	if got, err := ParseInvite(line); err != nil || got.Network != "main" || len(got.Addrs) != 0 || !got.Secret.IsZero() {
		t.Errorf("ParseInvite(%q) = %+v, %v, want the network alone", line, got, err)
	}
}

func TestInvite_BoundsAddresses(t *testing.T) {
	var peers []peer.AddrInfo
	for i := range 20 {
		peers = append(peers, peer.AddrInfo{ID: newID(t), Addrs: []ma.Multiaddr{
			addr(t, fmt.Sprintf("/ip4/5.5.5.%d/tcp/4001", i+1)), addr(t, fmt.Sprintf("/ip4/5.5.5.%d/tcp/4002", i+1)),
			addr(t, fmt.Sprintf("/ip4/5.5.5.%d/tcp/4003", i+1)),
		}})
	}
	for _, n := range []int{4, 20} { // more than a few are not all named, but a few are
		got, err := ParseInvite(MakeInvite("main", identity.Secret{}, peers[:n]))
		if err != nil || len(got.Addrs) != maxInviteAddrs {
			t.Errorf("ParseInvite = %d addresses, %v, want %d", len(got.Addrs), err, maxInviteAddrs)
		}
		named := make(map[string]bool)
		for _, a := range got.Addrs {
			_, id := peer.SplitAddr(a)
			named[id.String()] = true
		}
		if len(named) != min(n, maxInviteAddrs) {
			t.Errorf("an invite of %d peers names %d", n, len(named))
		}
	}
}

func TestParseInvite_NoticesWhatGotMangled(t *testing.T) {
	line := MakeInvite("main", identity.NewSecret(), somePeers(t))
	for i := range line {
		for _, bad := range []string{line[:i] + line[i+1:], line[:i] + "%" + line[i+1:], line[:i], line[:i] + "a" + line[i:]} {
			if _, err := ParseInvite(bad); !errors.Is(err, ErrInvite) {
				t.Fatalf("ParseInvite(%q) = %v, want ErrInvite", bad, err)
			}
		}
	}
	sum := func(s string) string { return s + sumOf(s) }
	for _, bad := range []string{
		"", "forage:", "http://example.org", sum("forage:"), sum("forage:" + strings.Repeat("n", maxNetwork+1)), sum("forage:a%zz"),
		sum("forage:main?a=/ip4/1.2.3.4/tcp/1"), sum("forage:main?a=" + strings.Repeat("x", maxAddress+1)), sum("forage:m%61in"),
		strings.ReplaceAll(line, "&", "&amp;"), strings.Repeat("x", maxInvite+1),
		sum("forage:main?s="), sum("forage:main?s=AAAA"), sum("forage:main?s=" + strings.Repeat("A", 43)), sum("forage:main?s=" + identity.NewSecret().Text() + "x"),
		sum("forage:main?s=" + identity.NewSecret().Text() + "&s=" + identity.NewSecret().Text()), sum("forage:main?" + strings.Repeat("a=/dnsaddr/x&", maxInviteAddrs+1)),
	} {
		if _, err := ParseInvite(bad); !errors.Is(err, ErrInvite) {
			t.Errorf("ParseInvite(%.200q) = %v, want ErrInvite", bad, err)
		}
	}
	if got, err := ParseInvite(sum("forage:main?later=1&a=/dnsaddr/x")); err != nil || len(got.Addrs) != 1 {
		t.Errorf("parameter of a later version: %v, %v, want it ignored", got, err)
	}
}

func FuzzParseInvite(f *testing.F) {
	line := MakeInvite("main", identity.Secret{}, somePeers(f))
	f.Add(line)
	f.Add("forage:main?s=" + identity.NewSecret().Text())
	f.Add(line[:len(line)-11])
	f.Add("forage:main?a=/dnsaddr/x")
	f.Fuzz(func(t *testing.T, s string) {
		for _, l := range []string{s, s + sumOf(s)} {
			in, err := ParseInvite(l)
			if err != nil {
				if !errors.Is(err, ErrInvite) {
					t.Errorf("ParseInvite(%q) = %v, want ErrInvite", l, err)
				}
				continue
			}
			if in.Network == "" || len(in.Network) > maxNetwork || len(in.Addrs) > maxInviteAddrs {
				t.Errorf("ParseInvite(%q) = %+v", l, in)
			}
			if got, err := ParseInvite(MakeInvite(in.Network, in.Secret, nil)); err != nil || got.Network != in.Network || got.Secret != in.Secret {
				t.Errorf("%+v comes back as %+v, %v", in, got, err)
			}
		}
	})
}
