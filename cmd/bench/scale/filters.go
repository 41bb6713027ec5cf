package scale

import (
	"errors"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// probes is how many URLs that were never offered the filters are asked for.
const probes = 5_000_000

// Result is what a finished run showed.
type Result struct {
	// Known, Dropped and Late are URLs taken in, URLs beyond a budget, and
	// outcomes that closed no task.
	Known   int `json:"known"`
	Dropped int `json:"dropped"`
	Late    int `json:"late"`
	// Largest is the part of all URLs that the largest domain has, and
	// URLBytes the mean length of a URL.
	Largest  float64 `json:"largest_domain"`
	URLBytes float64 `json:"url_bytes"`
	// Lost is how many URLs were taken for known when they came first.
	Lost int `json:"lost"`
	// Missing is how many known URLs the filters do not know, which must be 0.
	Missing int `json:"missing"`
	// Probes is how many URLs were asked for that were never offered, and
	// Wrong how many of them the filters said they know.
	Probes int `json:"probes"`
	Wrong  int `json:"wrong"`
	// Blocks is how many blocks the filters have, FilterBytes their length with
	// keys, and FilterPages the pages of the store that hold them, in bytes.
	Blocks      int   `json:"blocks"`
	FilterBytes int64 `json:"filter_bytes"`
	FilterPages int64 `json:"filter_pages_bytes"`
	// Restart is how many seconds a start takes from the closed store to the first lease.
	Restart float64 `json:"restart_seconds"`
	// Faults is what the frontier's own check found, "" if nothing.
	Faults string `json:"faults,omitempty"`
}

// result asks the filters and checks the frontier, once nothing changes any more.
func (l *load) result() (r *Result, err error) {
	err = l.db.View(func(tx *storage.Tx) error {
		if r, err = l.known(tx); err != nil {
			return err
		}
		if faults := l.frontier.Check(tx); faults != nil {
			r.Faults = faults.Error()
		}
		b := tx.Bucket([]byte("filters"))
		if b == nil {
			return errors.New("the store has no filters")
		}
		measureFilters(b, r)
		if err := l.askKnown(tx, r); err != nil {
			return err
		}
		return l.askUnknown(tx, r)
	})
	return r, err
}

// known compares what the frontier knows with what it was told.
func (l *load) known(tx *storage.Tx) (*Result, error) {
	totals, err := l.frontier.Totals(tx)
	if err != nil {
		return nil, err
	}
	r := &Result{Known: int(totals.Known), Late: l.closed - int(totals.Known-totals.Queued)}
	for d := range store.Domains(tx, "") {
		p, err := store.ReadPlace(tx, d)
		if err != nil {
			return nil, err
		}
		for _, n := range p.Drops {
			r.Dropped += int(n)
		}
	}
	offered, largest := l.web.total()
	r.Largest, r.Lost = largest, offered-r.Known-r.Dropped
	return r, nil
}

func measureFilters(b *storage.Bucket, r *Result) {
	c := b.Cursor()
	for key, block := c.First(); key != nil; key, block = c.Next() {
		r.Blocks++
		r.FilterBytes += int64(len(key) + len(block))
	}
	s := b.Stats()
	r.FilterPages = int64(s.BranchAlloc + s.LeafAlloc)
}

// has reports whether a filter knows a URL of a domain, and how long that is.
func (l *load) has(f *store.Filter, domain int, i uint64) (known bool, length int, err error) {
	u, err := crawl.ParseURL(string(l.web.url(domain, i)))
	if err != nil {
		return false, 0, fmt.Errorf("URL %d of %s: %w", i, l.web.domains[domain], err)
	}
	return f.Has(store.Identify(u)), len(u.String()), nil
}

// askKnown asks for every URL that was offered.
func (l *load) askKnown(tx *storage.Tx, r *Result) error {
	urls, length := 0, 0
	for domain, name := range l.web.domains {
		f := store.OpenFilter(tx, name)
		for i := range uint64(l.web.known[domain]) {
			known, n, err := l.has(f, domain, i)
			if err != nil {
				return err
			}
			urls++
			length += n
			if !known {
				r.Missing++
			}
		}
	}
	r.URLBytes = float64(length) / float64(max(urls, 1))
	return nil
}

// askUnknown asks for as many URLs as there are probes, or ten for each that is known
// if that is less: every domain for as many as it has, over and over.
func (l *load) askUnknown(tx *storage.Tx, r *Result) error {
	want := min(probes, 10*r.Known)
	for round := uint64(1); r.Probes < want; round++ {
		for domain, name := range l.web.domains {
			f := store.OpenFilter(tx, name)
			for i := range uint64(l.web.known[domain]) {
				known, _, err := l.has(f, domain, round<<32+i)
				if err != nil {
					return err
				}
				r.Probes++
				if known {
					r.Wrong++
				}
			}
		}
	}
	return nil
}
