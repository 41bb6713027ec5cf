//go:build !items

package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/crawl/oldfrontier"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/storage"
)

// keptLog joins a frontier with the group that keeps its log: it is the Log of the
// one and the Machine of the other.
type keptLog struct {
	*frontier.Frontier
	owner  string
	clock  *clock.Clock
	groups *group.Groups
	mute   atomic.Bool // nothing is granted for a moment
}

var (
	_ frontier.Log  = (*keptLog)(nil)
	_ group.Machine = (*keptLog)(nil)
)

// openKept opens a frontier whose log others may keep too. A log is named by its
// owner.
func openKept(db *storage.DB, steady *clock.Clock, groups *group.Groups, owner string, cfg frontier.Config) (*keptLog, error) {
	k := &keptLog{owner: owner, clock: steady, groups: groups}
	cfg.Log = k
	f, err := frontier.Open(db, cfg)
	k.Frontier = f
	return k, err
}

// Propose implements frontier.Log.
func (k *keptLog) Propose(ctx context.Context, data []byte, mine any) error {
	g := k.groups.Get(k.owner)
	if g == nil {
		return frontier.ErrNotLed
	}
	err := g.Propose(ctx, data, mine)
	switch {
	case errors.Is(err, group.ErrNotLeader), errors.Is(err, group.ErrLost), errors.Is(err, group.ErrClosed), errors.Is(err, group.ErrBusy):
		return fmt.Errorf("%w: %w", frontier.ErrNotLed, err)
	case errors.Is(err, group.ErrTooLarge):
		return fmt.Errorf("%w: %w", frontier.ErrTooLarge, err)
	}
	return err
}

// Apply implements group.Machine. What is counted by the clock is committed with where
// it was.
func (k *keptLog) Apply(tx *storage.Tx, entries []group.Entry) error {
	list := make([]frontier.LogEntry, len(entries))
	for i, e := range entries {
		list[i] = frontier.LogEntry(e)
	}
	if err := k.Frontier.Apply(tx, list...); err != nil {
		return err
	}
	return saveClock(tx, k.clock)
}

// beginsWith returns what applies the first entry of a log that begins anew, in the transaction in which it does: a member that
// fell over between the two would go on as if nobody was missing.
func (k *keptLog) beginsWith(a *frontier.Anew) func(tx *storage.Tx) error {
	return func(tx *storage.Tx) error {
		data, err := k.Encode(tx, frontier.Entry{Anew: a})
		if err != nil {
			return err
		}
		return k.Apply(tx, []group.Entry{{Data: data}})
	}
}

// Wipe implements group.Machine.
func (k *keptLog) Wipe(tx *storage.Tx) error {
	room := math.MaxInt
	_, err := k.WipePart(tx, &room)
	return err
}

// Leads implements frontier.Log.
func (k *keptLog) Leads() bool {
	g := k.groups.Get(k.owner)
	return g != nil && g.Leads() && !k.mute.Load()
}

// Shared implements frontier.Log.
func (k *keptLog) Shared() bool {
	g := k.groups.Get(k.owner)
	return g != nil && g.Shared()
}
