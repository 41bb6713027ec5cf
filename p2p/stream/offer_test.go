package stream_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// A former member's copy goes to the line before it is dropped.
func TestOffer(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b", "c")
	fill(w, 300)
	w.quiet(2 * time.Second)
	w.nodes["c"].Put(shardA, []stream.Item{item("x.example", "k", "c")}, nil)
	w.nodes["c"].commit()
	w.leads(shardA, "a", "b")
	c := w.nodes["c"]
	w.cut["b"] = true
	c.Offer(shardA, "a")
	w.quiet(5 * time.Second)
	if len(c.items()) != 301 {
		t.Fatal("the copy was dropped before the follower had it")
	}
	w.cut["b"] = false
	c.Put(shardA, []stream.Item{item("x.example", "late", "c")}, nil)
	w.quiet(5 * time.Second)
	if c.get("x.example", "late") != "c" {
		t.Fatal("what was added after the offer is gone")
	}
	for range 4 {
		c.Offer(shardA, "a")
		w.quiet(2 * time.Second)
	}
	if n, m := len(c.items()), c.Marks(shardA); n != 0 || len(m) != 0 || c.disk.Len("came") != 0 {
		t.Errorf("the former member keeps %d items, the marks %v and %d domains", n, m, c.disk.Len("came"))
	}
	w.same("a", "b")
	if w.nodes["b"].get("x.example", "late") != "c" {
		t.Error("the line lacks the late item")
	}
	// It comes back as a follower.
	w.nodes["a"].Followers(shardA, []crawl.PeerID{"b", "c"})
	w.quiet(5 * time.Second)
	w.same("a", "b", "c")
	w.check(shardA)
}

// A copy goes although its items have stamps of another shard, which gave the domain away and whose marks are still here.
func TestOffer_StampsOfAnotherShard(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "c")
	w.leads(shardB, "c", "b")
	w.nodes["a"].Put(shardA, []stream.Item{item("x.example", "k", "1")}, nil)
	w.quiet(2 * time.Second)
	c := w.nodes["c"]
	c.Put(shardB, []stream.Item{item("x.example", "k", "2")}, nil)
	w.quiet(2 * time.Second)
	c.Drop(shardB, []ring.Prefix{{}}, c.Marks(shardB))
	w.quiet(time.Second)
	if got := c.get("x.example", "k"); got != "12" {
		t.Fatalf("c has %q although it follows the first shard", got)
	}
	w.leads(shardA, "a", "b")
	for range 4 {
		c.Offer(shardA, "a")
		w.quiet(2 * time.Second)
	}
	if n := len(c.items()); n != 0 || c.disk.Len("came") != 0 {
		t.Errorf("c keeps %d items and %d domains", n, c.disk.Len("came"))
	}
	if got := w.nodes["b"].get("x.example", "k"); got != "12" {
		t.Errorf("the line has %q", got)
	}
}

// A follower's offer is not served, and an answer that comes when it follows again does nothing.
func TestOffer_EndsWhenTheNodeFollows(t *testing.T) {
	w := newWorld(t, 1, "a", "c")
	w.leads(shardA, "a", "c")
	fill(w, 20)
	w.quiet(2 * time.Second)
	w.leads(shardA, "a")
	release := w.hold(to("c"))
	w.nodes["c"].Offer(shardA, "a")
	w.quiet(2 * time.Second)
	w.spy = nil
	w.nodes["c"].Pull(stream.Pull{Shard: shardA, From: "a"})
	w.quiet(time.Second)
	release()
	w.quiet(time.Second)
	w.nodes["a"].Followers(shardA, []crawl.PeerID{"c"})
	w.nodes["c"].Offer(shardA, "a")
	w.quiet(5 * time.Second)
	w.same("a", "c")
}

