package frontier

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

func names(list ...crawl.Domain) []crawl.Domain { return list }

// moving is a log with domains in all states: closing, arriving with and without
// something aside, declined, gone and half deleted, to be asked about; and links in
// the outbox.
func moving(t *testing.T) *rig {
	ask := false
	src, r := newRig(t, Config{}), newRig(t, Config{
		Owns: func(d crawl.Domain) bool { return !strings.HasPrefix(string(d), "o") }, Ask: func() bool { return ask }, piece: 3,
	})
	src.enqueue("http://in.test/1", "http://in.test/2", "http://both.test/1", "http://both.test/2", "http://stop.test/1", "http://done.test/1")
	r.enqueue("http://both.test/2", "http://both.test/3", "http://away.test/1", "http://left.test/1", "http://left.test/2", "http://left.test/3", "http://left.test/4",
		"http://o1.test/", "http://o2.test/", "http://stay.test/1")
	ask = true
	r.enqueue("http://new.test/1")
	src.propose(Entry{Close: &Close{Domains: names("in.test", "both.test"), To: "dst"}}, Entry{Close: &Close{Domains: names("stop.test"), To: "dst"}},
		Entry{Close: &Close{Domains: names("done.test"), To: "dst"}})
	src.send(r, 1, 1, "in.test", "both.test")
	src.send(r, 2, 1, "stop.test")
	r.propose(Entry{Abort: &Abort{From: "src", N: 2}})
	seq, _ := src.send(r, 3, 1, "done.test")
	r.openMove(3, seq)
	r.propose(Entry{Close: &Close{Domains: names("away.test"), To: "dst"}}, Entry{Close: &Close{Domains: names("left.test"), To: "dst"}})
	// What is gone is not swept as long as nothing is committed.
	r.stop()
	r.db, _ = storage.Open(r.path, storage.Options{NoSync: true})
	t.Cleanup(func() { r.db.Close() })
	err := r.db.Update(func(tx *storage.Tx) error {
		m, err := newMachine(tx, &r.cfg)
		if err != nil {
			return err
		}
		if _, err := m.applyOne(Entry{Gone: &Gone{Domains: names("left.test"), To: "dst", N: 2}}); err != nil {
			return err
		}
		return m.flush()
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Frontier = &Frontier{db: r.db, cfg: r.cfg}
	return r
}

func TestRepair_LeavesHealthyMovesAsTheyAre(t *testing.T) {
	r := moving(t)
	r.check()
	if n := r.totals(); n.Outbox != 2 || n.Closing != 1 || n.Arriving != 2 || n.Unasked != 1 {
		t.Fatalf("the log has not seen everything: %+v", n)
	}
	before := dumpAll(t, r.db)
	if mended, err := Repair(t.Context(), r.db, r.cfg, false); err != nil || mended != nil {
		t.Errorf("Repair = %v, %v, want nothing", mended, err)
	}
	if got := dumpAll(t, r.db); got != before {
		t.Error("Repair has changed a healthy log")
	}
}

func TestRepair_MendsAnyDamageOfMoves(t *testing.T) {
	r := moving(t)
	rounds := uint64(300)
	if testing.Short() {
		rounds = 40
	}
	for round := range rounds {
		v := &vandal{rng: rand.New(rand.NewPCG(9, round)), hurt: make(map[string]bool)}
		err := r.db.Update(func(tx *storage.Tx) error {
			v.log = tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
			var done []string
			names := bucketNames()
			for range 1 + v.rng.IntN(12) {
				done = append(done, v.strike(names[v.rng.IntN(len(names))]))
			}
			if err := mendAndCompare(t, tx, &r.cfg, nil, nil); err != nil {
				return fmt.Errorf("%w\nafter %s", err, strings.Join(done, "\n"))
			}
			if err := finishMoves(tx, &r.cfg); err != nil {
				return fmt.Errorf("go on: %w\nafter %s", err, strings.Join(done, "\n"))
			}
			return errUndo
		})
		if err != errUndo {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// finishMoves goes on with a log until all moves are over.
func finishMoves(tx *storage.Tx, cfg *Config) error {
	f := &Frontier{cfg: *cfg}
	for range 500 {
		m, err := newMachine(tx, cfg)
		if err != nil {
			return err
		}
		moves, err := m.b.liveMoves()
		if err != nil {
			return err
		}
		for _, mv := range moves {
			e := Entry{Abort: &Abort{From: mv.From, N: mv.N}}
			if mv.State == MoveOpening || mv.N%2 == 1 {
				e = Entry{Opened: &Opened{From: mv.From, N: mv.N, Chunks: mv.Seq}}
			}
			if _, err := m.applyOne(e); err != nil {
				return err
			}
		}
		more, err := m.chores()
		if err != nil {
			return err
		}
		if err := m.flush(); err != nil {
			return err
		}
		if err := f.checkIn(tx); err != nil {
			return err
		}
		if !more && len(moves) == 0 {
			return nil
		}
	}
	return fmt.Errorf("moves do not end")
}
