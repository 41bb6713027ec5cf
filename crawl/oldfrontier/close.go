package frontier

import (
	"errors"
	"time"

	"github.com/forage-net/forage/crawl"
)

// ErrNotClosing is returned by Export for a domain that is not on a move.
var ErrNotClosing = errors.New("frontier: the domain is not closing")

// closing says where a domain is moving.
type closing struct {
	To     string `cbor:"1,keyasint"`
	N      uint64 `cbor:"2,keyasint"`
	Frozen bool   `cbor:"3,keyasint,omitempty"` // what is known of it is final
}

func (d *domainRecord) isFrozen() bool { return d.Closing != nil && d.Closing.Frozen }

// closeAll begins moves.
func (m *machine) closeAll(c *Close) (a Applied, err error) {
	a.N = c.N
	if a.N == 0 {
		m.meta.LastMove++
		a.N = m.meta.LastMove
	}
	m.meta.LastMove = max(m.meta.LastMove, a.N)
	for _, name := range c.Domains {
		d, ok, err := m.domain(name)
		if err != nil {
			return a, err
		}
		if !ok || !d.isHome() {
			continue
		}
		a.Domains++
		d.Closing = &closing{To: c.To, N: a.N}
		m.meta.Totals.Closing++
		if err := m.b.closing.Put([]byte(name), []byte{}); err != nil {
			return a, err
		}
		if err := m.rouse(name, d); err != nil {
			return a, err
		}
	}
	return a, nil
}

// freeze makes what is known of closing domains final.
func (m *machine) freeze(f *Freeze) (a Applied, err error) {
	for _, name := range f.Domains {
		d, ok, err := m.domain(name)
		if err != nil {
			return a, err
		}
		if !ok || d.Closing == nil || d.Closing.N != f.N {
			continue
		}
		a.Domains++
		d.Closing.Frozen = true
	}
	return a, nil
}

// reopen ends moves that their destination has declined.
func (m *machine) reopen(r *Reopen) (a Applied, err error) {
	for _, name := range r.Domains {
		d, ok, err := m.domain(name)
		if err != nil {
			return a, err
		}
		if !ok || d.Closing == nil || d.Closing.N != r.N {
			continue
		}
		a.Domains++
		d.Closing = nil
		if r.Careful {
			m.beCareful(d, m.meta.At)
		}
		m.meta.Totals.Closing--
		if err := m.b.closing.Delete([]byte(name)); err != nil {
			return a, err
		}
		if err := m.rouse(name, d); err != nil {
			return a, err
		}
	}
	return a, nil
}

// ClosingDomain is a domain on its way to another log.
type ClosingDomain struct {
	Domain crawl.Domain
	To     string
	N      uint64
	// Leased says that a lease is live, and Left how long it still is as this
	// member counts, with the tenth that members add.
	Leased bool
	Left   time.Duration
}

// Closing returns at most limit domains that are on their way to other logs, in
// the order of their names, beginning after the given one.
func (f *Frontier) Closing(after crawl.Domain, limit int) (list []ClosingDomain, err error) {
	now := f.cfg.Now().UnixNano()
	err = f.view(func(b *buckets) error {
		c := b.closing.Cursor()
		key, _ := c.Seek([]byte(after))
		if key != nil && after != "" && string(key) == string(after) {
			key, _ = c.Next()
		}
		for ; key != nil && len(list) < limit; key, _ = c.Next() {
			name := crawl.Domain(key)
			d, _, err := b.readDomain(name)
			if err != nil {
				return err
			}
			if d.Closing == nil {
				continue // Check finds it, and Repair drops it
			}
			item := ClosingDomain{Domain: name, To: d.Closing.To, N: d.Closing.N, Leased: d.Lease.ID != 0}
			if at, ok := b.clock(key); ok && item.Leased {
				item.Left = time.Duration(max(at-now, 0))
			}
			list = append(list, item)
		}
		return nil
	})
	return list, err
}
