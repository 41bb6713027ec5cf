package stream_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/stream"
)

const retry = time.Second

// union is a merge with third versions: values are sets of bytes, and ballast behind a bar.
func union(_ crawl.Domain, _ string, a, b []byte) []byte {
	setA, restA, _ := strings.Cut(string(a), "|")
	setB, restB, _ := strings.Cut(string(b), "|")
	all := []byte(setA + setB)
	slices.Sort(all)
	all = slices.Compact(all)
	if rest := max(restA, restB); rest != "" {
		all = append(all, "|"+rest...)
	}
	return all
}

// world is a few nodes and the messages between them.
type world struct {
	t         *testing.T
	rand      *rand.Rand
	now       time.Duration
	nodes     map[crawl.PeerID]*node
	bag       []letter
	lead      map[stream.Shard]leader
	followers map[stream.Shard][]crawl.PeerID // of the leaders
	seen      map[content][]byte              // what stamps name
	cut       map[crawl.PeerID]bool
	lossy     bool
	sent      map[crawl.PeerID]int // bytes by sender
	spy       func(letter) bool    // false: the message is lost
	kept      int
	stale     func(stream.Item) bool
}

type leader struct {
	peer crawl.PeerID
	term stream.Term
}

// crash starts a node again, and makes it lead what it led.
func (n *node) crash() {
	n.start()
	for s, l := range n.w.lead {
		if l.peer == n.id {
			n.w.leads(s, n.id, n.w.followers[s]...)
		}
	}
}

type letter struct {
	from, to crawl.PeerID
	message  []byte
}

// content is one item under one stamp.
type content struct {
	stamp  stream.Stamp
	domain crawl.Domain
	key    string
}

type node struct {
	*stream.Streams
	w      *world
	id     crawl.PeerID
	disk   *p2ptest.Disk
	deaf   bool // does not trust its memory
	extra  []byte
	merged []crawl.Domain
	notes  []stream.Note
	knows  map[stream.Shard]leader // in place of the world's
}

// Put puts items that are made already.
func (n *node) Put(shard stream.Shard, items []stream.Item, stored func(uint64)) {
	n.Streams.Put(shard, made(items), stored)
}

func made(items []stream.Item) []stream.Make {
	return []stream.Make{func(stream.Tx) ([]stream.Item, error) { return items, nil }}
}

func newWorld(t *testing.T, seed uint64, ids ...crawl.PeerID) *world {
	w := &world{t: t, rand: rand.New(rand.NewPCG(seed, 1)), nodes: make(map[crawl.PeerID]*node), lead: make(map[stream.Shard]leader), followers: make(map[stream.Shard][]crawl.PeerID),
		seen: make(map[content][]byte), cut: make(map[crawl.PeerID]bool), sent: make(map[crawl.PeerID]int)}
	for _, id := range ids {
		w.nodes[id] = &node{w: w, id: id, disk: new(p2ptest.Disk), knows: make(map[stream.Shard]leader)}
		w.nodes[id].start()
	}
	return w
}

// start opens the streams of a node, or opens them again after a crash.
func (n *node) start() {
	s, err := stream.Open(stream.Config{Merge: union, Changed: keepShadow, Stale: n.w.stale, Chance: n.w.rand.Uint64, Retry: retry, Kept: n.w.kept,
		Now: func() time.Duration { return n.w.now }, Group: n, Note: n.note,
		Send: func(to crawl.PeerID, lane stream.Lane, m []byte) { n.w.send(letter{n.id, to, m}) }}, n.disk)
	if err != nil {
		n.w.t.Fatal(err)
	}
	n.Streams = s
}

func (n *node) knowsOf(s stream.Shard) leader {
	if l, ok := n.knows[s]; ok {
		return l
	}
	return n.w.lead[s]
}

func (n *node) Accepts(s stream.Shard, from crawl.PeerID, t stream.Term) bool {
	return n.knowsOf(s) == leader{from, t}
}
func (n *node) Current(s stream.Shard, t stream.Term) bool { return n.knowsOf(s).term.Compare(t) >= 0 }
func (n *node) Trusts(stream.Shard) bool                   { return !n.deaf }
func (n *node) MayKeep(crawl.PeerID) bool                  { return true }
func (n *node) Extra(stream.Shard, stream.Term) []byte     { return n.extra }
func (n *node) Merged(_ stream.Shard, d crawl.Domain)      { n.merged = append(n.merged, d) }

func (n *node) note(x stream.Note) {
	n.notes = append(n.notes, x)
	if x.Kind != stream.Stamped {
		return
	}
	c := content{stream.Stamp{Run: x.Run, N: x.N}, x.Item.Domain, x.Item.Key}
	if old, ok := n.w.seen[c]; ok && !bytes.Equal(old, x.Item.Value) {
		n.w.t.Fatalf("%v names %q and %q", c, old, x.Item.Value)
	}
	n.w.seen[c] = x.Item.Value
}

func (w *world) send(l letter) {
	if w.nodes[l.to] == nil || w.cut[l.from] || w.cut[l.to] || w.spy != nil && !w.spy(l) {
		return
	}
	w.sent[l.from] += len(l.message)
	w.bag = append(w.bag, l)
	if w.lossy && w.rand.IntN(8) == 0 {
		w.bag = append(w.bag, l)
	}
}

