package frontier

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

const (
	// MaxFailures and maxRefusals are how many attempts a task gets.
	MaxFailures = 3
	maxRefusals = 10
)

// work is a domain while a call changes it.
type work struct {
	f      *Frontier
	tx     *storage.Tx
	d      crawl.Domain
	now    time.Time // by the clock of gaps
	today  int64     // by the calendar, Unix seconds
	rec    store.Record
	place  store.Place
	counts store.Counts
	totals store.Totals
	filter *store.Filter

	before  string            // the record as it was
	changed bool              // the place did
	met     map[string]bool   // keys of URLs that this call has looked at
	shapes  map[string]uint64 // URLs of a path that this call takes in
	items   []Item
	applied Applied
}

// open reads the record, counts and place of a domain. The error is ErrNotLed if it has no complete indexes.
func (f *Frontier) open(tx *storage.Tx, d crawl.Domain) (*work, error) {
	facts, err := store.ReadFacts(tx, d)
	if err != nil {
		return nil, err
	}
	if !facts.Indexed {
		return nil, ErrNotLed
	}
	w := &work{
		f: f, tx: tx, d: d, now: f.cfg.Now(), today: f.today(), rec: f.record(tx, d),
		filter: store.OpenFilter(tx, d), met: make(map[string]bool), place: facts.Place, counts: facts.Counts,
	}
	w.before = string(w.rec.Encode())
	w.totals, err = store.ReadTotals(tx)
	return w, err
}

// close writes the place and the filter, and returns the items to merge.
func (w *work) close() ([]Item, Applied, error) {
	if err := w.filter.Flush(); err != nil {
		return nil, Applied{}, err
	}
	if w.changed {
		if err := store.WritePlace(w.tx, w.d, w.place); err != nil {
			return nil, Applied{}, err
		}
	}
	if value := w.rec.Encode(); string(value) != w.before {
		w.items = append(w.items, Item{Domain: w.d, Key: store.RecordKey, Value: value})
	}
	return w.items, w.applied, nil
}

// put adds a URL's item to those that are to be merged; met sees to it that none is there twice.
func (w *work) put(key string, u store.URL) {
	w.items = append(w.items, Item{Domain: w.d, Key: key, Value: u.Encode(w.d)})
}

// Settle records an outcome and takes its links in: those to the domain itself and to others that are here by the rules
// of Enqueue, the rest as items to be delivered. Others are here if the items of both go to one store as one; nil means
// that none is. It returns the items to merge, and puts o.Outlinks into another order. An outcome that was settled
// before changes nothing. The caller sets o.Lease to 0 if the outcome comes late: then it moves no clock. It also knows
// whether another holds the task by now. An outcome that is not verified does not count before Confirm.
//
// The error is ErrNotLed, or of the store.
func (f *Frontier) Settle(
	tx *storage.Tx, o crawl.Outcome, verified bool, here func(crawl.Domain) bool,
) ([]Item, Applied, error) {
	w, err := f.open(tx, o.Domain)
	if err != nil {
		return nil, Applied{}, fmt.Errorf("settle a page of %s: %w", o.Domain, err)
	}
	if err := w.settle(&o, verified, here); err != nil {
		return nil, Applied{}, fmt.Errorf("settle %s: %w", o.Task.URL, err)
	}
	return w.close()
}

func (w *work) settle(o *crawl.Outcome, verified bool, here func(crawl.Domain) bool) error {
	if o.Task.URL.IsZero() || o.Task.URL.Domain() != w.d || o.Result < crawl.Fetched || o.Result > crawl.Declined {
		return nil
	}
	key := store.URLKey(o.Task.URL)
	u, ok := w.f.url(w.tx, w.d, key)
	if !ok || !w.isNews(&u, o, verified) {
		return nil
	}
	w.met[key] = true
	w.applied.Settled = true
	repeat := u.State != store.Done && w.isRepeat(o)
	w.hear(o)
	if err := w.moveClock(o, u.Visit.Tries > 0); err != nil {
		return err
	}
	if err := w.holdAfter(o, key, u.Visit.Tries+1); err != nil || o.Result == crawl.Deferred {
		return err // the task stays where it is
	}
	u = w.visited(u, o, verified)
	w.put(key, u)
	w.weigh(o)
	w.entitle(o, u.Link.Depth)
	if repeat {
		return nil
	}
	bindDepths(o.Outlinks, u.Link.Depth)
	return w.takeAll(o, here)
}

