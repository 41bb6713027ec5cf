package frontier

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxMissing bounds the members that a log begins anew without.
	maxMissing = 8
	// leaseLeap is how many lease numbers a log passes over that begins anew: what the
	// missing members have granted since must not be taken for its own.
	leaseLeap = 1 << 32
	// maxLeap bounds how many more numbers of leases and moves it passes over.
	maxLeap = 1 << 40
	// carefulFor is how long a domain is visited more seldom at most.
	carefulFor = 24 * time.Hour
)

// Anew says that the log begins anew without some of its members, which may go on
// with it elsewhere, or, without any, that all of them have been heard of.
type Anew struct {
	Missing []string `cbor:"1,keyasint,omitempty"` // peers
	// Leap is how many numbers of leases and moves are passed over, up to 2^40. It is by chance: two parts of a
	// divided network that begin the same log anew must not give the same numbers, for a move whose number is
	// known to be over is not taken again.
	Leap uint64 `cbor:"2,keyasint,omitempty"`
}

// BeginAnew returns what a log that begins anew without some members, or none, begins with. Of many members the last 8 count.
func BeginAnew(missing []string) *Anew {
	missing = missing[max(0, len(missing)-maxMissing):]
	return &Anew{Missing: missing, Leap: 1 + rand.Uint64N(maxLeap)}
}

func (a *Anew) validate() error {
	if len(a.Missing) > maxMissing {
		return fmt.Errorf("%w: %d missing members", ErrEntry, len(a.Missing))
	}
	if a.Leap > maxLeap {
		return fmt.Errorf("%w: %d numbers passed over", ErrEntry, a.Leap)
	}
	for _, p := range a.Missing {
		if p == "" || len(p) > MaxPeer {
			return fmt.Errorf("%w: peer %.100q", ErrEntry, p)
		}
	}
	return nil
}

func (m *machine) anew(a *Anew) {
	m.meta.Form = form // a log that begins with nothing has none yet
	m.meta.NextLease += crawl.LeaseID(a.Leap)
	m.meta.LastMove += a.Leap
	if m.meta.Missing = a.Missing; len(a.Missing) > 0 {
		m.meta.NextLease += leaseLeap
		return
	}
	m.meta.Whole = m.meta.At
}

// beCareful notes that another part of a divided network may visit a domain too.
func (m *machine) beCareful(d *domainRecord, since int64) {
	d.Careful = min(since, m.meta.At)
	m.meta.Careful = max(m.meta.Careful, d.Careful)
}

// Missing returns the members that the log began anew without and that have not
// been heard of since.
func (f *Frontier) Missing() (list []string, err error) {
	meta, err := f.readMeta()
	return meta.Missing, err
}

// Careful reports whether some domains are visited more seldom because another part of a
// divided network may visit them too: they came from a log that began anew, or nobody could say who
// had them. An Anew entry without members ends that.
func (f *Frontier) Careful() (is bool, err error) {
	meta, err := f.readMeta()
	return (&domainRecord{Careful: meta.Careful}).isCareful(&meta), err
}

func (d *domainRecord) isCareful(meta *metaRecord) bool {
	return d.Careful > meta.Whole && meta.At-d.Careful < int64(carefulFor)
}

// politenessIn returns the rules towards sites with the gaps that a log needs while
// members are missing.
func (c *Config) politenessIn(meta *metaRecord) crawl.Politeness {
	return c.politenessFor(new(domainRecord), meta)
}

// politenessFor returns the rules towards a domain.
func (c *Config) politenessFor(d *domainRecord, meta *metaRecord) crawl.Politeness {
	p := c.Politeness
	if (len(meta.Missing) > 0 || d.isCareful(meta)) && c.Members > 1 {
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
func (m *machine) gapOf(d *domainRecord) time.Duration {
	return d.gap(m.cfg.politenessFor(d, &m.meta))
}
