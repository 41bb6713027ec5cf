package peerhost

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"github.com/libp2p/go-libp2p/core/event"
	"github.com/libp2p/go-libp2p/core/network"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost/address"
)

// Answer is yes, no, or not known yet.
type Answer uint8

// The answers; the zero value is Unknown.
const (
	Unknown Answer = 0
	Yes     Answer = 1
	No      Answer = 2
)

// Reachability says whether others can open connections to this computer.
type Reachability struct {
	// World is the world all this is about.
	World World
	// Direct says whether peers everywhere can connect without help. In a lab,
	// where nothing is probed, an address to connect to is enough, a loopback one
	// included.
	Direct Answer
	// Announced are the addresses that others are told; those known to work
	// stand alone if there are any.
	Announced []ma.Multiaddr
	// Local are the addresses for peers on the local network.
	Local []ma.Multiaddr
	// LANPeers is the number of peers connected over the local network.
	LANPeers int
	// Relayed says that a relay takes connections for this computer, and Circuits where.
	Relayed  bool
	Circuits []ma.Multiaddr
	// PortMapped says that the router forwards a port to this computer.
	PortMapped bool
}

// Code returns a word for who can connect, which front ends put into a sentence: "lab" (everybody in a test network),
// "mapped" and "direct" (everybody, through a port of the router or without), "relay" (with help alone), "lan" and
// "lan-so-far" (the local network; of others it is not known yet), "none", or "unknown".
func (r Reachability) Code() string {
	switch {
	case r.Direct == Yes && r.World == Lab:
		return "lab"
	case r.Direct == Yes && r.PortMapped:
		return "mapped"
	case r.Direct == Yes:
		return "direct"
	case r.Relayed && r.Direct == No:
		return "relay"
	case r.LANPeers > 0 && r.Direct == No:
		return "lan"
	case r.LANPeers > 0:
		return "lan-so-far"
	case r.Direct == No:
		return "none"
	}
	return "unknown"
}

// Places returns the first of the announced addresses as people know them, as "192.0.2.7:4001, 192.0.2.8:4001".
func (r Reachability) Places() string { return places(r.Announced) }

// maxPlaces is how many addresses a sentence names.
const maxPlaces = 3

// places writes addresses as people know them, TCP and QUIC at one port once.
func places(addrs []ma.Multiaddr) string {
	var out []string
	for _, a := range addrs {
		e, ok := address.Parse(a)
		if !ok || e.Circuit {
			continue
		}
		if s := netip.AddrPortFrom(e.IP, e.Port).String(); !slices.Contains(out, s) && len(out) < maxPlaces {
			out = append(out, s)
		}
	}
	return strings.Join(out, ", ")
}

// Reachability says whether others can open connections to this computer, as
// far as is known; while Serve does not run, nothing new is learned.
func (f *Finder) Reachability() Reachability {
	h := f.cfg.Host
	r := Reachability{World: f.cfg.World, PortMapped: f.cfg.Gater.mapping.Active(), LANPeers: f.lanPeers()}
	for _, a := range h.Addrs() {
		if e, ok := address.Parse(a); ok && e.Circuit {
			r.Relayed, r.Circuits = true, append(r.Circuits, a)
		} else {
			r.Announced = append(r.Announced, a)
		}
	}
	if f.cfg.World == Lab {
		if len(r.Announced) > 0 {
			r.Direct = Yes
		}
		r.Local = slices.Clone(r.Announced)
		return r
	}
	r.Local, _ = lanNetwork{h.Network(), f.cfg.World}.InterfaceListenAddresses() // without an interface there are none
	direct, confirmed := f.reach.direct()
	confirmed = f.cfg.Gater.Announce(confirmed)
	if len(confirmed) > 0 {
		r.Announced = confirmed
	}
	if direct == Yes && len(r.Announced) == 0 {
		direct = Unknown // the host takes itself for reachable, but knows no address
	}
	r.Direct = direct
	return r
}

// lanPeers counts the peers connected over the local network.
func (f *Finder) lanPeers() int {
	n := 0
	for _, p := range f.cfg.Host.Network().Peers() {
		if slices.ContainsFunc(f.cfg.Host.Network().ConnsToPeer(p), func(c network.Conn) bool {
			e, ok := address.Parse(c.RemoteMultiaddr())
			return ok && !e.Circuit && address.Nearby(e.IP)
		}) {
			n++
		}
	}
	return n
}

// reachWatch keeps what libp2p's probes say. The zero value knows nothing.
type reachWatch struct {
	mu      sync.Mutex
	overall network.Reachability               // AutoNAT v1: all addresses together
	each    event.EvtHostReachableAddrsChanged // AutoNAT v2: address by address
}

// subscribe begins to collect events, including the last one of each kind.
func (w *reachWatch) subscribe(bus event.Bus) (event.Subscription, error) {
	return bus.Subscribe([]any{new(event.EvtLocalReachabilityChanged), new(event.EvtHostReachableAddrsChanged)})
}

// watch takes events until ctx is done.
func (w *reachWatch) watch(ctx context.Context, events event.Subscription) {
	for {
		select {
		case e, ok := <-events.Out():
			if !ok {
				return
			}
			w.take(e)
		case <-ctx.Done():
			return
		}
	}
}

func (w *reachWatch) take(e any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := e.(type) {
	case event.EvtLocalReachabilityChanged:
		w.overall = e.Reachability
	case event.EvtHostReachableAddrsChanged:
		w.each = e
	}
}

// direct returns whether others can connect directly, and the addresses known
// to work. One address that works is enough; v2 may leave some of them
// unprobed for long, and is believed to say no only about all.
func (w *reachWatch) direct() (Answer, []ma.Multiaddr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(w.each.Reachable) > 0:
		return Yes, slices.Clone(w.each.Reachable)
	case w.overall == network.ReachabilityPublic:
		return Yes, nil
	case w.overall == network.ReachabilityPrivate, len(w.each.Unreachable) > 0 && len(w.each.Unknown) == 0:
		return No, nil
	}
	return Unknown, nil
}
