package oldgroup

import (
	"bytes"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

// fill proposes entries from 0 on.
func (x *node) fill(count int) {
	x.net.t.Helper()
	for i := range count {
		if err := x.propose(fmt.Sprint("filler ", i)); err != nil {
			x.net.t.Fatal(err)
		}
	}
}

// copies returns how many copies a node gives.
func (x *node) copies() int {
	c := &x.groups.copies
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

func TestCopy_EmptyMemberGetsEverything(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(500)
		n.add("b")
		n.join(n.node("a").group(), "b")
		if got := n.same("a", "b"); len(got) != 500 {
			t.Errorf("%d entries, want 500", len(got))
		}
		if st := n.node("b").group().Status(); st.Copying || len(st.Members) != 2 {
			t.Errorf("copy %+v", st)
		}
		n.await(time.Second, "no copy is open", func() bool { return n.node("a").copies() == 0 })
		n.node("a").fill(100)
		n.settle()
		for _, name := range []string{"a", "b"} {
			if st := n.node(name).group().Status(); st.Bytes > 300 {
				t.Errorf("%s keeps %d bytes", name, st.Bytes)
			}
		}
		if st := n.node("a").group().Status(); !st.Whole {
			t.Errorf("leader %+v", st)
		}
	})
}

// A member that lacks more than is kept copies the state; what it had applied is not
// applied again.
func TestCopy_StaleMember(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b", "c")
		n.node("a").fill(20)
		n.same("a", "b", "c")
		n.node("c").crash()
		n.node("a").fill(200)
		if st := n.node("a").group().Status(); st.Bytes > 600 {
			t.Errorf("leader keeps %d bytes for one that is down", st.Bytes)
		}
		if st := n.node("b").group().Status(); st.Bytes > 600 {
			t.Errorf("follower keeps %d bytes", st.Bytes)
		}
		n.node("c").start()
		if got := n.same("a", "b", "c"); len(got) != 220 {
			t.Errorf("%d entries, want 220", len(got))
		}
	})
}

// Entries proposed while a copy is made follow it.
func TestCopy_WhileEntriesCome(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		var begun atomic.Int64
		n.watch(func(_, _ string, packet []byte) {
			if q, err := decodePieceRequest(packet); err == nil && q.session == 0 {
				begun.Add(1)
			}
		})
		n.found("a")
		a := n.node("a")
		a.fill(1500)
		n.add("b")
		if _, err := a.group().Add(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		for i := 0; !a.group().Status().Members[1].Voter; i++ {
			if err := a.propose(fmt.Sprint("later ", i)); err != nil {
				t.Fatal(err)
			}
			if i%3 == 0 {
				time.Sleep(20 * time.Millisecond)
			}
			if st := a.group().Status(); st.Members[1].Matched == st.Last {
				if err := a.group().Promote(t.Context(), "b"); err != nil {
					t.Fatal(err)
				}
			}
			if i > 1000 {
				t.Fatalf("no end: %+v", a.group().Status())
			}
		}
		n.same("a", "b")
		if got := begun.Load(); got > 1 {
			t.Errorf("%d copies were begun", got)
		}
	})
}

// Wherever a member crashes while it copies, it neither applies nor leads with half a
// state, and copies again.
func TestCopy_CrashOnTheWay(t *testing.T) {
	moments := []time.Duration{30, 70, 110, 150, 190, 230, 300}
	if testing.Short() {
		moments = []time.Duration{70, 190}
	}
	for _, at := range moments {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.cfg.KeepBytes = 500
				n.found("a", "b", "c")
				n.node("a").fill(20)
				n.node("c").crash()
				n.node("a").fill(300)
				n.node("c").start()
				time.Sleep(at * time.Millisecond)
				n.node("c").crash()
				n.node("c").start()
				c := n.node("c").group()
				if c.Status().Copying {
					if err := c.Campaign(); !errors.Is(err, ErrBusy) {
						t.Errorf("campaign with half a state: %v", err)
					}
				}
				if got := n.same("a", "b", "c"); len(got) != 320 {
					t.Errorf("%d entries, want 320", len(got))
				}
			})
		})
	}
}

