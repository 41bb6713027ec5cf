package frontier

import (
	"slices"

	"github.com/forage-net/forage/crawl"
)

// FormerHolders is of how many leases in a row a domain remembers who did not bring them home
// before their time was over: the t of UbiCrawler's page recovery. Before a task that they covered is
// lent again, all of them are asked for what they have. With one, what two fetchers after each other
// could not tell of is fetched a third time; each one more costs up to a call and some
// kilobytes of the log for a domain whose leases lapse again and again.
const FormerHolders = 2

// maxFormer is how many a copy may bring: those who keep a log need not have the same version.
const maxFormer = 4

// formerOf returns the leases before the last one that lapsed and of which tasks are still queued, the latest first,
// as they are to be remembered when another has ended. before is the one that was the last.
func (m *machine) formerOf(name crawl.Domain, d *domainRecord, before leaseRecord) []leaseRecord {
	room := FormerHolders
	if d.Over.Lapsed {
		room--
	}
	var list []leaseRecord
	for _, l := range append([]leaseRecord{before}, d.Former...) {
		if len(list) < room && l.ID != 0 && l.Lapsed && m.b.hasAny(name, &l) {
			list = append(list, l)
		}
	}
	return list
}

// hasAny reports whether a task of a lease is neither settled nor otherwise out of the queue.
func (b *buckets) hasAny(name crawl.Domain, l *leaseRecord) bool {
	prefix := append(hostKey(name, l.Origin), 0)
	return slices.ContainsFunc(l.open(), func(tail []byte) bool {
		return b.queued(append(slices.Clone(prefix), tail...)) != nil
	})
}

// Lapse is a lease whose time is over before its holder brought it home.
type Lapse struct {
	Release
	// Again says that one before it lapsed too that covered some of its tasks. What that one's holder
	// has is taken when this one has been released.
	Again bool
}

func (d *domainRecord) lapse(name crawl.Domain) Lapse {
	g := Grant{Domain: name, Origin: d.Lease.Origin, Tasks: d.Lease.open()}
	return Lapse{Release{Lease: d.Lease.ID, Domain: name, By: d.Lease.Holder, Lapsed: true}, len(d.covering(&g)) > 0}
}

// covering returns which leases of a domain lapsed and covered one of these tasks of a host: who
// held them may have fetched it.
func (d *domainRecord) covering(g *Grant) (list []Release) {
	for _, l := range append([]leaseRecord{d.Over}, d.Former...) {
		if l.ID != 0 && l.Lapsed && l.Origin == g.Origin && slices.ContainsFunc(g.Tasks, func(tail []byte) bool { return l.find(tail) >= 0 }) {
			list = append(list, Release{Lease: l.ID, Domain: g.Domain, By: l.Holder})
		}
	}
	return list
}

// over returns the lease with a number that is over and may still be reported, nil if there is none.
func (d *domainRecord) over(id crawl.LeaseID) *leaseRecord {
	if d.Over.ID == id {
		return &d.Over
	}
	for i := range d.Former {
		if d.Former[i].ID == id {
			return &d.Former[i]
		}
	}
	return nil
}
