package worker

import (
	"cmp"
	"slices"
	"sync"
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

// leases are those that a pool holds, wherever their turns are. Their methods are safe for concurrent use.
type leases struct {
	clocks *clocks

	mu   sync.Mutex
	held map[leaseName]*turn
}

// leaseName names a lease among those of all granters.
type leaseName struct {
	granter string
	id      crawl.LeaseID
}

// drop lets a lease go.
func (l *leases) drop(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, leaseName{t.Granter, t.ID})
}

func (l *leases) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.held)
}

// note writes down a lease, and where its turn is; whoever has that in hand calls it.
func (l *leases) note(t *turn, busy bool) {
	v := Visit{Domain: t.Domain, Granter: t.Granter, Busy: busy, At: t.at, Left: len(t.Tasks) - t.next,
		Fetched: t.fetched, Bytes: t.received}
	if v.Left > 0 {
		v.URL = t.current()
	}
	l.mu.Lock()
	t.visit, l.held[leaseName{t.Granter, t.ID}] = v, t
	l.mu.Unlock()
}

// byGranter returns how many leases of each granter are held.
func (l *leases) byGranter() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := make(map[string]int)
	for name := range l.held {
		n[name.granter]++
	}
	return n
}

// domains returns the domains of the leases that are not over, and who granted each.
func (l *leases) domains() map[crawl.Domain]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := make(map[crawl.Domain]string, len(l.held))
	for name, t := range l.held {
		if !l.clocks.isOver(t) {
			m[t.Domain] = name.granter
		}
	}
	return m
}

// visits returns what is done for each lease that is not over, in the order of Pool.Visits.
func (l *leases) visits() []Visit {
	l.mu.Lock()
	visits := make([]Visit, 0, len(l.held))
	for _, t := range l.held {
		if t.visit.Left > 0 && !l.clocks.isOver(t) {
			visits = append(visits, t.visit)
		}
	}
	l.mu.Unlock()
	slices.SortFunc(visits, func(a, b Visit) int {
		if a.Busy != b.Busy {
			if a.Busy {
				return -1
			}
			return 1
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Domain, b.Domain))
	})
	return visits
}