// Whatever the network does, nothing is dropped that the leader and its followers lack.
func TestOffer_Storm(t *testing.T) {
	dropped := 0
	for seed := range uint64(30) {
		w := newWorld(t, seed, "a", "b", "c", "d")
		w.leads(shardA, "a", "b", "c", "d")
		ids := w.ids()
		w.lossy = true
		for i := range 1500 {
			switch r := w.rand.IntN(200); {
			case r < 20:
				w.nodes["a"].Put(shardA, []stream.Item{w.random()}, nil)
			case r < 24:
				w.nodes[ids[1+w.rand.IntN(3)]].Put(shardA, []stream.Item{w.random()}, nil)
			case r < 26:
				w.nodes["a"].Followers(shardA, ids[1:2+w.rand.IntN(3)])
			case r < 36:
				w.nodes[ids[2+w.rand.IntN(2)]].Offer(shardA, "a")
			case r == 36:
				w.nodes[ids[1+w.rand.IntN(3)]].start()
			}
			w.step()
			for _, id := range ids {
				for _, x := range w.nodes[id].notes {
					if x.Kind != stream.Dropped {
						continue
					}
					dropped++
					for _, holder := range []crawl.PeerID{"a", "b"} {
						has := w.nodes[holder].get(x.Item.Domain, x.Item.Key)
						if got := string(union("", "", []byte(has), x.Item.Value)); got != has {
							t.Fatalf("seed %d, step %d: %s dropped %v, and %s has %q", seed, i, id, x.Item, holder, has)
						}
					}
				}
				w.nodes[id].notes = nil
			}
		}
		w.nodes["a"].Followers(shardA, ids[1:])
		w.quiet(20 * time.Second)
		w.check(shardA)
		w.same(ids...)
	}
	if dropped == 0 {
		t.Error("nothing was ever dropped")
	}
}

// The answer to an offer comes when the node follows again: its copy counts, and stays.
func TestOffer_LateAnswer(t *testing.T) {
	w := newWorld(t, 1, "a", "c")
	w.leads(shardA, "a", "c")
	fill(w, 20)
	w.quiet(2 * time.Second)
	w.nodes["a"].Followers(shardA, nil)
	release := w.hold(func(l letter) bool { return l.message[0] == 5 }) // the answer
	for range 2 {
		w.nodes["c"].Offer(shardA, "a")
		w.quiet(2 * time.Second)
	}
	if n := w.nodes["c"].Sizes()["offers"]; n != 1 {
		t.Fatalf("%d offers wait", n)
	}
	w.spy = nil
	w.nodes["a"].Followers(shardA, []crawl.PeerID{"c"})
	w.quiet(time.Second)
	release()
	w.quiet(time.Second / 4)
	for _, x := range w.nodes["c"].notes {
		if x.Kind == stream.Dropped {
			t.Fatalf("a follower dropped %s", x.Item.Key)
		}
	}
}

// Who pulls from a store that drops its copy begins again, and does not adopt marks of what it did not get.
func TestDrop_EndsPulls(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b")
	fill(w, 600)
	w.quiet(2 * time.Second)
	b, c := w.nodes["b"], w.nodes["c"]
	w.leads(shardA, "a")
	c.Pull(stream.Pull{Shard: shardA, From: "b"})
	c.Tick()
	for range 2 { // the first chunk
		w.deliver()
		b.commit()
		c.commit()
	}
	b.Drop(shardA, nil, w.nodes["a"].Marks(shardA))
	b.commit()
	w.quiet(5 * time.Second)
	if len(b.items()) != 0 || len(c.items()) == 0 {
		t.Fatalf("%d and %d items", len(b.items()), len(c.items()))
	}
	w.check(shardA)
}

// Domains move away and come back. A follower that dropped its copy gets them again, although its leader kept one.
func TestDrop_DomainsComeBack(t *testing.T) {
	w := newWorld(t, 1, "a", "b", "c")
	w.leads(shardA, "a", "b")
	fill(w, 30)
	w.quiet(2 * time.Second)
	w.leads(shardB, "c")
	var got stream.Pulled
	w.nodes["c"].Pull(stream.Pull{Shard: shardA, From: "a", Into: shardB, Done: func(p stream.Pulled) { got = p }})
	w.quiet(2 * time.Second)
	w.nodes["b"].Drop(shardA, []ring.Prefix{{}}, got.Marks)
	w.quiet(time.Second)
	if n := len(w.nodes["b"].items()); n != 0 {
		t.Fatalf("%d items remain", n)
	}
	w.nodes["a"].Pull(stream.Pull{Shard: shardB, From: "c", Into: shardA})
	w.quiet(2 * time.Second)
	w.same("a", "b", "c")
}

