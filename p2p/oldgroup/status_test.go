package oldgroup

import "testing"

// While a commit holds the group, a glance shows how it stood before.
func TestGroup_GlanceDoesNotWait(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		g := n.node("a").group()
		if s := g.Glance(); !s.Leads || len(s.Members) != 3 {
			t.Errorf("at first: %+v", s)
		}
		g.mu.Lock()
		s := g.Glance()
		g.mu.Unlock()
		if !s.Leads || len(s.Members) != 3 {
			t.Errorf("while it is busy: %+v", s)
		}
	})
}
