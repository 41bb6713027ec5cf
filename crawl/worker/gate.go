package worker

import (
	"context"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
)

// Grant takes an answer to Config.Slots.
func (p *Pool) Grant(at netip.AddrPort, m gates.Grant) { p.gates.Grant(at, m) }

// enterGate takes a slot of an address for a turn and returns again; or it
// leaves the turn in its line and returns parked: the turn then belongs to
// others. If the line is long it returns over: leases that wait would keep
// others from being worked.
func (p *Pool) enterGate(ctx context.Context, t *turn, addr netip.AddrPort) state {
	gate := p.gateOf(addr)
	if t.gate == gate {
		return again
	}
	p.leaveGate(t)
	if p.gates.Crowded(gate, p.maxLine) {
		// Else, without a gap, the domain would be leased again at once, for nothing.
		p.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: min(max(t.Gap, shortLine), lineWait)})
		return over
	}
	if p.gates.Enter(gate, t.Domain, gates.Waiter{
		In: func(ok bool) {
			// Those behind it wait for this turn, so it goes before all others.
			if t.at = (time.Time{}); ok {
				t.gate = gate
			}
			p.back <- t
		},
		Quits: func() bool { return p.isResting() || p.isUnwanted(t) || p.clocks.isClosing(t) },
	}) {
		t.gate = gate
		return again
	}
	return parked
}

func (p *Pool) leaveGate(t *turn) {
	if t.gate.IsValid() {
		p.gates.Leave(t.gate)
		t.gate = netip.AddrPort{}
	}
}

// gateOf returns what stands for a server: an IPv4 address or an IPv6 /64; in a
// lab, where all share one address, also the port.
func (p *Pool) gateOf(addr netip.AddrPort) netip.AddrPort {
	if p.cfg.Lab {
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
func (p *Pool) used(addr netip.AddrPort, o crawl.Outcome) {
	if bad := o.Result == crawl.Refused || o.Result == crawl.Failed || o.Challenged; bad || o.Status != 0 {
		p.gates.Note(p.gateOf(addr), bad)
	}
}
