//go:build !items

package app

import (
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// Who keeps a log, and may speak for its owner, are those nearest to that one, as every member
// knows. But a log may be left to one that was near once: it was off the network while others came
// that are nearer, or a network that has just begun was divided. Those who have a copy of the log
// remember who had one before, and for a while after theirs has ended; others ask them.

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
	return l.knew(log, p)
}

// knew reports whether a peer keeps a log, or did, as far as this node knows that has a copy of it, or had one.
func (l *logs) knew(log, p string) bool {
	g := l.groups.Get(log)
	return g != nil && g.Knew(p) || l.keepers.knew(log, p)
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
		ok := l.isVouchedFor(within, log, p)
		cancel()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.vouched[c] = vouch{ok: ok, until: time.Now().Add(vouchFor)}
	})
	return false, false
}

// isVouchedFor asks the owner of a log whether another member keeps it too, or did, and if that one has no copy or does
// not answer those nearest to it, in their order. The first that has one decides.
func (l *logs) isVouchedFor(ctx context.Context, log, p string) bool {
	for _, other := range append([]string{log}, l.n.member.node.Near(log, partnersOf)...) {
		if other == l.self {
			if l.groups.Get(log) != nil {
				return false // it does not know it
			}
			continue
		}
		if !l.isAlive(other) {
			continue
		}
		raw, err := l.n.member.node.Call(ctx, other, wire.KindVouch, wire.Encode(&wire.Vouch{Log: log, Peer: p}))
		if err != nil {
			continue
		}
		if answer, err := wire.Decode[wire.Vouched](raw); err == nil && answer.Keeps {
			return answer.Knows
		}
	}
	return false
}

// handleVouch tells whether another member keeps a log that this node keeps, or did.
func (l *logs) handleVouch(_ context.Context, _ string, body []byte) ([]byte, error) {
	v, err := wire.Decode[wire.Vouch](body)
	if err != nil {
		return nil, &calls.Lie{What: "vouch", Weight: 20}
	}
	knows := l.knew(v.Log, v.Peer)
	return wire.Encode(&wire.Vouched{Keeps: knows || l.groups.Get(v.Log) != nil, Knows: knows}), nil
}

// yieldsTo returns who leads the other log that a log gives way to, "" if it does not.
func (l *logs) yieldsTo(log string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.yields[log].to
}
