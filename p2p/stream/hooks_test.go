package stream_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// shadow is a copy of all items that is kept by what Changed tells.
const shadow = "shadow"

// keepShadow is a Changed that fails where old is not what it was told before.
func keepShadow(tx stream.Tx, d crawl.Domain, list []stream.Change) error {
	for _, c := range list {
		k := slices.Concat([]byte(d), []byte{0}, []byte(c.Key))
		if was := tx.Get(shadow, k); string(was) != string(c.Old) || (was == nil) != (c.Old == nil) {
			return fmt.Errorf("%s of %s was %q and is told to have been %q", c.Key, d, was, c.Old)
		}
		if c.New == nil {
			if err := tx.Delete(shadow, k); err != nil {
				return err
			}
		} else if err := tx.Put(shadow, k, slices.Clone(c.New)); err != nil {
			return err
		}
	}
	return nil
}

// Changed tells of each change, from whomever it comes, in the transaction that makes it.
func TestChanged_TellsEverything(t *testing.T) {
	for seed := range uint64(10) {
		w := newWorld(t, seed, "a", "b", "c")
		w.lossy = true
		for i := range 1000 {
			if i%250 == 0 {
				id := w.ids()[w.rand.IntN(3)]
				w.leads(shardA, id, slices.DeleteFunc(w.ids(), func(o crawl.PeerID) bool { return o == id })...)
			}
			if w.rand.IntN(3) == 0 {
				id := w.ids()[w.rand.IntN(3)]
				w.nodes[id].Put(shardA, []stream.Item{w.random(), w.random()}, nil)
			}
			if w.rand.IntN(200) == 0 {
				w.nodes["c"].Drop(shardA, nil, w.nodes["c"].Marks(shardA))
			}
			w.step()
		}
		w.quiet(10 * time.Second)
		for id, n := range w.nodes {
			told := make(map[string]string)
			_ = n.disk.View(func(tx stream.Tx) error {
				return tx.Scan(shadow, nil, func(k, v []byte) bool { told[string(k)] = string(v); return true })
			})
			if !maps.Equal(told, n.items()) {
				t.Errorf("seed %d, %s: %s", seed, id, difference(told, n.items()))
			}
		}
	}
}

// What is written in the transaction sees what was written before it there.
func TestPut_SeesWhatCameBefore(t *testing.T) {
	w := newWorld(t, 1, "a")
	w.leads(shardA, "a")
	w.quiet(time.Second)
	add := func(tx stream.Tx) ([]stream.Item, error) {
		return []stream.Item{item("x.example", fmt.Sprintf("n%d", count(t, tx, "x.example")), "v")}, nil
	}
	for range 5 {
		w.nodes["a"].Streams.Put(shardA, []stream.Make{add, add}, nil)
	}
	w.quiet(time.Second)
	_ = w.nodes["a"].disk.View(func(tx stream.Tx) error {
		if n := count(t, tx, "x.example"); n != 10 {
			t.Errorf("%d items, want 10", n)
		}
		return nil
	})
}

func count(t *testing.T, tx stream.Tx, d crawl.Domain) (n int) {
	t.Helper()
	if err := stream.Scan(tx, d, "", func(string, []byte) bool { n++; return true }); err != nil {
		t.Error(err)
	}
	return n
}

func TestPut_ErrorEndsTheTransaction(t *testing.T) {
	w := newWorld(t, 1, "a")
	n := w.nodes["a"]
	broken := errors.New("broken")
	n.Put(shardA, []stream.Item{item("x.example", "k", "v")}, nil)
	n.Streams.Put(shardA, []stream.Make{func(stream.Tx) ([]stream.Item, error) { return nil, broken }}, nil)
	if err := n.disk.Update(func(tx stream.Tx) error { return n.Commit(tx, true) }); !errors.Is(err, broken) {
		t.Errorf("Commit: %v, want %v", err, broken)
	}
	if got := n.get("x.example", "k"); got != "" {
		t.Errorf("an item of the failed transaction is there: %q", got)
	}
}

// What is stale is not pulled, and Forget deletes it and nothing else.
func TestForget_DeletesWhatIsStale(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.stale = func(it stream.Item) bool { return it.Key == "old" }
	for _, n := range w.nodes {
		n.start()
	}
	w.leads(shardA, "a")
	w.nodes["a"].Put(shardA, []stream.Item{item("x.example", "old", "v"), item("x.example", "new", "v")}, nil)
	w.quiet(time.Second)
	w.leads(shardA, "a", "b")
	w.quiet(10 * time.Second)
	if got := w.nodes["b"].items(); len(got) != 1 || w.nodes["b"].get("x.example", "new") != "v" {
		t.Errorf("b pulled %q", got)
	}
	var all []string
	_ = w.nodes["a"].disk.View(func(tx stream.Tx) error {
		return stream.ScanAll(tx, "x.example", "o", func(it stream.Item) bool { all = append(all, it.Key); return true })
	})
	if len(all) != 1 || all[0] != "old" {
		t.Errorf("from the middle on there are %q", all)
	}
	w.nodes["a"].Forget("x.example", "old")
	w.nodes["a"].Forget("x.example", "new")
	w.nodes["a"].Forget("x.example", "never")
	w.quiet(time.Second)
	w.same("a", "b")
}
