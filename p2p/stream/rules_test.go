package stream_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

var shardB = stream.ShardOf("b", 0)

// hold takes the messages that match out of the network until they are released.
func (w *world) hold(match func(letter) bool) (release func()) {
	var held []letter
	w.spy = func(l letter) bool {
		if match(l) {
			held = append(held, l)
			return false
		}
		return true
	}
	return func() {
		w.spy = nil
		w.bag = append(w.bag, held...)
	}
}

func to(p crawl.PeerID) func(letter) bool { return func(l letter) bool { return l.to == p } }

// An answer is taken by no other request than its own: here it left out what the asker's lost disk had.
func TestPull_AnswerNamesItsRequest(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a", "b")
	fill(w, 10)
	w.quiet(2 * time.Second)
	b := w.nodes["b"]
	release := w.hold(to("b"))
	b.Pull(stream.Pull{Shard: shardA, From: "a"})
	w.quiet(retry / 2)
	b.disk.Restore(new(p2ptest.Disk))
	b.start()
	b.Pull(stream.Pull{Shard: shardA, From: "a"})
	b.Tick()
	release()
	w.quiet(retry / 4)
	w.check(shardA)
	w.quiet(3 * time.Second)
	w.check(shardA)
	w.same("a", "b")
}

// An answerer that starts again may hold less than the marks of its first chunk say.
func TestPull_BeginsAgainWhenTheAnswererStarts(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a")
	fill(w, 600)
	w.quiet(time.Second)
	a, b := w.nodes["a"], w.nodes["b"]
	backup := a.disk.Clone()
	a.Put(shardA, []stream.Item{item("zz.example", "k", "late")}, nil)
	w.quiet(time.Second)
	done := 0
	b.Pull(stream.Pull{Shard: shardA, From: "a", Done: func(stream.Pulled) { done++ }})
	b.Tick()
	for range 3 { // request, first chunk, the next request
		w.deliver()
		a.commit()
		b.commit()
	}
	if len(b.items()) == 0 || done > 0 {
		t.Fatalf("%d items after the first chunk, done %d times", len(b.items()), done)
	}
	a.disk.Restore(backup)
	a.start()
	w.quiet(5 * time.Second)
	if done != 1 {
		t.Errorf("done %d times", done)
	}
	w.check(shardA)
	w.same("a", "b")
}

// A merged version has a stamp of its own, so that a third store cannot take it for one of those that went into it.
func TestStream_StampsMergedVersions(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.nodes["b"].Put(shardA, []stream.Item{item("x.example", "k", "b")}, nil)
	w.nodes["b"].commit()
	w.leads(shardA, "a", "c")
	w.nodes["a"].Put(shardA, []stream.Item{item("x.example", "k", "a")}, nil)
	w.quiet(2 * time.Second)
	w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a"}) // "ab", a third version
	w.quiet(2 * time.Second)
	w.nodes["c"].Pull(stream.Pull{Shard: shardA, From: "b"}) // c has what a stamped
	w.quiet(2 * time.Second)
	w.check(shardA)
	if got := w.nodes["c"].get("x.example", "k"); got != "ab" {
		t.Errorf("the third store has %q, want %q", got, "ab")
	}
}

// An answer has every domain that the shard's streams carried, although another shard brought the same content first.
func TestPull_IncludesWhatCame(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	x := item("x.example", "k", "v")
	w.nodes["b"].Put(shardB, []stream.Item{x}, nil)
	w.nodes["b"].commit()
	w.leads(shardA, "a", "b")
	w.nodes["a"].Put(shardA, []stream.Item{x}, nil)
	w.quiet(2 * time.Second)
	w.nodes["c"].Pull(stream.Pull{Shard: shardA, From: "b"})
	w.quiet(2 * time.Second)
	w.check(shardA)
	if got := w.nodes["c"].get("x.example", "k"); got != "v" {
		t.Errorf("the asker has %q", got)
	}
	// So does a leader for its own line.
	w.leads(shardA, "b", "a", "c")
	w.nodes["b"].Put(shardB, []stream.Item{item("y.example", "k", "v")}, nil)
	w.nodes["b"].commit()
	var stored bool
	w.nodes["b"].Put(shardA, []stream.Item{item("y.example", "k", "v")}, func(uint64) { stored = true })
	w.quiet(2 * time.Second)
	if got := w.nodes["c"].get("y.example", "k"); got != "v" || !stored {
		t.Errorf("the follower has %q, stored = %t", got, stored)
	}
}

