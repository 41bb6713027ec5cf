package peerhost

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
	madns "github.com/multiformats/go-multiaddr-dns"

	"github.com/forage-net/forage/p2p/peerhost/address"
)

const (
	// resolveDepth is how many /dnsaddr may follow one another.
	resolveDepth = 4
	// resolveCount bounds the addresses taken from one name, and the look-ups
	// made for it.
	resolveCount = 32
	// resolveTime bounds a look-up of one name with all that follow from it.
	resolveTime = 10 * time.Second
)

// errNoPeer says that a name leads to no peer.
var errNoPeer = errors.New("found no address of a peer")

// Resolver looks up names; *net.Resolver is one.
type Resolver interface {
	LookupIPAddr(ctx context.Context, host string) ([]net.IPAddr, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// resolve looks up name and returns the peers behind it, with IP addresses
// only. What is not an address of a peer is dropped; that the name leads to none
// is an error. Whether an address may be dialled is the gater's business.
func resolve(ctx context.Context, r Resolver, name ma.Multiaddr) ([]peer.AddrInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	look, err := madns.NewResolver(madns.WithDefaultResolver(r))
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", name, err)
	}
	var out []peer.AddrInfo
	var errs []error
	level, lookups, found := []ma.Multiaddr{name}, 0, 0
	for depth := 0; depth < resolveDepth && len(level) > 0; depth++ {
		var next []ma.Multiaddr
		for _, a := range level {
			if lookups++; lookups > resolveCount {
				break
			}
			addrs, err := look.Resolve(ctx, a)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			for _, b := range addrs {
				if isName(b) {
					next = append(next, b)
				} else if info, ok := dialable(b); ok && found < resolveCount {
					out = mergePeers(out, []peer.AddrInfo{info})
					found++
				}
			}
		}
		level = next
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("look up %s: %w", name, errors.Join(append(errs, errNoPeer)...))
	}
	return out, nil
}

// dialable returns the peer that a leads to, if it is an address we use.
func dialable(a ma.Multiaddr) (peer.AddrInfo, bool) {
	if _, ok := address.Parse(a); !ok {
		return peer.AddrInfo{}, false
	}
	info, err := peer.AddrInfoFromP2pAddr(a)
	if err != nil {
		return peer.AddrInfo{}, false
	}
	return *info, len(info.Addrs) > 0
}
