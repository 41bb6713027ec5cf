package worker

import (
	"context"
	"net/netip"
	"sync"
)

// gates let one request at a time go to an address: thousands of hosts may
// share one server. Addresses nobody uses take no room.
type gates struct {
	mu    sync.Mutex
	inUse map[netip.AddrPort][]func() // who waits, first come first served
}

func newGates() *gates { return &gates{inUse: make(map[netip.AddrPort][]func())} }

// enter takes the gate of addr and returns true, or leaves free to be called, with the gate
// taken on its behalf, when it is its turn.
func (g *gates) enter(addr netip.AddrPort, free func()) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	waiting, busy := g.inUse[addr]
	if busy {
		g.inUse[addr] = append(waiting, free)
		return false
	}
	g.inUse[addr] = nil
	return true
}

// crowded reports whether limit or more wait for an address.
func (g *gates) crowded(addr netip.AddrPort, limit int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.inUse[addr]) >= limit
}

// leave gives the gate to the next in line.
func (g *gates) leave(addr netip.AddrPort) {
	g.mu.Lock()
	waiting := g.inUse[addr]
	if len(waiting) == 0 {
		delete(g.inUse, addr)
		g.mu.Unlock()
		return
	}
	next := waiting[0]
	g.inUse[addr] = waiting[1:]
	g.mu.Unlock()
	next()
}

// wait blocks until the gate is taken or ctx is done.
func (g *gates) wait(ctx context.Context, addr netip.AddrPort) error {
	turn := make(chan struct{})
	if g.enter(addr, func() { close(turn) }) {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		go func() { // the place in the line stays, and passes the gate on
			<-turn
			g.leave(addr)
		}()
		return ctx.Err()
	}
}
