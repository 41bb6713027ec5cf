package frontier

import (
	"bytes"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// Totals returns the counts over all domains.
func (f *Frontier) Totals() (Totals, error) {
	var m metaRecord
	err := f.view(func(b *buckets) (err error) {
		m, err = b.readMeta()
		return err
	})
	return m.Totals, err
}

// Idle reports whether nothing is queued, leased or on its way into the log,
// apart from the queues of retired domains, that no link waits for another owner,
// and that no domain is on a move.
func (f *Frontier) Idle() (bool, error) {
	if f.Pending() > 0 {
		return false, nil
	}
	t, err := f.Totals()
	idle := t.Queued == t.Parked && t.Leases == 0 && t.Outbox == 0 && t.Closing == 0 && t.Arriving == 0
	return err == nil && idle && f.Pending() == 0, err
}

// DomainInfo is what front ends show of a domain.
type DomainInfo struct {
	Domain                             crawl.Domain
	Queued, Known, Fetched, Duplicates uint64
	Failed, Forbidden, Dropped, Other  uint64
	// DroppedBy is the limit that kept out most of those dropped, each of which is counted once, up to MaxDropped.
	DroppedBy  Limit
	CrawlDelay time.Duration
	Leased     bool
	// Troubled says that the site as a whole refused or failed lately.
	Troubled bool
	// Held is how many hosts are left alone, mostly because their robots.txt
	// cannot be had, or only pages are left that failed; it counts to 100. AllHeld says that no other has tasks.
	Held    int
	AllHeld bool
	// Next is when the domain may be visited again; zero if nothing is queued.
	Next time.Time
	// Reason is of the last trouble.
	Reason string
	// Retired says that it failed or refused for so long that it is left alone
	// until Next.
	Retired bool
	// Budget is how many URLs are taken in of it, as things stand.
	Budget uint64
	// Gone counts answers like 404, Revisits the visits but the first of each
	// page, Changed those that found another page.
	Gone, Revisits, Changed uint64
	// Refusals counts answers that asked us to wait or to stay away (429,
	// 503, 403), Challenges those that asked for proof of being a person, Backoffs how often
	// the wait before the next visit was doubled.
	Refusals, Challenges, Backoffs uint64
	// Received is in bytes, Title of the page nearest to the seeds.
	Received uint64
	Title    string
	// Holder is the peer that holds the live lease, Last the one that held the
	// last; both are "" for this node.
	Holder, Last string
	// State is StateOpen, StateUnasked, or StateClosing; then Peer is the one it
	// moves to.
	State State
	Peer  string
}

// Domains returns at most limit domains in the order of their names, beginning after the given one.
// Those that are on their way here are not among them.
func (f *Frontier) Domains(after crawl.Domain, limit int) ([]DomainInfo, error) {
	var list []DomainInfo
	err := f.view(func(b *buckets) error {
		c := b.domains.Cursor()
		key, _ := c.Seek([]byte(after))
		if string(key) == string(after) && after != "" {
			key, _ = c.Next()
		}
		for ; key != nil && len(list) < limit; key, _ = c.Next() {
			info, err := b.info(crawl.Domain(key), f.cfg.Budget)
			if err != nil {
				return err
			}
			if info.State != StateArriving {
				list = append(list, info)
			}
		}
		return nil
	})
	return list, err
}

func (b *buckets) info(d crawl.Domain, budget Budget) (DomainInfo, error) {
	r, _, err := b.readShown(d)
	if err != nil {
		return DomainInfo{}, err
	}
	info := DomainInfo{
		Domain: d, Queued: r.Queued, Known: r.Known, Fetched: r.Fetched, Duplicates: r.Duplicates, Failed: r.Failed,
		Forbidden: r.Forbidden, Dropped: r.Dropped, DroppedBy: r.droppedBy(), Other: r.Other, CrawlDelay: r.CrawlDelay, Leased: r.Lease.ID != 0,
		Troubled: r.Level > 0, Reason: r.Reason,
		Received: r.Received, Title: r.Title, Retired: r.Parked, Budget: r.budget(budget.orDefaults()),
		Gone: r.Gone, Revisits: r.Revisits, Changed: r.Changed, Refusals: r.Refusals, Challenges: r.Challenges, Backoffs: r.Backoffs,
	}
	place := r.place()
	info.Holder, info.Last, info.State, info.Peer = r.Lease.Holder, r.Last, place.State, place.Peer
	const few = 100
	prefix := hostKey(d, "")
	c := b.clocks.Cursor()
	for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix) && info.Held < few; key, _ = c.Next() {
		info.Held++
		if at, _ := b.clock(key); info.Next.IsZero() || unixTime(at).Before(info.Next) {
			info.Next = unixTime(at)
		}
	}
	if at, ok := b.clock([]byte(d)); ok && (b.hasReady(d) || info.Held == 0) {
		info.Next = unixTime(at)
	}
	info.AllHeld = info.Held > 0 && !b.hasReady(d)
	if r.Queued == 0 && !r.Parked {
		info.Next = time.Time{}
	}
	return info, nil
}

// readMeta returns the record of the log as a whole; what it points to is not to be changed. It opens no other bucket, and
// decodes only what is new: it is asked for every second, by nodes that do nothing, too.
func (f *Frontier) readMeta() (meta metaRecord, err error) {
	err = f.db.View(func(tx *storage.Tx) error {
		var b buckets
		if log := tx.Bucket(storage.BucketLogs).Bucket([]byte(f.cfg.LogID)); log != nil {
			b.meta = log.Bucket(nameMeta)
		}
		if b.meta == nil {
			return fmt.Errorf("there is no log %q", f.cfg.LogID)
		}
		raw := b.meta.Get(keyState)
		f.metaMu.Lock()
		defer f.metaMu.Unlock()
		if len(raw) > 0 && bytes.Equal(raw, f.metaRaw) {
			meta = f.metaRead
			return nil
		}
		if meta, err = b.readMeta(); err == nil {
			f.metaRaw, f.metaRead = append(f.metaRaw[:0], raw...), meta
		}
		return err
	})
	return meta, err
}

func (f *Frontier) view(fn func(b *buckets) error) error {
	return f.db.View(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, f.cfg.LogID)
		if err != nil {
			return err
		}
		return fn(&b)
	})
}
