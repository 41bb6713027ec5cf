package sockets

import (
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// sockets counts what is written to them.
type countedSocket struct {
	net.PacketConn
	sent *atomic.Int64
}

func (c countedSocket) WriteTo(b []byte, to net.Addr) (int, error) {
	c.sent.Add(1)
	return c.PacketConn.WriteTo(b, to)
}

func TestValve_HoldsBackEveryPacket(t *testing.T) {
	var v Valve
	var sent atomic.Int64
	open := func(network string, at *net.UDPAddr) (net.PacketConn, error) {
		c, err := net.ListenUDP(network, at)
		return countedSocket{c, &sent}, err
	}
	simulated, err := v.listen(open)("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer simulated.Close()
	real, err := v.listen(nil)("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer real.Close()
	to := real.LocalAddr().(*net.UDPAddr)
	write := func() {
		t.Helper()
		for _, c := range []net.PacketConn{simulated, real} {
			if n, err := c.WriteTo([]byte("x"), to); n != 1 || err != nil {
				t.Errorf("WriteTo() = %d, %v", n, err)
			}
		}
		if n, _, err := real.(valvedUDP).WriteMsgUDP([]byte("x"), nil, to); n != 1 || err != nil {
			t.Errorf("WriteMsgUDP() = %d, %v", n, err)
		}
	}
	v.Shut()
	write()
	real.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, _, err := real.ReadFrom(make([]byte, 8)); err == nil || sent.Load() != 0 {
		t.Errorf("%d bytes came, %d packets left, through a shut valve", n, sent.Load())
	}
	v.Open()
	write()
	real.SetReadDeadline(time.Now().Add(5 * time.Second))
	for i := range 3 {
		if _, _, err := real.ReadFrom(make([]byte, 8)); err != nil {
			t.Errorf("packet %d did not come: %v", i, err)
		}
	}
}
