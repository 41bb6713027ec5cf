package worker

import (
	"cmp"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Visit is what the pool does for one lease now.
type Visit struct {
	Domain crawl.Domain
	// Granter is who granted the lease, "" for this node.
	Granter string
	// URL is what is requested, or comes next.
	URL crawl.URL
	// Busy says that its turn has come; At is when it does, on the line of Config.Now.
	Busy bool
	At   time.Time
	// Left counts the tasks of the lease that are not done, Fetched those of which a page came,
	// and Bytes what was received for it.
	Left, Fetched int
	Bytes         int64
}

// Visits returns at most limit visits, those whose turn has come first, then by when it comes.
func (p *Pool) Visits(limit int) []Visit {
	p.mu.Lock()
	visits := make([]Visit, 0, len(p.held))
	for _, t := range p.held {
		if t.visit.Left > 0 && !p.clocks.isOver(t) {
			visits = append(visits, t.visit)
		}
	}
	p.mu.Unlock()
	slices.SortFunc(visits, func(a, b Visit) int {
		if a.Busy != b.Busy {
			if a.Busy {
				return -1
			}
			return 1
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Domain, b.Domain))
	})
	return visits[:min(limit, len(visits))]
}

// noteVisit writes down where a turn is; whoever has it in hand calls it.
func (p *Pool) noteVisit(t *turn, busy bool) {
	v := Visit{Domain: t.Domain, Granter: t.Granter, Busy: busy, At: t.at, Left: len(t.Tasks) - t.next,
		Fetched: t.fetched, Bytes: t.received}
	if v.Left > 0 {
		v.URL = t.current()
	}
	p.mu.Lock()
	t.visit = v
	p.mu.Unlock()
}
