package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// Export returns what is known of a domain that is closing, in items of at most
// maxBytes together or as many as make progress (2 × MaxItem at most), from a cursor on that an
// earlier call returned as next; the first is nil. Times are durations, so they are right when the items arrive, and
// late by the way they took. The items of several domains may follow each other in one chunk.
//
// With the first call the domain is frozen: outcomes of a lease that is still live do
// not settle its tasks any more, and the destination does not lease the
// domain before that lease would be over. The error is ErrNotClosing if the domain is
// not on a move.
func (f *Frontier) Export(ctx context.Context, d crawl.Domain, cursor []byte, maxBytes int) (items [][]byte, next []byte, done bool, err error) {
	if err := f.freeze(ctx, d); err != nil {
		return nil, nil, false, fmt.Errorf("export %s: %w", d, err)
	}
	x := exporter{f: f, name: d, room: maxBytes}
	if err := f.view(func(b *buckets) error { return x.run(b, cursor) }); err != nil {
		return nil, nil, false, fmt.Errorf("export %s: %w", d, err)
	}
	return x.items, x.next, x.next == nil, nil
}

// freeze makes what is known of a closing domain final.
func (f *Frontier) freeze(ctx context.Context, d crawl.Domain) error {
	var r domainRecord
	err := f.view(func(b *buckets) (err error) {
		r, _, err = b.readDomain(d)
		return err
	})
	switch {
	case err != nil:
		return err
	case r.Closing == nil:
		return ErrNotClosing
	case r.Closing.Frozen:
		return nil
	}
	_, err = f.Propose(ctx, Entry{Freeze: &Freeze{Domains: []crawl.Domain{d}, N: r.Closing.N}})
	return err
}

// exporter is one call of Export.
type exporter struct {
	f     *Frontier
	b     *buckets
	name  crawl.Domain
	room  int
	items [][]byte
	next  []byte // where to go on, nil if nothing is left
}

// add takes an item if there is room for it, and in any case the first about the
// domain.
func (x *exporter) add(kind itemKind, data []byte) bool {
	if len(x.items) > 1 && 1+len(data) > x.room {
		return false
	}
	x.room -= 1 + len(data)
	x.items = append(x.items, append([]byte{byte(kind)}, data...))
	return true
}

// run goes through what is known of the domain, from a cursor on. That is the
// kind of the items, and if some of the kind are done, 1 and the key of the last.
func (x *exporter) run(b *buckets, cursor []byte) error {
	x.b = b
	x.add(itemDomain, []byte(x.name))
	last := itemDomain
	var behind []byte
	if len(cursor) > 0 {
		last = itemKind(cursor[0])
	}
	if len(cursor) > 1 {
		behind = cursor[2:]
	}
	if last == itemDomain {
		if err := x.record(); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		kind   itemKind
		bucket *storage.Bucket
		item   func(key, value []byte) ([]byte, error)
	}{
		{itemHold, b.clocks, x.hold}, {itemShape, b.shapes, x.shape}, {itemFilter, b.filters, x.filter}, {itemPage, b.pages, x.page}, {itemTask, b.queue, x.task},
	} {
		if part.kind < last {
			continue
		}
		if part.kind > last {
			behind = nil
		}
		if err := x.walk(part.kind, part.bucket, behind, part.item); err != nil || x.next != nil {
			return err
		}
	}
	return nil
}

// walk exports the keys of the domain in a bucket that come behind one. The prefix of the
// domain is not part of the cursor.
func (x *exporter) walk(kind itemKind, b *storage.Bucket, behind []byte, item func(key, value []byte) ([]byte, error)) error {
	prefix := hostKey(x.name, "")
	start := append(bytes.Clone(prefix), behind...)
	c := b.Cursor()
	key, value := c.Seek(start)
	if behind != nil && bytes.Equal(key, start) {
		key, value = c.Next()
	}
	last := behind
	for ; bytes.HasPrefix(key, prefix); key, value = c.Next() {
		data, err := item(key[len(prefix):], value)
		if err != nil {
			return err
		}
		if data != nil && !x.add(kind, data) {
			x.next = []byte{byte(kind)}
			if last != nil {
				x.next = append(append(x.next, 1), last...)
			}
			return nil
		}
		last = append([]byte{}, key[len(prefix):]...) // not nil: the root of a filter has no path
	}
	return nil
}

// record exports the record of the domain, and its clock. The destination waits
// for a live lease and the gap behind it.
func (x *exporter) record() error {
	d, ok, err := x.b.readDomain(x.name)
	if err != nil || !ok || d.Closing == nil {
		return ErrNotClosing
	}
	moved := movedDomain{Record: d.moved()}
	if at, ok := x.b.clock([]byte(x.name)); ok {
		moved.Due = time.Duration(max(at-x.f.cfg.Now().UnixNano(), 0))
	}
	meta, err := x.b.readMeta()
	if err != nil {
		return err
	}
	switch {
	case len(meta.Missing) > 0: // they may go on with it elsewhere
		moved.Record.Careful = 1
	case d.isCareful(&meta):
		moved.Record.Careful = max(meta.At-d.Careful, 1)
	default:
		moved.Record.Careful = 0
	}
	if d.Lease.ID != 0 {
		moved.Due += d.gap(x.f.cfg.politenessFor(&d, &meta))
	}
	data, err := encode.Marshal(moved)
	if err != nil {
		return err
	}
	x.add(itemRecord, data)
	return nil
}

func (x *exporter) hold(origin, value []byte) ([]byte, error) {
	at, ok := x.b.clock(hostKey(x.name, string(origin)))
	if !ok || !validHost(hostKey(x.name, string(origin))) {
		return nil, nil
	}
	left := time.Duration(max(at-x.f.cfg.Now().UnixNano(), 0))
	ms := uint64((left + time.Millisecond - 1) / time.Millisecond)
	return append(binary.BigEndian.AppendUint64(nil, ms), origin...), nil
}

func (x *exporter) shape(hash, counts []byte) ([]byte, error) {
	if len(hash) != pageHash || len(counts) != 2*len(shapeLimits) {
		return nil, nil
	}
	return append(bytes.Clone(hash), counts...), nil
}

func (x *exporter) filter(path, block []byte) ([]byte, error) {
	if bloom.CheckBlock(path, block) != nil {
		return nil, nil
	}
	return append(append([]byte{byte(len(path))}, path...), block...), nil
}

func (x *exporter) page(hash, value []byte) ([]byte, error) {
	key := append(hostKey(x.name, ""), hash...)
	rec, _, ok := readPage(key, value)
	if !ok {
		return nil, nil // no URL by today's rules
	}
	p := movedPage{
		URL: rec.URL, Date: max(rec.Date, 0), Result: rec.Result, Status: max(rec.Status, 0), Digest: rec.Digest, ETag: rec.ETag,
		LastModified: rec.LastModified, Every: rec.Every, Later: -1, Depth: rec.Depth, Source: rec.Source, Misses: rec.Misses,
	}
	if due, ok, err := x.b.nextVisit(key); err != nil {
		return nil, err
	} else if ok {
		left := due.Sub(x.f.cfg.Calendar())
		p.Later = min(max(left.Milliseconds(), 0), retireMost.Milliseconds())
	}
	return encode.Marshal(p)
}

func (x *exporter) task(key, value []byte) ([]byte, error) {
	t, ok := readWhole(append(hostKey(x.name, ""), key...), value)
	if !ok {
		return nil, nil
	}
	r := rankOf(key[len(key)-tailSize:])
	return append([]byte{r.depth, byte(validPriority(r.prio)), min(value[0], maxRefusals-1), value[1]}, t.URL.String()...), nil
}
