package guard

import (
	"errors"
	"net/netip"
	"testing"
)

func TestGuard_Ranges(t *testing.T) {
	for _, c := range []struct {
		addr        string
		public, lab bool
	}{
		{"8.8.8.8:80", true, false},
		{"8.8.8.8:443", true, false},
		{"8.8.8.8:8080", false, false},
		{"8.8.8.8:22", false, false},
		{"1.1.1.1:0", false, false},
		{"0.0.0.0:80", false, false},
		{"0.1.2.3:80", false, false},
		{"9.255.255.255:80", true, false},
		{"10.0.0.0:80", false, true},
		{"10.255.255.255:8080", false, true},
		{"11.0.0.0:80", true, false},
		{"100.63.255.255:80", true, false},
		{"100.64.0.1:80", false, false},
		{"100.127.255.255:80", false, false},
		{"100.128.0.0:80", true, false},
		{"127.0.0.1:80", false, true},
		{"127.255.255.255:1", false, true},
		{"169.254.169.254:80", false, false},
		{"172.15.255.255:80", true, false},
		{"172.16.0.1:80", false, true},
		{"172.31.255.255:80", false, true},
		{"172.32.0.0:80", true, false},
		{"192.0.0.8:80", false, false},
		{"192.0.1.1:80", true, false},
		{"192.0.2.1:80", false, false},
		{"192.31.196.1:80", false, false},
		{"192.52.193.1:80", false, false},
		{"192.88.99.1:80", false, false},
		{"192.168.1.1:80", false, true},
		{"192.169.0.1:80", true, false},
		{"192.175.48.1:80", false, false},
		{"198.17.255.255:80", true, false},
		{"198.18.0.0:80", false, false},
		{"198.19.255.255:80", false, false},
		{"198.20.0.0:80", true, false},
		{"198.51.100.7:80", false, false},
		{"203.0.113.7:80", false, false},
		{"223.255.255.255:80", true, false},
		{"224.0.0.1:80", false, false},
		{"239.255.255.255:80", false, false},
		{"240.0.0.1:80", false, false},
		{"255.255.255.255:80", false, false},

		{"[2606:4700::1111]:443", true, false},
		{"[2a00:1450:4001::1]:80", true, false},
		{"[2a00:1450:4001::1]:81", false, false},
		{"[::]:80", false, false},
		{"[::1]:80", false, true},
		{"[::2]:80", false, false},
		{"[::8.8.8.8]:80", false, false},
		{"[::ffff:8.8.8.8]:80", false, false},
		{"[::ffff:127.0.0.1]:80", false, false},
		{"[64:ff9b::8.8.8.8]:80", false, false},
		{"[64:ff9b:1::1]:80", false, false},
		{"[100::1]:80", false, false},
		{"[1fff::1]:80", false, false},
		{"[2001::1]:80", false, false},
		{"[2001:1::1]:80", false, false},
		{"[2001:2::1]:80", false, false},
		{"[2001:20::1]:80", false, false},
		{"[2001:200::1]:80", true, false},
		{"[2001:db8::1]:80", false, false},
		{"[2002:0808:0808::1]:80", false, false},
		{"[2620:4f:8000::1]:80", false, false},
		{"[3ffe:ffff::1]:80", true, false},
		{"[3fff::1]:80", false, false},
		{"[3fff:fff::1]:80", false, false},
		{"[4000::1]:80", false, false},
		{"[5f00::1]:80", false, false},
		{"[fc00::1]:80", false, true},
		{"[fd12:3456::1]:8080", false, true},
		{"[fe80::1]:80", false, false},
		{"[fe80::1%eth0]:80", false, false},
		{"[::1%lo]:80", false, false},
		{"[2606:4700::1111%eth0]:80", false, false},
		{"[fec0::1]:80", false, false},
		{"[ff02::1]:80", false, false},
	} {
		a := netip.MustParseAddrPort(c.addr)
		for _, w := range []struct {
			world World
			ok    bool
		}{{Public, c.public}, {Lab, c.lab}, {0, false}} {
			err := Guard{World: w.world}.Check(a)
			if (err == nil) != w.ok {
				t.Errorf("%v: Check(%s) = %v, want ok %v", w.world, c.addr, err, w.ok)
			}
			if err == nil {
				continue
			}
			b, isBlocked := errors.AsType[*BlockedError](err)
			if !errors.Is(err, ErrBlocked) || !isBlocked || b.Reason == "" || b.Addr != a {
				t.Errorf("%v: Check(%s) = %#v, want a BlockedError with address and reason", w.world, c.addr, err)
			}
		}
	}
	if err := (Guard{World: Public}).Check(netip.AddrPort{}); !errors.Is(err, ErrBlocked) {
		t.Errorf("Check of no address = %v, want ErrBlocked", err)
	}
}

// Whatever is special must be refused up to both ends of its range.
func TestGuard_RefusesEndsOfEveryRange(t *testing.T) {
	for _, s := range special {
		first := s.prefix.Masked().Addr()
		if s.prefix.Addr() != first {
			t.Errorf("%v is not in canonical form", s.prefix)
		}
		last := lastOf(s.prefix)
		for _, a := range []netip.Addr{first, last} {
			if err := (Guard{World: Public}).Check(netip.AddrPortFrom(a, 80)); err == nil {
				t.Errorf("Check(%v) = nil, want refusal: %s", a, s.what)
			}
		}
	}
}

func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().AsSlice()
	for i := p.Bits(); i < 8*len(b); i++ {
		b[i/8] |= 0x80 >> (i % 8)
	}
	a, _ := netip.AddrFromSlice(b)
	return a
}

func TestGuard_Control(t *testing.T) {
	for _, c := range []struct {
		network, address string
		ok               bool
	}{
		{"tcp4", "8.8.8.8:80", true},
		{"tcp6", "[2606:4700::1111]:443", true},
		{"udp4", "8.8.8.8:80", false},
		{"unix", "/run/x", false},
		{"tcp4", "127.0.0.1:80", false},
		{"tcp4", "example.com:80", false},
		{"tcp6", "[fe80::1%1]:80", false},
	} {
		err := Guard{World: Public}.Control(t.Context(), c.network, c.address, nil)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrBlocked) {
			t.Errorf("control(%s, %s) = %v, want ok %v", c.network, c.address, err, c.ok)
		}
	}
}
