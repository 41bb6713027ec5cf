package scale

import (
	"fmt"

	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// probes is how many URLs that were never offered the filters are asked for.
const probes = 5_000_000

// Result is what a finished run showed.
type Result struct {
	// Known, Dropped and Late are URLs taken in, URLs beyond a budget, and
	// outcomes that came too late.
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
	// Faults is what the frontier's own check found, "" if nothing.
	Faults string `json:"faults,omitempty"`
}

// result asks the filters and checks the frontier, once nothing changes any more.
func (l *load) result() (*Result, error) {
	totals, err := l.frontier.Totals()
	if err != nil {
		return nil, err
	}
	r := &Result{Known: int(totals.Known), Dropped: int(totals.Dropped), Late: int(l.late.Load())}
	offered, largest := l.web.total()
	r.Largest, r.Lost = largest, offered-r.Known-r.Dropped
	err = l.db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketLogs).Bucket([]byte(logID)).Bucket([]byte("filters"))
		if b == nil {
			return fmt.Errorf("log %q has no filters", logID)
		}
		l.measureFilters(b, r)
		l.askKnown(b, r)
		l.askUnknown(b, r)
		return nil
	})
	if faults := l.frontier.Check(); faults != nil {
		r.Faults = faults.Error()
	}
	return r, err
}

func (l *load) measureFilters(b *storage.Bucket, r *Result) {
	c := b.Cursor()
	for key, block := c.First(); key != nil; key, block = c.Next() {
		r.Blocks++
		r.FilterBytes += int64(len(key) + len(block))
	}
	s := b.Stats()
	r.FilterPages = int64(s.BranchAlloc + s.LeafAlloc)
}

// askKnown asks for every URL that was offered.
func (l *load) askKnown(b *storage.Bucket, r *Result) {
	filters := bloom.NewBatch(b)
	urls, length := 0, 0
	for domain, name := range l.web.domains {
		prefix := append([]byte(name), 0)
		for i := range uint64(l.web.known[domain]) {
			url := l.web.url(domain, i)
			urls++
			length += len(url)
			if !filters.Has(prefix, bloom.HashOf(string(url))) {
				r.Missing++
			}
		}
	}
	r.URLBytes = float64(length) / float64(max(urls, 1))
}

// askUnknown asks for as many URLs as there are probes, or ten for each that is known
// if that is less: every domain for as many as it has, over and over.
func (l *load) askUnknown(b *storage.Bucket, r *Result) {
	filters := bloom.NewBatch(b)
	want := min(probes, 10*r.Known)
	for round := uint64(1); r.Probes < want; round++ {
		for domain, name := range l.web.domains {
			prefix := append([]byte(name), 0)
			for i := range uint64(l.web.known[domain]) {
				r.Probes++
				if filters.Has(prefix, bloom.HashOf(string(l.web.url(domain, round<<32+i)))) {
					r.Wrong++
				}
			}
		}
	}
}
