package frontier

import (
	"bytes"
	"context"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

const (
	// DefaultOutboxMax bounds the links that wait for their owners: some 25 MB.
	// With fewer, an owner that is down for an hour costs links.
	DefaultOutboxMax = 200_000

	// maxOutKey bounds the key of a link: depth, priority, domain, zero, hash.
	maxOutKey = 2 + 255 + 1 + pageHash
)

// OutLink is a link on its way to the owner of its domain.
type OutLink struct {
	// Key names it in the outbox. Keys order links by depth and priority.
	Key  []byte
	Link Link
	// From is the domain it was found on, "" for seeds, and Date when, in Unix
	// seconds.
	From crawl.Domain
	Date int64
}

// outRecord is a link in the outbox, but for what its key says.
type outRecord struct {
	_         struct{} `cbor:",toarray"`
	URL       string
	Redirects uint8
	Source    uint8
	Modified  int64
	From      crawl.Domain
	Date      int64
}

// outKey puts the links nearest to the seeds first: <depth ‖ priority ‖ domain> 0 <8 bytes>.
func outKey(u crawl.URL, l Link) []byte {
	name, hash := u.Domain(), bloom.HashOf(u.String())
	key := append(make([]byte, 0, 2+len(name)+1+pageHash), l.Depth, byte(validPriority(l.Priority)))
	return append(append(append(key, name...), 0), hash[:pageHash]...)
}

// sendAll puts links to domains of others into the outbox.
func (m *machine) sendAll(links []Link, from found) error {
	for _, l := range links {
		u, err := crawl.ParseURL(l.URL)
		if err != nil || !validDomain(u.Domain()) || len(u.Hostname()) > maxHostname {
			continue
		}
		if ok, err := m.mayReach(from, u); err != nil {
			return err
		} else if !ok {
			continue
		}
		if err := m.send(u, l, from); err != nil {
			return err
		}
	}
	return nil
}

// mayReach reports whether a page may lead to a URL of a domain of another owner. The
// different ones count against the budget of the domain that links to them, as
// those never heard of do here. Its filter remembers them.
func (m *machine) mayReach(from found, u crawl.URL) (bool, error) {
	if from.afar || from.domain == "" {
		return true, nil
	}
	prefix, hash := append([]byte(from.domain), 0), bloom.HashOf("domain\x00"+string(u.Domain()))
	if m.filters.Has(prefix, hash) {
		return true, nil
	}
	if ok, err := m.mayBring(from.domain, u); err != nil || !ok {
		return false, err
	}
	if _, err := m.filters.Add(prefix, hash); err != nil {
		return false, fmt.Errorf("filter of %s: %w", from.domain, err)
	}
	return true, nil
}

// send puts a link into the outbox. When that is full, the least valuable link
// is dropped.
func (m *machine) send(u crawl.URL, l Link, from found) error {
	key := outKey(u, l)
	if m.b.outbox.Get(key) != nil {
		return nil
	}
	if m.meta.Totals.Outbox >= uint64(m.cfg.OutboxMax) {
		last, value := m.b.outbox.Cursor().Last()
		m.meta.Totals.Dropped++
		m.meta.Lost++
		if last == nil || bytes.Compare(key, last) >= 0 {
			return nil
		}
		if err := m.unsend(bytes.Clone(last), len(value)); err != nil {
			return err
		}
	}
	value, err := encode.Marshal(outRecord{
		URL: u.String(), Redirects: l.Redirects, Source: min(l.Source, crawl.MaxSource), Modified: l.Modified, From: from.domain, Date: from.date,
	})
	if err != nil {
		return err
	}
	m.meta.Totals.Outbox++
	m.meta.Totals.OutboxBytes += uint64(len(key) + len(value))
	return m.b.outbox.Put(key, value)
}

// unsend takes a link out of the outbox whose record has that size.
func (m *machine) unsend(key []byte, size int) error {
	m.meta.Totals.Outbox--
	m.meta.Totals.OutboxBytes -= uint64(len(key) + size)
	return m.b.outbox.Delete(key)
}

// sent forgets links that their owners have.
func (m *machine) sent(s *Sent) error {
	for _, key := range s.Keys {
		value := m.b.outbox.Get(key)
		if value == nil {
			continue
		}
		if l, err := readOut(key, value); err == nil && !s.Back {
			u, _ := crawl.ParseURL(l.Link.URL)
			m.taken = append(m.taken, l.Link.URL)
			if l.From != "" {
				m.taken = append(m.taken, linkPair(l.From, u.Domain()))
			}
		}
		if err := m.unsend(key, len(value)); err != nil {
			return err
		}
	}
	return nil
}

// readOut rebuilds a link from its place in the outbox.
func readOut(key, value []byte) (OutLink, error) {
	var r outRecord
	if err := decode.Unmarshal(value, &r); err != nil {
		return OutLink{}, fmt.Errorf("damaged link % x: %w", key, err)
	}
	u, err := crawl.ParseURL(r.URL)
	if err != nil || len(key) < 3 {
		return OutLink{}, fmt.Errorf("damaged link % x", key)
	}
	l := OutLink{
		Key: bytes.Clone(key), From: r.From, Date: r.Date,
		Link: Link{URL: r.URL, Depth: key[0], Priority: crawl.Priority(key[1]), Redirects: r.Redirects, Source: r.Source, Modified: r.Modified},
	}
	if u.String() != r.URL || !bytes.Equal(key, outKey(u, l.Link)) || r.From != "" && !validDomain(r.From) {
		return OutLink{}, fmt.Errorf("damaged link % x", key)
	}
	return l, nil
}

// Outbox returns at most limit links that wait for their owners, the most valuable
// first, beginning after the one with the given key. Among them are links to domains that
// are moving here: they can be taken in when the move is over.
func (f *Frontier) Outbox(after []byte, limit int) ([]OutLink, error) {
	var list []OutLink
	err := f.view(func(b *buckets) error {
		c := b.outbox.Cursor()
		key, value := c.Seek(after)
		if key != nil && len(after) > 0 && bytes.Equal(key, after) {
			key, value = c.Next()
		}
		for ; key != nil && len(list) < limit; key, value = c.Next() {
			l, err := readOut(key, value)
			if err != nil {
				continue // Check finds it, and Repair drops it
			}
			list = append(list, l)
		}
		return nil
	})
	return list, err
}

// TakeBack takes links out of the outbox and into queues here, in one
// transaction: their domains have become this member's own. A link whose domain has not goes
// back into the outbox.
func (f *Frontier) TakeBack(ctx context.Context, links []OutLink) ([]Applied, error) {
	s := &Sent{Back: true}
	for _, l := range links {
		s.Keys = append(s.Keys, l.Key)
	}
	return f.Propose(ctx, append([]Entry{{Sent: s}}, Received(links)...)...)
}

// Received makes entries of links that other owners have sent, one for each
// domain they were found on; their keys are not used.
func Received(links []OutLink) []Entry {
	var entries []Entry
	groups := make(map[crawl.Domain]*Enqueue)
	for _, l := range links {
		e := groups[l.From]
		if e == nil {
			e = &Enqueue{From: l.From}
			groups[l.From] = e
			entries = append(entries, Entry{Enqueue: e})
		}
		e.Links, e.Date = append(e.Links, l.Link), max(e.Date, l.Date)
	}
	return entries
}
