package requests

import (
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// Places keeps where this node is among others.
type Places interface {
	// Told returns what others are told of that, "" for nothing; it is at most wire.MaxPlace bytes long.
	Told() string
	// Heard takes how long a peer, directly connected, took to answer, and where it says it is. Nothing in
	// place is checked.
	Heard(p, place string, took time.Duration)
}

// Place returns what this node tells others of where it is.
func (r *Requests) Place() string {
	if r.cfg.Places == nil {
		return ""
	}
	return r.cfg.Places.Told()
}

// Watch times a call that is made anyway. None is made to learn how far a peer is: a test forbids it.
type Watch struct {
	r     *Requests
	p     peer.ID
	begun time.Time // zero if the call cannot tell
}

// Watch is for right before a call. One that has to dial first, or goes through a relay, tells nothing.
func (r *Requests) Watch(p peer.ID) Watch {
	for _, c := range r.cfg.Host.Network().ConnsToPeer(p) {
		if !c.Stat().Limited {
			return Watch{r, p, time.Now()}
		}
	}
	return Watch{r: r, p: p}
}

// Stop is for right after it, with where the peer says it is.
func (w Watch) Stop(place string) {
	if w.r.cfg.Places != nil && place != "" && !w.begun.IsZero() {
		w.r.cfg.Places.Heard(string(w.p), place, time.Since(w.begun))
	}
}
