package peerhost

import (
	"errors"
	"fmt"
	"sync"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

// listener is what a host's network does beside what libp2p promises of all.
type listener interface {
	ListenClose(addrs ...ma.Multiaddr)
}

// MapPorts has the router asked for a port from now on, if Config.PortMap says so. Before, nothing is
// asked of it.
func (g *Gater) MapPorts() { g.mapping.Resume() }

// Silence keeps the host of this Gater from sending anything, from its return on, until
// the returned function ends it: connections are closed, none is dialled or taken, TCP
// is not listened to, UDP sockets stay open and mute, and the router is asked for
// nothing. It takes as long as closing connections does, a few milliseconds. Multicast
// is the Finder's, whose Serve must have ended.
//
// The function that ends the silence returns an error if an address cannot be listened
// to again; the others are.
func (g *Gater) Silence(h host.Host) (speak func() error) {
	g.silent.Store(true)
	g.mapping.Pause()
	var closing sync.WaitGroup
	for _, p := range h.Network().Peers() {
		closing.Go(func() { _ = h.Network().ClosePeer(p) }) // who has gone already is closed
	}
	closing.Wait()
	tcp := onlyTCP(h.Network().ListenAddresses())
	if l, ok := h.Network().(listener); ok && len(tcp) > 0 {
		l.ListenClose(tcp...)
	}
	g.valve.Shut()
	return func() error {
		g.valve.Open()
		g.silent.Store(false)
		g.mapping.Resume()
		var errs []error
		for _, a := range tcp {
			if err := h.Network().Listen(a); err != nil {
				errs = append(errs, fmt.Errorf("listen to peers again: %w", err))
			}
		}
		return errors.Join(errs...)
	}
}

// mayDial reports whether a peer may be dialled at all.
func (g *Gater) mayDial(p peer.ID) bool { return !g.silent.Load() && !g.isBanned(p) }

// onlyTCP returns those of addrs that are reached over TCP.
func onlyTCP(addrs []ma.Multiaddr) (out []ma.Multiaddr) {
	for _, a := range addrs {
		if _, err := a.ValueForProtocol(ma.P_TCP); err == nil {
			out = append(out, a)
		}
	}
	return out
}
