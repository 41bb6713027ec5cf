package p2p

import (
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/p2p/roster"
)

// guest is what can be told to a node.
type guest struct {
	capacity, reach atomic.Uint32
	takes           atomic.Bool
}

// startGuest starts a node beside another one.
func startGuest(t *testing.T, takes bool) (n, other *runningNode, g *guest) {
	t.Helper()
	g = new(guest)
	g.capacity.Store(1)
	g.reach.Store(uint32(roster.ReachPublic))
	g.takes.Store(takes)
	other = start(t, quickTimes())
	n = startAs(t, quickTimes(), nil, 1, func(c *Config) {
		c.Capacity = func() uint8 { return uint8(g.capacity.Load()) }
		c.Reach = func() roster.Reach { return roster.Reach(g.reach.Load()) }
		c.Takes = g.takes.Load
	}, other)
	until(t, "they meet", func() bool { return unitsOf(other, n) == 1 })
	return n, other, g
}

// unitsOf is how many a node owns as another one sees it.
func unitsOf(n, seenBy *runningNode) int { return seenBy.Members.Ring().Units(string(n.self)) }

// Who cannot take domains over begins to own nothing; what it owns it keeps, also while it is not known yet
// from where it can be reached.
func TestOwn_BeginsWhenItTakes(t *testing.T) {
	n, other, g := startGuest(t, false)
	if err := n.issue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := unitsOf(n, n); got != 0 {
		t.Errorf("it owns %d units though it takes none", got)
	}
	g.takes.Store(true)
	if err := n.issue(t.Context()); err != nil {
		t.Fatal(err)
	}
	until(t, "it owns", func() bool { return unitsOf(n, other) == 1 })
	g.takes.Store(false)
	g.reach.Store(uint32(roster.ReachUnknown))
	if err := n.issue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, ok := n.Members.Roster.Get(n.self); !ok || m.Capacity != 1 || m.Reach != roster.ReachPublic ||
		len(m.Addrs) == 0 {
		t.Errorf("soon after the start its record says %d units, reach %v, %d addresses", m.Capacity, m.Reach,
			len(m.Addrs))
	}
}
