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
	// dropStep is about how many items one Commit looks at.
	dropStep = 4096
)

// dropping deletes items, step by step.
type dropping struct {
	shard    Shard
	prefixes []ring.Prefix
	marks    Marks
	begun    bool
	cursor   []byte // the place in "items" to go on at
}

// Drop deletes items of a shard in prefixes (nil: all) whose stamps marks have, in the next Commits, unless another shard
// of this store carried the domain.
//
// Without prefixes this node gives up the whole copy, with its marks. It does nothing if marks do not cover all marks of
// this store, or if the node leads: what remained would claim more than is there. Of drops beyond 64 that wait, the
// latest is refused.
func (s *Streams) Drop(shard Shard, prefixes []ring.Prefix, marks Marks) {
	d := &dropping{shard: shard, prefixes: slices.Clone(prefixes), marks: marks.clone()}
	s.drops = slices.DeleteFunc(s.drops, func(o *dropping) bool {
		return o.shard == shard && (o.prefixes == nil) == (prefixes == nil) && slices.Equal(o.prefixes, prefixes)
	})
	if len(s.drops) < maxDrops {
		s.drops = append(s.drops, d)
	}
}

// Beyond reports whether there are items of the shard in prefixes (nil: all) whose stamps marks lack. Those that only
// another shard of this store knows do not count.
func (s *Streams) Beyond(tx Tx, shard Shard, prefixes []ring.Prefix, marks Marks) (bool, error) {
	shards, err := carriers(tx)
	if err != nil {
		return false, err
	}
	beyond := false
	err = scanCame(tx, shard, "", func(d crawl.Domain, sum *summary) (bool, error) {
		if sum.coveredBy(marks) || !within(prefixes, d) {
			return true, nil
		}
		foreign := carried(tx, shards, shard, d)
		err := scanItems(tx, d, "", func(it stamped) bool {
			beyond = !marks.Has(it.stamp) && (!foreign || s.marks[shard].Has(it.stamp))
			return !beyond
		})
		return !beyond, err
	})
	return beyond, err
}

// carried reports whether one of the shards, except one, carried the domain.
func carried(tx Tx, shards []Shard, except Shard, d crawl.Domain) bool {
	return slices.ContainsFunc(shards, func(s Shard) bool {
		return s != except && tx.Get(bucketCame, cameKey(s, d)) != nil
	})
}

// drop does the next step of the first drop that waits.
func (b *batch) drop() error {
	if len(b.s.drops) == 0 {
		return nil
	}
	d := b.s.drops[0]
	whole := d.prefixes == nil
	if whole && !d.begun {
		if b.s.lead[d.shard] != nil || !d.marks.Covers(b.view(d.shard)) {
			b.dropEnds(d)
			return nil
		}
		clear(b.change(d.shard))
		b.alone[d.shard] = Stamp{}
	}
	gone, next, err := b.gone(d)
	if err != nil {
		return err
	}
	for _, it := range gone {
		if err := b.tx.Delete(bucketItems, itemKey(it.Domain, it.Key)); err != nil {
			return err
		}
		b.note(Note{Kind: Dropped, Shard: d.shard, Run: it.stamp.Run, N: it.stamp.N, Item: it.Item})
	}
	if next == nil {
		b.dropEnds(d)
	}
	b.after = append(b.after, func() {
		d.begun, d.cursor = true, next
		b.s.start = b.s.cfg.Chance() // pulls that go on here might miss what is gone
		if whole {
			delete(b.s.follow, d.shard)
			maps.DeleteFunc(b.s.pulls, func(k pullKey, _ *pull) bool { return k.into == d.shard })
		}
	})
	return nil
}

func (b *batch) dropEnds(d *dropping) {
	b.after = append(b.after, func() {
		b.s.drops = slices.DeleteFunc(b.s.drops, func(o *dropping) bool { return o == d })
	})
}

// gone returns the items that the next step deletes, and where the step after it begins, nil if there is none. It
// removes the summaries of domains of which nothing of the shard remains.
func (b *batch) gone(d *dropping) (gone []stamped, next []byte, err error) {
	shards, err := carriers(b.tx)
	if err != nil {
		return nil, nil, err
	}
	from, key, _ := splitItemKey(d.cursor)
	looked := 0
	var empty []crawl.Domain
	err = scanCame(b.tx, d.shard, from, func(name crawl.Domain, _ *summary) (bool, error) {
		if looked++; looked > dropStep {
			next = itemKey(name, "")
			return false, nil
		}
		if !within(d.prefixes, name) {
			return true, nil
		}
		foreign, remains := carried(b.tx, shards, d.shard, name), false
		own := b.view(d.shard)
		begin := ""
		if name == from && !foreign {
			begin = key
		}
		err := scanItems(b.tx, name, begin, func(it stamped) bool {
			looked++
			switch {
			case looked > dropStep && !foreign:
				next = itemKey(name, it.Key)
				return false
			case foreign:
				remains = remains || own.Has(it.stamp) && !d.marks.Has(it.stamp)
			case d.marks.Has(it.stamp):
				gone = append(gone, it)
			default:
				remains = true
			}
			return !foreign || !remains
		})
		if err != nil || next != nil {
			return false, err
		}
		if begin != "" { // what an earlier step left
			err = scanItems(b.tx, name, "", func(it stamped) bool { remains = remains || it.Key < begin; return false })
		}
		if !remains {
			empty = append(empty, name)
		}
		return true, err
	})
	if err != nil {
		return nil, nil, err
	}
	for _, name := range empty {
		if err := b.tx.Delete(bucketCame, cameKey(d.shard, name)); err != nil {
			return nil, nil, err
		}
	}
	return gone, next, nil
}
