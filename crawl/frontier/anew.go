package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxMissing bounds the members that a log begins anew without.
	maxMissing = 8
	// leaseLeap is how many lease numbers a log passes over that begins anew: what the
	// missing members have granted since must not be taken for its own.
	leaseLeap = 1 << 32
)

// Anew says that the log begins anew without some of its members, which may go on
// with it elsewhere, or, without any, that all of them have been heard of.
type Anew struct {
	Missing []string `cbor:"1,keyasint,omitempty"` // peers
}

func (a *Anew) validate() error {
	if len(a.Missing) > maxMissing {
		return fmt.Errorf("%w: %d missing members", ErrEntry, len(a.Missing))
	}
	for _, p := range a.Missing {
		if p == "" || len(p) > MaxPeer {
			return fmt.Errorf("%w: peer %.100q", ErrEntry, p)
		}
	}
	return nil
}

func (m *machine) anew(a *Anew) {
	if m.meta.Missing = a.Missing; len(a.Missing) > 0 {
		m.meta.NextLease += leaseLeap
	}
}

// Missing returns the members that the log began anew without and that have not
// been heard of since.
func (f *Frontier) Missing() (list []string, err error) {
	err = f.view(func(b *buckets) error {
		meta, err := b.readMeta()
		list = meta.Missing
		return err
	})
	return list, err
}

// politenessIn returns the rules towards sites with the gaps that a log needs while
// members are missing.
func (c *Config) politenessIn(meta *metaRecord) crawl.Politeness {
	p := c.Politeness
	if len(meta.Missing) > 0 && c.Members > 1 {
		p.Times = func() int { return c.Members }
	}
	return p
}

// politeness returns the rules towards sites as they are now.
func (f *Frontier) politeness() crawl.Politeness {
	var meta metaRecord
	if err := f.view(func(b *buckets) (err error) {
		meta, err = b.readMeta()
		return err
	}); err != nil {
		meta.Missing = []string{""} // rather too seldom than too often
	}
	return f.cfg.politenessIn(&meta)
}

// gapOf returns how long a domain is left alone behind a lease.
func (m *machine) gapOf(d *domainRecord) time.Duration { return d.gap(m.cfg.politenessIn(&m.meta)) }
