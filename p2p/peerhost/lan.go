package peerhost

import (
	"maps"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// maxLANPeers bounds whom mDNS can make us allow. A large school fits; garbage
// on the network cannot make us dial without end.
const maxLANPeers = 256

// lanPeers are the peers that may be dialled at local addresses, each until
// its time. The zero value is empty.
type lanPeers struct {
	mu    sync.Mutex
	until map[peer.ID]time.Time
}

// allow adds p and reports whether there was room.
func (l *lanPeers) allow(p peer.ID, until time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.until == nil {
		l.until = make(map[peer.ID]time.Time)
	}
	if _, known := l.until[p]; !known && len(l.until) >= maxLANPeers {
		now := time.Now()
		maps.DeleteFunc(l.until, func(_ peer.ID, t time.Time) bool { return !t.After(now) })
		if len(l.until) >= maxLANPeers {
			return false
		}
	}
	l.until[p] = until
	return true
}

func (l *lanPeers) has(p peer.ID, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.until[p].After(now)
}

// subnetsAge is how long the list of own subnets is believed. A laptop that
// changes networks notices within it; each dial need not ask the system.
const subnetsAge = 10 * time.Second

// ownSubnets are the subnets of this computer's interfaces. The zero value is
// ready to use.
type ownSubnets struct {
	mu   sync.Mutex
	read time.Time
	list []netip.Prefix
}

// get returns the list, which must not be changed.
func (s *ownSubnets) get() []netip.Prefix {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.read.IsZero() || now.Sub(s.read) > subnetsAge {
		s.list, s.read = interfaceSubnets(), now
	}
	return s.list
}

// interfaceSubnets asks the system; an error there means no subnets.
func interfaceSubnets() []netip.Prefix {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []netip.Prefix
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok {
			continue
		}
		ip, ok := netip.AddrFromSlice(n.IP)
		if !ok {
			continue
		}
		ones, _ := n.Mask.Size()
		if p, err := ip.Unmap().Prefix(ones); err == nil {
			out = append(out, p)
		}
	}
	return out
}
