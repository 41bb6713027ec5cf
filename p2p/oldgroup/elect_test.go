package oldgroup

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

const roundTrip = 20 * time.Millisecond // of the networks of simulate

// settle waits until the group is quiet everywhere.
func (n *network) settle() {
	n.t.Helper()
	n.await(2*time.Minute, "quiet everywhere", func() bool {
		for _, name := range n.names() {
			if x := n.node(name); x.isUp() && x.group() != nil && !x.group().Status().Quiet {
				return false
			}
		}
		return true
	})
}

func TestGroup_ElectsWithinTwoRoundTripsWhenTold(t *testing.T) {
	for _, order := range []string{"all know before one stands", "one stands before the other knows"} {
		t.Run(order, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.found("a", "b", "c")
				n.settle()
				n.node("a").crash()
				b, c := n.node("b").group(), n.node("c").group()
				if order == "all know before one stands" {
					b.LeaderDown()
					c.LeaderDown()
					if err := b.Campaign(); err != nil {
						t.Fatal(err)
					}
				} else {
					if err := b.Campaign(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(3 * time.Second)
					c.LeaderDown()
				}
				began := time.Now()
				n.await(time.Minute, "b known to lead", func() bool { return b.isLeaderNow() })
				// The wait looks every 5 ms.
				if took := time.Since(began); took > 2*roundTrip+5*time.Millisecond {
					t.Errorf("elected after %v, want two round trips of %v", took, roundTrip)
				}
				n.await(time.Minute, "b leads", b.Leads)
				if took := time.Since(began); took > 3*roundTrip+10*time.Millisecond {
					t.Errorf("leads after %v, want three round trips of %v", took, roundTrip)
				}
			})
		})
	}
}

func (g *Group) isLeaderNow() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isLeader()
}

func TestGroup_ElectsByItselfWhenNobodyTellsIt(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		for range 30 { // a log in use, so that no clock stands
			if err := n.node("a").propose("x"); err != nil {
				t.Fatal(err)
			}
		}
		n.node("a").crash()
		began := time.Now()
		x := n.leader(5 * time.Minute)
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("%s leads after %v", x.name, took)
		}
	})
}

// A leader that is there keeps what it has when one member takes it for down.
func TestGroup_OneMistakenMemberChangesNothing(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		_, term := n.node("a").group().Leader()
		n.node("b").group().LeaderDown()
		if err := n.node("b").group().Campaign(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if peer, now := n.node("b").group().Leader(); peer != "a" || now != term {
			t.Errorf("%s leads in term %d, want a in %d", peer, now, term)
		}
		if got := n.node("a").ledLog(); len(got) != 1 {
			t.Errorf("leadership told: %v", got)
		}
	})
}

// A leader that is restarted before anyone has missed it leads again.
func TestGroup_RestartedLeaderLeadsAgain(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.node("a").crash()
		time.Sleep(time.Second)
		n.node("a").start()
		began := time.Now()
		n.await(time.Minute, "a leads", n.node("a").group().Leads)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it leads after %v", took)
		}
	})
}

func TestGroup_TransferTakesOneRound(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		began := time.Now()
		if err := n.node("a").group().Transfer(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		// Word to b, its votes, and word of it.
		if took := time.Since(began); took > 2*roundTrip+5*time.Millisecond {
			t.Errorf("handed over in %v", took)
		}
		n.await(time.Second, "b leads", n.node("b").group().Leads)
		err := n.node("a").propose("x")
		if !errors.Is(err, ErrNotLeader) || LeaderOf(err) != "b" {
			t.Errorf("proposal: %v, leader %q", err, LeaderOf(err))
		}
		if got := n.node("a").ledLog(); !slices.Equal(got, []bool{true, false}) {
			t.Errorf("a was told %v", got)
		}
	})
}

// Who has just become a voter can take over, though it may not know of it yet.
func TestGroup_TransferToNewVoter(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		began := time.Now()
		if err := n.node("a").group().Transfer(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 5*roundTrip {
			t.Errorf("handed over in %v", took)
		}
	})
}

func TestGroup_TransferToOneThatIsDownComesToNothing(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.node("b").crash()
		a := n.node("a")
		began := time.Now()
		if err := a.group().Transfer(t.Context(), "b"); !errors.Is(err, ErrBusy) {
			t.Errorf("handing over: %v, want %v", err, ErrBusy)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("it took %v to know", took)
		}
		if err := a.propose("x"); err != nil {
			t.Errorf("proposal afterwards: %v", err)
		}
		if err := a.group().Transfer(t.Context(), "d"); !errors.Is(err, ErrNoMember) {
			t.Errorf("handing over to a stranger: %v", err)
		}
		n.isolate("c", true)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		if err := a.group().Transfer(ctx, "c"); !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, ErrBusy) {
			t.Errorf("handing over with a deadline: %v", err)
		}
	})
}

func TestGroup_LeaderCutOffStepsDown(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.isolate("a", true)
		a := n.node("a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := a.group().Propose(ctx, []byte("lost"), nil); !errors.Is(err, ErrLost) {
			t.Errorf("proposal of a leader without followers: %v, want %v", err, ErrLost)
		}
		n.node("b").group().LeaderDown()
		n.node("c").group().LeaderDown()
		n.node("c").group().Campaign()
		n.await(time.Second, "c leads", n.node("c").group().Leads)
		if err := n.node("c").propose("kept"); err != nil {
			t.Fatal(err)
		}
		n.isolate("a", false)
		if got := n.same("a", "b", "c"); !slices.Equal(got, []string{"kept"}) {
			t.Errorf("entries %q", got)
		}
	})
}

// While a member rests as a learner the others have their majority; back at work it
// votes again.
func TestGroup_RestingMemberIsALearner(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		a, b := n.node("a"), n.node("b")
		if err := a.group().Transfer(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Second, "b leads", b.group().Leads)
		if err := n.demote(b.group(), "a"); err != nil {
			t.Fatal(err)
		}
		a.shut()
		n.node("c").crash()
		n.node("c").start()
		if err := b.propose("x"); err != nil {
			t.Fatal(err)
		}
		a.start()
		n.await(time.Minute, "a has everything", func() bool { return a.group().Status().Applied == b.group().Status().Applied })
		if err := b.group().Promote(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if st := b.group().Status(); !st.Members[0].Voter || st.Members[0].Peer != "a" {
			t.Errorf("members %+v", st.Members)
		}
		if err := b.group().Demote(t.Context(), "b"); !errors.Is(err, ErrNoMember) {
			t.Errorf("leader demotes itself: %v", err)
		}
		if err := b.group().Promote(t.Context(), "a"); !errors.Is(err, ErrNoMember) {
			t.Errorf("a voter is promoted: %v", err)
		}
	})
}

// It does so too if nobody has heard its hello: who asks for votes leads no more.
func TestGroup_RestartedLeaderIsHeardWhenItStands(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		for range 30 { // a log in use, so that no clock stands
			if err := n.node("a").propose("x"); err != nil {
				t.Fatal(err)
			}
		}
		n.node("a").crash()
		n.isolate("a", true)
		n.node("a").start()
		time.Sleep(500 * time.Millisecond)
		n.isolate("a", false)
		began := time.Now()
		n.await(time.Minute, "a leads", n.node("a").group().Leads)
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("it leads after %v", took)
		}
	})
}
