package requests

import (
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

// oldFor is how long a connection on which nothing arrives may live beside a newer one: QUIC gives it up after
// half a minute.
const oldFor = time.Minute

// together is within what time two connections are opened by peers that dial each other: neither is old.
const together = 5 * time.Second

// dropOld closes all connections to a peer that has not answered in time, except for the newest, if that is new.
// A peer that lost its power or came to another network connects again; the connection from before seems to live, and
// has more streams, so it would go on to be used.
func (r *Requests) dropOld(p peer.ID) {
	conns := r.cfg.Host.Network().ConnsToPeer(p)
	if len(conns) < 2 {
		return
	}
	newest := slices.MaxFunc(conns, func(x, y network.Conn) int { return x.Stat().Opened.Compare(y.Stat().Opened) })
	if time.Since(newest.Stat().Opened) > oldFor {
		return
	}
	for _, c := range conns {
		if c == newest || newest.Stat().Opened.Sub(c.Stat().Opened) < together {
			continue
		}
		if c.Stat().Limited != newest.Stat().Limited { // one by way of a relay is none for a direct one
			continue
		}
		if err := c.Close(); err != nil {
			r.cfg.Log.Debug("An old connection is not closed", "peer", p.String(), "error", err)
		}
	}
}