// A member with half a state votes: without it the others could not elect a leader to
// copy from.
func TestCopy_VotesWithHalfAState(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b", "c")
		n.node("a").fill(20)
		n.node("c").crash()
		n.node("a").fill(300)
		n.node("c").start()
		n.await(time.Minute, "c copies", func() bool { return n.node("c").group().Status().Copying })
		n.same("a", "b")
		n.node("a").crash()
		b, c := n.node("b").group(), n.node("c").group()
		b.LeaderDown()
		c.LeaderDown()
		if err := b.Campaign(); err != nil {
			t.Fatal(err)
		}
		n.await(5*time.Second, "b known to lead", b.isLeaderNow)
		n.await(time.Minute, "b leads", b.Leads)
		if got := n.same("b", "c"); len(got) != 320 {
			t.Errorf("%d entries, want 320", len(got))
		}
	})
}

// A member with half a state asks for no votes, whatever happens.
func TestCopy_StandsForNoElection(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b", "c")
		n.node("a").fill(20)
		n.node("c").crash()
		n.node("a").fill(300)
		n.node("c").start()
		n.await(time.Minute, "c copies", func() bool { return n.node("c").group().Status().Copying })
		n.isolate("c", true)
		n.watch(func(from, _ string, packet []byte) {
			parts := readPacket(packet)
			for _, p := range parts {
				for _, m := range p.messages {
					if from == "c" {
						t.Errorf("c sends %v", m)
					}
				}
			}
		})
		time.Sleep(10 * time.Minute)
		n.watch(nil)
		n.isolate("c", false)
		if got := n.same("a", "b", "c"); len(got) != 320 {
			t.Errorf("%d entries, want 320", len(got))
		}
	})
}

// A member that was away for long copies from a leader that it has never heard of.
func TestCopy_FromALeaderThatJoinedMeanwhile(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b", "c")
		n.isolate("c", true)
		n.add("d")
		n.cut("c", "d", true)
		n.join(n.node("a").group(), "d")
		if err := n.node("a").group().Transfer(t.Context(), "d"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Second, "d leads", n.node("d").group().Leads)
		n.node("d").fill(300)
		n.isolate("c", false)
		n.node("d").group().Wake()
		began := time.Now()
		n.same("a", "b", "c", "d")
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// Word that a copy is made may be lost.
func TestCopy_IsAnnouncedAgain(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(100)
		n.add("b")
		var drops atomic.Int64
		n.dropIf(func(from, _ string, packet []byte) bool {
			parts := readPacket(packet)
			for _, p := range parts {
				for _, m := range p.messages {
					if from == "b" && m.GetType() == pb.MsgAppResp && drops.Load() < 2 {
						drops.Add(1)
						return true
					}
				}
			}
			return false
		})
		if _, err := n.node("a").group().Add(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		a := n.node("a").group()
		n.await(10*time.Second, "b has everything", func() bool { st := a.Status(); return st.Members[1].Matched == st.Last })
		if drops.Load() == 0 {
			t.Error("nothing was dropped")
		}
	})
}

// A leader gives no entries to a member that copies.
func TestCopy_NoEntriesMeanwhile(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b")
		n.node("a").fill(2000)
		n.add("c")
		if _, err := n.node("a").group().Add(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Minute, "c copies", func() bool { return n.node("c").group() != nil && n.node("c").group().Status().Copying })
		if err := n.node("a").group().Transfer(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Second, "b leads", n.node("b").group().Leads)
		n.node("c").setFetch(func(func() ([]byte, error)) ([]byte, error) {
			time.Sleep(time.Minute)
			return nil, errUnreachable
		})
		var count atomic.Int64
		n.watch(func(_, to string, packet []byte) {
			parts := readPacket(packet)
			for _, p := range parts {
				for _, m := range p.messages {
					if to == "c" {
						count.Add(int64(len(m.GetEntries())))
					}
				}
			}
		})
		for range 60 {
			n.node("b").fill(2)
			time.Sleep(time.Second)
		}
		if !n.node("c").group().Status().Copying {
			t.Fatal("c has copied")
		}
		if got := count.Load(); got > 10 {
			t.Errorf("c was sent %d entries", got)
		}
	})
}

// The leader is lost while it gives a copy; the next one gives it.
func TestCopy_LeaderChanges(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.cfg.KeepBytes = 500
		n.found("a", "b")
		n.node("a").fill(1000)
		n.add("c")
		if _, err := n.node("a").group().Add(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Minute, "c copies", func() bool { return n.node("c").group() != nil && n.node("c").group().Status().Copying })
		if err := n.node("a").group().Transfer(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		if got := n.same("a", "b", "c"); len(got) != 1000 {
			t.Errorf("%d entries, want 1000", len(got))
		}
	})
}

