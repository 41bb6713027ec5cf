package frontier

import (
	"bytes"
	"fmt"

	"github.com/forage-net/forage/crawl"
)

// touch notes that the queue, the pages or the filter of a domain change, or what members count of
// it, whether or not its record does.
func (m *machine) touch(name crawl.Domain) { m.touched[name] = true }

// sealDomains gives the records of the domains that an entry of the log has changed the index
// of this batch: two members whose records are the same have the same of everything that
// belongs to them.
func (m *machine) sealDomains() error {
	next, changed := m.meta.Batch+1, false
	for name := range m.used {
		r, ok := m.domains[name]
		if !ok {
			continue // there is none, or it has left
		}
		raw, err := encode.Marshal(r)
		if err != nil {
			return fmt.Errorf("write domain %s: %w", name, err)
		}
		if !m.touched[name] && bytes.Equal(raw, m.recorded(name)) {
			continue // many are only read
		}
		r.Index, changed = next, true
		if m.sealed[name], err = encode.Marshal(r); err != nil {
			return fmt.Errorf("write domain %s: %w", name, err)
		}
	}
	if changed {
		m.meta.Batch = next
	}
	return nil
}

// recorded returns the record of a domain as it was before this entry of the log.
func (m *machine) recorded(name crawl.Domain) []byte {
	if raw, ok := m.sealed[name]; ok {
		return raw
	}
	return m.b.domains.Get([]byte(name))
}
