package frontier

import (
	"encoding/binary"

	"github.com/forage-net/forage/crawl"
)

// LiveLease is a lease as the log knows it.
type LiveLease struct {
	ID     crawl.LeaseID
	Domain crawl.Domain
	// Holder is the peer that works it, "" for this node.
	Holder string
	// Tasks are those not yet settled.
	Tasks []crawl.Task
}

// Leases returns all live leases: what a node that restarts must settle from its
// archive or give back.
func (f *Frontier) Leases() ([]LiveLease, error) {
	var list []LiveLease
	err := f.view(func(b *buckets) error {
		return b.leases.ForEach(func(key, name []byte) error {
			if len(key) != 8 {
				return nil // Check finds it, and Repair drops it
			}
			domain := crawl.Domain(name)
			r, _, err := b.readDomain(domain)
			if err != nil {
				return err
			}
			tasks, err := b.readTasks(hostKey(domain, r.Lease.Origin), r.Lease.open())
			if err != nil {
				return err
			}
			list = append(list, LiveLease{ID: crawl.LeaseID(binary.BigEndian.Uint64(key)), Domain: domain, Holder: r.Lease.Holder, Tasks: tasks})
			return nil
		})
	})
	return list, err
}

// LentLeases counts the live leases that others work, by holder. It reads no tasks, and so is cheap to ask
// for often.
func (f *Frontier) LentLeases() (map[string]int, error) {
	lent := make(map[string]int)
	err := f.view(func(b *buckets) error {
		return b.leases.ForEach(func(key, name []byte) error {
			if len(key) != 8 {
				return nil // Check finds it, and Repair drops it
			}
			r, _, err := b.readDomain(crawl.Domain(name))
			if err == nil && r.Lease.Holder != "" {
				lent[r.Lease.Holder]++
			}
			return err
		})
	})
	return lent, err
}

// LeaseNumbers returns the numbers of all live leases, and the next that will be given: none from there on was
// granted by what this member has of the log.
func (f *Frontier) LeaseNumbers() (live []crawl.LeaseID, next crawl.LeaseID, err error) {
	err = f.view(func(b *buckets) error {
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		next = crawl.LeaseID(meta.NextLease)
		return b.leases.ForEach(func(key, _ []byte) error {
			if len(key) == 8 {
				live = append(live, crawl.LeaseID(binary.BigEndian.Uint64(key)))
			}
			return nil
		})
	})
	return live, next, err
}

// GrantedLease is a lease as it was granted: a fetcher names its tasks by their
// index.
type GrantedLease struct {
	ID     crawl.LeaseID
	Domain crawl.Domain
	Holder string
	// Live is false for one that is over.
	Live bool
	// Tasks are in the order of the grant. Done says which are settled or not
	// queued any more; those have no URL.
	Tasks []crawl.Task
	Done  []bool
}

// Lease returns a live lease; ok is false if there is none with that ID.
func (f *Frontier) Lease(id crawl.LeaseID) (l GrantedLease, ok bool, err error) {
	err = f.view(func(b *buckets) error {
		name := b.leases.Get(leaseKey(id))
		if name == nil {
			return nil
		}
		l, ok, err = b.granted(id, crawl.Domain(name))
		return err
	})
	return l, ok, err
}

// Leased returns a lease of a domain: the live one, or the last one that ended
// before all its tasks were settled, or one of those before that lapsed, as far as they are
// remembered (FormerHolders), for those may be reported late. ok is false for any other.
func (f *Frontier) Leased(id crawl.LeaseID, d crawl.Domain) (l GrantedLease, ok bool, err error) {
	err = f.view(func(b *buckets) error {
		l, ok, err = b.granted(id, d)
		return err
	})
	return l, ok, err
}

func (b *buckets) granted(id crawl.LeaseID, name crawl.Domain) (l GrantedLease, ok bool, err error) {
	d, ok, err := b.readDomain(name)
	if err != nil || !ok || id == 0 || d.Arriving != nil {
		return l, false, err
	}
	lease := &d.Lease
	if lease.ID != id {
		if lease = d.over(id); lease == nil {
			return l, false, nil
		}
	}
	l = GrantedLease{
		ID: id, Domain: name, Holder: lease.Holder, Live: lease == &d.Lease,
		Tasks: make([]crawl.Task, len(lease.Tasks)), Done: make([]bool, len(lease.Tasks)),
	}
	for i, tail := range lease.Tasks {
		tasks, err := b.readTasks(hostKey(name, lease.Origin), [][]byte{tail})
		if err != nil {
			return l, false, err
		}
		if l.Done[i] = lease.done(i) || len(tasks) == 0; !l.Done[i] {
			l.Tasks[i] = tasks[0]
		}
	}
	return l, true, nil
}
