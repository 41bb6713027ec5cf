package swarm

import (
	"context"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

// orphan is a node to which a member has begun to bring a domain that is out now.
func orphan(t *testing.T) (n *node, items [][]byte, say func(err error)) {
	t.Helper()
	l := newLab(t)
	n = newNode(t, l, self)
	n.heir(other)
	items = packed(t, list("a.test"), "http://a.test/1", "http://a.test/2", "http://a.test/3")
	if got, err := n.move(other, &wire.Move{N: 1, Seq: 1, Mark: []byte("m"), Domains: list("a.test"), Items: items[:len(items)-1]}); err != nil || got.Seq != 1 {
		t.Fatalf("the first part: %+v, %v", got, err)
	}
	var answer error
	l.nodes[other].Handle(wire.KindHave, func(context.Context, string, []byte) ([]byte, error) {
		return wire.Encode(&wire.Had{Roster: make([]byte, 16)}), answer
	})
	l.mu.Lock()
	delete(l.members, other)
	l.mu.Unlock()
	return n, items, func(err error) { answer = err }
}

// looks lets a node look after moves for a while.
func (n *node) looks(d time.Duration) {
	n.lab.t.Helper()
	for end := n.Swarm.now().Add(d); n.Swarm.now().Before(end); n.lab.advance(testLease / 2) {
		if err := n.stalled.round(n.lab.t.Context()); err != nil {
			n.lab.t.Fatal(err)
		}
	}
}

// A partner goes on with the log of a member that is out, and with its moves: they are not over with what has come.
func TestStalled_MoveFromTheLogOfOneThatIsOutGoesOn(t *testing.T) {
	n, items, _ := orphan(t)
	n.looks(stalledFor * testLease / 2)
	if _, err := n.mover.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := n.place("a.test"); got.State != frontier.StateArriving {
		t.Fatalf("while it may go on, the domain is %v", got.State)
	}
	rest := [][]byte{items[0], items[len(items)-1]}
	if got, err := n.move(other, &wire.Move{N: 1, Seq: 2, Last: true, Domains: list("a.test"), Items: rest}); err != nil || got.State != wire.MoveOpened {
		t.Fatalf("the last part: %+v, %v", got, err)
	}
	if got := n.totals(); got.Known != 3 {
		t.Errorf("%d URLs have come, want 3", got.Known)
	}
}

// What came of a member whose log is lost too is all there is. If it was elsewhere after all, it still has everything, and
// brings it once more.
func TestStalled_OrphansAreOpened(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer error
		after  time.Duration // it is still waited for
	}{
		{"nobody keeps the log", errNoLog, testLease / 2},
		{"nobody leads the log", errNoLeader, testLease + testLeaderless},
		{"nobody answers", calls.ErrUnreachable, testLease + testLeaderless},
		{"somebody is busy", &calls.Busy{After: time.Second}, testLease + 2*testLeaderless},
		{"it is led, and stands still", nil, stalledFor * testLease},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, items, say := orphan(t)
			say(c.answer)
			n.looks(c.after)
			if got := n.place("a.test"); got.State != frontier.StateArriving {
				t.Fatalf("after %v the domain is %v", c.after, got.State)
			}
			n.looks(2 * testLease)
			if got, totals := n.place("a.test"), n.totals(); got.State != frontier.StateOpen || totals.Known != 2 {
				t.Fatalf("the domain is %v, with %d URLs", got.State, totals.Known)
			}
			if n.net.weight(other) != 0 {
				t.Error("it costs who is gone something")
			}
			n.heir(other)
			leases := n.ask(other, 1)
			if len(leases) != 1 {
				t.Fatalf("%d leases, want one", len(leases))
			}
			if got, err := n.move(other, &wire.Move{N: 1, Abort: true, Domains: list("a.test")}); err == nil {
				t.Errorf("while somebody is at work here it is told %v, and would open its own", got.State)
			}
			if err := n.report(other, leases[0], true, page(0)); err != nil {
				t.Fatal(err)
			}
			if got, err := n.move(other, &wire.Move{N: 1, Seq: 2, Last: true, Domains: list("a.test"), Items: items}); err != nil || got.State != wire.MoveDeclined {
				t.Errorf("it goes on: %+v, %v; it would forget what did not come", got, err)
			}
			if got, err := n.move(other, &wire.Move{N: 2, Seq: 1, Last: true, Domains: list("a.test"), Items: items}); err != nil || got.State != wire.MoveOpened {
				t.Errorf("it brings all of it: %+v, %v", got, err)
			}
			if got := n.totals(); got.Known != 3 {
				t.Errorf("%d URLs in the end, want 3", got.Known)
			}
		})
	}
}

