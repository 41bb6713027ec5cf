package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch/content"
	"github.com/forage-net/forage/crawl/fetch/guard"
	"github.com/forage-net/forage/crawl/fetch/resolver"
)

// World says to which addresses a client connects.
type World = guard.World

// The worlds. A client is never in both.
const (
	Public = guard.Public
	Lab    = guard.Lab
)

// maxAddrs bounds how many addresses of a host are tried.
const maxAddrs = 8

// Config says how a Client works. World and UserAgent are required.
type Config struct {
	World World
	// Hosts holds the names of a lab; nil means that only IP addresses work
	// there. It must be nil in the public world.
	Hosts *Hosts
	// Lookup resolves names in the public world; nil means the system's resolver. It is not used in a lab.
	Lookup resolver.Lookuper
	// UserAgent is sent with every request.
	UserAgent string
	// Meter counts; nil means one of the client's own.
	Meter *Meter
	// Pacer, if set, holds all connections to rates. The Meter counts as without.
	Pacer Pacer
	// MaxConns is the most connections kept or in use, 0 means DefaultMaxConns. At the limit the longest idle
	// one is closed; if none is idle, Get waits.
	MaxConns int
	// IdleTimeout is how long an idle connection is kept, 0 means DefaultIdleTimeout.
	IdleTimeout time.Duration
	Limits      Limits
	// Own is not connected to in the public world. It may be nil.
	Own *guard.OwnNetwork
	// RootCAs are the authorities that certificates are checked against; nil means the system's.
	RootCAs *x509.CertPool
	// Dial, if set, connects in place of the computer's network: for simulations,
	// and in a lab only. The guard judges every address before.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// Now is the clock for dates, certificates and the age of look-ups; nil
	// means time.Now. Deadlines of sockets are by the real clock.
	Now func() time.Time
}

// Client sends requests to web sites. Close it after use.
type Client struct {
	conf   Config
	guard  guard.Guard
	names  *resolver.Resolver
	dialer *dialer
	conns  *pool
	pools  content.Pools
}

// New returns a client. Nothing is connected or looked up before it is used.
func New(conf Config) (*Client, error) {
	switch {
	case conf.World != Public && conf.World != Lab:
		return nil, errors.New("new fetch client: neither public nor lab")
	case conf.World == Public && conf.Hosts != nil:
		return nil, errors.New("new fetch client: a hosts file is for labs only")
	case conf.World == Public && conf.Dial != nil:
		return nil, errors.New("new fetch client: a simulated network is for labs only")
	case conf.UserAgent == "" || !fieldSafe(conf.UserAgent) || len(conf.UserAgent) > crawl.MaxURL:
		return nil, errors.New("new fetch client: no usable User-Agent")
	}
	if conf.Lookup == nil {
		conf.Lookup = net.DefaultResolver
	}
	if conf.Meter == nil {
		conf.Meter = &Meter{}
	}
	if conf.Now == nil {
		conf.Now = time.Now
	}
	conf.Limits = conf.Limits.orDefaults()
	judge := guard.Guard{World: conf.World, Own: conf.Own}
	return &Client{
		conf:   conf,
		guard:  judge,
		names:  resolver.New(conf.Lookup, conf.Now),
		dialer: newDialer(judge, conf.Meter, conf.Pacer, tlsConfig(conf), conf.Limits.Connect, conf.Dial),
		conns:  newPool(orDefault(conf.MaxConns, DefaultMaxConns), orDefault(conf.IdleTimeout, DefaultIdleTimeout)),
	}, nil
}

// tlsConfig verifies certificates as browsers do. Servers that know nothing
// newer than TLS 1.1 are lost to us as they are to browsers: what is archived
// should be what the site said. Sessions are resumed to save both sides work.
func tlsConfig(conf Config) *tls.Config {
	const sessions = 256 // about 1 MB
	return &tls.Config{
		RootCAs:            conf.RootCAs,
		Time:               conf.Now,
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{protocol},
		ClientSessionCache: tls.NewLRUClientSessionCache(sessions),
	}
}

// SetMaxConns changes how many connections may be kept or in use, at least 1 (Config.MaxConns). What is too many is
// closed, but no request in flight is cut.
func (c *Client) SetMaxConns(n int) { c.conns.setMax(max(n, 1)) }

// CloseIdle closes the connections that no request uses.
func (c *Client) CloseIdle() { c.conns.closeIdle() }

// Close closes all connections. Requests in flight are cut, and they and all later ones return ErrClosed.
func (c *Client) Close() { c.conns.shut() }

// Addrs returns the addresses to try for u in order, one to eight: where a connection to its host leads
// already, then IPv4, then IPv6. The guard allows all of them. If it allows none of those the name has, the
// error is guard.ErrBlocked. In a lab names come from the hosts file alone. Errors are
// *Error.
func (c *Client) Addrs(ctx context.Context, u crawl.URL) ([]netip.AddrPort, error) {
	found, err := c.candidates(ctx, u)
	if err != nil {
		return nil, err
	}
	kept, isKept := c.conns.address(u.Origin())
	addrs := make([]netip.AddrPort, 0, min(len(found), maxAddrs))
	var refused error
	for _, a := range found {
		switch err := c.guard.Check(a); {
		case err != nil:
			refused = err
		case isKept && a == kept:
			addrs = append(addrs, a)
			copy(addrs[1:], addrs)
			addrs[0] = a
		default:
			addrs = append(addrs, a)
		}
	}
	if len(addrs) == 0 {
		return nil, blocked(refused)
	}
	return addrs[:min(len(addrs), maxAddrs)], nil
}

// candidates returns at least one address for u, before the guard has judged.
func (c *Client) candidates(ctx context.Context, u crawl.URL) ([]netip.AddrPort, error) {
	if u.IsZero() {
		return nil, &Error{Kind: KindRequest, Detail: "no URL"}
	}
	host := u.Hostname()
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Detail: "no usable port", Err: err}
	}
	port := uint16(n)
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(a, port)}, nil
	}
	if c.conf.World == Lab {
		if a, ok := c.conf.Hosts.Lookup(host, port); ok {
			return []netip.AddrPort{a}, nil
		}
		return nil, &Error{Kind: KindNoName, Detail: "not in the hosts file"}
	}
	if resolver.Local(host) {
		return nil, blocked(&guard.BlockedError{Reason: "a name for local use"})
	}
	addrs, err := c.names.Resolve(ctx, host)
	if err != nil {
		return nil, lookupError(ctx, err)
	}
	list := make([]netip.AddrPort, len(addrs))
	for i, a := range addrs {
		list[i] = netip.AddrPortFrom(a, port)
	}
	return list, nil
}
