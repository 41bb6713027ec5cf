package stream

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
)

// batch is the work of one Commit. What it changes in memory waits until the transaction is durable; then Committed runs
// after, then the notes, then calls. If the transaction fails, the batch is forgotten and the work still waits.
type batch struct {
	s      *Streams
	tx     Tx
	marks  map[Shard]Marks // those that changed
	came   map[domainOf]*summary
	alone  map[Shard]Stamp // the last stamp of the store's own runs, if it changed; the zero Stamp ends one
	led    map[Shard]*numbering
	after  []func()
	notes  []Note
	calls  []func()
	merged domainOf // the last that the group is told of
}

// domainOf is a domain as a shard knows it.
type domainOf struct {
	shard  Shard
	domain crawl.Domain
}

func newBatch(s *Streams, tx Tx) *batch {
	return &batch{s: s, tx: tx, marks: make(map[Shard]Marks), came: make(map[domainOf]*summary),
		alone: make(map[Shard]Stamp), led: make(map[Shard]*numbering)}
}

// view returns the marks of a shard as they are in the transaction. They must not be changed.
func (b *batch) view(s Shard) Marks {
	if m, ok := b.marks[s]; ok {
		return m
	}
	return b.s.marks[s]
}

// change returns the marks of a shard to be changed.
func (b *batch) change(s Shard) Marks {
	m, ok := b.marks[s]
	if !ok {
		m = b.s.marks[s].clone()
		b.marks[s] = m
	}
	return m
}

// summary returns what a shard knows of a domain, to be changed.
func (b *batch) summary(s Shard, d crawl.Domain) (*summary, error) {
	at := domainOf{s, d}
	if sum, ok := b.came[at]; ok {
		return sum, nil
	}
	sum := &summary{changed: true, latest: make(Marks)}
	if v := b.tx.Get(bucketCame, cameKey(s, d)); v != nil {
		var err error
		if sum, err = parseSummary(v); err != nil {
			return nil, err
		}
	}
	b.came[at] = sum
	return sum, nil
}

// found is an item as the store has it, beside what arrived for it.
type found struct {
	old    []byte // nil: not there
	stamp  Stamp
	merged []byte
	known  bool // its stamp is covered by the marks of the shard, which carried the domain
	came   *summary
}

// find merges an item with what the store has.
func (b *batch) find(s Shard, it Item) (found, error) {
	f := found{merged: it.Value}
	var err error
	if f.came, err = b.summary(s, it.Domain); err != nil {
		return f, err
	}
	stored := b.tx.Get(bucketItems, itemKey(it.Domain, it.Key))
	if stored == nil {
		return f, nil
	}
	if f.stamp, f.old, err = parseStored(stored); err != nil {
		return f, err
	}
	f.merged = b.s.cfg.merge(it.Domain, it.Key, f.old, it.Value)
	f.known = f.came.existed && b.view(s).Has(f.stamp)
	return f, nil
}

// take merges an item that has a stamp: a version taken over unchanged keeps its stamp, and a third version gets one of
// this store's own. So does an own version that the shard's marks do not tell of, so that the leader learns of it.
func (b *batch) take(s Shard, it stamped) error {
	f, err := b.find(s, it.Item)
	if err != nil {
		return err
	}
	st := it.stamp
	switch {
	case bytes.Equal(f.merged, it.Value):
	case f.known && bytes.Equal(f.merged, f.old):
		st = f.stamp
	default:
		st = b.ownStamp(s)
		b.note(Note{Kind: Stamped, Shard: s, Run: st.Run, N: st.N, Item: Item{it.Domain, it.Key, f.merged}})
	}
	return b.write(s, f, Item{it.Domain, it.Key, f.merged}, st)
}

// stampAlone merges an item and stamps it in the store's own run, if something is new.
func (b *batch) stampAlone(s Shard, it Item) error {
	f, err := b.find(s, it)
	if err != nil || f.known && bytes.Equal(f.merged, f.old) {
		return err
	}
	st := b.ownStamp(s)
	it.Value = bytes.Clone(f.merged)
	b.note(Note{Kind: Stamped, Shard: s, Run: st.Run, N: st.N, Item: it})
	return b.write(s, f, it, st)
}

// write stores an item under a stamp.
func (b *batch) write(s Shard, f found, it Item, st Stamp) error {
	f.came.add(st)
	f.came.existed = true
	if f.old != nil && f.stamp == st && bytes.Equal(f.old, it.Value) {
		return nil
	}
	return b.tx.Put(bucketItems, itemKey(it.Domain, it.Key), storedItem(st, it.Value))
}

// ownStamp returns the next stamp of this store's own run of a shard, in which it stamps while it does not lead.
func (b *batch) ownStamp(s Shard) Stamp {
	st, ok := b.alone[s]
	if !ok {
		st = b.s.alone[s]
	}
	m := b.change(s)
	if st.Run == 0 {
		st.Run = NewRun(m.highest(), b.s.cfg.Chance())
	}
	st.N++
	b.alone[s] = st
	m[st.Run] = st.N
	return st
}

// note keeps a note until the transaction is durable. It copies the value.
func (b *batch) note(n Note) {
	if b.s.cfg.Note != nil {
		n.Item.Value = bytes.Clone(n.Item.Value)
		b.notes = append(b.notes, n)
	}
}

// flushCame writes the summaries that changed.
func (b *batch) flushCame() error {
	keys := slices.SortedFunc(maps.Keys(b.came), func(x, y domainOf) int {
		return bytes.Compare(cameKey(x.shard, x.domain), cameKey(y.shard, y.domain))
	})
	for _, k := range keys {
		if sum := b.came[k]; sum.changed {
			if err := b.tx.Put(bucketCame, cameKey(k.shard, k.domain), sum.encode()); err != nil {
				return err
			}
		}
	}
	clear(b.came)
	return nil
}

// flushMarks trims and writes the marks that changed.
func (b *batch) flushMarks() error {
	for _, s := range slices.Sorted(maps.Keys(b.marks)) {
		m, old := b.marks[s], b.s.marks[s]
		m.trim(func(r Run) bool { return b.inUse(s, r) })
		for _, r := range old.runs() {
			if _, ok := m[r]; !ok {
				if err := b.tx.Delete(bucketMarks, markKey(s, r)); err != nil {
					return err
				}
			}
		}
		for _, r := range m.runs() {
			if n, ok := old[r]; ok && n == m[r] {
				continue
			}
			if err := b.tx.Put(bucketMarks, markKey(s, r), binary.BigEndian.AppendUint64(nil, m[r])); err != nil {
				return err
			}
		}
	}
	return nil
}

// inUse reports whether a run goes on: it must not be forgotten, however low its generation is.
func (b *batch) inUse(s Shard, r Run) bool {
	if l := b.s.lead[s]; l != nil && l.run == r {
		return true
	}
	if f := b.s.follow[s]; f != nil && f.run == r {
		return true
	}
	return b.isAlone(s, r)
}

// isAlone reports whether r is the store's own run of a shard.
func (b *batch) isAlone(s Shard, r Run) bool {
	if st, ok := b.alone[s]; ok {
		return st.Run == r
	}
	st, ok := b.s.alone[s]
	return ok && st.Run == r
}

func markKey(s Shard, r Run) []byte { return binary.BigEndian.AppendUint64(shardKey(s), uint64(r)) }
