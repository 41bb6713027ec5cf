package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/stream"
)

var shardA = stream.ShardOf("a", 0)

func TestStream(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b", "c")
	a := w.nodes["a"]
	var stored []uint64
	for i := range 20 {
		a.Put(shardA, []stream.Item{item("x.example", fmt.Sprint(i%15), "v")}, func(n uint64) { stored = append(stored, n) })
		a.commit()
	}
	want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 15, 15, 15, 15}
	if !slices.Equal(stored, want) {
		t.Errorf("stored = %v, want %v", stored, want)
	}
	w.quiet(3 * time.Second)
	w.same("a", "b", "c")
	w.check(shardA)
	for _, p := range []crawl.PeerID{"b", "c"} {
		if n, ok := a.Acked(shardA, p); n != 15 || !ok {
			t.Errorf("Acked(%s) = %d, %t, want 15", p, n, ok)
		}
		if !w.nodes[p].Marks(shardA).Covers(a.Marks(shardA)) {
			t.Errorf("%s lacks marks of the leader", p)
		}
	}
	if n := a.Sizes()["kept"]; n != 0 {
		t.Errorf("the leader keeps %d commits that all have", n)
	}
}

// A node's messages are lost, doubled and reordered, nodes start again, transactions fail.
func TestStream_Storm(t *testing.T) {
	for seed := range uint64(40) {
		w := newWorld(t, seed, "a", "b", "c")
		w.lossy, w.kept = true, 400
		w.leads(shardA, "a", "b", "c")
		ids := []crawl.PeerID{"a", "b", "c"}
		for range 1500 {
			l := w.nodes[w.lead[shardA].peer]
			switch r := w.rand.IntN(300); {
			case r < 60:
				l.Put(shardA, []stream.Item{w.random(), w.random()}, nil)
			case r < 64:
				n := w.nodes[ids[w.rand.IntN(3)]]
				n.Put(shardA, []stream.Item{w.random()}, nil)
			case r < 66:
				n := w.nodes[ids[w.rand.IntN(3)]]
				n.disk.Broken = func() error { n.disk.Broken = nil; return fmt.Errorf("disk is full") }
			case r < 68:
				n := w.nodes[ids[w.rand.IntN(3)]]
				n.start()
				if n == l {
					w.leads(shardA, n.id, others(ids, n.id)...)
				}
			case r == 68:
				next := ids[w.rand.IntN(3)]
				for _, o := range others(ids, next) {
					w.nodes[next].Pull(stream.Pull{Shard: shardA, From: o})
				}
				w.leads(shardA, next, others(ids, next)...)
			}
			w.step()
			if w.rand.IntN(20) == 0 {
				w.check(shardA)
			}
		}
		w.quiet(20 * time.Second)
		w.check(shardA)
		w.same("a", "b", "c")
		l := w.nodes[w.lead[shardA].peer]
		n, _ := l.Number(shardA)
		for _, o := range others(ids, l.id) {
			if got, ok := l.Acked(shardA, o); got != n || !ok {
				t.Fatalf("seed %d: Acked(%s) = %d, %t, want %d", seed, o, got, ok, n)
			}
		}
	}
}

func others(ids []crawl.PeerID, not crawl.PeerID) []crawl.PeerID {
	return slices.DeleteFunc(slices.Clone(ids), func(p crawl.PeerID) bool { return p == not })
}

// fill puts n items of 1 KB each into the leader's store, which differ from each other.
func fill(w *world, n int) {
	l := w.nodes[w.lead[shardA].peer]
	for i := range n {
		l.Put(shardA, []stream.Item{item(crawl.Domain(fmt.Sprintf("d%03d.example", i%40)), fmt.Sprint(i), "|"+strings.Repeat("x", 1000)+fmt.Sprint(i))}, nil)
	}
	l.commit()
}

func TestPull_SurvivesRestarts(t *testing.T) {
	for seed := range uint64(4) {
		w := newWorld(t, seed, "a", "b")
		w.leads(shardA, "a")
		fill(w, 1500)
		w.lossy = true
		w.nodes["a"].Followers(shardA, []crawl.PeerID{"b"})
		for i := range 300 {
			w.step()
			if i%90 == 45 {
				w.nodes["b"].start()
			}
			if i%90 == 80 {
				w.nodes["a"].start()
				w.leads(shardA, "a", "b")
			}
			if i%50 == 0 {
				w.check(shardA)
			}
		}
		w.quiet(10 * time.Second)
		w.check(shardA)
		w.same("a", "b")
	}
}

