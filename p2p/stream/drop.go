package stream

import (
	"maps"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/ring"
)

const (
	// maxDrops is how many drops may wait. Others are refused.
	maxDrops = 64
	// dropStep is about how many domains and items one Commit looks at, and how many it deletes at most.
	dropStep = 4096
)

// dropping deletes items, step by step.
type dropping struct {
	shard    Shard
	prefixes []ring.Prefix
	marks    Marks
	from     crawl.Domain // where to go on; empty: it has not begun
}

// Drop deletes items of a shard in prefixes (none: all) whose stamps marks have, in the next Commits, unless
// another shard of this store carried the domain.
//
// Without prefixes this node gives up the whole copy, with its marks. It does nothing if marks do not cover all
// marks of this store, or if the node leads: what remained would claim more than is there. Of drops beyond 64
// that wait, the latest is refused.
func (s *Streams) Drop(shard Shard, prefixes []ring.Prefix, marks Marks) {
	s.drops = deleteDrops(s.drops, shard, prefixes)
	if len(s.drops) < maxDrops {
		s.drops = append(s.drops, &dropping{shard: shard, prefixes: slices.Clone(prefixes), marks: maps.Clone(marks)})
	}
}

// Keep takes back what Drop was told of a prefix and has not finished: the domains came back to the shard.
func (s *Streams) Keep(shard Shard, p ring.Prefix) {
	s.drops = slices.DeleteFunc(s.drops, func(d *dropping) bool {
		return d.shard == shard && slices.ContainsFunc(d.prefixes, p.Overlaps)
	})
}

func deleteDrops(drops []*dropping, shard Shard, prefixes []ring.Prefix) []*dropping {
	return slices.DeleteFunc(drops, func(d *dropping) bool {
		return d.shard == shard && slices.Equal(d.prefixes, prefixes)
	})
}

// drop does the next step of the first drop that waits.
func (b *batch) drop() {
	if len(b.drops) == 0 {
		return
	}
	d := b.drops[0]
	if len(d.prefixes) == 0 && d.from == "" {
		if b.lead[d.shard] != nil || !d.marks.Covers(b.marks[d.shard]) {
			b.drops = b.drops[1:]
			return
		}
		clear(b.change(d.shard))
		delete(b.own, d.shard)
		delete(b.follow, d.shard)
		b.pulls = slices.DeleteFunc(b.pulls, func(p *pull) bool { return p.Into == d.shard })
	}
	gone, empty, next := b.gone(d)
	for _, it := range gone {
		b.delete(bucketItems, itemKey(it.Domain, it.Key))
		b.changed(it.Item, it.Value, nil)
		b.note(Note{Kind: Dropped, Shard: d.shard, Run: it.stamp.Run, N: it.stamp.N, Item: it.Item})
	}
	for _, name := range empty {
		b.delete(bucketCame, cameKey(d.shard, name))
	}
	if d.from = next; next == "" {
		b.drops = b.drops[1:]
	}
	if len(gone) > 0 {
		b.start = b.cfg.Chance() // pulls that go on here might miss it
	}
}

// forget deletes what is stale.
func (b *batch) forget() {
	for _, k := range b.stale {
		d, key, _ := splitItemKey(k)
		if v, _ := b.item(k); v != nil && b.cfg.Stale(Item{Domain: d, Key: key, Value: v}) {
			v = slices.Clone(v)
			b.delete(bucketItems, k)
			b.changed(Item{Domain: d, Key: key, Value: v}, v, nil)
		}
	}
	b.stale = nil
}

// gone returns what the next step deletes: items, and domains of which nothing of the shard remains. The step after it
// begins with the domain next, if there is one.
func (b *batch) gone(d *dropping) (gone []stamped, empty []crawl.Domain, next crawl.Domain) {
	others := slices.Collect(maps.Keys(b.marks))
	for _, p := range b.pulls {
		others = append(others, p.Into)
	}
	pulling := slices.ContainsFunc(b.pulls, func(p *pull) bool { return p.Into == d.shard }) // its marks come last
	looked := 0                                                                              // at domains and items
	for name, latest := range b.domains(d.shard, d.from) {
		if looked++; looked > dropStep {
			return gone, empty, name
		}
		if !within(d.prefixes, name) {
			continue
		}
		foreign := slices.ContainsFunc(others, func(s Shard) bool {
			return s != d.shard && b.tx.Get(bucketCame, cameKey(s, name)) != nil
		})
		delete(latest, 0)                                         // of lookAlways
		remains := len(d.prefixes) > 0 && !d.marks.Covers(latest) // the domain came back after these marks
		for it := range b.items(name, "") {
			looked++
			switch {
			case foreign: // the other shard's items do not count
				remains = remains || b.marks[d.shard].Has(it.stamp) && !d.marks.Has(it.stamp)
			case !d.marks.Has(it.stamp) && (pulling || b.marks[d.shard].Has(it.stamp)): // it came after these marks
				remains = true
			case len(gone) == dropStep:
				return gone, empty, name
			default:
				it.Value = slices.Clone(it.Value)
				gone = append(gone, it)
			}
		}
		if !remains {
			empty = append(empty, name)
		}
	}
	return gone, empty, ""
}
