// Package frontier decides which links are taken in, how a visit is recorded, which domains are due, and with
// which tasks. The knowledge itself is a set of items that merge (crawl/frontier/store); this package holds the
// rules.
//
// The one writer of the store calls it in its write transaction. Enqueue, Settle and some others return items.
// The caller merges these into the store, and tells the indexes (store.Changed), before it calls again. The
// package itself writes only to the node's own buckets, such as the one that says when a domain is due. Methods
// that only read take any transaction.
//
// Leases are another part's. A task stays in its queue while it is leased and leaves it when its item is
// settled; Begun and Ended move the clock of a domain such that nothing of it is picked meanwhile, and for a
// gap after. A domain must have indexes before anything is done with it: Led sees to that.
//
// A Frontier starts nothing and is safe for concurrent use as far as transactions are.
package frontier

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

const (
	// DefaultLeaseFor is how long a lease lasts at most.
	DefaultLeaseFor = 120 * time.Second
	// MaxLeaseTasks is the most tasks a lease may hold. Doubled, a lost lease costs twice the waiting; halved,
	// a quick site costs twice the commits.
	MaxLeaseTasks = 128
	// buildStep is how many items one call of Led indexes: less than a tenth of a second.
	buildStep = 1000
)

var (
	// ErrNotLed is returned for a domain that has no complete indexes: this node does not lead it, or Led is not done.
	ErrNotLed = errors.New("frontier: the domain has no complete indexes")
	// ErrDomain is returned for a text that is no name of a domain.
	ErrDomain = errors.New("frontier: not a domain")
)

type (
	// Item is one thing known of a domain, to be merged into the store.
	Item = crawl.Item
	// Link is a link on its way to its domain.
	Link = crawl.Outlink
	// Totals are counts over all domains that have indexes.
	Totals = store.Totals
)

// Config says how a Frontier works.
type Config struct {
	// Items reads items.
	Items store.Reader
	// Politeness decides the gaps.
	Politeness crawl.Politeness
	// LeaseFor is how long leases last; 0 means DefaultLeaseFor.
	LeaseFor time.Duration
	// Budget bounds how many URLs are taken in of one domain.
	Budget Budget
	// Untrapped reports whether a URL is taken in though it looks like a trap, however many do; nil means none is.
	Untrapped func(crawl.URL) bool
	// Revisit says when pages are visited again.
	Revisit Revisit
	// Now is the clock of gaps, holds and back-off; nil means time.Now.
	Now func() time.Time
	// Calendar is the clock of dates: of visits, and of plans for days ahead. It may run ahead of Now; nil means Now.
	Calendar func() time.Time
}

// Frontier holds the rules.
type Frontier struct {
	cfg    Config
	seen   seen
	looked atomic.Pointer[looked]
}

// New returns a frontier.
func New(cfg Config) *Frontier {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Untrapped == nil {
		cfg.Untrapped = func(crawl.URL) bool { return false }
	}
	if cfg.Calendar == nil {
		cfg.Calendar = cfg.Now
	}
	if cfg.LeaseFor == 0 {
		cfg.LeaseFor = DefaultLeaseFor
	}
	cfg.Budget, cfg.Revisit = cfg.Budget.orDefaults(), cfg.Revisit.orDefaults()
	return &Frontier{cfg: cfg}
}

// Applied says how a call ended.
type Applied struct {
	// Settled says that an outcome found its task and closed it or put it back.
	Settled bool
	// New is how many URLs were taken into the queue, and Domains how many domains these are the first of.
	New, Domains int
	// Here is how many links were taken to other domains that are here, Elsewhere how many are to be delivered.
	Here, Elsewhere int
}

// Add counts what another call took in.
func (a *Applied) Add(o Applied) { a.New, a.Domains = a.New+o.New, a.Domains+o.Domains }

// Led makes the indexes of a domain that this node begins to lead, a step with each call, and reports whether
// they are complete. Before that the domain is not picked, and one of which something is known is left alone
// for a gap after it: another may have visited it just now. For a domain that has indexes it costs next to
// nothing and moves no clock: a node that kept them while another led calls Ended.
func (f *Frontier) Led(tx *storage.Tx, d crawl.Domain) (done bool, err error) {
	if store.Indexed(tx, d) {
		return true, nil
	}
	if !validDomain(d) {
		return false, ErrDomain
	}
	if done, err = store.Build(tx, f.cfg.Items, d, buildStep); err != nil || !done {
		return false, err
	}
	c, err := store.ReadCounts(tx, d)
	if err != nil || c.Known == 0 {
		return true, err
	}
	rec := f.record(tx, d)
	gap := f.gap(&rec, &store.Place{})
	return true, store.WritePlace(tx, d, store.Place{Clock: f.cfg.Now().Add(gap).UnixNano()})
}

// Ready reports whether a domain has its indexes, or nothing is known of it that would need any. Items of what is no
// domain, which other members may send, get none.
func (f *Frontier) Ready(tx *storage.Tx, d crawl.Domain) (bool, error) {
	if !validDomain(d) || store.Indexed(tx, d) {
		return true, nil
	}
	empty := true
	err := f.cfg.Items.Scan(tx, d, "", func(string, []byte) bool {
		empty = false
		return false
	})
	return empty, err
}

// Left deletes the indexes of a domain that this node leads no more, a step with each call, and reports whether
// that is done. From the first call on the domain is not picked.
func (f *Frontier) Left(tx *storage.Tx, d crawl.Domain) (done bool, err error) {
	return store.Forget(tx, d, buildStep)
}

// Check compares the indexes with the items and returns the first difference.
func (f *Frontier) Check(tx *storage.Tx) error { return store.Check(tx, f.cfg.Items) }

// record returns the record of a domain; one that cannot be read is as good as none.
func (f *Frontier) record(tx *storage.Tx, d crawl.Domain) store.Record {
	rec, _ := store.DecodeRecord(f.cfg.Items.Get(tx, d, store.RecordKey))
	return rec
}

func validDomain(d crawl.Domain) bool {
	if len(d) == 0 || len(d) > maxHostname {
		return false
	}
	for i := range len(d) {
		if d[i] <= ' ' || d[i] > '~' {
			return false
		}
	}
	return true
}

// maxHostname is the longest name DNS has, in bytes.
const maxHostname = 253
