package oldgroup

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// backup has members, of which one was down for a moment, and has been back for long; a copy of its disk is kept.
func (n *network) backup(of string, names ...string) {
	n.t.Helper()
	n.found(names...)
	if err := n.leader(time.Minute).propose("first"); err != nil {
		n.t.Fatal(err)
	}
	n.settle()
	x := n.node(of)
	x.crash()
	x.keepOld()
	x.start()
	n.leader(time.Minute)
	n.settle()
}

// restore makes the disk of a member what it was, at a moment when it is down.
func (n *network) restore(name string) {
	n.t.Helper()
	n.node(name).crash()
	n.node(name).setBack()
	n.node(name).start()
}

// regroup leads the group until all of goal are voters and have everything, and one has been admitted anew.
func (n *network) regroup(anew string, goal ...string) {
	n.t.Helper()
	n.tendUntil(goal, func(st Status) bool {
		is := slices.ContainsFunc(st.Members, func(m Member) bool { return m.Peer == anew && m.ID > 3 })
		return is && st.Whole && len(st.Members) == len(goal) && slices.Equal(peersOf(st), goal)
	})
}

// What two of three have acknowledged stays, though one of the two is set back and the other dies: the one that was set back
// has no vote until it is taken in again.
func TestSetBack_WhatWasAcknowledgedStays(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.backup("b", "a", "b", "c")
		n.isolate("c", true)
		a, b := n.node("a"), n.node("b")
		if err := a.propose("acknowledged"); err != nil {
			t.Fatal(err)
		}
		n.restore("b")
		a.crash()
		n.isolate("c", false)
		for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(time.Second) {
			b.group().LeaderDown()
			n.node("c").group().LeaderDown()
			n.node("c").group().Campaign()
			if err := b.group().Campaign(); !errors.Is(err, ErrClosed) {
				t.Fatalf("it stands for election: %v", err)
			}
			if b.group().Leads() || n.node("c").group().Leads() {
				t.Fatal("a leader without the one that has everything")
			}
		}
		if st := b.group().Status(); !st.Stale || !st.Removed || st.Leader != "" {
			t.Errorf("it is %+v", st)
		}
		a.start()
		n.regroup("b", "a", "b", "c")
		if got, want := n.same("a", "b", "c"), []string{"first", "acknowledged"}; !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}
		if st := b.group().Status(); st.Stale || st.ID <= 3 {
			t.Errorf("it is a member again as %+v", st)
		}
	})
}

// A log in which nothing happens learns of it too, and so does one that was led by who was set back. What is kept
// of a member that was set back outlives its next start.
func TestSetBack_QuietLog(t *testing.T) {
	for _, who := range []string{"a", "b"} {
		t.Run(who, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.backup(who, "a", "b", "c")
				for i := range 5 {
					if err := n.leader(time.Minute).propose(fmt.Sprint(i)); err != nil {
						t.Fatal(err)
					}
				}
				n.settle()
				n.restore(who)
				x := n.node(who)
				x.crash()
				x.start()
				if !x.group().Status().Stale {
					t.Error("it takes itself for a member after the next start")
				}
				if who == "a" {
					n.node("b").group().LeaderDown()
					n.node("c").group().LeaderDown()
					if err := n.node("b").group().Campaign(); err != nil {
						t.Fatal(err)
					}
				}
				n.regroup(who, "a", "b", "c")
				if got := n.same("a", "b", "c"); len(got) != 6 {
					t.Errorf("entries %q", got)
				}
			})
		})
	}
}

// If nobody has told it, the leader does, which counts on entries that the member has no more.
func TestSetBack_LeaderShowsIt(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.quietLog = true
		n.backup("b", "a", "b", "c")
		for i := range 5 {
			if err := n.leader(time.Minute).propose(fmt.Sprint(i)); err != nil {
				t.Fatal(err)
			}
		}
		n.settle()
		b := n.node("b")
		b.crash()
		b.setBack()
		b.older = false
		b.start()
		n.await(time.Minute, "it knows", func() bool { return b.group().Status().Stale })
		n.regroup("b", "a", "b", "c")
		if got := n.same("a", "b", "c"); len(got) != 6 {
			t.Errorf("entries %q", got)
		}
	})
}

// Nobody takes part before it is known whether its store is what it was.
func TestUnsure_TakesNoPart(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		for _, name := range []string{"a", "b", "c"} {
			n.node(name).crash()
		}
		n.unsure = true
		for _, name := range []string{"a", "b", "c"} {
			n.node(name).start()
		}
		packets, _ := n.sent()
		for range 60 {
			time.Sleep(time.Second)
			for _, name := range []string{"a", "b", "c"} {
				g := n.node(name).group()
				g.LeaderDown()
				if err := g.Campaign(); !errors.Is(err, ErrBusy) {
					t.Fatalf("%s stands for election: %v", name, err)
				}
				if err := n.node(name).propose("x"); !errors.Is(err, ErrBusy) {
					t.Fatalf("%s takes an entry: %v", name, err)
				}
			}
		}
		if now, _ := n.sent(); now != packets {
			t.Errorf("%d packets were sent", now-packets)
		}
		for _, name := range []string{"a", "b", "c"} {
			n.node(name).groups.Sure()
		}
		if err := n.leader(time.Minute).propose("x"); err != nil {
			t.Error(err)
		}
	})
}

// Who is the only one left begins anew with what it has, under an epoch that it cannot have begun before.
func TestSetBack_BeginsAnew(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.backup("b", "a", "b", "c")
		b := n.node("b")
		anew := func() Epoch {
			t.Helper()
			if err := b.group().BeginAnew(t.Context(), func(*storage.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
			return b.group().Epoch()
		}
		n.node("a").crash()
		n.node("c").crash()
		first := anew()
		if err := b.propose("one"); err != nil {
			t.Fatal(err)
		}
		n.restore("b")
		if second := anew(); second.Compare(first) <= 0 || second.Number != uint64(time.Now().UnixMilli()) {
			t.Errorf("epoch %+v after %+v", second, first)
		}
		if err := b.propose("other"); err != nil {
			t.Error(err)
		}
		if got, want := entries(t, b.db, testLog), []string{"first", "other"}; !slices.Equal(got, want) {
			t.Errorf("entries %q, want %q", got, want)
		}
	})
}

// Who was replaced meanwhile learns of it, and its copy ends.
func TestSetBack_WasReplaced(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.backup("b", "a", "b", "c")
		n.add("d")
		n.node("b").crash()
		n.regroup("d", "a", "c", "d")
		n.node("b").setBack()
		n.node("b").start()
		n.await(time.Minute, "it knows that it was removed", func() bool {
			x := n.node("b")
			x.mu.Lock()
			defer x.mu.Unlock()
			return x.dropped == 1
		})
		if st := n.node("b").group().Status(); !st.Removed {
			t.Errorf("it is %+v", st)
		}
	})
}