// Diverged copies merge to the same, in any order, twice.
func TestPull_MergesDivergedCopies(t *testing.T) {
	for seed := range uint64(30) {
		ids := []crawl.PeerID{"a", "b", "c", "d"}[:2+seed%3]
		w := newWorld(t, seed, ids...)
		for _, id := range ids {
			for range 20 {
				w.nodes[id].Put(shardA, []stream.Item{w.random(), w.random()}, nil)
				w.nodes[id].commit()
			}
		}
		for range 2 {
			for _, i := range w.rand.Perm(len(ids)) {
				for _, j := range w.rand.Perm(len(ids)) {
					if i == j {
						continue
					}
					done := false
					w.nodes[ids[i]].Pull(stream.Pull{Shard: shardA, From: ids[j], Done: func(stream.Pulled) { done = true }})
					w.quiet(time.Second)
					if !done {
						t.Fatal("the pull is not done")
					}
				}
			}
		}
		w.check(shardA)
		w.same(ids...)
		before := w.nodes[ids[0]].items()
		w.leads(shardA, ids[1], others(ids, ids[1])...)
		w.quiet(10 * time.Second)
		w.same(ids...)
		if got := w.nodes[ids[0]].items(); len(got) != len(before) {
			t.Errorf("%d items became %d", len(before), len(got))
		}
	}
}

// A follower that learned something elsewhere tells by its acknowledgements.
func TestStream_LeaderPullsFromFollower(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b", "c")
	w.quiet(2 * time.Second)
	w.nodes["b"].Put(shardA, []stream.Item{item("x.example", "k", "b")}, nil)
	w.nodes["b"].commit()
	w.nodes["a"].Put(shardA, []stream.Item{item("y.example", "k", "a")}, nil)
	w.quiet(3 * time.Second)
	w.same("a", "b", "c")
	if got := w.nodes["c"].get("x.example", "k"); got != "b" {
		t.Errorf("the other follower has %q", got)
	}
	if got := w.nodes["a"].merged; !slices.Equal(got, []crawl.Domain{"x.example"}) {
		t.Errorf("the group was told of %v", got)
	}
}

// A silent leader finds a follower whose disk went back.
func TestStream_FollowerRestoresBackup(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a", "b")
	w.quiet(time.Second)
	backup := w.nodes["b"].disk.Clone()
	for range 30 {
		w.nodes["a"].Put(shardA, []stream.Item{w.random()}, nil)
		w.nodes["a"].commit()
	}
	w.quiet(2 * time.Second)
	w.same("a", "b")
	w.nodes["b"].disk.Restore(backup)
	w.nodes["b"].start()
	w.quiet(20 * time.Second)
	w.same("a", "b")
	w.nodes["b"].disk.Restore(new(p2ptest.Disk))
	w.nodes["b"].start()
	w.quiet(20 * time.Second)
	w.same("a", "b")
	w.check(shardA)
}

// A store that is not trusted takes commits and acknowledges none.
func TestStream_DoesNotAcknowledgeWithoutTrust(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a", "b")
	w.quiet(time.Second)
	w.nodes["b"].deaf = true
	w.nodes["a"].Put(shardA, []stream.Item{item("x.example", "k", "a")}, nil)
	w.quiet(5 * time.Second)
	if n, _ := w.nodes["a"].Acked(shardA, "b"); n != 0 || w.nodes["b"].get("x.example", "k") != "a" {
		t.Errorf("Acked = %d, and b has %q", n, w.nodes["b"].get("x.example", "k"))
	}
	w.nodes["b"].deaf = false
	w.quiet(3 * time.Second)
	if n, _ := w.nodes["a"].Acked(shardA, "b"); n != 1 {
		t.Errorf("Acked = %d, want 1", n)
	}
}

// A leader sends no more than a window without an acknowledgement, and goes on from there.
func TestStream_Window(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a", "b")
	w.quiet(time.Second)
	w.spy = func(l letter) bool { return l.from != "b" }
	w.sent["a"] = 0
	for range 40 {
		fill(w, 20)
		w.nodes["a"].Put(shardA, []stream.Item{item("x.example", fmt.Sprint(w.rand.Uint64()), "|"+strings.Repeat("z", 8000))}, nil)
		w.nodes["a"].commit()
	}
	w.quiet(900 * time.Millisecond)
	if got := w.sent["a"]; got > 45<<10 || got < 20<<10 {
		t.Errorf("%d bytes are on the way, want about 32 KiB", got)
	}
	w.quiet(20 * time.Second)
	if got := w.sent["a"]; got > 50<<10 {
		t.Errorf("a follower that is silent was sent %d bytes", got)
	}
	w.spy = nil
	w.quiet(10 * time.Second)
	w.same("a", "b")
}
