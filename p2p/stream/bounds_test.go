package stream_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// record runs a small network and returns every message that was sent.
func record(t *testing.T) [][]byte {
	w := newWorld(t, 1, "a", "b", "c")
	var all [][]byte
	w.spy = func(l letter) bool { all = append(all, l.message); return true }
	w.leads(shardA, "a", "b")
	for range 20 {
		w.nodes["a"].Put(shardA, []stream.Item{w.random(), w.random()}, nil)
		w.nodes["b"].Put(shardA, []stream.Item{w.random()}, nil)
		w.quiet(time.Second)
	}
	w.nodes["c"].Put(shardA, []stream.Item{w.random()}, nil)
	w.quiet(time.Second)
	w.nodes["c"].Offer(shardA, "a")
	w.quiet(5 * time.Second)
	return all
}

// A peer that the group trusts in everything sends rubbish made of real messages. Nothing panics, and nothing grows
// beyond its bound.
func TestBounds_Rubbish(t *testing.T) {
	messages := record(t)
	w := newWorld(t, 2, "a", "b", "c")
	w.leads(shardA, "a", "b")
	w.lead[shardB] = leader{"c", stream.Term{}}
	w.quiet(time.Second)
	r := rand.New(rand.NewPCG(7, 7))
	taken := 0
	for range 30_000 {
		m := slices.Clone(messages[r.IntN(len(messages))])
		for range r.IntN(4) {
			switch i := r.IntN(len(m)); r.IntN(3) {
			case 0:
				m[i] = byte(r.Uint32())
			case 1:
				m = append(m[:i], m[min(len(m), i+r.IntN(9)):]...)
			case 2:
				m = slices.Insert(m, i, byte(r.Uint32()))
			}
			if len(m) == 0 {
				break
			}
		}
		n := w.nodes[[]crawl.PeerID{"a", "b"}[r.IntN(2)]]
		n.knows[shardA] = leader{"c", stream.Term{Number: r.Uint64N(3)}}
		if n.Receive("c", m) == nil {
			taken++
		}
		if r.IntN(40) == 0 {
			w.now += retry / 8
			n.Tick()
			n.commit()
		}
	}
	if taken < 5000 {
		t.Errorf("only %d of the messages were well formed", taken)
	}
	for _, id := range []crawl.PeerID{"a", "b"} {
		for name, size := range w.nodes[id].Sizes() {
			bound := map[string]int{"inbox bytes": 4 << 20, "kept bytes": stream.DefaultKept, "kept": 1 << 20, "runs": stream.MaxRuns,
				"claims": 4, "asks": 4, "inbox": 1 << 16}[name]
			if size > max(bound, 16) {
				t.Errorf("%s: %d %s", id, size, name)
			}
		}
	}
}

// Requests and commits of many peers are bounded together.
func TestBounds_Queues(t *testing.T) {
	messages := record(t)
	w := newWorld(t, 2, "a")
	a := w.nodes["a"]
	for i := range 2000 {
		for _, m := range messages[:40] {
			if err := a.Receive(crawl.PeerID(fmt.Sprintf("peer%d", i)), m); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := a.Sizes()["asks"]; n > 64 {
		t.Errorf("%d requests wait", n)
	}
	for range 200 {
		a.Drop(shardA, nil, stream.Marks{stream.Run(1): uint64(w.rand.IntN(9))})
		a.Offer(shardA, "b")
	}
	if s := a.Sizes(); s["drops"] > 1 || s["offers"] > 1 {
		t.Errorf("sizes %v", s)
	}
	w.now += time.Minute
	a.Tick()
	if n := a.Sizes()["asks"]; n != 0 {
		t.Errorf("%d requests wait for ever", n)
	}
}

// Items out of bounds never reach the store, however they come.
func TestBounds_Items(t *testing.T) {
	w := newWorld(t, 2, "a", "b")
	w.leads(shardA, "a", "b")
	w.nodes["a"].Put(shardA, []stream.Item{
		item("", "k", "v"), item("x\x00.example", "k", "v"), item("x.example", "", "v"), {Domain: "x.example", Key: "k", Value: make([]byte, stream.MaxValue+1)},
		item("x.example", "ok", ""), {Domain: "x.example", Key: "big", Value: make([]byte, stream.MaxValue)},
	}, nil)
	w.quiet(2 * time.Second)
	w.same("a", "b")
	if n := len(w.nodes["b"].items()); n != 2 {
		t.Errorf("%d items, want 2", n)
	}
}

// A merge that grows beyond the bound of a value takes the later of the two, on both sides.
func TestBounds_Merge(t *testing.T) {
	w := newWorld(t, 2, "a", "b")
	for id, c := range map[crawl.PeerID]byte{"a": 'x', "b": 'y'} {
		v := make([]byte, stream.MaxValue)
		for i := range v {
			v[i] = byte('|')
		}
		v[0] = c
		w.nodes[id].Put(shardA, []stream.Item{{Domain: "x.example", Key: "k", Value: v}}, nil)
		w.nodes[id].commit()
	}
	w.nodes["a"].Pull(stream.Pull{Shard: shardA, From: "b"})
	w.quiet(time.Second)
	w.nodes["b"].Pull(stream.Pull{Shard: shardA, From: "a"})
	w.quiet(time.Second)
	w.same("a", "b")
	if v := w.nodes["a"].get("x.example", "k"); len(v) != stream.MaxValue || v[0] != 'y' {
		t.Errorf("%d bytes that begin with %q", len(v), v[0])
	}
}

// An acknowledgement is small.
func TestStream_AckIsSmall(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	w.leads(shardA, "a", "b")
	w.quiet(2 * time.Second)
	w.sent["b"] = 0
	w.nodes["a"].Put(shardA, []stream.Item{item("x.example", "k", "v")}, nil)
	w.quiet(2 * time.Second)
	if got, want := w.sent["b"], 16+len(shardA); got > want {
		t.Errorf("an acknowledgement has %d bytes, want at most %d", got, want)
	}
}
