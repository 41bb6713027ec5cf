package app

import (
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
)

// Who keeps a log, and may speak for its owner, are those nearest to that one, as every member
// knows. But a log may be left to one that was near once: it was off the network while others came
// that are nearer, or a network that has just begun was divided. Those who have a copy of the log
// remember who had one before; others ask them.

const (
	// vouchWithin is how long those that should keep a log have to say who leads it, and
	// vouchFor how long their answer counts.
	vouchWithin = 5 * time.Second
	vouchFor    = time.Minute
	// maxVouched bounds the answers that are remembered, maxVouching the questions at a time.
	maxVouched  = 256
	maxVouching = 4
)

// claim is what a peer says: that it leads a log.
type claim struct{ log, peer string }

// vouch is what has come of a claim.
type vouch struct {
	asking, ok bool
	until      time.Time
}

// speaks reports whether a peer may speak for a log as far as this node knows itself.
func (l *logs) speaks(log, p string) bool {
	if p == log || slices.Contains(l.n.member.node.Near(log, partnersOf), p) {
		return true
	}
	g := l.groups.Get(log)
	return g != nil && g.Knew(p)
}

// trusts reports whether a peer may speak for a log. If that has to be asked, sure is false until
// the others have answered.
func (l *logs) trusts(log, p string) (ok, sure bool) {
	if l.speaks(log, p) {
		return true, true
	}
	if log == l.self || l.n.member.node.Ring().Units(p) == 0 {
		return false, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	c := claim{log, p}
	if v, is := l.vouched[c]; is && (v.asking || time.Now().Before(v.until)) {
		return v.ok, !v.asking
	}
	asking := 0
	for other, v := range l.vouched {
		if v.asking {
			asking++
		} else if !time.Now().Before(v.until) {
			delete(l.vouched, other)
		}
	}
	if l.life == nil || asking >= maxVouching || len(l.vouched) >= maxVouched {
		return false, false
	}
	l.vouched[c] = vouch{asking: true}
	ctx := l.life
	l.wg.Go(func() {
		within, cancel := context.WithTimeout(ctx, vouchWithin)
		ok := l.isLed(within, log, p)
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.vouched[c] = vouch{ok: ok, until: time.Now().Add(vouchFor)}
	})
	return false, false
}

// isLed reports whether a peer keeps a log that nobody contradicts: neither its owner, if that
// one can be asked, nor else those nearest to it keep another one of that name.
func (l *logs) isLed(ctx context.Context, log, p string) bool {
	answer, err := l.keeping(ctx, p, log)
	if err != nil || !answer.Keeps {
		return false
	}
	claimed := epochOf(answer)
	if own := l.keepingHere(log); own.Keeps && epochOf(own) != claimed {
		return false
	}
	heard := false
	for _, other := range append([]string{log}, l.n.member.node.Near(log, partnersOf)...) {
		if other == l.self || !l.isAlive(other) {
			continue
		}
		answer, err := l.keeping(ctx, other, log)
		if err != nil {
			continue
		}
		heard = true
		if !answer.Keeps {
			continue
		}
		if same := epochOf(answer) == claimed; !same || other == log {
			return same
		}
	}
	return heard
}

func epochOf(k wire.Keeping) group.Epoch { return group.Epoch{Number: k.Epoch, Founder: k.Founder} }

// yieldsTo returns who leads the other log that a log gives way to, "" if it does not.
func (l *logs) yieldsTo(log string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.yields[log].to
}
