package guard

import (
	"net/netip"
	"testing"
)

func TestOwnNetwork(t *testing.T) {
	prefixes := func(list ...string) (out []netip.Prefix) {
		for _, s := range list {
			out = append(out, netip.MustParsePrefix(s))
		}
		return out
	}
	addrs := func(list ...string) (out []netip.Addr) {
		for _, s := range list {
			out = append(out, netip.MustParseAddr(s))
		}
		return out
	}
	for _, c := range []struct {
		name       string
		interfaces []netip.Prefix
		seen       []netip.Addr
		translates []netip.Addr
		ok, no     []string
	}{
		{name: "nothing is known", ok: []string{"93.184.215.14", "2a00:1450:4001::1"}, no: []string{"64:ff9b::5db8:d70e", "168.63.129.16"}},
		{
			name: "networks of interfaces", interfaces: prefixes("93.184.215.14/24", "2a00:1450:4001:aabb::5/64", "fe80::1/64"),
			ok: []string{"93.184.216.1", "2a00:1450:4001:ab00::1"}, no: []string{"93.184.215.1", "93.184.215.14", "2a00:1450:4001:aabb::6", "2a00:1450:4001:aa00::1", "2a00:1450:4001:aaff::1"},
		},
		{
			name: "tunnels for everything", interfaces: prefixes("93.184.215.14/0", "2a00:1450:4001:aabb::5/3", "2a00:1450:4002::1/128"),
			ok: []string{"93.184.215.15", "2a00:1450:4003::1"}, no: []string{"93.184.215.14", "2a00:1450:4001:aabb::5", "2a00:1450:4002::2"},
		},
		{name: "as others see it", seen: addrs("93.184.215.14", "::ffff:93.184.215.20"), ok: []string{"93.184.215.15"}, no: []string{"93.184.215.14", "93.184.215.20"}},
		{
			name: "the well-known prefix", translates: addrs("64:ff9b::c000:aa"),
			ok: []string{"64:ff9b::5db8:d70e"}, no: []string{"64:ff9b::7f00:1", "64:ff9b::c0a8:1", "64:ff9b:1::1", "64:ff9b::a83f:8110"},
		},
		{
			name: "a prefix of the network's own", translates: addrs("192.0.0.170", "2a00:1450:4001:aabb:c0:0:ab00:0"), interfaces: prefixes("93.184.215.14/24"),
			ok: []string{"2a00:1450:4001:aabb:5d:b8d8:0100:0"}, no: []string{"2a00:1450:4001:aabb:7f:0:0100:0", "2a00:1450:4001:aabb:5d:b8d7:0100:0"},
		},
		{name: "none", translates: addrs("2a00:1450:4001::1"), ok: []string{"2a00:1450:4001::7f00:1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			own := new(OwnNetwork)
			own.Set(c.interfaces, c.seen)
			own.Translates(c.translates)
			for want, list := range map[bool][]string{true: c.ok, false: c.no} {
				for _, s := range list {
					if err := (Guard{World: Public, Own: own}).Check(netip.AddrPortFrom(netip.MustParseAddr(s), 443)); (err == nil) != want {
						t.Errorf("%s: %v, want it allowed: %v", s, err, want)
					}
				}
			}
		})
	}
}
