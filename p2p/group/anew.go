package group

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/storage"
)

// BeginAnew makes this member the only one of a new epoch of the log, with the state it
// has applied: for a group that has lost its majority. Entries that were not applied
// here are not in the new epoch, even if the others have committed them. The errors are
// ErrBusy while this member copies the state, but for one that was mended and of which nothing has been copied yet,
// ErrClosed, and those of the store.
func (g *Group) BeginAnew(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.usable(); err != nil {
		return err
	}
	if g.st.state.copying && !g.st.state.mended {
		return ErrBusy
	}
	err := g.update(func(*storage.Tx) error { return g.found() })
	if err != nil {
		g.fail(err)
		return fmt.Errorf("begin log %s anew: %w", show(g.log), err)
	}
	if err := g.load(ErrLost); err != nil {
		return fmt.Errorf("begin log %s anew: %w", show(g.log), err)
	}
	return g.standAlone()
}

// found writes the record of the new epoch.
func (g *Group) found() error {
	st := &g.st.state
	if err := g.st.truncate(st.applied + 1); err != nil {
		return err
	}
	st.epoch = Epoch{Number: st.epoch.Number + 1, Founder: g.s.cfg.Self}
	st.id, st.next = st.next, st.next+1
	for _, m := range st.members {
		if m.peer != g.s.cfg.Self {
			st.wasMember(m.peer)
		}
	}
	st.members = []member{{id: st.id, peer: g.s.cfg.Self, voter: true}}
	st.copying, st.mended = false, false
	st.term, st.vote, st.commit = st.term+1, 0, st.applied
	g.st.last, g.st.lastTerm = st.applied, st.appliedTerm
	return g.st.drop(limits{all: st.applied, writes: dropAtOnce})
}
