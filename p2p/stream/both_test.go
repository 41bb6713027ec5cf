package stream_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// A leader, a follower that pulls and streams, a drop, and another start, on each implementation of Disk.
func TestStreams_OnBothDisks(t *testing.T) {
	bothDisks(t, func(t *testing.T, first stream.Disk) {
		w := newWorld(t, 1, "a", "b")
		w.lead[shardA] = leader{"a", stream.Term{Number: 1}}
		disks := map[crawl.PeerID]stream.Disk{"a": first, "b": onBolt(t)}
		streams := make(map[crawl.PeerID]*stream.Streams)
		open := func(id crawl.PeerID) {
			s, err := stream.Open(stream.Config{Merge: union, Chance: w.rand.Uint64, Retry: retry, Now: func() time.Duration { return w.now }, Group: w.nodes[id],
				Send: func(to crawl.PeerID, _ stream.Lane, m []byte) { w.bag = append(w.bag, letter{id, to, m}) }}, disks[id])
			if err != nil {
				t.Fatal(err)
			}
			streams[id] = s
		}
		run := func() {
			for range 60 {
				w.now += retry / 4
				for _, id := range []crawl.PeerID{"a", "b"} {
					for len(w.bag) > 0 {
						l := w.bag[0]
						w.bag = w.bag[1:]
						if err := streams[l.to].Receive(l.from, l.message); err != nil {
							t.Fatal(err)
						}
					}
					streams[id].Tick()
					if err := disks[id].Update(func(tx stream.Tx) error { return streams[id].Commit(tx, true) }); err != nil {
						t.Fatal(err)
					}
					streams[id].Committed()
				}
			}
		}
		open("a")
		open("b")
		lead := func() {
			streams["a"].Lead(shardA, stream.Term{Number: 1})
			streams["a"].Followers(shardA, []crawl.PeerID{"b"})
		}
		lead()
		var items []stream.Item
		for i := range 3000 {
			items = append(items, item(crawl.Domain(fmt.Sprintf("d%d.example", i%50)), fmt.Sprint(i), "|"+fmt.Sprint(i)+string(make([]byte, 200))))
		}
		streams["a"].Put(shardA, made(items), nil)
		run()
		streams["a"].Put(shardA, made([]stream.Item{item("d1.example", "1", "x")}), nil)
		run()
		if a, b := scanAll(t, disks["a"]), scanAll(t, disks["b"]); a != b || len(a) < 600_000 {
			t.Fatalf("the stores differ: %d and %d bytes", len(a), len(b))
		}
		marks := streams["b"].Marks(shardA)
		open("b")
		if got := streams["b"].Marks(shardA); !got.Covers(marks) || !marks.Covers(got) || len(marks) == 0 {
			t.Errorf("marks after a start %v, want %v", got, marks)
		}
		streams["a"].Resign(shardA)
		w.lead[shardA] = leader{}
		streams["b"].Drop(shardA, nil, streams["a"].Marks(shardA))
		run()
		if b := scanAll(t, disks["b"]); b != "" || len(streams["b"].Marks(shardA)) > 0 {
			t.Errorf("after the drop %d bytes are left, and the marks %v", len(b), streams["b"].Marks(shardA))
		}
	})
}

// scanAll returns all items and stamps.
func scanAll(t *testing.T, d stream.Disk) string {
	var all []byte
	err := d.View(func(tx stream.Tx) error {
		return tx.Scan("items", nil, func(k, v []byte) bool {
			all = append(append(all, k...), v...)
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}
