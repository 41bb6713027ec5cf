package oldgroup

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// nothing is what a log begins anew with here.
func nothing(*storage.Tx) error { return nil }

func TestGroup_BeginsAnew(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(10)
		n.same("a", "b", "c")
		n.node("a").crash()
		n.node("b").crash()
		c := n.node("c")
		full := errors.New("no room")
		if err := c.group().BeginAnew(t.Context(), func(*storage.Tx) error { return full }); !errors.Is(err, full) {
			t.Errorf("what it begins with finds no room: %v", err)
		}
		if st := c.group().Status(); st.Leads || st.Epoch != (Epoch{}) || len(st.Members) != 3 {
			t.Errorf("it has not begun: %+v", st)
		}
		if err := c.group().BeginAnew(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
		if st := c.group().Status(); !st.Leads || st.Epoch != (Epoch{1, "c"}) || len(st.Members) != 1 || st.ID != 4 {
			t.Errorf("anew: %+v", st)
		}
		if err := c.propose("anew"); err != nil {
			t.Fatal(err)
		}
		// The others come back, and are told.
		n.node("a").start()
		n.node("b").start()
		n.await(time.Minute, "a leads the old epoch", n.node("a").group().Leads)
		c.crash()
		c.start()
		if g := c.group(); !g.Knew("a") || !g.Knew("b") || !g.Knew("c") || g.Knew("d") {
			t.Errorf("whom it knows as members, now or once: a %v, b %v, c %v, d %v", g.Knew("a"), g.Knew("b"), g.Knew("c"), g.Knew("d"))
		}
		old := part{log: testLog, from: 1, to: 3, flags: flagHello}
		answer, err := c.groups.Deliver(t.Context(), "a", encodePacket([]*part{&old}))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.node("a").groups.answered("c", []*part{&old}, answer); err != nil {
			t.Fatal(err)
		}
		n.await(time.Second, "a is told", func() bool {
			a := n.node("a")
			a.mu.Lock()
			defer a.mu.Unlock()
			return slices.Contains(a.epochs, Epoch{1, "c"})
		})
		// Having merged, it drops its own and becomes a member.
		for _, name := range []string{"a", "b"} {
			if err := n.node(name).group().Drop(); err != nil {
				t.Fatal(err)
			}
		}
		n.tendUntil([]string{"c", "a"}, func(st Status) bool { return len(peersOf(st)) == 2 })
		n.await(time.Minute, "a knows whom the log had as members", func() bool { return n.node("a").group().Knew("b") })
		n.tendUntil([]string{"c", "a", "b"}, func(st Status) bool { return len(peersOf(st)) == 3 })
		if got := n.same("a", "b", "c"); len(got) != 11 {
			t.Errorf("%d entries, want 11", len(got))
		}
		if e := n.node("a").group().Epoch(); e != (Epoch{1, "c"}) {
			t.Errorf("epoch %v", e)
		}
	})
}

// Entries that are not known to be committed where the log begins anew are in it: the others may have committed them,
// and said so.
func TestGroup_BeginsAnewWithAllItHas(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(3)
		n.settle()
		n.isolate("a", true)
		go n.node("a").propose("not committed")
		time.Sleep(time.Second)
		a := n.node("a")
		if st := a.group().Status(); st.Last == st.Applied {
			t.Fatalf("%+v", st)
		}
		if err := a.group().BeginAnew(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
		if err := a.propose("anew"); err != nil {
			t.Fatal(err)
		}
		a.crash()
		a.start()
		if got := entries(t, a.db, testLog); !slices.Equal(got[3:], []string{"not committed", "anew"}) {
			t.Errorf("entries %q", got)
		}
	})
}

func TestGroup_DropEndsIt(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		g := n.node("a").group()
		if err := g.Drop(); err != nil {
			t.Fatal(err)
		}
		if err := g.Propose(t.Context(), []byte("x"), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("proposal: %v", err)
		}
		if err := g.Drop(); err != nil {
			t.Errorf("again: %v", err)
		}
		n.await(time.Second, "a is told", func() bool { return slices.Equal(n.node("a").ledLog(), []bool{true, false}) })
		x := n.leader(time.Minute)
		n.await(2*time.Minute, "a known to be lost", func() bool {
			return slices.ContainsFunc(x.group().Status().Members, func(m Member) bool { return m.Peer == "a" && m.Lost })
		})
	})
}

func TestEpoch_Compare(t *testing.T) {
	order := []Epoch{{}, {1, "a"}, {1, "b"}, {2, "a"}}
	for i, a := range order {
		for k, b := range order {
			want := 0
			if i < k {
				want = -1
			} else if i > k {
				want = 1
			}
			if got := a.Compare(b); got != want {
				t.Errorf("%v and %v: %d, want %d", a, b, got, want)
			}
		}
	}
}

// A member that was removed begins anew with all it had, once the others have ended the log.
func TestGroup_RemovedBeginsAnew(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(10)
		n.same("a", "b", "c")
		a, c := n.node("a"), n.node("c")
		n.await(time.Minute, "a leads", a.group().Leads)
		if err := a.group().Remove(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Minute, "c is removed", func() bool { return c.group().Status().Removed })
		if !c.group().Shared() {
			t.Error("it believes that it keeps the log alone")
		}
		c.crash()
		a.crash()
		n.node("b").crash()
		c.start()
		if err := c.group().BeginAnew(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
		if st := c.group().Status(); !st.Leads || st.Removed || st.Epoch != (Epoch{1, "c"}) || len(st.Members) != 1 {
			t.Errorf("anew: %+v", st)
		}
		if got := n.same("c"); len(got) != 10 {
			t.Errorf("it has %d entries, want 10", len(got))
		}
		if err := c.propose("anew"); err != nil {
			t.Error(err)
		}
		c.crash()
		c.start()
		n.await(time.Minute, "it leads", c.group().Leads)
	})
}
