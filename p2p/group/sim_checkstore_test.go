package group_test

import (
	"bytes"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// storeBook checks invariants 2, 8 and 10 by looking into all stores now and then.
type storeBook struct {
	w       *world
	runs    map[runOf]*history
	order   []runOf             // as they appeared
	owed    map[itemAt][][]byte // acknowledged contents, none of which covers another
	owing   []itemAt            // its keys as they appeared
	seen    map[place][]byte    // what a store had at the last look
	drops   map[place]time.Duration
	checked map[markOf]int // stamps of a run that a store is known to hold
	looks   int
	acks    int
}

type runOf struct {
	shard stream.Shard
	run   stream.Run
}

// history is what was stamped in a run, in order.
type history struct {
	by     *machine
	boot   int
	stamps []stamped
	at     map[stampAt]int
}

type stamped struct {
	n     uint64
	item  itemAt
	value []byte
	at    time.Duration
}

type stampAt struct {
	n    uint64
	item itemAt
}

type itemAt struct {
	domain crawl.Domain
	key    string
}

type place struct {
	m    *machine
	item itemAt
}

type markOf struct {
	m   *machine
	run runOf
}

func newStoreBook(w *world) storeBook {
	b := storeBook{w: w, runs: make(map[runOf]*history), owed: make(map[itemAt][][]byte), seen: make(map[place][]byte),
		drops: make(map[place]time.Duration), checked: make(map[markOf]int)}
	w.every(10*w.times.Beat, func() { w.check.stores.look() })
	return b
}

// forget starts over with a machine whose memory went backwards.
func (b *storeBook) forget(m *machine) {
	for p := range b.seen {
		if p.m == m {
			delete(b.seen, p)
		}
	}
	for k := range b.checked {
		if k.m == m {
			delete(b.checked, k)
		}
	}
}

// note takes what a store says happened to it.
func (b *storeBook) note(m *machine, n stream.Note) {
	at := itemAt{n.Item.Domain, n.Item.Key}
	switch n.Kind {
	case stream.Stamped:
		b.stamp(m, n, at)
	case stream.Dropped:
		b.drops[place{m, at}] = b.w.now
		delete(b.seen, place{m, at})
	case stream.Marked:
		b.adopted(m, n)
	}
}

// adopted notes that a store took over a mark: what the answerer has dropped, or does not carry for the shard any more, is
// not there either.
func (b *storeBook) adopted(m *machine, n stream.Note) {
	from := b.w.byID[n.Peer]
	for p, at := range b.drops {
		if p.m == from {
			own := place{m, p.item}
			b.drops[own] = max(b.drops[own], at)
		}
	}
	h := b.runs[runOf{n.Shard, n.Run}]
	if h == nil || from.node == nil {
		return
	}
	carries := make(map[crawl.Domain]bool)
	_ = from.disk.View(func(tx stream.Tx) error {
		return stream.Domains(tx, n.Shard, func(d crawl.Domain) bool { carries[d] = true; return true })
	})
	for _, s := range h.stamps {
		if !carries[s.item.domain] && s.n <= n.N {
			b.drops[place{m, s.item}] = b.w.now
		}
	}
}

// stamp checks 10: (run, n) names one content, and a run belongs to one start of one store.
func (b *storeBook) stamp(m *machine, n stream.Note, at itemAt) {
	key := runOf{n.Shard, n.Run}
	h := b.runs[key]
	if h == nil {
		h = &history{by: m, boot: m.boot, at: make(map[stampAt]int)}
		b.runs[key] = h
		b.order = append(b.order, key)
	}
	if h.by != m || h.boot != m.boot {
		b.w.fail(n.Shard, n.Item.Domain, "invariant 10: run %x of %s is stamped by %s and %s, or by two starts of it", uint64(n.Run), b.w.shard(n.Shard), h.by.name, m.name)
	}
	s := stamped{n.N, at, n.Item.Value, b.w.now}
	i, ok := h.at[stampAt{n.N, at}]
	switch {
	case !ok:
		h.at[stampAt{n.N, at}] = len(h.stamps)
		h.stamps = append(h.stamps, s)
	case h.stamps[i].at == s.at && covers(s.value, h.stamps[i].value): // in one commit the last content counts
		h.stamps[i] = s
	case !bytes.Equal(h.stamps[i].value, s.value):
		b.w.fail(n.Shard, at.domain, "invariant 10: (%x, %d) names two contents of %s: %x and %x", uint64(n.Run), n.N, at.key, h.stamps[i].value, s.value)
	}
}

// acked notes that a leader has acknowledged an item.
func (b *storeBook) acked(m *machine, it stream.Item) {
	b.acks++
	at := itemAt{it.Domain, it.Key}
	b.w.trace.add(m, "", it.Domain, "put of %s %x is acknowledged", it.Key, it.Value)
	old, ok := b.owed[at]
	if !ok {
		b.owing = append(b.owing, at)
	}
	for _, v := range old {
		if covers(v, it.Value) {
			return
		}
	}
	old = slices.DeleteFunc(old, func(v []byte) bool { return covers(it.Value, v) })
	b.owed[at] = append(old, it.Value)
}

// look checks every store.
func (b *storeBook) look() {
	b.looks++
	for _, m := range b.w.machines {
		if m.node == nil || m.opaque {
			continue
		}
		b.keeps(m)
		for _, r := range b.order {
			b.marked(m, r)
		}
	}
	b.majorities("")
}

// keeps checks 8: a store only learns.
func (b *storeBook) keeps(m *machine) {
	if m.busy { // a crash may take back what it has written
		return
	}
	for _, at := range b.owing {
		v := m.get(at.domain, at.key)
		p := place{m, at}
		if old := b.seen[p]; old != nil && !covers(v, old) {
			b.w.fail("", at.domain, "invariant 8: %s had %x for %s of %s and now has %x", m.name, old, at.key, at.domain, v)
		}
		if v != nil {
			b.seen[p] = append([]byte(nil), v...)
		}
	}
}

// marked checks 10: a store has everything up to its marks, apart from what it dropped.
func (b *storeBook) marked(m *machine, r runOf) {
	h := b.runs[r]
	k := markOf{m, r}
	from := b.checked[k]
	if from == len(h.stamps) {
		return
	}
	upTo, ok := m.marks(r.shard)[r.run]
	if !ok {
		return
	}
	for ; from < len(h.stamps) && h.stamps[from].n <= upTo; from++ {
		s := h.stamps[from]
		at, dropped := b.drops[place{m, s.item}]
		if dropped && at >= s.at || covers(m.get(s.item.domain, s.item.key), s.value) || !m.holds(r.shard, s.item.domain) ||
			b.w.check.holder(s.item.domain) != r.shard || b.lied(r.shard) {
			continue
		}
		b.w.fail(r.shard, s.item.domain, "invariant 10: %s has the mark (%x, %d) of %s but not %s of %s as (%x, %d) has it: %x", m.name, uint64(r.run), upTo,
			b.w.shard(r.shard), s.item.key, s.item.domain, uint64(r.run), s.n, s.value)
		return
	}
	b.checked[k] = from
}

func (b *storeBook) lied(s stream.Shard) bool { return b.w.check.untrusted[s] }

// majorities checks 2 of one shard, or of all if it is "": every majority of the latest line has a store with each
// acknowledged item.
func (b *storeBook) majorities(of stream.Shard) {
	if b.w.check.memoryLost || b.w.check.forced {
		return
	}
	holders := make(map[crawl.Domain]stream.Shard)
	for _, at := range b.owing {
		shard, known := holders[at.domain]
		if !known {
			shard = b.w.check.holder(at.domain)
			holders[at.domain] = shard
		}
		l, ok := b.w.check.lines[shard]
		if !ok || b.lied(shard) || of != "" && of != shard {
			continue
		}
		for _, v := range b.owed[at] {
			have := 0
			for _, p := range l.voters {
				if o := b.w.byID[p]; o != nil && covers(o.get(at.domain, at.key), v) {
					have++
				}
			}
			if k := len(l.voters); have < k-k/2 {
				b.w.fail(shard, at.domain, "invariant 2: %d of the line %s of %s have %s of %s as it was acknowledged: %x", have, b.w.names(l.voters), b.w.shard(shard), at.key, at.domain, v)
				return
			}
		}
	}
}

// holds reports whether a shard holds a domain as far as a machine knows. Copies of what was released may go.
func (m *machine) holds(s stream.Shard, d crawl.Domain) bool {
	for _, v := range m.node.Look() {
		if v.Shard == s {
			return slices.ContainsFunc(v.Held, func(p ring.Prefix) bool { return p.Contains(crawl.KeyOf(d)) })
		}
	}
	return false
}

// marks returns what a machine's store holds of a shard, none while it is down.
func (m *machine) marks(s stream.Shard) stream.Marks {
	if !m.up || m.busy {
		return nil
	}
	return m.node.Streams().Marks(s)
}
