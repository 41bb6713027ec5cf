package frontier

import (
	"time"

	"github.com/forage-net/forage/crawl"
)

// LeaseOf returns the live lease of a domain, without its tasks; ok is false if
// there is none.
func (f *Frontier) LeaseOf(d crawl.Domain) (l LiveLease, ok bool, err error) {
	err = f.view(func(b *buckets) error {
		r, _, err := b.readDomain(d)
		l = LiveLease{ID: r.Lease.ID, Domain: d, Holder: r.Lease.Holder}
		ok = r.Lease.ID != 0
		return err
	})
	return l, ok, err
}

// LeaseFor returns how long leases last at most.
func (f *Frontier) LeaseFor() time.Duration { return f.cfg.LeaseFor }