// The request of a new leader waits until the answerer knows its term.
func TestPull_WaitsForTerm(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a")
	fill(w, 3)
	w.nodes["a"].extra = []byte("leases")
	var got stream.Pulled
	w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a", Term: stream.Term{Number: 2}, Done: func(p stream.Pulled) { got = p }})
	w.quiet(3 * time.Second)
	if got.Marks != nil {
		t.Fatal("a store answered that does not know the term")
	}
	w.lead[shardA] = leader{"b", stream.Term{Number: 2}}
	w.quiet(2 * time.Second)
	if string(got.Extra) != "leases" || !got.Marks.Covers(w.nodes["a"].Marks(shardA)) {
		t.Errorf("pulled %v", got)
	}
	w.same("a", "b")
}

// At most one pull per shard, answerer and taker goes on. Cancelled ones are never done.
func TestPull_Cancel(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a")
	fill(w, 3)
	var done []int
	pull := func(i int) func() {
		return w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a", Done: func(stream.Pulled) { done = append(done, i) }})
	}
	first := pull(1)
	pull(2)
	first()
	w.quiet(time.Second)
	cancel := pull(3)
	w.nodes["b"].Tick()
	cancel()
	w.quiet(time.Second)
	if !slices.Equal(done, []int{2}) || w.nodes["b"].Sizes()["pulls"] != 0 {
		t.Errorf("done %v, want [2]", done)
	}
}

// A pull of some domains takes no others.
func TestPull_OfPrefixes(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a")
	fill(w, 80)
	w.leads(shardB, "b")
	zero, _ := ring.Prefix{}.Halves()
	w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a", Into: shardB, Prefixes: []ring.Prefix{zero}})
	w.quiet(2 * time.Second)
	w.check(shardA)
	for k := range w.nodes["b"].items() {
		if d := crawl.Domain(k[:len("d000.example")]); !zero.Contains(crawl.KeyOf(d)) {
			t.Errorf("%s is not in %s", d, zero)
		}
	}
	if n := len(w.nodes["b"].items()); n == 0 || n == 80 {
		t.Errorf("%d items were pulled", n)
	}
}

// A move: the new line gets everything, whatever its leader had from elsewhere, and later changes too.
func TestPull_IntoAnotherShard(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b") // b, which will lead the new line, has everything already
	fill(w, 40)
	w.quiet(2 * time.Second)
	w.leads(shardB, "b", "c")
	var got stream.Pulled
	pull := stream.Pull{Shard: shardA, From: "a", Into: shardB, Done: func(p stream.Pulled) { got = p }}
	w.nodes["b"].Pull(pull)
	w.quiet(2 * time.Second)
	if n, _ := w.nodes["b"].Number(shardB); got.N == 0 || got.N != n {
		t.Errorf("N = %d, want %d", got.N, n)
	}
	w.same("a", "b", "c")
	w.check(shardB)
	before := w.sent["b"]
	w.nodes["a"].Put(shardA, []stream.Item{item("late.example", "k", "v")}, nil)
	w.quiet(2 * time.Second)
	pull.Marks = got.Marks
	w.nodes["b"].Pull(pull)
	w.quiet(2 * time.Second)
	w.same("a", "b", "c")
	if sent := w.sent["b"] - before; sent > 2000 {
		t.Errorf("the late item cost %d bytes", sent)
	}
	// The old line drops what the new one has; the store that is in both keeps it.
	for _, id := range []crawl.PeerID{"a", "b"} {
		w.nodes[id].Drop(shardA, []ring.Prefix{{}}, got.Marks)
	}
	w.quiet(2 * time.Second)
	if n := len(w.nodes["a"].items()); n != 0 {
		t.Errorf("the old leader still has %d items", n)
	}
	w.same("b", "c")
	if n := len(w.nodes["c"].items()); n != 41 {
		t.Errorf("the new line has %d items, want 41", n)
	}
	// They come back: the old leader has nothing left to know them by.
	w.nodes["a"].Pull(stream.Pull{Shard: shardB, From: "b", Into: shardA})
	w.quiet(2 * time.Second)
	w.same("a", "b", "c")
}

// A leader begins a run whose generation is above all others, also after a lying member wrote the highest.
func TestLead_Generation(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	for range 5 {
		w.leads(shardA, "a")
		w.nodes["a"].commit()
		w.leads(shardA, "b")
		w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a"})
		w.quiet(time.Second)
	}
	runs := slices.Sorted(func(yield func(stream.Run) bool) {
		for r := range w.nodes["b"].Marks(shardA) {
			if !yield(r) {
				return
			}
		}
	})
	if len(runs) != 10 || runs[9].Generation() < 5 {
		t.Errorf("runs %v", runs)
	}
	if s := fmt.Sprint(runs[0]); len(s) < 12 {
		t.Errorf("a run reads %q", s)
	}
}
