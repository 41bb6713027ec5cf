package frontier

import (
	"fmt"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// BenchmarkSettle settles pages with 30 links each, of which 27 are known, and merges what comes of them: 50 pages of 50 domains
// in a transaction. It says what a page costs.
func BenchmarkSettle(b *testing.B) {
	const domains, known, pages = 50, 300, 50
	n := newNode(b, Config{Politeness: hurried()}, nil)
	url := func(d, i int) string { return fmt.Sprintf("https://www.d%d.example/section/page-%d.html", d, i) }
	for d := range domains {
		var links []Link
		for i := range known {
			links = append(links, linkTo(url(d, i)))
		}
		n.enqueue(Found{}, links...)
	}
	next := make([]int, domains) // the page to be settled
	round := 0
	for b.Loop() {
		b.StopTimer()
		var list []crawl.Outcome
		for d := range domains {
			i := next[d]
			next[d]++
			var links []Link
			for j := range 27 {
				links = append(links, linkTo(url(d, (i+j)%known)))
			}
			for j := range 3 {
				links = append(links, linkTo(url(d, known+3*round+j)))
			}
			list = append(list, n.outcome(crawl.Task{URL: parse(url(d, i))}, links...))
		}
		round++
		b.StartTimer()
		n.update(func(tx *storage.Tx) error {
			for _, o := range list {
				items, a, err := n.Settle(tx, o, true, nil)
				if err != nil || !a.Settled || a.New != 3 {
					return fmt.Errorf("%+v, %v", a, err)
				}
				if err := merge(tx, items); err != nil {
					return err
				}
			}
			return nil
		})
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*pages), "µs/page")
}
