package oldgroup

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// tendUntil calls Tend on who leads until the status is as wanted, and returns what was
// done.
func (n *network) tendUntil(goal []string, is func(st Status) bool) (did []string) {
	n.t.Helper()
	for end := time.Now().Add(10 * time.Minute); ; time.Sleep(time.Second) {
		x := n.leader(time.Minute)
		if is(x.group().Status()) {
			return did
		}
		if time.Now().After(end) {
			n.t.Fatalf("not as wanted: %+v, done %q", x.group().Status(), did)
		}
		if what := n.tend(x, goal, true); what != "" {
			did = append(did, what)
		}
	}
}

func (n *network) tend(x *node, goal []string, hurry bool) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	did, err := x.group().Tend(ctx, goal, func(peer string) bool { return n.node(peer) != nil && n.node(peer).isUp() }, hurry)
	if err != nil && !errors.Is(err, ErrNotLeader) {
		n.t.Logf("tend: %v", err)
	}
	return did
}

// demote makes a voter a learner, when those who do without it are known to follow.
func (n *network) demote(g *Group, peer string) (err error) {
	n.t.Helper()
	n.await(time.Minute, "the vote of "+peer+" is not needed", func() bool {
		err = g.Demote(n.t.Context(), peer)
		return !errors.Is(err, ErrBusy)
	})
	return err
}

func peersOf(st Status) (peers []string) {
	for _, m := range st.Members {
		if m.Voter {
			peers = append(peers, m.Peer)
		}
	}
	slices.Sort(peers)
	return peers
}

func TestTend_GrowsToThree(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(10)
		n.add("b", "c")
		did := n.tendUntil([]string{"a", "b", "c"}, func(st Status) bool { return len(peersOf(st)) == 3 })
		if want := []string{"add b", "promote b", "add c", "promote c"}; !slices.Equal(did, want) {
			t.Errorf("steps %q, want %q", did, want)
		}
		n.same("a", "b", "c")
		if did := n.tend(n.node("a"), []string{"a", "b", "c"}, true); did != "" {
			t.Errorf("at the goal it does %q", did)
		}
	})
}

// A member is replaced by one more that comes before it goes.
func TestTend_ReplacesAMember(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.add("d")
		least := 3
		did := n.tendUntil([]string{"a", "b", "d"}, func(st Status) bool {
			least = min(least, len(peersOf(st)))
			return slices.Equal(peersOf(st), []string{"a", "b", "d"})
		})
		if want := []string{"add d", "promote d", "remove c, for which there is another"}; !slices.Equal(did, want) || least < 3 {
			t.Errorf("steps %q, want %q, with at least %d voters", did, want, least)
		}
		n.await(time.Second, "c knows", func() bool { return n.node("c").group().Status().Removed })
		c := n.node("c")
		if err := c.group().Propose(t.Context(), []byte("x"), nil); !errors.Is(err, ErrClosed) {
			t.Errorf("proposal to one that was removed: %v", err)
		}
		n.await(time.Second, "c is told", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.dropped == 1 })
		c.shut()
		c.start()
		n.await(time.Second, "c is told again", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.dropped == 2 })
		if err := c.group().Drop(); err != nil {
			t.Fatal(err)
		}
		if logs, err := List(c.db); err != nil || len(logs) > 0 || c.wiped != 1 || c.group() != nil {
			t.Errorf("after Drop: %v, %v, wiped %d times", logs, err, c.wiped)
		}
		n.tendUntil([]string{"a", "b", "c"}, func(st Status) bool { return slices.Equal(peersOf(st), []string{"a", "b", "c"}) })
		n.same("a", "b", "c")
	})
}

