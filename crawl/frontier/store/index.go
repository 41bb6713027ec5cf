package store

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Changed keeps the indexes of a domain that has them. It does nothing for other domains. The caller calls it in the
// transaction of the changes.
func Changed(tx *storage.Tx, d crawl.Domain, changes []Change) error {
	ix := open(tx, d)
	held := make([]Change, 0, len(changes))
	for _, c := range changes {
		if ix.state.covers(c.Key) {
			held = append(held, c)
		}
	}
	if len(held) == 0 {
		return nil
	}
	written, err := ix.change(held)
	if err == nil && written {
		err = ix.entry.put(tx, d)
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", d, err)
	}
	return nil
}

// index is the indexes of one domain.
type index struct {
	tx    *storage.Tx
	d     crawl.Domain
	entry entry
	state indexed // of the entry
	// moved says that the domain's work may be due at another time than before.
	moved bool
	seen  *bloom.Batch // URLs for the domain's Bloom filter, nil if there are none
}

func open(tx *storage.Tx, d crawl.Domain) *index {
	ix := &index{tx: tx, d: d, entry: readEntry(tx, d)}
	ix.state = ix.entry.state()
	return ix
}

// change takes changes of items in, and reports whether the entry changed, which is to be written then.
func (ix *index) change(changes []Change) (entry bool, err error) {
	before, err := ix.entry.summary(ix.d)
	if err != nil {
		return false, err
	}
	after := before
	for _, c := range changes {
		switch kindOf(c.Key) {
		case KindURL:
			err = ix.changeURL(&after, derive(ix.d, c.Key, c.Old), derive(ix.d, c.Key, c.New))
		case KindRecord:
			rec, _ := DecodeRecord(c.New) // one that cannot be read is as good as none
			ix.moved = ix.moved || after.until != rec.Answer.Until
			after.until = rec.Answer.Until
		case KindLinks:
			err = ix.changeKey(bucketOutgoing, outgoingKey(ix.d, c.Key, c.Old), outgoingKey(ix.d, c.Key, c.New))
		}
		if err != nil {
			return false, err
		}
	}
	if ix.seen != nil {
		if err := ix.seen.Flush(); err != nil {
			return false, err
		}
	}
	if err := putTotalsOf(ix.tx, &before, &after); err != nil {
		return false, err
	}
	if entry = before != after; entry {
		ix.entry[partCounts] = after.encode()
	}
	if !ix.moved || !ix.state.is(stateBuilt) {
		return entry, nil
	}
	moved, err := ix.entry.schedule(ix.tx, ix.d)
	return entry || moved, err
}

func (ix *index) changeURL(s *summary, old, new derived) error {
	s.Counts.change(&old.counts, ^uint64(0))
	s.Counts.change(&new.counts, 1)
	if new.known && !old.known {
		if err := ix.see(new.seen); err != nil {
			return err
		}
	}
	if err := ix.changeShape(&old, &new); err != nil {
		return err
	}
	ix.moved = ix.moved || !bytes.Equal(old.revisit, new.revisit)
	if err := ix.move(bucketRevisits, old.revisit, new.revisit); err != nil {
		return err
	}
	if bytes.Equal(old.queue, new.queue) {
		return nil
	}
	if err := ix.move(bucketQueue, old.queue, new.queue); err != nil {
		return err
	}
	if old.queue != nil && !bytes.Equal(old.host, new.host) || new.queue == nil {
		if err := ix.rest(old.host); err != nil {
			return err
		}
	}
	if new.queue != nil {
		return ix.wake(new.host)
	}
	return nil
}

// move has a set hold a string instead of another; nil is none.
func (ix *index) move(bucket, old, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	p := setOf(ix.tx, bucket, ix.d)
	if old != nil {
		if err := p.Delete(old); err != nil {
			return err
		}
	}
	if new == nil {
		return nil
	}
	return p.Add(new)
}

// changeKey moves an entry of an index from one key to another; nil is none.
func (ix *index) changeKey(bucket, old, new []byte) error {
	if bytes.Equal(old, new) {
		return nil
	}
	b := ix.tx.Bucket(bucket)
	if old != nil {
		if err := b.Delete(old); err != nil {
			return err
		}
	}
	if new == nil {
		return nil
	}
	return b.Put(new, []byte{})
}

// see puts a URL into the domain's Bloom filter.
func (ix *index) see(h bloom.Hash) error {
	if ix.seen == nil {
		ix.seen = bloom.NewBatch(ix.tx.Bucket(bucketFilters))
	}
	_, err := ix.seen.Add(within(ix.d), h)
	return err
}

