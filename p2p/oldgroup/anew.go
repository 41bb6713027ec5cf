package oldgroup

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

// BeginAnew makes this member the only one of a new epoch of the log, with all entries it
// has: for a group that has lost its majority. Of those that it does not know to be committed the others may have
// committed some, and acknowledged them; so they are all applied. Changes of members among them are not. first brings what
// the epoch begins with into the machine's state, in the same transaction. A member that was removed, or whose store was set back, may begin anew, too:
// the others may have ended the log since. The errors are ErrBusy while this member copies the state, but for one that was mended and of which nothing has been copied yet,
// ErrClosed, and those of the store and of first.
func (g *Group) BeginAnew(ctx context.Context, first func(tx *storage.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.usable(); err != nil && (g.closed || !g.st.state.gone()) {
		return err
	}
	if g.st.state.copying && !g.st.state.mended {
		return ErrBusy
	}
	err := g.update(func(tx *storage.Tx) error { return g.found(tx, first, true) })
	if err != nil && g.st.state.copying { // what was mended may lack what entries are about
		g.logger().Warn("Entries behind a state that was mended are left out", "err", err)
		if err = g.load(ErrLost); err == nil {
			err = g.update(func(tx *storage.Tx) error { return g.found(tx, first, false) })
		}
	}
	if err != nil {
		g.fail(err)
		return fmt.Errorf("begin log %s anew: %w", show(g.log), err)
	}
	if err := g.load(ErrLost); err != nil {
		return fmt.Errorf("begin log %s anew: %w", show(g.log), err)
	}
	return g.standAlone()
}

// found writes the record of the new epoch, of a state with all entries or as it is.
func (g *Group) found(tx *storage.Tx, first func(tx *storage.Tx) error, rest bool) error {
	st := &g.st.state
	if rest {
		if err := g.applyRest(tx); err != nil {
			return err
		}
	}
	if err := first(tx); err != nil {
		return err
	}
	if err := g.st.truncate(st.applied + 1); err != nil {
		return err
	}
	number := st.epoch.Number + 1
	if st.stale { // it may have begun that one before, and not know
		number = max(number, uint64(max(time.Now().UnixMilli(), 0)))
	}
	st.epoch = Epoch{Number: number, Founder: g.s.cfg.Self}
	st.id, st.next = st.next, st.next+1
	for _, m := range st.members {
		if m.peer != g.s.cfg.Self {
			st.wasMember(m.peer)
		}
	}
	st.members = []member{{id: st.id, peer: g.s.cfg.Self, voter: true}}
	st.copying, st.mended, st.removed, st.stale = false, false, false, false
	st.term, st.vote, st.commit = st.term+1, 0, st.applied
	g.st.last, g.st.lastTerm = st.applied, st.appliedTerm
	return g.st.drop(limits{all: st.applied, writes: dropAtOnce})
}

// applyRest applies the entries that this member does not know to be committed.
func (g *Group) applyRest(tx *storage.Tx) error {
	st := &g.st.state
	for st.applied < g.st.last {
		entries, err := g.st.Entries(st.applied+1, g.st.last+1, maxApply)
		if err != nil {
			return err
		}
		for _, e := range entries {
			heard := g.st.heard.take(e.GetIndex())
			switch {
			case e.GetType() != pb.EntryNormal:
				if c, err := decodeChange(e); err == nil {
					st.next = max(st.next, c.id+1)
				}
			case len(e.GetData()) > 0:
				if err := g.machine.Apply(tx, []Entry{{Data: e.GetData(), Heard: heard}}); err != nil {
					return fmt.Errorf("apply entry %d: %w", e.GetIndex(), err)
				}
			}
			st.applied, st.appliedTerm = e.GetIndex(), e.GetTerm()
		}
	}
	return nil
}
