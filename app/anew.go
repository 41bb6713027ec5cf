package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/storage"
)

// A log without the majority of its members stands still: nobody may know what the
// others do. After a while it begins anew with the one that is left. The others may
// have done the same, so every gap is as many times as long as there should be members, until all
// that were missing have been heard of.

const (
	// beginAnewAfter is how long a log stands still before it begins anew, and
	// labBeginAnew the same in a lab.
	beginAnewAfter = 30 * time.Minute
	labBeginAnew   = time.Minute
	// healedAfter is how long a missing member must have been out to be waited for no
	// longer.
	healedAfter = 24 * time.Hour
)

// anewPrefix begins the key of what is remembered of a log that began anew, in the
// bucket of the store's own state.
const anewPrefix = "anew "

// anew says that a log began anew, and without whom.
type anew struct {
	Missing []peer.ID `json:"missing"`
	Since   time.Time `json:"since"`
}

// readAnew reads which logs have begun anew and are not whole again.
func (l *logs) readAnew() error {
	return l.n.db.View(func(tx *storage.Tx) error {
		c := tx.Bucket(storage.BucketMeta).Cursor()
		for key, raw := c.Seek([]byte(anewPrefix)); len(key) > len(anewPrefix) && string(key[:len(anewPrefix)]) == anewPrefix; key, raw = c.Next() {
			var a anew
			if err := json.Unmarshal(raw, &a); err != nil {
				return fmt.Errorf("read how a log began anew: %w", err)
			}
			l.anews[string(key[len(anewPrefix):])] = a
		}
		return nil
	})
}

// beginAnew lets a log go on with this node alone.
func (l *logs) beginAnew(ctx context.Context, g *group.Group, missing []peer.ID) {
	log := g.Log()
	a := anew{Missing: missing, Since: time.Now()}
	raw, err := json.Marshal(a)
	if err == nil {
		err = l.n.db.Update(func(tx *storage.Tx) error {
			return tx.Bucket(storage.BucketMeta).Put([]byte(anewPrefix+log), raw)
		})
	}
	if err != nil {
		l.n.log.Warn("A log cannot begin anew", "owner", peer.ID(log).String(), "error", err)
		return
	}
	l.anewMu.Lock()
	l.anews[log] = a
	l.anewMu.Unlock()
	l.n.log.Warn("A log has lost most of those that keep it and begins anew here; its sites are visited more seldom until they are back",
		"owner", peer.ID(log).String(), "missing", len(missing))
	if err := g.BeginAnew(ctx); err != nil {
		l.n.log.Warn("A log cannot begin anew", "owner", peer.ID(log).String(), "error", err)
	}
}

// heal ends what beginAnew began once all that were missing have been heard of: they
// keep the log again, have left, or have been gone for long.
func (l *logs) heal(g *group.Group) {
	log := g.Log()
	l.anewMu.Lock()
	a, is := l.anews[log]
	l.anewMu.Unlock()
	if !is {
		return
	}
	members := g.Status().Members
	for _, p := range a.Missing {
		keeps := slices.ContainsFunc(members, func(m group.Member) bool { return m.Peer == string(p) && m.Voter })
		state := l.n.member.node.State(string(p))
		gone := state == 0 && time.Since(a.Since) >= healedAfter
		if !keeps && state != roster.StateLeft && !gone && !l.isBack(string(p), log) {
			return
		}
	}
	if err := l.n.db.Update(func(tx *storage.Tx) error {
		return tx.Bucket(storage.BucketMeta).Delete([]byte(anewPrefix + log))
	}); err != nil {
		l.n.log.Warn("What is over is still remembered", "error", err)
		return
	}
	l.anewMu.Lock()
	delete(l.anews, log)
	l.anewMu.Unlock()
	l.n.log.Info("All that were missing when a log began anew have been heard of", "owner", peer.ID(log).String())
}

// isBack reports whether a member that was missing answers again, and is not one of
// those that are to keep the log.
func (l *logs) isBack(p, log string) bool {
	return l.isAlive(p) && !slices.Contains(l.goal(log), p) && l.n.member.node.State(p) == roster.StateActive
}

// times returns by how much the gaps of a log's domains are longer than asked. It
// is asked within transactions.
func (l *logs) times(log string) int {
	l.anewMu.Lock()
	defer l.anewMu.Unlock()
	if _, is := l.anews[log]; is {
		return groupSize
	}
	return 1
}

// politenessOf returns the rules towards the sites of a log's domains.
func (l *logs) politenessOf(log string) crawl.Politeness {
	p := l.n.politeness()
	p.Times = func() int { return l.times(log) }
	return p
}
