package footing

import (
	"context"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/pulse"
)

// trimEvery is how often it is looked whether there are more connections to other nodes than there may be.
const trimEvery = 10 * time.Second

// keepFew trims them until ctx is done.
func (c *Changer) keepFew(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pulse.Within(trimEvery)):
		}
		c.Trim()
	}
}

// Trim closes connections to other nodes that are not needed, where there are more than there may be now.
func (c *Changer) Trim() {
	most := limits.StandbySockets // if no more are needed for the books
	if c.cfg.Gate.Now() != limits.Standby {
		most = c.cfg.Sockets()
	}
	if most == limits.NoLimit || len(c.cfg.Member.Host.Network().Conns()) <= most {
		return
	}
	needed := c.needed()
	peerhost.Trim(c.cfg.Member.Host, most, func(p peer.ID) bool { return needed[string(p)] })
}

// needed returns the peers without which the books cannot be kept.
func (c *Changer) needed() map[string]bool {
	needed := make(map[string]bool)
	for _, s := range c.cfg.Member.Layout.Mine() {
		for _, p := range c.cfg.Member.Layout.Line(s) {
			needed[string(p)] = true
		}
	}
	return needed
}
