package api

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// guessEvery and guessBurst are how often one address may try to begin a session.
	guessEvery = 6 * time.Second
	guessBurst = 10
	// maxGuessers bounds the addresses that are told apart. Those beyond share one allowance.
	maxGuessers = 1024
)

// guesses slows down who tries keys and passwords.
type guesses struct {
	now func() time.Time

	mu     sync.Mutex
	by     map[netip.Prefix]*rate.Limiter
	others *rate.Limiter
}

func newGuesses(now func() time.Time) *guesses {
	return &guesses{now: now, by: make(map[netip.Prefix]*rate.Limiter), others: newGuesser()}
}

func newGuesser() *rate.Limiter { return rate.NewLimiter(rate.Every(guessEvery), guessBurst) }

// allow reports whether an address may try once more.
func (g *guesses) allow(remote string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.now()
	return g.of(guesserOf(remote), at).AllowN(at, 1)
}

// of returns the allowance of an address.
func (g *guesses) of(who netip.Prefix, at time.Time) *rate.Limiter {
	if l := g.by[who]; l != nil {
		return l
	}
	if len(g.by) >= maxGuessers {
		for who, l := range g.by {
			if l.TokensAt(at) >= guessBurst {
				delete(g.by, who) // as if it had never tried
			}
		}
	}
	if len(g.by) >= maxGuessers {
		return g.others
	}
	l := newGuesser()
	g.by[who] = l
	return l
}

// guesserOf returns who stands behind an address: for IPv6 the whole network, since a home has one.
func guesserOf(remote string) netip.Prefix {
	ap, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr := ap.Addr().Unmap().WithZone("")
	bits := 64
	if addr.Is4() {
		bits = 32
	} else if addr.IsLoopback() {
		bits = 128
	}
	p, _ := addr.Prefix(bits) // the bits fit
	return p
}
