package oldgroup

import (
	"fmt"
	"testing"
	"time"
)

// follow makes a group of three in which b has applied everything.
func (n *network) follow(t *testing.T) (a, b *node) {
	t.Helper()
	n.found("a", "b", "c")
	if err := n.node("a").propose("first"); err != nil {
		t.Fatal(err)
	}
	n.same("a", "b", "c")
	return n.node("a"), n.node("b")
}

// proposeAll proposes entries one by one, which a follower all has to be told of.
func (x *node) proposeAll(t *testing.T, entries int) {
	t.Helper()
	for i := range entries {
		if err := x.propose(fmt.Sprintf("entry %d of %s", i, x.name)); err != nil {
			t.Fatal(err)
		}
	}
}

// A follower applies entries later, together, and has them all when the log falls quiet.
func TestGroup_FollowersApplyTogether(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		a, b := n.follow(t)
		before := b.group().Status().Applied
		stood, last := 0, before
		for range deferEntries - 2 {
			if err := a.propose("more"); err != nil {
				t.Fatal(err)
			}
			if now := b.group().Status().Applied; now != last {
				stood, last = stood+1, now
			}
		}
		if stood > 2 {
			t.Errorf("%d entries were applied in %d transactions", deferEntries-2, stood)
		}
		n.await(time.Minute, "all quiet", func() bool { return b.group().Status().Quiet })
		if got, want := b.group().Status().Applied, a.group().Status().Applied; got != want {
			t.Errorf("quiet with %d entries applied of %d", got, want)
		}
		if got, want := len(entries(t, b.db, testLog)), deferEntries-1; got != want {
			t.Errorf("%d entries, want %d", got, want)
		}
	})
}

// They do not wait forever while the log is in use.
func TestGroup_FollowersApplyInTime(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		a, b := n.follow(t)
		for range 3 * deferTicks {
			if err := a.propose("now and then"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(a.group().s.cfg.Tick)
			missing := a.group().Status().Applied - b.group().Status().Applied
			if missing > deferTicks+2 {
				t.Fatalf("%d entries are not applied", missing)
			}
		}
	})
}

// What is deferred is applied before anything else that a member who is elected does, and not lost by a crash.
func TestGroup_DeferredOutlastCrashes(t *testing.T) {
	for name, after := range map[string]func(n *network){
		"the leader's":   func(n *network) { n.node("a").crash() },
		"the follower's": func(n *network) { n.node("b").crash(); n.node("b").start(); n.node("a").crash() },
		"all": func(n *network) {
			for _, name := range n.names() {
				n.node(name).crash()
			}
			n.node("b").start()
			n.node("c").start()
		},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				a, b := n.follow(t)
				a.proposeAll(t, 12)
				if b.group().Status().Applied == a.group().Status().Applied {
					t.Fatal("nothing is deferred")
				}
				want := entries(t, a.db, testLog)
				after(n)
				leader := n.leader(time.Minute)
				got := entries(t, leader.db, testLog)
				if len(got) < len(want) || fmt.Sprint(got[:len(want)]) != fmt.Sprint(want) {
					t.Errorf("who leads now has %q, want %q", got, want)
				}
				if err := leader.propose("after"); err != nil {
					t.Fatal(err)
				}
				n.same("b", "c")
			})
		})
	}
}

// A node that ends in good order has applied what it knows of, and so has one that copies the log or takes in a
// change of its members.
func TestGroup_DeferredEndWithARun(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		a, b := n.follow(t)
		a.proposeAll(t, 12)
		committed := b.group().Status().Committed
		b.stop()
		<-b.done
		if got := b.group().Status().Applied; got != committed {
			t.Errorf("ended with %d entries applied, knew of %d", got, committed)
		}
		b.shut()
		b.start()
		a.proposeAll(t, 6)
		n.add("d")
		n.join(a.group(), "d")
		if got := len(b.group().Status().Members); got != 4 {
			t.Errorf("%d members are known, want 4", got)
		}
		n.same("a", "b", "c", "d")
	})
}

// Large entries are not kept in memory for long.
func TestGroup_LargeEntriesAreNotDeferred(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		a, b := n.follow(t)
		large := string(make([]byte, deferBytes/4))
		for range 12 {
			if err := a.propose(large); err != nil {
				t.Fatal(err)
			}
			if got := b.group().deferredBytes(); got > deferBytes {
				t.Fatalf("%d bytes are deferred", got)
			}
		}
		n.same("a", "b", "c")
	})
}

func (g *Group) deferredBytes() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.deferred.bytes
}
