package frontier

import (
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// Limit is what keeps a URL out of the queue. The numbers are on disk.
type Limit uint8

const (
	// LimitNone is that of a URL that is taken in.
	LimitNone Limit = 0
	// LimitBudget is the budget of its domain.
	LimitBudget Limit = 1
	// LimitForeign is the half of that budget for what only other domains link to.
	LimitForeign Limit = 2
	// LimitShape is how many URLs with several parameters one path may have.
	LimitShape Limit = 3
	// LimitFull is how many tasks the frontier has.
	LimitFull Limit = 4
	// LimitRetired is that of a domain that is left alone for weeks.
	LimitRetired Limit = 5
	// LimitBrought is how many domains one may bring in that were never heard of; the URL counts for the one that links to it.
	LimitBrought Limit = 6

	limits = 6
)

// MaxDropped is how many URLs of a domain are counted that were not taken in: to count a URL once, it has to be remembered.
const MaxDropped = 10_000

// drop counts a URL that a limit keeps out, once, for a domain.
func (m *machine) drop(name crawl.Domain, d *domainRecord, u crawl.URL, by Limit) error {
	if d.Dropped >= MaxDropped {
		return nil
	}
	isNew, err := m.filters.Add(append([]byte(name), 0), bloom.HashOf("dropped\x00"+u.SeenKey())) // which is the key of no URL
	if err != nil {
		return fmt.Errorf("filter of %s: %w", name, err)
	}
	if isNew {
		d.countDrop(by)
		m.meta.Totals.Dropped++
	}
	return nil
}

// countDrop counts a URL that was dropped.
func (d *domainRecord) countDrop(by Limit) {
	d.Dropped++
	d.addDrops(by, 1)
}

// addDrops counts n URLs that a limit kept out.
func (d *domainRecord) addDrops(by Limit, n uint64) {
	for len(d.Drops) < int(by) {
		d.Drops = append(d.Drops, 0)
	}
	d.Drops[by-1] += n
}

// droppedBy returns the limit that has kept out most.
func (d *domainRecord) droppedBy() (by Limit) {
	most := uint64(0)
	for i, n := range d.Drops {
		if n > most {
			most, by = n, Limit(i+1)
		}
	}
	return by
}
