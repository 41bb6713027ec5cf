package oldgroup

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// mend changes what a member has that is down, without entries, as what repairs a store does.
func (x *node) mend(change bool) (again bool) {
	x.net.t.Helper()
	db, err := storage.Open(x.file, storage.Options{NoSync: true})
	if err != nil {
		x.net.t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *storage.Tx) error {
		if change {
			b := tx.Bucket(storage.BucketLogs).Bucket([]byte(testLog)).Bucket(bucketState)
			if err := b.Put(binary.BigEndian.AppendUint64(nil, 3), []byte("mended")); err != nil {
				return err
			}
		}
		again, err = Mended(tx, testLog)
		return err
	})
	if err != nil {
		x.net.t.Fatal(err)
	}
	return again
}

// A member whose state was mended copies that of the others before it is of use, whether it led or not. What it
// has acknowledged stays.
func TestMended_TakesAFreshCopy(t *testing.T) {
	for _, name := range []string{"a", "b"} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.found("a", "b", "c")
				n.node("a").fill(200)
				n.same("a", "b", "c")
				x := n.node(name)
				x.crash()
				if !x.mend(true) {
					t.Error("no fresh copy is to be made")
				}
				x.start()
				if st := x.group().Status(); !st.Copying || st.Leads {
					t.Errorf("it copies: %v, and leads: %v", st.Copying, st.Leads)
				}
				if err := x.group().Campaign(); !errors.Is(err, ErrBusy) {
					t.Errorf("it stands for election: %v", err)
				}
				n.leader(time.Minute)
				if got := n.same("a", "b", "c"); len(got) != 200 || slices.Contains(got, "mended") {
					t.Errorf("%d entries, want 200, mended ones: %v", len(got), slices.Contains(got, "mended"))
				}
				n.await(time.Minute, "the copy is over", func() bool { return !x.group().Status().Copying })
				if err := n.leader(time.Minute).propose("later"); err != nil {
					t.Fatal(err)
				}
				n.same("a", "b", "c")
			})
		})
	}
}

// If the others do not come back, it goes on with what it has. With half a copy it cannot.
func TestMended_BeginsAnewIfNobodyIsThere(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(20)
		n.same("a", "b", "c")
		for _, name := range []string{"a", "b", "c"} {
			n.node(name).crash()
		}
		a := n.node("a")
		a.mend(true)
		a.start()
		time.Sleep(time.Minute)
		if err := a.group().BeginAnew(t.Context(), nothing); err != nil {
			t.Fatal(err)
		}
		if err := a.propose("later"); err != nil {
			t.Fatal(err)
		}
		if got := n.same("a"); len(got) != 21 || got[2] != "mended" {
			t.Errorf("%d entries, want 21 with what was mended", len(got))
		}
		if st := a.group().Status(); st.Copying || !st.Leads {
			t.Errorf("it copies: %v, and leads: %v", st.Copying, st.Leads)
		}
	})
}

// What it has acknowledged and not applied before it was mended is in what it begins anew with.
func TestMended_BeginsAnewWithAllEntries(t *testing.T) {
	for name, applies := range map[string]bool{"they can be applied": true, "they cannot": false} {
		t.Run(name, func(t *testing.T) {
			simulate(t, func(t *testing.T, n *network) {
				n.found("a", "b", "c")
				n.settle()
				n.isolate("c", true)
				n.node("a").fill(20)
				n.isolate("b", true)
				b := n.node("b")
				if got := len(entries(t, b.db, testLog)); got == 20 {
					t.Fatal("all is applied: this tests nothing")
				}
				b.crash()
				b.mend(false)
				b.start()
				b.breakDisk(!applies)
				err := b.group().BeginAnew(t.Context(), nothing)
				b.breakDisk(false)
				got := entries(t, b.db, testLog)
				if err != nil || (len(got) == 20) != applies {
					t.Errorf("%d entries, %v", len(got), err)
				}
				if err := b.propose("later"); err != nil {
					t.Fatal(err)
				}
				if now := entries(t, b.db, testLog); len(now) != len(got)+1 {
					t.Errorf("%d entries, want one more than %d", len(now), len(got))
				}
			})
		})
	}
}

// Of the only one that votes the others take a copy.
func TestMended_OfTheOnlyVoterIsTheLog(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.add("b")
		a := n.node("a")
		a.fill(20)
		n.join(a.group(), "b")
		if err := n.demote(a.group(), "b"); err != nil {
			t.Fatal(err)
		}
		n.same("a", "b")
		a.crash()
		if a.mend(true) {
			t.Error("the only one that votes is to make a copy")
		}
		a.start()
		if got := a.group().Status().Members; len(got) != 1 {
			t.Errorf("members are %+v, want it alone", got)
		}
		if err := a.propose("later"); err != nil {
			t.Fatal(err)
		}
		n.join(a.group(), "b")
		if got := n.same("a", "b"); len(got) != 21 || got[2] != "mended" {
			t.Errorf("%d entries, want 21 with what was mended", len(got))
		}
	})
}

func TestMended_ChangesNothingThatIsNotShared(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(5)
		n.node("a").crash()
		if n.node("a").mend(true) {
			t.Error("one that is alone is to make a copy")
		}
		n.node("a").start()
		n.leader(time.Minute)
		db, err := storage.Open(t.TempDir()+"/empty.db", storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.Update(func(tx *storage.Tx) error {
			again, err := Mended(tx, testLog)
			if again {
				t.Error("there is no log, and it is to be copied")
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// Who gives the state may not have applied yet what this member has.
func TestMended_TakesNoOlderState(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		n.node("a").fill(20)
		n.same("a", "b", "c")
		c := n.node("c")
		c.crash()
		c.mend(true)
		c.start()
		g := c.group()
		g.mu.Lock()
		q := pieceRequest{log: g.log, epoch: g.st.state.epoch, member: g.st.state.id}
		what := &meta{index: g.st.state.applied - 1, term: g.st.state.term, members: g.st.state.members, next: g.st.state.next}
		g.mu.Unlock()
		if _, err := g.install(&q, what, nil); err == nil {
			t.Error("a state was taken that is older than what was acknowledged")
		}
		n.same("a", "b", "c")
	})
}
