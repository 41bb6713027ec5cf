package oldgroup

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// written is, for each entry that a node applied, whether it had it on disk before as an entry.
func (x *node) written(t *testing.T) (of func() map[string]bool) {
	had := make(map[string]bool)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.mine = func(data []byte, _ time.Time, _ any) {
		err := x.db.View(func(tx *storage.Tx) error { // what is committed; the entry is applied in another transaction
			b := bucketOf(tx, testLog)
			return b.ForEach(func(key, value []byte) error {
				if e, err := decodeEntry(entryIndex(key), value); err == nil && string(e.GetData()) == string(data) {
					had[string(data)] = true
				}
				return nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	}
	return func() map[string]bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		return had
	}
}

// What two others have taken the leader appends and applies in one transaction, and never writes as an entry.
func TestPropose_OneTransactionWhereOthersAreQuick(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		had := a.written(t)
		for i := range 20 {
			if err := a.propose(fmt.Sprint("entry ", i)); err != nil {
				t.Fatal(err)
			}
		}
		if len(had()) > 0 {
			t.Errorf("%d of 20 entries were written before they were applied", len(had()))
		}
		if got := n.same("a", "b", "c"); len(got) != 20 {
			t.Errorf("%d entries, want 20", len(got))
		}
	})
}

// Where one of two others is away, the leader is one of the majority: once it has seen that, it writes at once.
func TestPropose_LeaderWritesAtOnceWhereOneIsAway(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		n.isolate("c", true)
		a := n.node("a")
		had := a.written(t)
		began := time.Now()
		for i := range 20 {
			if err := a.propose(fmt.Sprint("entry ", i)); err != nil {
				t.Fatal(err)
			}
		}
		if len(had()) < 19 {
			t.Errorf("%d of 20 entries were written before they were applied", len(had()))
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("20 entries took %v: it goes on waiting for who is away", took)
		}
	})
}

// What is owed when everything ends is written.
func TestServe_WritesWhatIsOwed(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		n.isolate("a", true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		before := a.group().Status().Last
		if err := a.group().Propose(ctx, []byte("owed"), nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("proposal that nobody has taken: %v", err)
		}
		if now := a.group().Status().Last; now != before {
			t.Fatalf("its last entry is %d, want %d: nothing is owed", now, before)
		}
		a.shut()
		a.start()
		if now := a.group().Status().Last; now != before+1 {
			t.Errorf("its last entry is %d, want %d", now, before+1)
		}
	})
}

// A member that is slow, but there, does not hold every entry up; once it is quick again the leader counts on it as before.
func TestPropose_SlowMemberIsWaitedForSeldom(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		propose := func(name string) (waited bool) {
			began := time.Now()
			if err := a.propose(name); err != nil {
				t.Fatal(err)
			}
			took := time.Since(began)
			time.Sleep(2*time.Second - took)
			return took >= 400*time.Millisecond
		}
		n.watch(func(from, to string, _ []byte) {
			if to == "c" {
				time.Sleep(800 * time.Millisecond)
			}
		})
		waited := 0
		for i := range 40 { // in 80 seconds
			if propose(fmt.Sprint("slow ", i)) {
				waited++
			}
		}
		t.Logf("%d of 40 entries waited for the slow member", waited)
		if waited == 0 || waited > 8 {
			t.Errorf("%d of 40 entries waited for the slow member, want 1 to 8", waited)
		}
		n.watch(nil)
		for i := range 20 {
			propose(fmt.Sprint("between ", i))
		}
		had := a.written(t)
		for i := range 5 {
			propose(fmt.Sprint("quick ", i))
		}
		if len(had()) > 0 {
			t.Errorf("%d of 5 entries were written before they were applied, though all are quick", len(had()))
		}
		n.same("a", "b", "c")
	})
}

// Where entries come every few seconds each costs a packet to each of the others and one transaction of the leader's, no more.
func TestPropose_EveryFewSecondsCostsLittle(t *testing.T) {
	const entries, apart = 24, 5 * time.Second
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		var packets atomic.Int64
		n.watch(func(from, to string, _ []byte) {
			if from == "a" {
				packets.Add(1)
			}
		})
		had := a.written(t)
		for i := range entries {
			if err := a.propose(fmt.Sprint("seldom ", i)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(apart)
		}
		if len(had()) > 0 {
			t.Errorf("%d of %d entries were written before they were applied, though all are quick", len(had()), entries)
		}
		if sent := packets.Load(); sent > 2*entries+4 {
			t.Errorf("%d packets for %d entries, want 2 for each", sent, entries)
		}
		n.watch(nil)
		n.same("a", "b", "c")
	})
}

// One that is late once is counted on again two ticks later.
func TestPropose_LateOnceIsSoonForgotten(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.settle()
		a := n.node("a")
		n.watch(func(from, to string, _ []byte) {
			if to == "c" {
				time.Sleep(800 * time.Millisecond)
			}
		})
		if err := a.propose("late"); err != nil {
			t.Fatal(err)
		}
		n.watch(nil)
		time.Sleep(3 * time.Second)
		had := a.written(t)
		if err := a.propose("soon"); err != nil {
			t.Fatal(err)
		}
		if len(had()) > 0 {
			t.Error("the entry was written before it was applied, three ticks after one was late")
		}
	})
}
