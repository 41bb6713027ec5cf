package frontier

import "github.com/forage-net/forage/crawl"

// beginAnew makes the record of a domain that nothing is known of here. Others
// may know it.
func (m *machine) beginAnew(name crawl.Domain) (*domainRecord, error) {
	d := &domainRecord{Unasked: m.ask}
	m.begin(name, d)
	m.came++
	if !d.Unasked {
		return d, nil
	}
	return d, m.b.unasked.Put([]byte(name), []byte{})
}

// confirm wakes domains that others were asked about.
func (m *machine) confirm(c *Confirm) (a Applied, err error) {
	for _, name := range c.Domains {
		d, ok, err := m.domain(name)
		if err != nil {
			return a, err
		}
		if !ok || !d.Unasked {
			continue
		}
		a.Domains++
		if err := m.asked(name, d); err != nil {
			return a, err
		}
		if c.Careful {
			m.beCareful(d, m.meta.At)
		}
		if err := m.rouse(name, d); err != nil {
			return a, err
		}
	}
	return a, nil
}

// asked takes the mark of a domain away that others are to be asked about.
func (m *machine) asked(name crawl.Domain, d *domainRecord) error {
	if d.Unasked {
		d.Unasked = false
		m.meta.Totals.Unasked--
	}
	return m.b.unasked.Delete([]byte(name))
}

// rouse gives a domain its place in the order of time, if it has something to
// do and may do it.
func (m *machine) rouse(name crawl.Domain, d *domainRecord) error {
	at, ok := m.b.clock([]byte(name))
	work := d.Lease.ID != 0 || !d.asleep() && m.b.hasReady(name)
	if !ok {
		if !work {
			return nil
		}
		at = m.now
	}
	return m.b.setClock([]byte(name), at, work)
}

// Unasked returns at most limit domains that others are to be asked about before
// they are leased, in the order of their names, beginning after the given one.
func (f *Frontier) Unasked(after crawl.Domain, limit int) (list []crawl.Domain, err error) {
	err = f.view(func(b *buckets) error {
		c := b.unasked.Cursor()
		key, _ := c.Seek([]byte(after))
		if key != nil && after != "" && string(key) == string(after) {
			key, _ = c.Next()
		}
		for ; key != nil && len(list) < limit; key, _ = c.Next() {
			list = append(list, crawl.Domain(key))
		}
		return nil
	})
	return list, err
}