// bindDepths sees to it that no fetcher brings links nearer to the seeds than its page leads. The target of a
// redirect and the canonical address of a page are as far from the seeds as the page is; there is one of them.
func bindDepths(links []crawl.Outlink, page uint8) {
	near := false
	for i := range links {
		l := &links[i]
		if l.Source > 0 || l.Depth > page {
			continue
		}
		if l.Depth == page && l.Priority == crawl.PriorityHigh && !near {
			near = true
			continue
		}
		l.Depth, l.Priority = min(page, crawl.MaxDepth-1)+1, crawl.PriorityNormal
	}
}

// isNews reports whether an outcome tells something of a URL that is not known yet.
func (w *work) isNews(u *store.URL, o *crawl.Outcome, verified bool) bool {
	switch u.State {
	case store.Waiting:
		return o.Result.Final() || o.Task.Attempts >= u.Visit.Tries
	case store.Unverified:
		return verified && o.Result.Final()
	}
	if o.Task.Prior == nil {
		return false // it is the first visit again
	}
	if prior := o.Task.Prior.Date; !prior.IsZero() {
		// A stranger was told the hour. What comes twice is no later than what is known.
		return prior.Unix() == u.Visit.Date || prior.Unix() == u.Visit.Date/3600*3600 && w.dated(o.Date) > u.Visit.Date
	}
	return w.dated(o.Date) > u.Visit.Date || u.Visit.Date > w.today
}

// hear counts answers that are directed against us.
func (w *work) hear(o *crawl.Outcome) {
	if o.Result == crawl.Refused || o.Status == 403 {
		w.place.Refusals++
		w.changed = true
	}
	if o.Challenged {
		w.place.Challenges++
		w.changed = true
	}
}

// weigh retires a domain that has sent more than its share.
func (w *work) weigh(o *crawl.Outcome) {
	weight := w.counts.Received + uint64(max(o.Received, 0))
	if !o.Result.Final() || weight < w.rec.Answer.Weight || weight-w.rec.Answer.Weight <= w.budget()*perURL {
		return
	}
	a := w.rec.Answer
	a.Reason = words.New("said.visit.it-sent-more-than-its-share", nil).Stored()
	w.retire(&a)
	w.answer(a)
}

// entitle keeps the title of the page that is nearest to the seeds.
func (w *work) entitle(o *crawl.Outcome, depth uint8) {
	title := cut(o.Title, store.MaxTitle)
	if title != "" && (w.rec.Title == "" || depth < w.rec.TitleDepth) {
		w.rec.Title, w.rec.TitleDepth = title, depth
	}
}

// cut returns a text as UTF-8 of at most limit bytes.
func cut(text string, limit int) string { return strings.ToValidUTF8(text[:min(len(text), limit)], "") }

// validator returns an ETag or Last-Modified if it can be kept.
func validator(text string) string {
	if len(text) > crawl.MaxValidator || !utf8.ValidString(text) {
		return ""
	}
	return text
}

// holdAfter keeps a host from being visited for as long as its robots.txt cannot be had, or, where only retries
// are left, until it is time for those.
func (w *work) holdAfter(o *crawl.Outcome, key string, tries uint8) error {
	var wait time.Duration
	switch {
	case o.Lease == 0:
		return nil
	case o.Result == crawl.Deferred:
		wait = o.Wait
	case !o.Result.Final() && w.onlyRetries(o.Task.URL.Origin(), key):
		wait = w.f.cfg.Politeness.Backoff(tries, 0)
	}
	if wait <= 0 {
		return nil
	}
	return store.SetHost(w.tx, w.d, o.Task.URL.Origin(), w.now.Add(min(wait, crawl.MaxWait)).UnixNano())
}

// onlyRetries reports whether a host has nothing to visit that was never tried, apart from one URL.
func (w *work) onlyRetries(origin, except string) bool {
	for key, tries := range store.Queue(w.tx, w.d, origin) {
		if key != except {
			return tries > 0
		}
	}
	return true
}
