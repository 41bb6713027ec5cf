package p2p

import (
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// place returns what this node tells others of where it is.
func (n *Node) place() string {
	if n.cfg.Places == nil {
		return ""
	}
	return n.cfg.Places.Told()
}

// watch times a call that is made anyway. None is made to learn how far a peer is: a test forbids it.
type watch struct {
	n     *Node
	p     peer.ID
	begun time.Time // zero if the call cannot tell
}

// watch is for right before a call. One that has to dial first, or goes through a relay, tells nothing.
func (n *Node) watch(p peer.ID) watch {
	for _, c := range n.cfg.Host.Network().ConnsToPeer(p) {
		if !c.Stat().Limited {
			return watch{n, p, time.Now()}
		}
	}
	return watch{n: n, p: p}
}

// stop is for right after it, with where the peer says it is.
func (w watch) stop(place string) {
	if w.n.cfg.Places != nil && place != "" && !w.begun.IsZero() {
		w.n.cfg.Places.Heard(string(w.p), place, time.Since(w.begun))
	}
}
