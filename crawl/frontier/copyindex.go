package frontier

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// touch notes that the queue, the pages or the filter of a domain change, or what members count of
// it, whether or not its record does.
func (m *machine) touch(name crawl.Domain) {
	if m.touched == nil {
		m.touched = make(map[crawl.Domain]bool)
	}
	m.touched[name] = true
}

// putDomains writes the records of the domains that have changed, and gives them the index
// of this batch: two members whose records are the same have the same of everything that
// belongs to them.
func (m *machine) putDomains() error {
	next, changed := m.meta.Batch+1, false
	for d, r := range m.domains {
		raw, err := encode.Marshal(r)
		if err != nil {
			return fmt.Errorf("write domain %s: %w", d, err)
		}
		if !m.touched[d] && bytes.Equal(raw, m.b.domains.Get([]byte(d))) {
			continue // many are only read
		}
		r.Index, changed = next, true
		if err := putRecord(m.b.domains, []byte(d), r); err != nil {
			return fmt.Errorf("write domain %s: %w", d, err)
		}
	}
	if changed {
		m.meta.Batch = next
	}
	return nil
}
