package frontier

import (
	"bytes"

	"github.com/forage-net/forage/crawl"
)

// What is known here of a domain that arrives is put aside until everything has
// come, and then joined with that: <domain> 0 <part> <rest of the key>. Its filter is not
// kept; it is made again of pages and tasks.
const (
	asidePage   = 'p'
	asideTask   = 'q'
	asideRecord = 'r'
)

func asideKey(name crawl.Domain, part byte, rest []byte) []byte {
	return append(append(hostKey(name, ""), part), rest...)
}

// startAside makes a domain of this log one that arrives. Its clock stays.
func (m *machine) startAside(name crawl.Domain, d *domainRecord, c *Chunk) (*domainRecord, error) {
	gap := m.gapOf(d)
	leased := d.Lease.ID != 0
	if leased {
		if err := m.endLease(name, d, false); err != nil {
			return nil, err
		}
	}
	at, clocked := m.b.clock([]byte(name))
	if err := m.leave(name, d); err != nil {
		return nil, err
	}
	if clocked {
		if leased {
			at += int64(gap) // who held it may be at work until then
		}
		if err := m.b.setClock([]byte(name), at, false); err != nil {
			return nil, err
		}
	}
	if err := putRecord(m.b.aside, asideKey(name, asideRecord, nil), d); err != nil {
		return nil, err
	}
	next := &domainRecord{Arriving: &arriving{From: c.From, N: c.N, Putting: true, Aside: true}}
	m.begin(name, next)
	return next, m.b.arriving.Put(moveDomainKey(c.From, c.N, name), []byte{})
}

// putAside puts queue and pages of a domain aside as far as there is room, and
// reports whether it is done.
func (m *machine) putAside(name crawl.Domain, d *domainRecord, room *int) (bool, error) {
	m.touch(name)
	prefix := hostKey(name, "")
	for _, key := range keysWith(m.b.queue, prefix, room) {
		if err := m.b.aside.Put(asideKey(name, asideTask, key[len(prefix):]), bytes.Clone(m.b.queue.Get(key))); err != nil {
			return false, err
		}
		if err := m.b.queue.Delete(key); err != nil {
			return false, err
		}
	}
	for _, key := range keysWith(m.b.pages, prefix, room) {
		if err := m.b.aside.Put(asideKey(name, asidePage, key[len(prefix):]), bytes.Clone(m.b.pages.Get(key))); err != nil {
			return false, err
		}
		if err := m.b.pages.Delete(key); err != nil {
			return false, err
		}
	}
	for _, host := range m.heldIn(name) { // holds stay, but end with the move
		at, _ := m.b.clock(host)
		if err := m.b.setClock(host, at, false); err != nil {
			return false, err
		}
	}
	if err := m.wipe(name, room); err != nil || *room <= 0 {
		return false, err
	}
	d.Arriving.Putting = false
	return true, nil
}

// heldIn returns the held hosts of a domain that are in the order of due times.
func (m *machine) heldIn(name crawl.Domain) (hosts [][]byte) {
	prefix := hostKey(name, "")
	c := m.b.clocks.Cursor()
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
		if at, ok := m.b.clock(key); ok && m.b.due.Get(dueKey(at, key)) != nil {
			hosts = append(hosts, bytes.Clone(key))
		}
	}
	return hosts
}

// restore puts back what was put aside, as it was, as far as there is room, and
// reports whether it is done.
func (m *machine) restore(name crawl.Domain, d *domainRecord, room *int) (bool, error) {
	m.touch(name)
	prefix := hostKey(name, "")
	for _, key := range keysWith(m.b.aside, prefix, room) {
		value := bytes.Clone(m.b.aside.Get(key))
		rest := key[len(prefix)+1:]
		switch key[len(prefix)] {
		case asidePage:
			if rec, u, ok := readPage(append(hostKey(name, ""), rest...), value); ok {
				if _, err := m.know(u); err != nil {
					return false, err
				}
				page := pageKey(name, rec.URL)
				if err := m.b.putPage(page, &rec); err != nil {
					return false, err
				}
				m.visitAgain(page, &rec)
			}
		case asideTask:
			key := append(hostKey(name, ""), rest...)
			if t, ok := readWhole(key, value); ok {
				if _, err := m.know(t.URL); err != nil {
					return false, err
				}
				host, _, _ := splitQueueKey(key)
				if err := m.place(key, value, host, d); err != nil {
					return false, err
				}
			}
		default:
			continue // the record comes last
		}
		if err := m.b.aside.Delete(key); err != nil {
			return false, err
		}
	}
	return *room > 0, nil
}