func (ix *index) changeShape(old, new *derived) error {
	if bytes.Equal(old.shape, new.shape) && old.class == new.class {
		return nil
	}
	if err := ix.countShape(old, ^uint32(0)); err != nil {
		return err
	}
	return ix.countShape(new, 1)
}

func (ix *index) countShape(x *derived, by uint32) error {
	if x.shape == nil {
		return nil
	}
	b := ix.tx.Bucket(bucketShapes)
	s := readShape(b.Get(x.shape))
	s[x.class] += by
	if s == (shapeCounts{}) {
		return b.Delete(x.shape)
	}
	return b.Put(x.shape, s.encode())
}

// wake makes a host ready that has got something to visit.
func (ix *index) wake(host []byte) error {
	key := readyKey(ix.tx, ix.d, host)
	b := ix.tx.Bucket(bucketReady)
	if b.Get(key) != nil {
		return nil
	}
	ix.moved = true
	return b.Put(key, []byte{})
}

// rest takes a host out of those that are ready if it has nothing left to visit.
func (ix *index) rest(host []byte) error {
	name := append(bytes.Clone(host[len(ix.d)+1:]), 0)
	if setOf(ix.tx, bucketQueue, ix.d).First(name) != nil {
		return nil
	}
	ix.moved = true
	return ix.tx.Bucket(bucketReady).Delete(readyKey(ix.tx, ix.d, host))
}

// derived is what the indexes hold of one URL. The zero value is that of an item that cannot be read, or that
// is no URL of its domain and key: indexes do not know it.
type derived struct {
	known   bool
	seen    bloom.Hash
	host    []byte // <domain> 0 <host>
	queue   []byte // in the set of that name, nil if it does not wait
	revisit []byte // likewise, nil if it is not to be visited again
	shape   []byte // key, nil if it has fewer than two parameters
	class   int    // of the shape
	counts  Counts
}

// name is the host without the domain.
func (x *derived) name() []byte {
	_, name, _ := bytes.Cut(x.host, []byte{0})
	return name
}

// derive returns what indexes hold of a URL's item.
func derive(d crawl.Domain, key string, value []byte) (x derived) {
	if value == nil {
		return x
	}
	it, err := DecodeURL(d, value)
	if err != nil {
		return x
	}
	u, id, ok := taskURL(d, key, it.Link.Text)
	if !ok {
		return x
	}
	x = derived{known: true, seen: id.seen, host: within(d, hostOf(d, u.Origin())), counts: countsOf(&it)}
	x.shape, x.class = shapeOf(d, u)
	if it.State == Waiting {
		rank := string([]byte{it.Visit.Tries, it.Link.Depth, byte(it.Link.Priority)})
		x.queue = append(append(bytes.Clone(x.name()), 0), rank+key[1:]...)
	}
	if due := it.Due(); due > 0 {
		x.revisit = append([]byte(bigEndian(due)+key[1:]), x.name()...)
	}
	return x
}

// countsOf returns what one URL adds.
func countsOf(u *URL) Counts {
	c := Counts{Known: 1, Foreign: one(u.Link.Foreign)}
	switch u.State {
	case Waiting:
		c.Queued = 1
		return c
	case Unverified:
		c.Unverified = 1
		return c
	}
	c.Received, c.Revisiting = u.Visit.Size, one(u.Visit.Every > 0)
	switch u.Visit.Result {
	case crawl.Fetched, crawl.Unchanged:
		c.Fetched, c.Duplicates = 1, one(u.Visit.Duplicate)
	case crawl.Forbidden:
		c.Forbidden = 1
	case crawl.Failed, crawl.Refused, crawl.Blocked:
		c.Failed = 1
	default:
		// A site is not to blame for URLs that others make up.
		c.Other, c.Gone = 1, one(u.Visit.Result == crawl.Gone && !u.Link.Foreign)
	}
	return c
}

func one(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

// rankSize is the length of the end of a queue key: tries, depth, priority and hash. A URL that was never tried
// comes first, whatever its depth, and one that failed after it: else pages that fail would keep a crawl from
// all deeper pages.
const rankSize = 3 + hashSize

// outgoingKey returns the place of links to other domains; nil if they cannot be read or were delivered.
func outgoingKey(d crawl.Domain, key string, value []byte) []byte {
	if value == nil {
		return nil
	}
	l, err := DecodeLinks(value)
	if err != nil || len(l.Urls) == 0 {
		return nil
	}
	return within(d, bigEndian(l.Date), key)
}
