package stream

import (
	"bytes"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// numbering is the run in which this store stamps what it changes in a shard: the one that it leads, or one of its own.
type numbering struct {
	run   Run
	n     uint64          // the last number
	items map[string]Item // those that have it, by itemKey. Nil: the number is closed
	size  int
}

// batch is the work of one Commit.
type batch struct {
	*Streams
	store
	came    map[string]*summary // by cameKey
	dirty   map[Shard]bool      // its marks changed
	changes []Change            // of a domain, that are to be told
	of      crawl.Domain
	notes   []Note
	calls   []func() // after the notes, when everything is durable
}

// change returns the marks of a shard to be changed.
func (b *batch) change(s Shard) Marks {
	if b.dirty[s] = true; b.marks[s] == nil {
		b.marks[s] = make(Marks)
	}
	return b.marks[s]
}

// summary returns what a shard knows of a domain, to be changed.
func (b *batch) summary(s Shard, d crawl.Domain) *summary {
	key := cameKey(s, d)
	sum := b.came[string(key)]
	if sum == nil {
		sum = &summary{latest: make(Marks)}
		if v := b.tx.Get(bucketCame, key); v != nil {
			latest, err := parseMarks(v)
			b.fail(err)
			sum.latest, sum.existed = latest, true
		}
		b.came[string(key)] = sum
	}
	return sum
}

// merge merges an item into a shard and reports whether that changed it. A version that is taken over unchanged keeps
// its stamp, if it has one. Everything else that is new gets a stamp of this store: a leader's items, a third version,
// and an old one that the shard's marks do not tell of. So do moved items: followers may lack what the leader has from
// elsewhere, or from before the domain left the shard.
func (b *batch) merge(s Shard, it Item, given Stamp, moved bool) (changed bool) {
	key := itemKey(it.Domain, it.Key)
	sum := b.summary(s, it.Domain)
	old, st := b.item(key)
	merged := it.Value
	if old != nil {
		merged = b.cfg.merge(it.Domain, it.Key, old, it.Value)
	}
	if b.err != nil {
		return false
	}
	before := st
	same := old != nil && bytes.Equal(merged, old)
	switch {
	case b.lead[s] == nil && given.Run != 0 && bytes.Equal(merged, it.Value):
		st = given
	case same && sum.existed && b.marks[s].Has(st) && !moved:
		return false
	default:
		st = b.stamp(s, Item{Domain: it.Domain, Key: it.Key, Value: bytes.Clone(merged)})
	}
	if sum.add(st) {
		b.put(bucketCame, cameKey(s, it.Domain), sum.latest.encode())
	}
	if !same || st != before {
		b.put(bucketItems, key, storedItem(st, merged))
	}
	if !same {
		b.changed(it, old, merged)
	}
	return !same
}

// changed notes that the content of an item changed, for tell.
func (b *batch) changed(it Item, old, content []byte) {
	if it.Domain != b.of {
		b.tell()
		b.of = it.Domain
	}
	b.changes = append(b.changes, Change{Key: it.Key, Old: old, New: content})
}

// tell tells of the changes since it did so last: those of one domain at a time.
func (b *batch) tell() {
	if len(b.changes) > 0 && b.err == nil {
		b.fail(b.cfg.Changed(b.tx, b.of, b.changes))
	}
	clear(b.changes)
	b.changes = b.changes[:0]
}

// stamp gives an item the number being filled. What changes in one transaction has one number, or more if it does not
// fit into one commit.
func (b *batch) stamp(s Shard, it Item) Stamp {
	o := b.own[s]
	if o == nil {
		o = &numbering{run: NewRun(b.marks[s].highest(), b.cfg.Chance())}
		b.own[s] = o
	}
	if o.items != nil && o.size+sizeOf(it) > chunkSize {
		b.seal(s, o)
	}
	if o.items == nil {
		o.items, o.size = make(map[string]Item), 0
		o.n++
		b.change(s)[o.run] = o.n
	}
	o.items[string(itemKey(it.Domain, it.Key))] = it
	o.size += sizeOf(it)
	return Stamp{o.run, o.n}
}

// seal closes the number being filled. A leader keeps what has it as a commit.
func (b *batch) seal(s Shard, o *numbering) {
	if o.items == nil {
		return
	}
	var items []Item
	for _, k := range slices.Sorted(maps.Keys(o.items)) {
		items = append(items, o.items[k])
		b.note(Note{Kind: Stamped, Shard: s, Run: o.run, N: o.n, Item: o.items[k]})
	}
	if l := b.lead[s]; l != nil {
		l.log.add(encode(&commit{shard: s, term: l.term, run: o.run, n: o.n, items: items}), b.cfg.Kept)
	}
	o.items = nil
}

// note keeps a note until the transaction is durable.
func (b *batch) note(n Note) { b.notes = append(b.notes, n) }

// flushMarks trims and writes the marks that changed. Runs that go on are not forgotten, however low they are.
func (b *batch) flushMarks() {
	for s := range b.dirty {
		m := b.marks[s]
		m.trim(func(r Run) bool {
			o, f := b.own[s], b.follow[s]
			return o != nil && o.run == r || f != nil && f.run == r
		})
		if len(m) > 0 {
			b.put(bucketMarks, []byte(s), m.encode())
		} else {
			delete(b.marks, s)
			b.delete(bucketMarks, []byte(s))
		}
	}
}
