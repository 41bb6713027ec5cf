package oldgroup

import (
	"fmt"

	"github.com/forage-net/forage/storage"
)

// Inherit takes up a log that the store holds under the name of another owner, as this node's, which becomes the
// only member: the node has another identity than when it kept that log, and nobody will know it for a member. The log goes on with all entries it has, in
// an epoch that must be one that nobody has had. first brings what it begins with into the machine's state, in the same transaction; it is given the other members. A
// state that is not complete, since it was being copied, is dropped. The errors are ErrUnknown, ErrExists, and those of the store and of first.
func (s *Groups) Inherit(log, bucket string, m Machine, e Epoch, first func(tx *storage.Tx, others []string) error) (*Group, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if err := s.free(log, bucket); err != nil {
		return nil, fmt.Errorf("inherit log %s: %w", show(log), err)
	}
	g := newGroup(s, log, bucket, m)
	if err := g.inherit(e, first); err != nil {
		return nil, fmt.Errorf("inherit log %s: %w", show(log), err)
	}
	return s.open(log, bucket, m)
}

func (g *Group) inherit(e Epoch, first func(tx *storage.Tx, others []string) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.st.load(); err != nil {
		return err
	}
	st := &g.st.state
	var others []string
	for _, m := range st.members {
		if m.id != st.id {
			others = append(others, m.peer)
		}
	}
	err := g.inheritIn(e, first, others, true)
	if err != nil && st.copying { // what was mended may lack what entries are about
		if err = g.st.load(); err == nil {
			err = g.inheritIn(e, first, others, false)
		}
	}
	return err
}

func (g *Group) inheritIn(e Epoch, first func(tx *storage.Tx, others []string) error, others []string, rest bool) error {
	st := &g.st.state
	return g.update(func(tx *storage.Tx) error {
		partial := st.copying && !st.mended
		st.next = max(st.next, st.id+1) // who has only begun to copy does not know
		if partial {
			if err := g.machine.Wipe(tx); err != nil {
				return err
			}
		}
		err := g.found(tx, func(tx *storage.Tx) error { return first(tx, others) }, rest && !partial)
		st.log, st.epoch, g.st.dirty = g.log, e, true
		return err
	})
}
