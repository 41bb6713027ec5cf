//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
)

// A store may be older than what this node has told others since: a backup was put back, or a snapshot of the whole disk. Its logs
// are not what they were, and this node may have voted in them. Others tell, who have a later record of it.

// trustStore lets logs begin that have other members, when it is known whether the store is what it was. It ends the node
// when another computer runs with the same key: no two may speak for one member.
func (l *logs) trustStore(ctx context.Context) error {
	node := l.n.member.node
	select {
	case <-node.Joined():
	case <-ctx.Done():
		return nil
	}
	setBack := node.SetBack()
	select {
	case <-setBack:
		if !l.setBack(ctx) {
			return nil
		}
		setBack = nil
	default:
	}
	l.groups.Sure()
	close(l.trusted)
	l.dropForeign(ctx)
	for {
		select {
		case <-setBack:
			if !l.setBack(ctx) {
				return nil
			}
			setBack = nil
		case <-node.Doubled():
			l.doubled.Store(true)
			return fmt.Errorf("%w. To have both, delete %s of one of them while it does not run: it becomes a node of its own then", errDoubled, KeyPath(l.n.opts.Paths.State))
		case <-ctx.Done():
			return nil
		}
	}
}

// setBackAgain is how often it is tried to write down that the store was set back.
const setBackAgain = 5 * time.Second

// setBack notes that no log is what it was, and reports whether that is on disk.
func (l *logs) setBack(ctx context.Context) bool {
	l.n.log.Warn("The store of this node is older than what other members know of it, as after a backup was put back: they take it into its logs anew, and it copies what it lacks")
	for {
		err := l.groups.SetBack()
		if err == nil {
			l.n.member.node.TrustStore()
			return true
		}
		l.n.log.Error("It cannot be written that the store was set back; this node takes no part until it is", "error", err)
		select {
		case <-time.After(setBackAgain):
		case <-ctx.Done():
			return false
		}
	}
}

// errDoubled ends a node whose home was copied.
var errDoubled = errors.New("another computer runs as this node, as after its home was copied, and goes on; this one gives way")

// followStale sees to this node's own log after its store was set back: those who keep it take this node in
// again. If nobody does, or those who may do so do not answer for long, it begins anew with what is here.
func (l *logs) followStale(ctx context.Context, g *group.Group, status group.Status) {
	away := l.without(l.self)
	if away < lostLook || !l.asksFor(l.self) {
		return
	}
	members := l.keepersOf(l.self)
	for _, m := range status.Members {
		members = append(members, m.Peer)
	}
	kept, silent := l.whoKeeps(ctx, l.self, group.Epoch{}, members)
	if kept || ctx.Err() != nil || len(silent) > 0 && away < l.anewAfter {
		return
	}
	if status.Partial {
		l.startOver(g)
		return
	}
	l.n.log.Warn("Nobody has this node's log as it was before its store was set back: it begins anew with what is here", "missing", len(silent))
	l.n.member.swarm.Rest(l.n.frontier.LeaseFor() * 11 / 10) // what it lent may be in use
	if err := g.BeginAnew(ctx, l.n.kept.beginsWith(frontier.BeginAnew(silent))); err != nil {
		l.n.log.Warn("The log cannot begin anew", "error", err)
	}
}

// giveUpStale drops a copy of a log of which others have a later epoch: they copy theirs to this node, if it is to have one.
func (l *logs) giveUpStale(g *group.Group) {
	if g.Log() == l.self {
		l.dropOwn(g)
	} else {
		l.dropped(g)
	}
}

// dropForeign drops the copies that this node kept under another key, of logs that others keep. It is no member of them, and
// nobody would tell it when they end.
func (l *logs) dropForeign(ctx context.Context) {
	for _, log := range l.foreign {
		g := l.groups.Get(log)
		if g == nil || ctx.Err() != nil {
			continue
		}
		if l.isKeptBy(ctx, log, g.Epoch(), l.keepersOf(log)) {
			l.dropped(g)
		}
	}
}
