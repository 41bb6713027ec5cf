package frontier

import (
	"math/bits"

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
