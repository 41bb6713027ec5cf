package frontier

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// sharedLog is a log that others keep too: its entries are deflated.
type sharedLog struct{ alone }

func (sharedLog) Shared() bool { return true }

// BenchmarkApply applies what a member who follows is sent: entries with a few outcomes each, of different domains, in a
// transaction each or several in one. It says what a page costs.
func BenchmarkApply(b *testing.B) {
	for _, pages := range []int{1, 6, 50} {
		before, cfg, entries := followed(b, pages)
		for _, together := range []int{1, 4, 10} {
			b.Run(fmt.Sprintf("%d pages in an entry, %d entries at once", pages, together), func(b *testing.B) {
				done := 0
				for b.Loop() {
					b.StopTimer()
					to := copied(b, before, cfg)
					b.StartTimer()
					for rest := entries; len(rest) > 0; {
						n := min(together, len(rest))
						if err := to.db.Update(func(tx *storage.Tx) error { return to.Apply(tx, rest[:n]...) }); err != nil {
							b.Fatal(err)
						}
						rest = rest[n:]
					}
					done += len(entries) * pages
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(done), "µs/page")
			})
		}
	}
}

// followed returns the store of a log of 300 domains, all leased, and 1,200 outcomes that come after.
func followed(b *testing.B, pages int) (file string, cfg Config, entries []LogEntry) {
	b.Helper()
	f := manyDomains(b, 300, 40)
	cfg = f.cfg
	enter := func(list ...Entry) [][]Applied {
		f.log = sharedLog{alone{f}}
		c, err := f.enter([]*proposal{{entries: list}})
		if err == nil {
			err = f.db.Update(func(tx *storage.Tx) error { return f.Apply(tx, LogEntry{Data: c.data, Mine: c}) })
		}
		if err != nil {
			b.Fatal(err)
		}
		entries = append(entries, LogEntry{Data: c.data, Heard: cfg.Now()})
		return c.applied
	}
	p, err := f.Pick(300, never)
	if err != nil || len(p.Grants) != 300 {
		b.Fatalf("%d domains are due, %v", len(p.Grants), err)
	}
	var leases []crawl.Lease
	for _, g := range p.Grants {
		tasks, _, err := f.Tasks(g)
		if err != nil {
			b.Fatal(err)
		}
		leases = append(leases, crawl.Lease{ID: enter(Entry{Grant: &g})[0][0].Lease, Domain: g.Domain, Tasks: tasks})
	}
	entries = nil
	file = filepath.Join(b.TempDir(), "db")
	if err := f.db.View(func(tx *storage.Tx) error { return tx.CopyFile(file, 0o600) }); err != nil {
		b.Fatal(err)
	}
	var list []Entry
	for n := range 1200 {
		l := leases[n%len(leases)]
		o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: l.Tasks[n/len(leases)], Result: crawl.Fetched, Status: 200, Date: time.Unix(1_800_000_000, 0)}
		links := []Link{{URL: fmt.Sprintf("https://www.%s/another/%d", l.Domain, n), Depth: 3, Priority: 2}}
		if list = append(list, Entry{Settle: settleOf(o, links)}); len(list) == pages {
			enter(list...)
			list = nil
		}
	}
	return file, cfg, entries
}

// copied opens a copy of a store.
func copied(b *testing.B, file string, cfg Config) *Frontier {
	b.Helper()
	path := filepath.Join(b.TempDir(), "db")
	from, err := os.Open(file)
	if err != nil {
		b.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err == nil {
		err = to.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	f, err := Open(db, cfg)
	if err != nil {
		b.Fatal(err)
	}
	return f
}
