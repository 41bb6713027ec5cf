package oldgroup

import (
	"errors"
	"fmt"

	"github.com/forage-net/forage/storage"
)

// A store that was set back, as by a backup that is put in its place, or a snapshot of a whole disk, looks like one of a member that
// was down for a while. It is not: this member may have had entries since, which the others count on, and have
// voted. So it takes no part any more, as one whose disk is lost, until it is admitted under a new number. Its
// state stays, since a copy brings only what differs, and since it may be the last.

// SetBack is to be called when the store turns out to be older than what others know of this node. All groups
// are members no more and say so, until they are admitted again or begin anew. The error is of the store; it may be called again then.
func (s *Groups) SetBack() error {
	var errs []error
	for _, g := range s.All() {
		if err := g.setBack(); err != nil {
			errs = append(errs, fmt.Errorf("log %s is older than it was: %w", show(g.log), err))
		}
	}
	return errors.Join(errs...)
}

func (g *Group) setBack() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.st.state.gone() {
		return nil
	}
	return g.markStale()
}

func (g *Group) markStale() error {
	err := g.update(func(*storage.Tx) error {
		g.st.state.stale, g.st.dirty = true, true
		return nil
	})
	if err != nil {
		g.fail(err)
		return err
	}
	err = g.load(ErrClosed)
	g.show()
	return err
}

// Sure ends Config.Unsure.
func (s *Groups) Sure() {
	if !s.unsure.Swap(false) {
		return
	}
	for _, g := range s.All() {
		g.start()
	}
	s.kick()
}

// unsure reports whether this member must not take part yet. Alone, it cannot have been part of more.
func (g *Group) unsure() bool { return g.s.unsure.Load() && !g.st.state.alone() }

// tickStale tells the others now and then that this member is to be admitted anew, or learns from them that it is none.
func (g *Group) tickStale() {
	if g.clock++; g.clock%g.s.cfg.ElectionTicks != 1 {
		return
	}
	for _, m := range g.st.state.members {
		if m.id != g.st.state.id {
			g.put(m.peer, g.head(m.id, flagLost), false)
		}
	}
}

// receiveStale works on a part for a member that is none until it is admitted anew.
func (g *Group) receiveStale(from string, p *part) {
	st := &g.st.state
	if m := st.member(p.from); p.flags&flagGone != 0 && m != nil && m.peer == from {
		g.leave()
		return
	}
	if len(p.messages) > 0 {
		g.put(from, part{log: p.log, epoch: p.epoch, from: p.to, to: p.from, flags: flagLost}, false)
	}
}
