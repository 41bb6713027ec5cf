package frontier

import (
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Totals returns the counts over all domains that have indexes.
func (f *Frontier) Totals(tx *storage.Tx) (Totals, error) { return store.ReadTotals(tx) }

// Idle reports whether nothing waits for a visit, apart from the queues of retired domains and pages that are
// to be visited again, and no link waits to be delivered.
func (f *Frontier) Idle(tx *storage.Tx) (bool, error) {
	t, err := store.ReadTotals(tx)
	_, outgoing := store.NextOutgoing(tx, "")
	return err == nil && t.Queued == t.Parked && !outgoing, err
}

// Undelivered counts the pages with links to other domains that are not known to be delivered, limit at most.
func (f *Frontier) Undelivered(tx *storage.Tx, limit int) int { return store.CountOutgoing(tx, limit) }

// DomainInfo is what front ends show of a domain.
type DomainInfo struct {
	Domain crawl.Domain
	// Counts are of URLs. All come from the items.
	store.Counts
	// Dropped counts URLs that were not taken in, each once, up to MaxDropped; DroppedBy is the limit that kept
	// out most. This node has counted them, as it has Revisits to Backoffs.
	Dropped   uint64
	DroppedBy Limit
	// Revisits counts the visits except the first of each page, Changed those of them that found another page.
	Revisits, Changed uint64
	// Refusals counts answers that asked us to wait or to stay away (429, 503, 403), Challenges those that
	// asked for proof of being a person, Backoffs how often the wait before the next visit was doubled.
	Refusals, Challenges, Backoffs uint64
	CrawlDelay                     time.Duration
	// Troubled says that the site as a whole refused or failed lately, Reason is of the last trouble.
	Troubled bool
	Reason   string
	// Held is how many hosts are left alone, mostly because their robots.txt cannot be had, or only pages are
	// left that failed; it counts to 100. AllHeld says that no other has anything to visit.
	Held    int
	AllHeld bool
	// Next is when the domain may be visited again; zero if it has nothing to visit.
	Next time.Time
	// Retired says that it failed or refused for so long that it is left alone until Next.
	Retired bool
	// Budget is how many URLs are taken in of it, as things stand.
	Budget uint64
	// Title is that of the page nearest to the seeds.
	Title string
}

// Domain returns what front ends show of a domain, of one without indexes only the content of its record.
func (f *Frontier) Domain(tx *storage.Tx, d crawl.Domain) (DomainInfo, error) {
	rec := f.record(tx, d)
	c, err := store.ReadCounts(tx, d)
	if err != nil {
		return DomainInfo{}, err
	}
	p, err := store.ReadPlace(tx, d)
	if err != nil {
		return DomainInfo{}, err
	}
	_, delay, _ := pace(&rec, &p)
	info := DomainInfo{
		Domain: d, Counts: c, Dropped: dropped(&p), DroppedBy: droppedBy(&p), Revisits: p.Revisits, Changed: p.Changed,
		Refusals: p.Refusals, Challenges: p.Challenges, Backoffs: p.Backoffs, CrawlDelay: delay,
		Troubled: rec.Answer.Level > 0,
		Reason:   rec.Answer.Reason, Next: store.DueTime(tx, d), Retired: isRetired(&rec.Answer, f.today()),
		Budget: f.cfg.Budget.of(&rec, &c), Title: rec.Title,
	}
	f.held(tx, d, &info)
	return info, nil
}

// held counts the hosts that are left alone.
func (f *Frontier) held(tx *storage.Tx, d crawl.Domain, info *DomainInfo) {
	const few, most = 100, 1000
	now, looked, free := f.cfg.Now().UnixNano(), 0, 0
	for _, at := range store.Ready(tx, d) {
		if looked++; looked > most || info.Held >= few {
			break
		}
		if at > now {
			info.Held++
		} else {
			free++
		}
	}
	info.AllHeld = info.Held > 0 && free == 0
}

// Domains returns at most limit domains with indexes in the order of their names, beginning after the given one.
func (f *Frontier) Domains(tx *storage.Tx, after crawl.Domain, limit int) ([]DomainInfo, error) {
	var list []DomainInfo
	for d := range store.Domains(tx, after) {
		if len(list) >= limit {
			break
		}
		info, err := f.Domain(tx, d)
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	return list, nil
}

// Brief is the little of a domain that pictures of many show.
type Brief struct {
	Domain  crawl.Domain
	Fetched uint64
}

// Briefs returns the first limit domains in the order of names.
func (f *Frontier) Briefs(tx *storage.Tx, limit int) (list []Brief, err error) {
	for d := range store.Domains(tx, "") {
		if limit--; limit < 0 {
			break
		}
		c, err := store.ReadCounts(tx, d)
		if err != nil {
			return nil, err
		}
		list = append(list, Brief{d, c.Fetched})
	}
	return list, nil
}

// BriefsOf returns those of some domains that have indexes, in the same order.
func (f *Frontier) BriefsOf(tx *storage.Tx, domains []crawl.Domain) (list []Brief, err error) {
	for _, d := range domains {
		if !store.Indexed(tx, d) {
			continue
		}
		c, err := store.ReadCounts(tx, d)
		if err != nil {
			return nil, err
		}
		list = append(list, Brief{d, c.Fetched})
	}
	return list, nil
}

// FilterFill returns which part of the bits of some domains' Bloom filters is set, 0 to 1, as far as their
// first blocks tell; -1 if there are none.
func (f *Frontier) FilterFill(tx *storage.Tx, domains []crawl.Domain) float64 {
	return store.Fill(tx, domains)
}

// Page is what is known of one URL.
type Page struct {
	URL    string
	State  store.State
	Depth  uint8
	Date   time.Time // of the last visit; zero if there was none
	Result crawl.Result
	Status int
	// Next is when the page should be visited again; zero if it should not.
	Next time.Time
}

// Page returns what is known of a URL; ok is false if nothing is known.
func (f *Frontier) Page(tx *storage.Tx, u crawl.URL) (p Page, ok bool) {
	if u.IsZero() {
		return p, false
	}
	it, ok := f.url(tx, u.Domain(), store.URLKey(u))
	return pageOf(&it), ok
}

// url returns the item of a URL; ok is false if there is none that can be read.
func (f *Frontier) url(tx *storage.Tx, d crawl.Domain, key string) (u store.URL, ok bool) {
	value := f.cfg.Items.Get(tx, d, key)
	if value == nil {
		return u, false
	}
	u, err := store.DecodeURL(d, value)
	return u, err == nil
}

func pageOf(it *store.URL) Page {
	p := Page{URL: it.Link.Text, State: it.State, Depth: it.Link.Depth, Result: it.Visit.Result,
		Status: it.Visit.Status}
	if it.Visit.Date > 0 {
		p.Date = time.Unix(it.Visit.Date, 0)
	}
	if due := it.Due(); due > 0 {
		p.Next = time.Unix(due, 0)
	}
	return p
}
