package frontier

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// benchURLs is how many URLs the domain has that the benchmarks move.
const benchURLs = 20_000

func benchLog(b *testing.B) *Frontier {
	b.Helper()
	db, err := storage.Open(filepath.Join(b.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	f, err := Open(db, Config{LogID: "self", Budget: Budget{Base: 1 << 40, Most: 1 << 40}})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	b.Cleanup(func() { cancel(); <-served; db.Close() })
	return f
}

// BenchmarkMove moves a domain of URLs of ordinary length, a quarter of them
// visited, from one log to another. The parts are in µs for each 1,000 URLs.
func BenchmarkMove(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		from, to := benchLog(b), benchLog(b)
		if _, err := from.Propose(b.Context(), Entry{Enqueue: &Enqueue{Links: benchLinks(0, benchURLs/2)}}); err != nil {
			b.Fatal(err)
		}
		visitSome(b, from, benchURLs/4)
		for at := benchURLs / 2; at < benchURLs; at += 5000 {
			if _, err := from.Propose(b.Context(), Entry{Enqueue: &Enqueue{Links: benchLinks(at, 5000)}}); err != nil {
				b.Fatal(err)
			}
		}
		b.StartTimer()
		benchmarkMove(b, from, to)
	}
}

func benchLinks(from, n int) (list []Link) {
	for i := range n {
		u := fmt.Sprintf("https://www.example.org/section/%d/an-article-with-a-name-%d.html", (from+i)%50, from+i)
		list = append(list, Link{URL: u, Depth: 2, Priority: crawl.PriorityNormal})
	}
	return list
}

// visitSome settles pages of the one domain.
func visitSome(b *testing.B, f *Frontier, n int) {
	for n > 0 {
		p, err := f.Pick(1, never)
		if err != nil || len(p.Grants) == 0 {
			b.Fatalf("%d domains are due, %v", len(p.Grants), err)
		}
		g := p.Grants[0]
		applied, err := f.Propose(b.Context(), Entry{Grant: &g})
		if err != nil {
			b.Fatal(err)
		}
		tasks, _, err := f.Tasks(g)
		if err != nil {
			b.Fatal(err)
		}
		var entries []Entry
		for _, t := range tasks {
			o := crawl.Outcome{Lease: applied[0].Lease, Domain: g.Domain, Task: t, Result: crawl.Fetched, Status: 200, Digest: [20]byte{1}, ETag: `"5f3c-1a2b3c4d"`}
			entries = append(entries, Entry{Settle: settleOf(o, nil)})
		}
		n -= len(tasks)
		entries = append(entries, Entry{Release: &Release{Lease: applied[0].Lease, Domain: g.Domain}})
		if _, err := f.Propose(b.Context(), entries...); err != nil {
			b.Fatal(err)
		}
		err = f.db.Update(func(tx *storage.Tx) error { // the gap is not what is measured
			bk, err := openBuckets(tx, "self")
			if err != nil {
				return err
			}
			return bk.setClock([]byte(g.Domain), 0, true)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkMove(b *testing.B, from, to *Frontier) {
	ctx := b.Context()
	d := []crawl.Domain{"example.org"}
	if _, err := from.Propose(ctx, Entry{Close: &Close{Domains: d, To: "dst", N: 1}}); err != nil {
		b.Fatal(err)
	}
	var chunks []*Chunk
	var cursor []byte
	size := 0
	start := b.Elapsed()
	for done := false; !done; {
		var items [][]byte
		var err error
		if items, cursor, done, err = from.Export(ctx, d[0], cursor, MaxChunk-2*MaxItem); err != nil {
			b.Fatal(err)
		}
		for _, it := range items {
			size += len(it)
		}
		chunks = append(chunks, &Chunk{From: "src", N: 1, Seq: uint64(len(chunks) + 1), Items: items})
	}
	report := func(unit string) {
		b.ReportMetric(float64((b.Elapsed()-start).Microseconds())*1000/benchURLs, unit)
		start = b.Elapsed()
	}
	report("export-µs/kURL")
	for _, c := range chunks {
		if _, err := to.Propose(ctx, Entry{Chunk: c}); err != nil {
			b.Fatal(err)
		}
	}
	report("chunk-µs/kURL")
	if a, err := to.Propose(ctx, Entry{Opened: &Opened{From: "src", N: 1, Chunks: uint64(len(chunks))}}); err != nil || a[0].Move != MoveOpened {
		b.Fatalf("Opened = %+v, %v", a, err)
	}
	report("opened-µs/kURL")
	if _, err := from.Propose(ctx, Entry{Gone: &Gone{Domains: d, To: "dst", N: 1}}); err != nil {
		b.Fatal(err)
	}
	for from.chores.Load() {
		if _, err := from.Propose(ctx); err != nil {
			b.Fatal(err)
		}
	}
	report("gone-µs/kURL")
	b.ReportMetric(float64(size)/benchURLs, "bytes/URL")
}
