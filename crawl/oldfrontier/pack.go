package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// An entry of the log is written in terms of the store that it will be applied to: every
// member that applies it has the same store then. So an outcome is named by its lease and
// the place of its task there, links that were sent by their place in the outbox, and
// what they stand for is looked up before anything of the entry is applied.
//
// Should another entry have come between after all, what is named may not be there any
// more: then the change it is for has come to nothing, on every member alike.

// kindOfEntry is the lower part of the first byte of an entry. The numbers are on disk and
// on the wire.
type kindOfEntry byte

const (
	packNothing kindOfEntry = 0 // of a proposal without entries
	packEnqueue kindOfEntry = 1
	packGrant   kindOfEntry = 2
	packSettle  kindOfEntry = 3
	packRelease kindOfEntry = 4
	packRenew   kindOfEntry = 5
	packSent    kindOfEntry = 6
	packSlot    kindOfEntry = 7
	packUnslot  kindOfEntry = 8
	packVoid    kindOfEntry = 9  // it would change nothing
	packOther   kindOfEntry = 31 // as encodeEntries has it

	packKinds kindOfEntry = 31
	// packPlaced says that the entry names things by their place in the store.
	packPlaced kindOfEntry = 1 << 6
	// packLast says that the entry is the last of its proposal.
	packLast kindOfEntry = 1 << 7
)

// Bits of what an outcome has; the first seven are the usual ones. They are on disk and on
// the wire.
const (
	settleDigest = 1 << iota
	settleAsk
	settleETag
	settleModified // Last-Modified as a date
	settleCrawlDelay
	settleTitle
	settleResult // another than a page that was fetched with 200
	settleReason
	settleWait
	settleDuplicate
	settleChallenged
	settleNoRobots
	settleModifiedText

	settleBits = 1<<iota - 1
)

// Bits of an Enqueue, a Sent and an Unslot.
const (
	packAsk  = 1 << 0
	packFrom = 1 << 1
	packBack = 1 << 0
	packBad  = 1 << 0
)

// placer looks things up in a store as it was before a batch. In a nil one nothing is found.
type placer struct {
	b      *buckets
	domain func(crawl.Domain) (*domainRecord, bool, error)
	leases map[crawl.LeaseID]*placedLease
	out    [][]byte // keys of the outbox, from the first on
	outEnd bool     // there are no more
}

// placedLease is a live lease.
type placedLease struct {
	domain crawl.Domain
	host   []byte
	record *leaseRecord
}

func newPlacer(b *buckets, domain func(crawl.Domain) (*domainRecord, bool, error)) *placer {
	return &placer{b: b, domain: domain, leases: make(map[crawl.LeaseID]*placedLease)}
}

// lease returns a live lease, nil if there is none with that ID.
func (p *placer) lease(id crawl.LeaseID) (*placedLease, error) {
	if p == nil {
		return nil, nil
	}
	if l, ok := p.leases[id]; ok {
		return l, nil
	}
	var l *placedLease
	if name := p.b.leases.Get(leaseKey(id)); name != nil {
		domain := crawl.Domain(name)
		d, ok, err := p.domain(domain)
		if err != nil {
			return nil, err
		}
		if ok && id != 0 && d.Lease.ID == id {
			record := d.Lease // it may end while the batch is applied
			l = &placedLease{domain: domain, host: hostKey(domain, record.Origin), record: &record}
		}
	}
	p.leases[id] = l
	return l, nil
}

// task returns the queue key and the URL of the task at a place of a lease; ok is false if
// it is not queued.
func (p *placer) task(l *placedLease, place int) (key []byte, u crawl.URL, ok bool) {
	tail := l.record.Tasks[place]
	key = append(append(append(make([]byte, 0, len(l.host)+1+len(tail)), l.host...), 0), tail...)
	value := p.b.queued(key)
	if len(value) < 3 {
		return nil, u, false
	}
	u, err := crawl.ParseURL(string(value[2:]))
	return key, u, err == nil
}