// deliver hands over one message: the oldest, or any one if the network is lossy, or loses it.
func (w *world) deliver() {
	if len(w.bag) == 0 {
		return
	}
	i := 0
	if w.lossy {
		i = w.rand.IntN(min(len(w.bag), 6))
	}
	l := w.bag[i]
	w.bag = slices.Delete(w.bag, i, i+1)
	if w.cut[l.from] || w.cut[l.to] || w.lossy && w.rand.IntN(10) == 0 {
		return
	}
	if err := w.nodes[l.to].Receive(l.from, l.message); err != nil {
		w.t.Fatalf("%s of %s: %v", l.to, l.from, err)
	}
}

// commit does what waits at a node.
func (n *node) commit() { n.commitNow(true) }

// commitNow does what others wait for and, if items is set, everything else.
func (n *node) commitNow(items bool) {
	now, writes, waiting := n.Waits()
	if items = items && waiting; !now && !items {
		return
	}
	run := n.disk.View
	if writes || items {
		run = n.disk.Update
	}
	if err := run(func(tx stream.Tx) error { return n.Commit(tx, items) }); err != nil {
		n.crash()
		return
	}
	n.Committed()
}

func (w *world) ids() []crawl.PeerID { return slices.Sorted(maps.Keys(w.nodes)) }

// step does something, chosen by chance.
func (w *world) step() {
	w.now += 5 * time.Millisecond
	if w.rand.IntN(3) > 0 {
		w.deliver()
	}
	ids := w.ids()
	n := w.nodes[ids[w.rand.IntN(len(ids))]]
	if w.rand.IntN(4) == 0 {
		n.Tick()
	}
	n.commitNow(w.rand.IntN(3) > 0)
}

// quiet lets the network deliver everything for a while.
func (w *world) quiet(d time.Duration) {
	w.t.Helper()
	lossy := w.lossy
	w.lossy = false
	for end := w.now + d; w.now < end; w.now += retry / 4 {
		for _, id := range w.ids() {
			w.nodes[id].Tick()
			w.nodes[id].commit()
		}
		for i := 0; len(w.bag) > 0; i++ {
			if i > 20_000 {
				w.t.Fatal("messages without end")
			}
			w.deliver()
			for _, id := range w.ids() {
				w.nodes[id].commit()
			}
		}
	}
	w.lossy = lossy
}

// leads makes a node the leader of a shard, with followers, in the next term.
func (w *world) leads(s stream.Shard, id crawl.PeerID, followers ...crawl.PeerID) {
	w.lead[s] = leader{id, stream.Term{Number: w.lead[s].term.Number + 1}}
	for _, other := range w.ids() {
		if other != id {
			w.nodes[other].Resign(s)
		}
	}
	n := w.nodes[id]
	n.Lead(s, w.lead[s].term)
	n.Followers(s, followers)
	w.followers[s] = followers
}

// items returns all that a store holds, without stamps.
func (n *node) items() map[string]string {
	all := make(map[string]string)
	_ = n.disk.View(func(tx stream.Tx) error {
		return stream.ScanAll(tx, "", "", func(it stream.Item) bool {
			all[string(it.Domain)+"\x00"+it.Key] = string(it.Value)
			return true
		})
	})
	return all
}

func (n *node) get(d crawl.Domain, key string) string {
	var v string
	_ = n.disk.View(func(tx stream.Tx) error {
		v = string(stream.Get(tx, d, key))
		return nil
	})
	return v
}

// check fails if a mark claims what the store lacks.
func (w *world) check(s stream.Shard) {
	w.t.Helper()
	for _, id := range w.ids() {
		n := w.nodes[id]
		m := n.Marks(s)
		_ = n.disk.View(func(tx stream.Tx) error {
			for c, v := range w.seen {
				if !m.Has(c.stamp) {
					continue
				}
				if has := stream.Get(tx, c.domain, c.key); !bytes.Equal(union("", "", has, v), has) {
					w.t.Fatalf("%s has the mark of %v, which is %q, and the item %q", id, c, v, has)
				}
			}
			return nil
		})
	}
}

// same fails unless all these stores hold the same items, and marks that cover each other's runs of the leader.
func (w *world) same(ids ...crawl.PeerID) {
	w.t.Helper()
	first := w.nodes[ids[0]].items()
	for _, id := range ids[1:] {
		if other := w.nodes[id].items(); !maps.Equal(first, other) {
			w.t.Fatalf("%s and %s differ: %s", ids[0], id, difference(first, other))
		}
	}
}

func difference(a, b map[string]string) string {
	var out strings.Builder
	for _, k := range slices.Sorted(maps.Keys(a)) {
		if a[k] != b[k] {
			fmt.Fprintf(&out, "%q: %.40q, %.40q; ", k, a[k], b[k])
		}
	}
	return fmt.Sprintf("%d and %d items; %.600s", len(a), len(b), out.String())
}

func item(d crawl.Domain, key, value string) stream.Item {
	return stream.Item{Domain: d, Key: key, Value: []byte(value)}
}

// random returns an item of few domains and keys.
func (w *world) random() stream.Item {
	return item(crawl.Domain(fmt.Sprintf("d%d.example", w.rand.IntN(6))), fmt.Sprintf("k%d", w.rand.IntN(5)), string(rune('a'+w.rand.IntN(26))))
}
