package app

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// StandbySockets is how many connections to other nodes there may be on standby, if
	// no more are needed for the books.
	StandbySockets = limits.StandbySockets
	// trimEvery is how often it is looked whether there are more.
	trimEvery = 10 * time.Second
)

// keepFew closes connections to other nodes that are not needed where there are more than
// may be, until ctx is done.
func (f *footing) keepFew(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pulse.Within(trimEvery)):
		}
		f.trim()
	}
}

// trim does so once.
func (f *footing) trim() {
	most := f.most()
	if most == limits.NoLimit || len(f.n.member.Host.Network().Conns()) <= most {
		return
	}
	needed := f.needed()
	peerhost.Trim(f.n.member.Host, most, func(p peer.ID) bool { return needed[string(p)] })
}

// most returns how many there may be now, limits.NoLimit where that is for the host to say.
func (f *footing) most() int {
	if f.now() == FootingStandby {
		return StandbySockets
	}
	d, _ := f.n.arbiter.decision()
	if d.Level == limits.Off {
		return limits.NoLimit
	}
	return socketsForPeers(d.Budget.Sockets, f.n.meter.Sockets())
}
