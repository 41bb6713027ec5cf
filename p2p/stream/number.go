package stream

import (
	"bytes"
	"maps"
	"slices"
)

// numbering collects what a leader stores in a transaction and gives it numbers: one, or more if it does not fit into
// one commit.
type numbering struct {
	l      *leading
	n      uint64 // the number being filled, or the last one
	open   bool
	size   int
	items  map[string]Item // by itemKey
	sealed [][]byte
}

// numbers returns the numbering of a shard that this node leads, nil if it does not.
func (b *batch) numbers(s Shard) *numbering {
	if nm := b.led[s]; nm != nil {
		return nm
	}
	l := b.s.lead[s]
	if l == nil {
		return nil
	}
	nm := &numbering{l: l, n: l.n, items: make(map[string]Item)}
	b.led[s] = nm
	return nm
}

// commit merges an item and stamps it in the led run, if something is new. moved items are always
// stamped: followers may lack what the leader has from elsewhere, or from before the domain left the shard.
func (b *batch) commit(nm *numbering, it Item, moved bool) (changed bool, err error) {
	s := nm.l.shard
	f, err := b.find(s, it)
	if err != nil {
		return false, err
	}
	same := f.old != nil && bytes.Equal(f.merged, f.old)
	if same && f.known && !moved {
		return false, nil
	}
	it.Value = bytes.Clone(f.merged)
	if nm.open && nm.size+it.size() > chunkSize {
		b.seal(nm)
	}
	if !nm.open {
		nm.open, nm.size = true, 0
		nm.n++
		b.change(s)[nm.l.run] = nm.n
	}
	nm.size += it.size()
	nm.items[string(itemKey(it.Domain, it.Key))] = it
	return !same, b.write(s, f, it, Stamp{nm.l.run, nm.n})
}

// seal ends the number being filled.
func (b *batch) seal(nm *numbering) {
	if !nm.open {
		return
	}
	l := nm.l
	c := &commit{shard: l.shard, term: l.term, run: l.run, n: nm.n}
	for _, k := range slices.Sorted(maps.Keys(nm.items)) {
		c.items = append(c.items, nm.items[k])
		b.note(Note{Kind: Stamped, Shard: l.shard, Run: l.run, N: nm.n, Item: nm.items[k]})
	}
	nm.sealed = append(nm.sealed, encode(c))
	nm.open = false
	clear(nm.items)
}

// begin stores the beginning of runs that were drawn.
func (b *batch) begin(l *leading) {
	if l.begun {
		return
	}
	b.change(l.shard)[l.run] = 0
	b.after = append(b.after, func() { l.begun = true })
}

// puts commits what was put into a shard that this node leads.
func (b *batch) puts(l *leading) error {
	nm := b.numbers(l.shard)
	for _, p := range l.puts {
		for _, it := range p.items {
			if _, err := b.commit(nm, it, false); err != nil {
				return err
			}
		}
		if p.stored != nil {
			n := nm.n
			b.calls = append(b.calls, func() {
				if b.s.lead[l.shard] == l { // an earlier callback may have resigned
					p.stored(n)
				}
			})
		}
	}
	taken := len(l.puts)
	b.after = append(b.after, func() { l.puts = l.puts[taken:] })
	return nil
}

// finish seals what was numbered and makes it known when it is durable.
func (b *batch) finish() {
	for _, s := range slices.Sorted(maps.Keys(b.led)) {
		nm := b.led[s]
		b.seal(nm)
		b.after = append(b.after, func() {
			l := nm.l
			for i, m := range nm.sealed {
				l.log.add(nm.n-uint64(len(nm.sealed)-1-i), m, b.s.cfg.Kept)
			}
			l.n = nm.n
			l.trim()
		})
	}
}
