package password

import (
	"maps"
	"net/netip"
	"sync"
	"time"
)

const (
	// guessFirst is the wait after a wrong password that costs one. Each further one doubles it, up to guessMost for
	// one address and allMost for all together, which is less, so that nobody keeps others out for long.
	guessFirst = time.Second
	guessMost  = time.Hour
	allMost    = time.Minute
	// guessFree and allFree are how many wrong passwords cost no wait: people mistype.
	guessFree = 3
	allFree   = 20
	// guessForget is how long nothing must be wrong until all is forgotten.
	guessForget = 24 * time.Hour
	// maxGuessers bounds the addresses that are told apart. Those beyond are taken for one.
	maxGuessers = 1024
)

// Guesses makes callers that try passwords wait, longer each time.
type Guesses struct {
	now func() time.Time

	mu     sync.Mutex
	by     map[netip.Prefix]*tries
	others tries
	all    tries
}

// tries are wrong passwords.
type tries struct {
	wrong      int
	last, next time.Time // the last one, and when the next may be
}

// NewGuesses returns one that has seen none, with a clock.
func NewGuesses(now func() time.Time) *Guesses {
	return &Guesses{now: now, by: make(map[netip.Prefix]*tries)}
}

// Begin returns how long an address has to wait. If it may try now, that is 0, and the try counts as wrong until right
// is called: tries at the same time are no way around.
func (g *Guesses) Begin(remote string) (wait time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at := g.now()
	t := g.of(guesserOf(remote), at)
	if wait := max(t.wait(at, guessMost), g.all.wait(at, allMost)); wait > 0 {
		return wait
	}
	t.count(at, guessFree, guessMost)
	g.all.count(at, allFree, allMost)
	return 0
}

// Right says that the last try of an address was right.
func (g *Guesses) Right(remote string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	*g.of(guesserOf(remote), g.now()) = tries{}
	g.all.wrong--
	g.all.next = time.Time{}
}

// of returns the tries of an address.
func (g *Guesses) of(who netip.Prefix, at time.Time) *tries {
	if t := g.by[who]; t != nil {
		return t
	}
	if len(g.by) >= maxGuessers {
		maps.DeleteFunc(g.by, func(_ netip.Prefix, t *tries) bool { return t.forgotten(at) })
	}
	if len(g.by) >= maxGuessers {
		return &g.others
	}
	t := new(tries)
	g.by[who] = t
	return t
}

func (t *tries) forgotten(at time.Time) bool { return t.wrong <= 0 || at.Sub(t.last) >= guessForget }

// wait returns how long the next try has to wait, most at most: a clock that was set back locks nobody out.
func (t *tries) wait(at time.Time, most time.Duration) time.Duration {
	return min(max(t.next.Sub(at), 0), most)
}

func (t *tries) count(at time.Time, free int, most time.Duration) {
	if t.forgotten(at) {
		t.wrong = 0
	}
	t.wrong++
	t.last, t.next = at, time.Time{}
	if over := t.wrong - free; over > 0 {
		t.next = at.Add(min(guessFirst<<min(over-1, 20), most))
	}
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