func TestCopy_BoundedInNumber(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(10)
		a := n.node("a").group()
		requests := make([][]byte, 4)
		for i := range requests {
			peer := fmt.Sprint("ghost", i)
			id, err := a.Add(t.Context(), peer)
			if err != nil {
				t.Fatal(err)
			}
			requests[i] = (&pieceRequest{log: testLog, member: id}).encode()
		}
		status := func(i int) byte {
			b, err := n.node("a").groups.GivePiece(t.Context(), fmt.Sprint("ghost", i), requests[i])
			if err != nil {
				t.Fatal(err)
			}
			answer, err := decodePieceAnswer(b)
			if err != nil {
				t.Fatal(err)
			}
			return answer.status
		}
		for i, want := range []byte{pieceGiven, pieceGiven, pieceBusy} {
			if got := status(i); got != want {
				t.Errorf("copy %d: status %d, want %d", i, got, want)
			}
		}
		if got := status(1); got != pieceGiven {
			t.Errorf("the same member again: status %d", got)
		}
		time.Sleep(idleCopy + time.Second)
		if got := status(2); got != pieceGiven {
			t.Errorf("after a while: status %d", got)
		}
		n.node("a").groups.copies.cut()
		time.Sleep(time.Second)
		if got := n.node("a").copies(); got != 0 {
			t.Errorf("%d copies are left", got)
		}
	})
}

// Who is no member gets nothing.
func TestCopy_ForMembersOnly(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b")
		for _, c := range []struct {
			from string
			q    pieceRequest
		}{
			{"stranger", pieceRequest{log: testLog, member: 2}},
			{"b", pieceRequest{log: testLog, member: 3}},
			{"b", pieceRequest{log: "other", member: 2}},
			{"b", pieceRequest{log: testLog, member: 2, epoch: Epoch{1, "x"}}},
			{"b", pieceRequest{log: testLog, member: 2, session: 12345}},
		} {
			b, err := n.node("a").groups.GivePiece(t.Context(), c.from, c.q.encode())
			if err != nil {
				t.Fatal(err)
			}
			if b[1] != pieceNot {
				t.Errorf("%s gets %v for %+v", c.from, b, c.q)
			}
		}
		// One that follows has nothing to give.
		b, err := n.node("b").groups.GivePiece(t.Context(), "a", (&pieceRequest{log: testLog, member: 1}).encode())
		if err != nil || b[1] != pieceNot {
			t.Errorf("a follower gives %v, %v", b, err)
		}
		if _, err := n.node("a").groups.GivePiece(t.Context(), "b", []byte("nonsense")); err == nil {
			t.Error("nonsense is answered")
		}
	})
}

// A member whose pieces cannot be read, or whose answers are nonsense, harms nobody.
func TestCopy_FailsAndIsTriedAgain(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(100)
		n.add("b")
		fails := 0
		n.node("b").setFetch(func(fetch func() ([]byte, error)) ([]byte, error) {
			answer, err := fetch()
			switch fails++; {
			case fails < 4:
				return nil, errors.New("lost")
			case fails < 8:
				return bytes.Repeat([]byte{byte(fails)}, 50), nil
			case fails == 8 && err == nil:
				return answer[:len(answer)-1], nil
			case fails == 9:
				return (&pieceAnswer{status: pieceGiven, session: 1, answer: []byte("x")}).encode(), nil
			case fails == 10:
				other := meta{index: 5, term: 1, members: []member{{1, "x", true}}, next: 2}
				return (&pieceAnswer{status: pieceGiven, session: 1, meta: &other}).encode(), nil
			}
			return answer, err
		})
		n.join(n.node("a").group(), "b")
		if got := n.same("a", "b"); len(got) != 100 {
			t.Errorf("%d entries, want 100", len(got))
		}
	})
}

// A transaction that waits for long may wait for a copy: a store that must grow its map
// does.
func TestCopy_EndsWhenTheStoreWaits(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		s, g := n.node("a").groups, n.node("a").group()
		id, err := g.Add(t.Context(), "ghost")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.GivePiece(t.Context(), "ghost", (&pieceRequest{log: testLog, member: id}).encode()); err != nil {
			t.Fatal(err)
		}
		over := make(chan struct{})
		s.copies.mu.Lock()
		for _, c := range s.copies.open {
			go func() { <-c.over; close(over) }()
		}
		s.copies.mu.Unlock()
		// This transaction stands for one that waits for the copy to end.
		err = g.update(func(*storage.Tx) error { <-over; return nil })
		if err != nil {
			t.Error(err)
		}
	})
}