// On standby others may have their turn for long, so what stands still is waited for longer; but not for as long as somebody
// uses the computer, if who brought it is gone.
func TestStalled_OrphansAreOpenedOnStandby(t *testing.T) {
	n, _, _ := orphan(t)
	n.cfg.Slow = func() bool { return true }
	n.looks(slowlyStalled * stalledFor * testLease)
	if got := n.place("a.test"); got.State != frontier.StateArriving {
		t.Fatalf("while others may have their turn, the domain is %v", got.State)
	}
	n.looks(2 * slowlyStalled * testLease)
	if got, totals := n.place("a.test"), n.totals(); got.State != frontier.StateOpen || totals.Known != 2 {
		t.Errorf("the domain is %v, with %d URLs", got.State, totals.Known)
	}
}

// Who is there may wait for its turn for as long as it takes.
func TestStalled_OthersKeepTheirTurnOnStandby(t *testing.T) {
	n, _, _ := orphan(t)
	n.lab.mu.Lock()
	n.lab.members[other] = true
	n.lab.mu.Unlock()
	n.cfg.Slow = func() bool { return true }
	n.looks(3 * slowlyStalled * stalledFor * testLease)
	if got := n.place("a.test"); got.State != frontier.StateArriving || n.net.weight(other) != 0 {
		t.Errorf("the domain is %v, and it cost who waits %d", got.State, n.net.weight(other))
	}
	n.cfg.Slow = nil
	n.looks((stalledFor + 2) * testLease)
	if got := n.place("a.test"); got.State == frontier.StateArriving {
		t.Error("off standby its time does not pass")
	}
}

// That a log could not be found once says nothing when its owner has been there since.
func TestStalled_EachAbsenceIsOneOfItsOwn(t *testing.T) {
	n, _, say := orphan(t)
	say(errNoLeader)
	n.looks(2 * testLease)
	n.lab.mu.Lock()
	n.lab.members[other] = true
	n.lab.mu.Unlock()
	say(nil)
	n.lab.advance(stalledFor * testLease / 2)
	n.lab.mu.Lock()
	delete(n.lab.members, other)
	n.lab.mu.Unlock()
	say(errNoLeader)
	n.looks(testLease)
	if got := n.place("a.test"); got.State != frontier.StateArriving {
		t.Errorf("the domain is %v, though the log may be led soon", got.State)
	}
}

// Domains on their way to a member that is out stay closed as long as its partners may have opened them.
func TestMover_CallsNothingOffWhileALogMayBeLed(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer error
		after  time.Duration
	}{
		{"nobody keeps the log", errNoLog, 0},
		{"nobody leads the log", errNoLeader, testLeaderless},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			n := newNode(t, l, self)
			n.sites(1, 3)
			l.join(other).Handle(wire.KindMove, func(context.Context, string, []byte) ([]byte, error) { return nil, c.answer })
			closed, err := n.f.Propose(t.Context(), frontier.Entry{Close: &frontier.Close{Domains: list("s0.test"), To: other, N: 7}})
			if err != nil || closed[0].Domains != 1 {
				t.Fatalf("%+v, %v", closed, err)
			}
			l.mu.Lock()
			delete(l.members, other)
			l.mu.Unlock()
			began := n.Swarm.now()
			for n.place("s0.test").State == frontier.StateClosing && n.Swarm.now().Sub(began) < 2*testLeaderless {
				err := n.mover.callOff(t.Context(), other, 7, list("s0.test"))
				if waits := n.Swarm.now().Sub(began) <= c.after && c.after > 0; waits != (err != nil) {
					t.Fatalf("after %v: %v", n.Swarm.now().Sub(began), err)
				}
				l.advance(10 * time.Second)
			}
			if got := n.place("s0.test"); got.State != frontier.StateOpen {
				t.Errorf("the domain is %v", got.State)
			}
			if is, err := n.f.Careful(); !is || err != nil {
				t.Errorf("it is visited as often as ever, though its partners may visit it elsewhere (%v)", err)
			}
		})
	}
}
