// Package portmap has the router asked for a way in, for as long as the host may speak, and knows whether it
// forwards a port.
package portmap

import (
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/sockets"
)

// Mapping knows whether the router forwards a port to us. libp2p keeps its
// NAT manager to itself, so we watch the answers it gives; the host asks it
// every few seconds. The zero value has none.
type Mapping struct {
	mu     sync.Mutex
	mapped map[string]bool // by listening address
	nat    *watchedNAT     // nil if the router is not asked
	asked  steady

	// Spent is told what the router is asked and answers, by estimate. It is set before.
	Spent sockets.Count
}

// spend tells what was spent since the last time.
func (m *Mapping) spend() {
	if m.Spent == nil {
		return
	}
	if d := m.asked.since(time.Now()); d > 0 {
		m.Spent.Add(true, part(mapSent, d))
		m.Spent.Add(false, part(mapReceived, d))
	}
}

// Active reports whether any listening address is forwarded.
func (m *Mapping) Active() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mapped) > 0
}

func (m *Mapping) note(listen ma.Multiaddr, mapped bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !mapped {
		delete(m.mapped, string(listen.Bytes()))
		return
	}
	if m.mapped == nil {
		m.mapped = make(map[string]bool)
	}
	m.mapped[string(listen.Bytes())] = true
}

// Watch stands for libp2p's NAT manager, which it begins with Resume, and notes what it says: a host that is not
// to speak yet asks no router for anything.
func (m *Mapping) Watch(n network.Network) basichost.NATManager {
	w := &watchedNAT{network: n, mapping: m}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nat = w
	return w
}

// Pause lets the router close the ports and asks nothing more of it until Resume.
func (m *Mapping) Pause() {
	m.mu.Lock()
	w := m.nat
	clear(m.mapped)
	m.mu.Unlock()
	if w != nil {
		w.swap(nil)
	}
}

// Resume has the router asked from now on.
func (m *Mapping) Resume() {
	m.mu.Lock()
	w := m.nat
	m.mu.Unlock()
	if w != nil {
		w.swap(basichost.NewNATManager)
	}
}

// watchedNAT is the NAT manager of a host, which has none of libp2p's while it is
// silent: those cannot pause.
type watchedNAT struct {
	network network.Network
	mapping *Mapping

	mu      sync.Mutex
	nat     basichost.NATManager // nil in silence
	closed  bool
	closing sync.WaitGroup
}

// swap ends the NAT manager that is there and begins with another, if any.
func (w *watchedNAT) swap(begin func(network.Network) basichost.NATManager) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return
	}
	if w.nat != nil {
		old := w.nat
		w.nat = nil
		w.closing.Go(func() { _ = old.Close() }) // mappings that the router keeps lapse by themselves
	}
	if begin != nil {
		w.nat = begin(w.network)
	}
}

// GetMapping returns the public address that leads to a, nil if there is none.
func (w *watchedNAT) GetMapping(a ma.Multiaddr) ma.Multiaddr {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.nat == nil {
		return nil
	}
	to := w.nat.GetMapping(a)
	if w.nat.HasDiscoveredNAT() {
		w.mapping.spend()
	}
	w.mapping.note(a, to != nil)
	return to
}

// HasDiscoveredNAT reports whether there is a router that maps ports.
func (w *watchedNAT) HasDiscoveredNAT() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.nat != nil && w.nat.HasDiscoveredNAT()
}

// Close ends it for good.
func (w *watchedNAT) Close() error {
	w.mu.Lock()
	w.closed = true
	last := w.nat
	w.mu.Unlock()
	w.closing.Wait()
	if last == nil {
		return nil
	}
	return last.Close()
}
