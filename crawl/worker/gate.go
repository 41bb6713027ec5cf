package worker

import (
	"context"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
)

const (
	// lineWait is how long a host is left alone that found the line too long; with a shorter gap, as in some
	// labs, as long as that, and at least shortLine.
	lineWait  = 2 * time.Second
	shortLine = 250 * time.Millisecond
)

// enterGate takes a slot of an address for a turn and returns proceed; or it
// leaves the turn in its line and returns parked: the turn then belongs to
// others. If the line is long it returns over: leases that wait would keep
// others from being worked.
func (v *visitor) enterGate(ctx context.Context, t *turn, addr netip.AddrPort) state {
	gate := v.gateOf(addr)
	if t.gate == gate {
		return proceed
	}
	v.leaveGate(t)
	if v.flights.gates.Crowded(gate, v.maxLine) {
		// Else, without a gap, the domain would be leased again at once, for nothing.
		v.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: min(max(t.Gap, shortLine), lineWait)})
		return over
	}
	if v.flights.gates.Enter(gate, t.Domain, gates.Waiter{
		In: func(ok bool) {
			// Those behind it wait for this turn, so it goes before all others.
			if t.at = (time.Time{}); ok {
				t.gate = gate
			}
			v.back <- t
		},
		Quits: func() bool { return v.flights.resting() || v.clocks.isClosing(t) },
	}) {
		t.gate = gate
		return proceed
	}
	return parked
}

func (v *visitor) leaveGate(t *turn) {
	if t.gate.IsValid() {
		v.flights.gates.Leave(t.gate)
		t.gate = netip.AddrPort{}
	}
}

// gateOf returns what stands for a server: an IPv4 address or an IPv6 /64; in a
// lab, where all share one address, also the port.
func (v *visitor) gateOf(addr netip.AddrPort) netip.AddrPort {
	if v.cfg.Lab {
		return addr
	}
	ip := addr.Addr().Unmap()
	if ip.Is6() {
		if prefix, err := ip.Prefix(64); err == nil {
			ip = prefix.Addr()
		}
	}
	return netip.AddrPortFrom(ip, 0)
}

// used notes how a server answered.
func (v *visitor) used(addr netip.AddrPort, o crawl.Outcome) {
	if bad := o.Result == crawl.Refused || o.Result == crawl.Failed || o.Challenged; bad || o.Status != 0 {
		v.flights.gates.Note(v.gateOf(addr), bad)
	}
}
