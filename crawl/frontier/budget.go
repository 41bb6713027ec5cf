package frontier

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
)

// A domain may be endless: calendars, search results, shops that combine filters. A budget bounds how many of
// its URLs are taken in. Others raise it by linking to it (IRLbot's STAR: budgets from the in-links of other
// domains), and it falls with the share of its answers that were worth nothing.

// Budget bounds how many URLs of one domain are taken in.
type Budget struct {
	// Base is the budget of every domain; 0 means DefaultBudget.
	Base uint64
	// Most is the largest budget of a domain; 0 means DefaultMostBudget.
	Most uint64
}

const (
	// DefaultBudget is the budget of a domain that nobody else links to: most sites are smaller, and at a page
	// every few seconds it is a day's work.
	DefaultBudget = 10_000
	// DefaultMostBudget is the largest budget of a domain.
	DefaultMostBudget = 100_000

	// perLinking is added for each further domain that links to a domain.
	perLinking = 1_000
	// perURL is the budget in bytes for each URL of the other budget: a few times the size of pages on the
	// wire. Without it a site of endless pages of 2 MiB would fill the disk.
	perURL = 128 << 10
	// judgedFrom is how many answers are needed before a domain is judged.
	judgedFrom = 100
	// tolerated is the share of worthless answers, in percent, that any site has.
	tolerated = 20
	// leastBudget is the budget of the worst domain.
	leastBudget = 200
	// maxQueued bounds the queued URLs of all domains that are not retired. URLs beyond it are dropped and counted.
	maxQueued = 1_000_000
)

func (b Budget) orDefaults() Budget {
	if b.Base == 0 {
		b.Base = DefaultBudget
	}
	if b.Most == 0 {
		b.Most = DefaultMostBudget
	}
	return b
}

// of returns how many URLs of a domain may be known.
func (b Budget) of(rec *store.Record, c *store.Counts) uint64 {
	n := min(b.Base+perLinking*uint64(bits.OnesCount64(rec.Inlinks)), b.Most)
	answers := c.Fetched + c.Failed + c.Gone
	if answers < judgedFrom {
		return n
	}
	worthless := c.Duplicates + c.Failed + c.Gone
	if worthless*100 <= answers*tolerated {
		return n
	}
	// By the square: a site of which half is worth something gets a quarter.
	useful := (answers - worthless) * 1000 / answers
	return max(n*useful*useful/1_000_000, leastBudget)
}

func (w *work) budget() uint64 { return w.f.cfg.Budget.of(&w.rec, &w.counts) }

// Limit is the reason why a URL is kept out of the queue. The numbers are on disk.
type Limit uint8

const (
	// LimitNone is that of a URL that is taken in.
	LimitNone Limit = 0
	// LimitBudget is the budget of its domain.
	LimitBudget Limit = 1
	// LimitForeign is the half of that budget for URLs that only other domains link to.
	LimitForeign Limit = 2
	// LimitShape is how many URLs with several parameters one path may have.
	LimitShape Limit = 3
	// LimitFull is how many tasks the frontier has.
	LimitFull Limit = 4
	// LimitRetired is that of a domain that is left alone for weeks.
	LimitRetired Limit = 5
	// LimitBrought is how many domains one may link to; the URL counts for the one that links to it.
	LimitBrought Limit = 6
	// LimitTrap is how many URLs may look like traps (crawl.URL.Trap).
	LimitTrap Limit = 7
)

// MaxDropped is how many URLs of a domain are counted that were not taken in: to count a URL once, it has to be
// remembered.
const MaxDropped = 10_000

// keepsOut returns the limit that keeps one URL more of the domain from being taken in.
func (w *work) keepsOut(u crawl.URL, foreign bool) Limit {
	budget := w.budget()
	switch {
	case w.isRetired():
		return LimitRetired
	case w.isFull():
		return LimitFull
	case w.counts.Known >= budget:
		return LimitBudget
	case foreign && w.counts.Foreign >= budget/2: // else a list of pages that a site does not have uses up its budget
		return LimitForeign
	case !w.takeTrap(u):
		return LimitTrap
	case !w.takeShape(u):
		return LimitShape
	}
	return LimitNone
}

// isFull reports whether the frontier has as many tasks as it may. Those of retired domains count apart, up to
// as many again: else a few large ones would keep everything else out for a month.
func (w *work) isFull() bool { return w.totals.Queued-min(w.totals.Parked, maxQueued) >= maxQueued }

// shapeLimits are how many URLs of one path with two, three, and more query parameters are taken in: forums and
// wikis need two, and only machines combine more. With one or none the budget of the domain is all.
var shapeLimits = [...]uint64{2000, 500, 100}

// takeShape counts a URL with parameters against the limit of its path.
func (w *work) takeShape(u crawl.URL) bool {
	n, class, name := store.ShapeCount(w.tx, w.d, u)
	if class < 0 {
		return true
	}
	if n+w.shapes[name] >= shapeLimits[class] {
		return false
	}
	if w.shapes == nil {
		w.shapes = make(map[string]uint64)
	}
	w.shapes[name]++
	return true
}

// MaxTraps is how many URLs of a domain that look like traps are taken in: some are pages, as a chronicle or a
// town that is called twice the same, and of an endless site these many cost little.
const MaxTraps = 50

// takeTrap counts a URL that looks like a trap against their limit.
func (w *work) takeTrap(u crawl.URL) bool {
	if u.Trap(time.Unix(w.today, 0)) == "" || w.f.cfg.Untrapped(u) {
		return true
	}
	if w.place.Traps >= MaxTraps {
		return false
	}
	w.place.Traps++
	w.changed = true
	return true
}

// drop counts a URL that a limit keeps out, once.
func (w *work) drop(u crawl.URL, by Limit) error {
	if dropped(&w.place) >= MaxDropped {
		return nil
	}
	isNew, err := w.filter.Note(droppedName(u))
	if err != nil {
		return fmt.Errorf("filter of %s: %w", w.d, err)
	}
	if isNew {
		w.place.Drops[by-1]++
		w.changed = true
	}
	return nil
}

// dropped returns how many URLs were kept out.
func dropped(p *store.Place) (n uint64) {
	for _, d := range p.Drops {
		n += d
	}
	return n
}

// droppedBy returns the limit that has kept out most.
func droppedBy(p *store.Place) (by Limit) {
	most := uint64(0)
	for i, n := range p.Drops {
		if n > most {
			most, by = n, Limit(i+1)
		}
	}
	return by
}
