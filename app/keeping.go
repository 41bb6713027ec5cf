//go:build !items

package app

import (
	"context"
	"slices"

	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/wire"
)

// isForgotten reports whether nobody keeps a log but this node: the others that did, or
// those of them that had a vote, say so, or are gone for good.
func (l *logs) isForgotten(ctx context.Context, s group.Status, voters bool) bool {
	if len(s.Members) == 0 { // it has only begun to copy the log, and does not know who they were
		return !l.isKeptBy(ctx, s.Log, group.Epoch{}, l.keepersOf(s.Log))
	}
	for _, m := range s.Members {
		if m.Peer == l.self || voters && !m.Voter || !l.n.member.node.Holds(m.Peer) {
			continue
		}
		if answer, err := l.keeping(ctx, m.Peer, s.Log); err != nil || answer.Keeps {
			return false
		}
	}
	return true
}

// keeping asks a member whether it keeps a log.
func (l *logs) keeping(ctx context.Context, p, log string) (answer wire.Keeping, err error) {
	raw, err := l.n.member.node.Call(ctx, p, wire.KindKeeps, []byte(log))
	if err != nil {
		return answer, err
	}
	return wire.Decode[wire.Keeping](raw)
}

// handleKeeps tells whether this node keeps a log, and how far.
func (l *logs) handleKeeps(_ context.Context, from string, body []byte) ([]byte, error) {
	g := l.groups.Get(string(body))
	if g == nil {
		return wire.Encode(&wire.Keeping{}), nil
	}
	s := g.Status()
	if s.Leads && s.Quiet && slices.ContainsFunc(s.Members, func(m group.Member) bool { return m.Peer == from }) {
		g.Wake() // who asks hears of no leader; if its store was set back, only this shows it to the leader
	}
	if s.Removed || s.Partial && !l.isLed(g) { // it waits to be taken in again, and has nothing of use for others
		return wire.Encode(&wire.Keeping{}), nil
	}
	return wire.Encode(&wire.Keeping{Keeps: true, Epoch: s.Epoch.Number, Founder: s.Epoch.Founder, Last: s.Last}), nil
}
