package membership

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/multiformats/go-multiaddr"
	manet "github.com/multiformats/go-multiaddr/net"

	"github.com/forage-net/forage/crawl/fetch/guard"
	"github.com/forage-net/forage/crawl/fetch/resolver"
)

const (
	// ownEvery is how often it is looked which networks this computer is in, translatesEvery how often whether its
	// network puts IPv6 addresses in the place of IPv4 addresses.
	ownEvery        = 30 * time.Second
	translatesEvery = time.Hour
	// ipv4Only is a name that has IPv4 addresses alone, except for networks that translate (RFC 7050).
	ipv4Only = "ipv4only.arpa."
)

// ServeOwnNetwork keeps pages of the own network out of the crawl.
func (m *Member) ServeOwnNetwork(ctx context.Context, own *guard.OwnNetwork, lookup resolver.Lookuper) error {
	ticker := time.NewTicker(ownEvery)
	defer ticker.Stop()
	var asked time.Time
	for {
		LookAround(own, m.Host.Addrs())
		if time.Since(asked) >= translatesEvery {
			answer, err := lookup.LookupNetIP(ctx, "ip6", ipv4Only)
			if err == nil || isNoName(err) {
				asked = time.Now()
				own.Translates(answer)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// isNoName reports whether a look-up was answered: the name has no such address.
func isNoName(err error) bool {
	dns, is := err.(*net.DNSError)
	return is && dns.IsNotFound
}

// LookAround notes the networks of this computer's interfaces, and its addresses as peers see them.
func LookAround(own *guard.OwnNetwork, seen []multiaddr.Multiaddr) {
	var interfaces []netip.Prefix
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return // what was known stays
	}
	for _, a := range addrs {
		if p, err := netip.ParsePrefix(a.String()); err == nil && !p.Addr().IsLoopback() {
			interfaces = append(interfaces, p)
		}
	}
	var outside []netip.Addr
	for _, m := range seen {
		ip, err := manet.ToIP(m)
		if a, ok := netip.AddrFromSlice(ip); err == nil && ok {
			outside = append(outside, a)
		}
	}
	own.Set(interfaces, outside)
}