// What another shard of the store carried is kept.
func TestDrop_KeepsWhatAnotherShardCarried(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	a := w.nodes["a"]
	w.leads(shardA, "a")
	a.Put(shardA, []stream.Item{item("x.example", "k", "v"), item("y.example", "k", "v")}, nil)
	a.commit()
	a.Put(shardB, []stream.Item{item("x.example", "other", "v")}, nil)
	a.commit()
	a.Resign(shardA)
	a.Drop(shardA, nil, a.Marks(shardA))
	w.quiet(time.Second)
	if a.get("x.example", "k") != "v" || a.get("y.example", "k") != "" {
		t.Errorf("left: %v", a.items())
	}
	var domains []crawl.Domain
	err := a.disk.View(func(tx stream.Tx) error {
		return stream.Domains(tx, shardA, func(d crawl.Domain) bool { domains = append(domains, d); return true })
	})
	if err != nil || len(domains) > 0 {
		t.Errorf("domains %v, %v", domains, err)
	}
}

// A drop that is repeated after the domain came back to the shard takes nothing away, be it that another shard of the store
// has stamped the items since.
func TestDrop_RepeatedAfterDomainsCameBack(t *testing.T) {
	w := newWorld(t, 1, "a", "b")
	a := w.nodes["a"]
	w.leads(shardA, "a")
	a.Put(shardA, []stream.Item{item("x.example", "k", "1")}, nil)
	a.commit()
	before := maps.Clone(a.Marks(shardA))
	a.Put(shardA, []stream.Item{item("x.example", "k", "2")}, nil) // it came back
	a.commit()
	a.Put(shardB, []stream.Item{item("x.example", "k", "3")}, nil)
	a.commit()
	carried := func() (n int) {
		err := a.disk.View(func(tx stream.Tx) error {
			return stream.Domains(tx, shardA, func(crawl.Domain) bool { n++; return true })
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	a.Drop(shardA, []ring.Prefix{{}}, before)
	w.quiet(time.Second)
	if carried() != 1 || a.get("x.example", "k") != "123" {
		t.Errorf("%d domains of the shard are left, and %v", carried(), a.items())
	}
	a.Drop(shardA, []ring.Prefix{{}}, a.Marks(shardA))
	a.Keep(shardA, ring.Prefix{Bits: 1 << 63, Len: 1})
	w.quiet(time.Second)
	if carried() != 1 {
		t.Error("a drop that was taken back was done")
	}
	a.Drop(shardA, []ring.Prefix{{}}, a.Marks(shardA))
	w.quiet(time.Second)
	if carried() != 0 {
		t.Error("the shard still carries the domain")
	}
}

// A large copy goes step by step.
func TestDrop_InSteps(t *testing.T) {
	w := newWorld(t, 1, "a")
	a := w.nodes["a"]
	var items []stream.Item
	for i := range 10_000 {
		items = append(items, item(crawl.Domain(fmt.Sprintf("d%d.example", i%3)), fmt.Sprint(i), "v"))
	}
	a.Put(shardA, items, nil)
	a.commit()
	a.Drop(shardA, nil, a.Marks(shardA))
	steps := 0
	for ; len(a.items()) > 0 && steps < 10; steps++ {
		a.commit()
		if len(a.Marks(shardA)) > 0 {
			t.Fatal("marks claim what is half gone")
		}
	}
	a.commit()
	if steps < 3 || steps == 10 || a.disk.Len("came") != 0 || a.Sizes()["drops"] != 0 {
		t.Errorf("%d steps, %d domains left, %v", steps, a.disk.Len("came"), a.Sizes())
	}
}
