package conns

import (
	"net/netip"
	"testing"
)

func TestDoors_Counts(t *testing.T) {
	d := newDoors(nil)
	each := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}) }
	take := func(from netip.Addr) (n int) {
		for d.take(from) {
			n++
		}
		return n
	}
	if got := take(each(1)); got != maxEach {
		t.Errorf("one computer has %d connections, want %d", got, maxEach)
	}
	if got := take(each(2)) + take(each(3)) + take(each(4)); got != maxOthers-maxEach {
		t.Errorf("others have %d, want %d", got, maxOthers-maxEach)
	}
	d.leave(each(1))
	if got := take(each(5)); got != 1 {
		t.Errorf("when one was closed: %d, want 1", got)
	}
	for range maxEach - 1 {
		d.leave(each(1))
	}
	if _, there := d.others[each(1)]; there {
		t.Error("who left is not forgotten")
	}
	if d.take(netip.Addr{}) {
		t.Error("a caller without address is taken")
	}
}

func TestIsNeighbour(t *testing.T) {
	for text, want := range map[string]bool{
		"10.1.2.3": true, "172.16.0.1": true, "172.32.0.1": false, "192.168.1.1": true, "169.254.1.1": true,
		"100.64.0.1": true, "100.128.0.1": false,
		"127.0.0.1": true, "198.51.100.7": false, "8.8.8.8": false, "0.0.0.0": false, "255.255.255.255": false,
		"::1": true, "fe80::1": true, "fd12::1": true, "2001:db8::1": false, "2606:4700::1": false, "ff02::1": false,
	} {
		if got := isNeighbour(netip.MustParseAddr(text)); got != want {
			t.Errorf("isNeighbour(%s) = %v, want %v", text, got, want)
		}
	}
	if isNeighbour(netip.Addr{}) {
		t.Error("no address is a neighbour")
	}
}
