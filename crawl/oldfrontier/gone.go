package frontier

import (
	"bytes"
	"math"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// The bucket of domains that have moved away holds, beside <domain>, the order
// in which they went, goneOrder <time ‖ domain>, and those of which something is
// still to be deleted, goneRest <domain>.
const (
	goneOrder = 0
	goneRest  = 1

	// goneFor is how long a domain that has moved away is remembered.
	goneFor = 24 * time.Hour
	// maxGone bounds how many are.
	maxGone = 200_000
	// pieceKeys bounds how many keys one entry, or one commit, deletes or moves
	// for domains that move: some ten milliseconds.
	pieceKeys = 4096
)

// goneRecord says where a domain has moved.
type goneRecord struct {
	To string `cbor:"1,keyasint"`
	N  uint64 `cbor:"2,keyasint"`
	At int64  `cbor:"3,keyasint"` // Unix nanoseconds
}

// hasMoved reports whether a domain has moved away lately.
func (b *buckets) hasMoved(d crawl.Domain) bool { return b.gone.Get([]byte(d)) != nil }

func (b *buckets) readGone(d crawl.Domain) (r goneRecord, ok bool, err error) {
	ok, err = getRecord(b.gone, []byte(d), &r)
	return r, ok, err
}

func goneOrderKey(at int64, d crawl.Domain) []byte {
	return append([]byte{goneOrder}, dueKey(at, []byte(d))...)
}

func goneRestKey(d crawl.Domain) []byte { return append([]byte{goneRest}, d...) }

// gone ends moves away. What is large is deleted by and by.
func (m *machine) gone(g *Gone) (a Applied, err error) {
	room := m.cfg.piece
	for _, name := range g.Domains {
		d, ok, err := m.domain(name)
		if err != nil {
			return a, err
		}
		if !ok || d.Closing == nil || d.Closing.To != g.To || d.Closing.N != g.N {
			continue
		}
		a.Domains++
		if err := m.leave(name, d); err != nil {
			return a, err
		}
		if err := m.remember(name, goneRecord{To: g.To, N: g.N, At: m.meta.At}); err != nil {
			return a, err
		}
		if err := m.sweep(name, &room); err != nil {
			return a, err
		}
	}
	return a, m.pruneGone()
}

// leave makes a domain one that is not here.
func (m *machine) leave(name crawl.Domain, d *domainRecord) error {
	if d.Lease.ID != 0 {
		if err := m.endLease(name, d, false); err != nil {
			return err
		}
	}
	m.meta.Totals.sub(d)
	delete(m.domains, name)
	delete(m.sealed, name)
	clear(m.awake) // it may hold hosts of the domain
	for _, b := range []*storage.Bucket{m.b.domains, m.b.closing, m.b.unasked} {
		if err := b.Delete([]byte(name)); err != nil {
			return err
		}
	}
	return m.b.dropClock([]byte(name))
}

func (m *machine) remember(name crawl.Domain, r goneRecord) error {
	if err := m.forgetOne(name); err != nil {
		return err
	}
	if err := m.b.gone.Put(goneOrderKey(r.At, name), []byte{}); err != nil {
		return err
	}
	if err := m.b.gone.Put(goneRestKey(name), []byte{}); err != nil {
		return err
	}
	m.meta.Gone++
	return putRecord(m.b.gone, []byte(name), &r)
}

// forgetOne drops what is remembered of a domain that has moved away.
func (m *machine) forgetOne(name crawl.Domain) error {
	r, ok, err := m.b.readGone(name)
	if err != nil || !ok {
		return err
	}
	m.meta.Gone--
	if err := m.b.gone.Delete(goneOrderKey(r.At, name)); err != nil {
		return err
	}
	return m.b.gone.Delete([]byte(name))
}

// forget lets domains begin anew that have moved away.
func (m *machine) forget(f *Forget) (a Applied, err error) {
	m.forgot, m.taken = true, nil
	room := m.cfg.piece
	for _, name := range f.Domains {
		if !m.b.hasMoved(name) {
			continue
		}
		if err := m.sweep(name, &room); err != nil {
			return a, err
		}
		if m.b.gone.Get(goneRestKey(name)) != nil {
			a.Again = true
			continue
		}
		a.Domains++
		if err := m.forgetOne(name); err != nil {
			return a, err
		}
	}
	return a, nil
}

// pruneGone forgets the domains that have moved away long ago, and of too many
// the first that went.
func (m *machine) pruneGone() error {
	for range m.cfg.piece {
		key, _ := m.b.gone.Cursor().Seek([]byte{goneOrder})
		if len(key) < 10 || key[0] != goneOrder {
			return nil
		}
		at, name := splitDueKey(key[1:])
		d := crawl.Domain(name)
		if m.meta.Gone <= maxGone && at > m.meta.At-int64(goneFor) && at <= m.meta.At+int64(goneFor) {
			return nil
		}
		if m.b.gone.Get(goneRestKey(d)) != nil {
			return nil // soon
		}
		if err := m.forgetOne(d); err != nil {
			return err
		}
	}
	return nil
}

// sweep deletes what is left of a domain that is not here, as far as there is
// room.
func (m *machine) sweep(name crawl.Domain, room *int) error {
	if m.b.gone.Get(goneRestKey(name)) == nil {
		return nil
	}
	if err := m.wipe(name, room); err != nil || *room <= 0 {
		return err
	}
	if err := m.dropHolds(name); err != nil {
		return err
	}
	return m.b.gone.Delete(goneRestKey(name))
}

// wipe deletes the queue, pages, filters and counts of a domain as far as there
// is room, and leaves some if it is done. What is this member's own takes none:
// all members must come equally far.
func (m *machine) wipe(name crawl.Domain, room *int) error {
	if err := m.filters.Flush(); err != nil {
		return err
	}
	clear(m.awake)
	if err := dropAll(m.b.ready, hostKey(name, "")); err != nil {
		return err
	}
	for _, b := range []*storage.Bucket{m.b.queue, m.b.pages, m.b.filters, m.b.shapes} {
		for _, key := range keysWith(b, hostKey(name, ""), room) {
			if err := b.Delete(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropAll deletes the keys of a bucket that have a prefix.
func dropAll(b *storage.Bucket, prefix []byte) error {
	all := math.MaxInt
	for _, key := range keysWith(b, prefix, &all) {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// dropHolds forgets the holds of the hosts of a domain.
func (m *machine) dropHolds(name crawl.Domain) error {
	all := math.MaxInt
	for _, host := range keysWith(m.b.clocks, hostKey(name, ""), &all) {
		if err := m.b.dropClock(host); err != nil {
			return err
		}
	}
	return nil
}

// keysWith returns copies of the keys of a bucket that have a prefix, as many as
// there is room for.
func keysWith(b *storage.Bucket, prefix []byte, room *int) (keys [][]byte) {
	c := b.Cursor()
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix) && *room > 0; key, _ = c.Next() {
		keys = append(keys, bytes.Clone(key))
		*room--
	}
	return keys
}

// restOf returns a domain of which something is still to be deleted.
func (b *buckets) restOf() (crawl.Domain, bool) {
	key, _ := b.gone.Cursor().Seek([]byte{goneRest})
	if len(key) < 2 || key[0] != goneRest {
		return "", false
	}
	return crawl.Domain(key[1:]), true
}
