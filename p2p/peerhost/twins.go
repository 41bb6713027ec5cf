package peerhost

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
)

const (
	// twinCheck is how often second connections are looked for.
	twinCheck = 30 * time.Second
	// twinAge is the age below which a connection is left alone: it may not have
	// been put to its use yet.
	twinAge = time.Minute
)

// keepSingle closes second connections to one peer that nothing uses. Peers
// that look for each other at the same time dial each other at the same time, and
// libp2p keeps both connections: without this, a network of 20 hosts has
// nearly two to every peer, and sockets are what a volunteer gives least of.
func (f *Finder) keepSingle(ctx context.Context) {
	for {
		pause(ctx, twinCheck, nil)
		if ctx.Err() != nil {
			return
		}
		f.closeTwins()
	}
}

// closeTwins leaves it to the end with the smaller ID to choose, so that the
// two ends never close one each.
func (f *Finder) closeTwins() {
	h, now := f.cfg.Host, time.Now()
	for _, p := range h.Network().Peers() {
		if h.ID() > p {
			continue
		}
		conns := slices.DeleteFunc(slices.Clone(h.Network().ConnsToPeer(p)),
			func(c network.Conn) bool { return c.Stat().Limited })
		if len(conns) < 2 {
			continue
		}
		slices.SortFunc(conns, func(a, b network.Conn) int {
			return cmp.Or(cmp.Compare(len(b.GetStreams()), len(a.GetStreams())),
				a.Stat().Opened.Compare(b.Stat().Opened))
		})
		for _, c := range conns[1:] {
			if len(c.GetStreams()) == 0 && now.Sub(c.Stat().Opened) > twinAge {
				_ = c.Close() // if it is closed already, so much the better
			}
		}
	}
}
