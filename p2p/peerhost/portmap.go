package peerhost

import (
	"sync"

	"github.com/libp2p/go-libp2p/core/network"
	basichost "github.com/libp2p/go-libp2p/p2p/host/basic"
	ma "github.com/multiformats/go-multiaddr"
)

// portMapping knows whether the router forwards a port to us. libp2p keeps its
// NAT manager to itself, so we watch the answers it gives; the host asks it
// every few seconds. The zero value has none.
type portMapping struct {
	mu     sync.Mutex
	mapped map[string]bool // by listening address
}

// active reports whether any listening address is forwarded.
func (m *portMapping) active() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mapped) > 0
}

func (m *portMapping) note(listen ma.Multiaddr, mapped bool) {
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

// watch builds libp2p's NAT manager and notes what it says.
func (m *portMapping) watch(n network.Network) basichost.NATManager {
	return &watchedNAT{NATManager: basichost.NewNATManager(n), mapping: m}
}

type watchedNAT struct {
	basichost.NATManager
	mapping *portMapping
}

// GetMapping returns the public address that leads to a, nil if there is none.
func (w *watchedNAT) GetMapping(a ma.Multiaddr) ma.Multiaddr {
	to := w.NATManager.GetMapping(a)
	w.mapping.note(a, to != nil)
	return to
}