// A member that was removed while it was away, and is wanted again, gets a new ID and
// the state again.
func TestTend_TakesAMemberBack(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(10)
		n.node("c").crash()
		n.add("d")
		n.tendUntil([]string{"a", "b", "d"}, func(st Status) bool { return slices.Equal(peersOf(st), []string{"a", "b", "d"}) })
		n.node("a").fill(10)
		n.tendUntil([]string{"a", "b", "c"}, func(st Status) bool {
			if !n.node("c").isUp() && len(st.Members) == 3 {
				n.node("c").start()
			}
			return slices.Equal(peersOf(st), []string{"a", "b", "c"})
		})
		if got := n.same("a", "b", "c"); len(got) != 20 {
			t.Errorf("%d entries", len(got))
		}
	})
}

func TestTend_HandsOverToTheFirst(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		did := n.tendUntil([]string{"b", "a", "c"}, func(st Status) bool { return st.Leader == "b" })
		if want := []string{"hand over to b"}; !slices.Equal(did, want) {
			t.Errorf("steps %q, want %q", did, want)
		}
		// One that is not wanted any more hands over before it goes.
		did = n.tendUntil([]string{"a", "c"}, func(st Status) bool { return len(peersOf(st)) == 2 })
		if want := []string{"hand over to a", "remove b, for which there is another"}; !slices.Equal(did, want) {
			t.Errorf("steps %q, want %q", did, want)
		}
	})
}

// What is only better is done at most so often.
func TestTend_WaitsBetweenChangesThatCanWait(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.add("d", "e")
		a := n.node("a")
		n.tendUntil([]string{"a", "b", "d"}, func(st Status) bool { return slices.Equal(peersOf(st), []string{"a", "b", "d"}) })
		goal := []string{"a", "b", "e"}
		began := time.Now()
		for n.tend(a, goal, false) == "" {
			time.Sleep(time.Second)
		}
		if waited := time.Since(began); waited < 9*time.Minute || waited > 11*time.Minute {
			t.Errorf("the next change came after %v", waited)
		}
	})
}