// place returns the place of a task in a lease, -1 if it is none that task would return so.
func (p *placer) place(l *placedLease, s *Settle) int {
	host, tail, ok := splitQueueKey(s.Task)
	if !ok || s.Domain != l.domain || s.By != l.record.Holder || !bytes.Equal(host, l.host) {
		return -1
	}
	for i, t := range l.record.Tasks {
		if bytes.Equal(t, tail) {
			if _, u, ok := p.task(l, i); !ok || u.String() != s.URL {
				return -1
			}
			return i
		}
	}
	return -1
}

// maxOutPlace is how far into the outbox links are named by their place.
const maxOutPlace = 1024

// outKey returns the key at a place below maxOutPlace in the outbox, nil if there is none.
func (p *placer) outKey(place int) []byte {
	if p == nil {
		return nil
	}
	if place >= len(p.out) && !p.outEnd {
		c := p.b.outbox.Cursor()
		key, _ := c.First()
		if n := len(p.out); n > 0 {
			c.Seek(p.out[n-1])
			key, _ = c.Next()
		}
		for ; key != nil && len(p.out) <= place; key, _ = c.Next() {
			p.out = append(p.out, bytes.Clone(key))
		}
		p.outEnd = key == nil
	}
	if place >= len(p.out) {
		return nil
	}
	return p.out[place]
}

// outPlace returns the place of a key in the outbox behind another, -1 if it is not there.
func (p *placer) outPlace(key []byte, from int) int {
	for i := from; i < maxOutPlace; i++ {
		at := p.outKey(i)
		if at == nil {
			return -1
		}
		switch bytes.Compare(at, key) {
		case 0:
			return i
		case 1:
			return -1
		}
	}
	return -1
}

// outCheck is how many bytes of the key of a link go with its place.
const outCheck = 2

// spare takes out of entries what the store has already, and would not change it: links
// that are known, titles of pages that are not nearer to the seeds than the one whose title is kept.
func (f *Frontier) spare(b *buckets, domain func(crawl.Domain) (*domainRecord, bool, error), entries []Entry) error {
	filters := bloom.NewBatch(b.filters)
	for _, e := range entries {
		var err error
		switch {
		case e.Enqueue != nil:
			e.Enqueue.Links, err = f.spareLinks(domain, filters, e.Enqueue.Links, e.Enqueue.From)
		case e.Settle != nil:
			s := e.Settle
			if s.Links, err = f.spareLinks(domain, filters, s.Links, s.Domain); err == nil && s.Title != "" {
				err = spareTitle(domain, s)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func spareTitle(domain func(crawl.Domain) (*domainRecord, bool, error), s *Settle) error {
	d, ok, err := domain(s.Domain)
	if err != nil || !ok || d.Title == "" {
		return err
	}
	if _, tail, ok := splitQueueKey(s.Task); ok && rankOf(tail).depth >= d.TitleDepth {
		s.Title = ""
	}
	return nil
}

func (f *Frontier) spareLinks(domain func(crawl.Domain) (*domainRecord, bool, error), filters *bloom.Batch, links []Link, from crawl.Domain) ([]Link, error) {
	kept := links[:0:0]
	for i, l := range links {
		known, err := f.isKnown(domain, filters, l, from)
		if err != nil {
			return nil, err
		}
		switch {
		case known && kept == nil:
			kept = append(make([]Link, 0, len(links)), links[:i]...)
		case !known && kept != nil:
			kept = append(kept, l)
		}
	}
	if kept == nil {
		return links, nil
	}
	return kept, nil
}

// isKnown reports whether a link changes nothing here.
func (f *Frontier) isKnown(domain func(crawl.Domain) (*domainRecord, bool, error), filters *bloom.Batch, l Link, from crawl.Domain) (bool, error) {
	if l.Modified != 0 {
		return false, nil
	}
	u, err := crawl.ParseURL(l.URL)
	if err != nil {
		return false, nil
	}
	name := u.Domain()
	d, ok, err := domain(name)
	if err != nil || !ok || !d.isHome() {
		return false, err
	}
	linked := *d
	if linked.linkedFrom(name, from); linked.Inlinks != d.Inlinks {
		return false, nil
	}
	if !filters.Has(append([]byte(name), 0), bloom.HashOf(u.SeenKey())) {
		return false, nil
	}
	f.seen.add(l.URL)
	if from != "" && from != name {
		f.seen.add(linkPair(from, name))
	}
	return true, nil
}
