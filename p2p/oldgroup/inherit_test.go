package oldgroup

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// A node with another identity goes on with the log of the former one: with all entries, those too that it does not know to be
// committed, and by itself.
func TestInherit_GoesOnWithTheLogOfAFormerIdentity(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a", "b", "c")
		a := n.node("a")
		if err := a.propose("first"); err != nil {
			t.Fatal(err)
		}
		n.settle()
		n.isolate("a", true)
		if err := a.propose("not committed"); err == nil {
			t.Error("it is acknowledged")
		}
		a.crash()
		epoch := Epoch{Number: 7, Founder: "z"}
		var others []string
		again := func(name string) (*Groups, *Group, error) {
			t.Helper()
			db, err := storage.Open(a.file, storage.Options{NoSync: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			s := New(Config{DB: db, Self: "z"})
			var g *Group
			if name == "" {
				g, err = s.Open("z", testLog, a.machine(testLog))
			} else {
				g, err = s.Inherit(name, testLog, a.machine(testLog), epoch, func(tx *storage.Tx, list []string) error {
					others = list
					return a.machine(testLog).Apply(tx, []Entry{{Data: []byte("anew")}})
				})
			}
			return s, g, err
		}
		s, g, err := again("z")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(others, []string{"b", "c"}) {
			t.Errorf("others are %q", others)
		}
		if st := g.Status(); st.Log != "z" || !st.Leads || st.Epoch != epoch || len(st.Members) != 1 || st.Members[0].Peer != "z" || !st.Members[0].Voter {
			t.Errorf("it is %+v", st)
		}
		if err := g.Propose(t.Context(), []byte("next"), nil); err != nil {
			t.Error(err)
		}
		if _, err := s.Inherit("y", "elsewhere", a.machine("elsewhere"), epoch, nil); !errors.Is(err, ErrUnknown) {
			t.Errorf("a log that is not there: %v", err)
		}
		s.cfg.DB.Close()
		s, g, err = again("")
		if err != nil {
			t.Fatal(err)
		}
		if got, want := entries(t, s.cfg.DB, testLog), []string{"first", "not committed", "anew", "next"}; !slices.Equal(got, want) || !g.Leads() {
			t.Errorf("entries %q, leads %v, want %q", got, g.Leads(), want)
		}
		s.cfg.DB.Close()
	})
}

// What was only begun to be copied is nothing to go on with.
func TestInherit_DropsWhatIsNotComplete(t *testing.T) {
	simulate(t, func(t *testing.T, n *network) {
		n.found("a")
		n.node("a").fill(200)
		n.add("b")
		b := n.node("b")
		var pieces atomic.Int64
		b.setFetch(func(fetch func() ([]byte, error)) ([]byte, error) {
			if pieces.Add(1) > 2 {
				return nil, errUnreachable
			}
			return fetch()
		})
		if _, err := n.node("a").group().Add(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		n.await(time.Minute, "a part is copied", func() bool { return pieces.Load() > 2 })
		b.crash()
		db, err := storage.Open(b.file, storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		s := New(Config{DB: db, Self: "z"})
		g, err := s.Inherit("z", testLog, b.machine(testLog), Epoch{Number: 7, Founder: "z"}, func(tx *storage.Tx, _ []string) error {
			return b.machine(testLog).Apply(tx, []Entry{{Data: []byte("anew")}})
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := entries(t, db, testLog); !slices.Equal(got, []string{"anew"}) || !g.Leads() {
			t.Errorf("entries %.100q, leads %v", got, g.Leads())
		}
	})
}