func TestTend_DoesNothingThatCostsTheMajority(t *testing.T) {
	alive := func(names ...string) map[string]bool {
		m := make(map[string]bool)
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	voter := func(peer string) Member { return Member{Peer: peer, Voter: true, Matched: 10, Active: true} }
	learner := func(peer string) Member { return Member{Peer: peer, Matched: 10, Active: true} }
	lost := func(m Member) Member { m.Lost, m.Active = true, false; return m }
	for name, c := range map[string]struct {
		members []Member
		goal    []string
		alive   map[string]bool
		want    string
	}{
		"no majority": {[]Member{voter("a"), voter("b"), voter("c")}, []string{"a", "d", "e"}, alive("a", "d", "e"), ""},
		"one of two remains": {
			[]Member{voter("a"), voter("b"), voter("c")}, []string{"a", "b"}, alive("a", "c"), "",
		},
		"one that is out goes first":   {[]Member{voter("a"), voter("b"), voter("c")}, []string{"a", "b"}, alive("a", "b"), "remove c, for which there is another"},
		"it stays until another is in": {[]Member{voter("a"), voter("b"), voter("c")}, []string{"a", "b", "d"}, alive("a", "b", "c"), ""},
		"one that is out goes though the next is not there": {
			[]Member{voter("a"), voter("b"), voter("c")}, []string{"a", "b", "d"}, alive("a", "b"), "remove c, for which there is another",
		},
		"a learner that has everything": {
			[]Member{voter("a"), voter("b"), learner("c")}, []string{"a", "b", "c"}, alive("a", "b", "c"), "promote c",
		},
		"a learner that is away waits": {[]Member{voter("a"), voter("b"), learner("c")}, []string{"a", "b", "c"}, alive("a", "b"), ""},
		"lost":                         {[]Member{voter("a"), voter("b"), lost(voter("c"))}, []string{"a", "b", "c"}, alive("a", "b"), "remove c, which lost what it had"},
		"lost, one of two":             {[]Member{voter("a"), lost(voter("c"))}, []string{"a", "c"}, alive("a"), ""},
		"lost learner":                 {[]Member{voter("a"), lost(learner("c"))}, []string{"a", "c"}, alive("a"), "remove c, which lost what it had"},
		"learner not wanted":           {[]Member{voter("a"), learner("c")}, []string{"a"}, alive("a", "c"), "remove c, which is not wanted"},
		"two are short":                {[]Member{voter("a")}, []string{"a", "b", "c"}, alive("a", "c"), "add c"},
		"one at a time":                {[]Member{voter("a"), {Peer: "b", Active: true}}, []string{"a", "b", "c"}, alive("a", "b", "c"), ""},
		"the leader goes last":         {[]Member{voter("a"), voter("b"), voter("c"), voter("d")}, []string{"b", "c", "d"}, alive("a", "b", "c", "d"), "hand over to b"},
		"the first is away, and this one in goal": {
			[]Member{voter("a"), voter("b"), voter("c")}, []string{"b", "a", "c"}, alive("a", "c"), "",
		},
		"too many": {
			[]Member{voter("a"), voter("b"), voter("c"), voter("d"), voter("e"), learner("f")}, []string{"a", "b", "f"}, alive("a", "b", "c", "d", "e", "f"),
			"remove c, for which there is another",
		},
	} {
		c.alive["a"] = true
		tend := tending{goal: c.goal, st: Status{Members: c.members, Last: 10}, self: "a", alive: c.alive, soon: true}
		if got := tend.step().name; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	lags := tending{goal: []string{"a", "b"}, st: Status{Members: []Member{voter("a"), learner("b")}, Last: 10 + caughtUp + 1}, self: "a", alive: alive("a", "b")}
	if got := lags.step().name; got != "" {
		t.Errorf("a learner that lags: %q", got)
	}
}

// A member keeps its vote while the others could commit nothing without it: one of them answers, but takes no entries.
func TestDemote_NotWhileTheOthersDoNotFollow(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.node("c").breakDisk(true)
		n.node("a").fill(2 * caughtUp)
		a := n.node("a").group()
		if err := a.Demote(t.Context(), "b"); !errors.Is(err, ErrBusy) {
			t.Errorf("the vote of one is taken that is needed: %v", err)
		}
		if did := n.tend(n.node("a"), []string{"a", "c"}, true); did != "" {
			t.Errorf("%s, while that is needed", did)
		}
		if err := n.demote(a, "c"); err != nil {
			t.Errorf("the vote of one is not taken that does not follow: %v", err)
		}
		if err := a.Promote(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		n.node("c").breakDisk(false)
		n.await(time.Minute, "all follow", func() bool { s := a.Status(); return s.follows("c") })
		if err := n.demote(a, "b"); err != nil {
			t.Errorf("the vote of one is not taken that is not needed: %v", err)
		}
		if err := n.node("a").propose("later"); err != nil {
			t.Errorf("the others do not go on: %v", err)
		}
	})
}

// What was proposed by a leader that was cut off is not waited for when it leads again.
func TestChange_LostWithTheLead(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.isolate("a", true)
		for range 40 { // none of them is ever committed
			go n.node("a").propose("lost")
		}
		lost := make(chan error, 1)
		go func() {
			time.Sleep(time.Second)
			lost <- n.node("a").group().Demote(t.Context(), "b")
		}()
		n.await(time.Minute, "it knows that it is cut off", func() bool { return !n.node("a").group().Leads() })
		if err := n.node("b").group().Campaign(); err != nil {
			t.Fatal(err)
		}
		b := n.leader(time.Minute)
		if err := b.propose("kept"); err != nil {
			t.Fatal(err)
		}
		n.isolate("a", false)
		if err := <-lost; err == nil {
			t.Error("what was lost is acknowledged")
		}
		n.same("a", "b", "c")
		if err := b.group().Transfer(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Minute, "it leads again", func() bool { return n.node("a").group().Leads() })
		n.await(10*time.Second, "a change of members by who leads again", func() bool { return n.node("a").group().Demote(t.Context(), "c") == nil })
	})
}
