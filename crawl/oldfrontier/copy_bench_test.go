package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/storage"
)

// BenchmarkCopy copies 100,000 URLs into an empty store, and again when one domain of
// them has changed.
func BenchmarkCopy(b *testing.B) {
	for _, c := range []struct {
		name          string
		domains, urls int
	}{{"2000 domains", 2000, 50}, {"one domain", 1, 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			from := manyDomains(b, c.domains, c.urls)
			for b.Loop() {
				to := emptyLog(b, from.cfg)
				benchCopy(b, from, to, "all")
				b.StopTimer()
				enqueueIn(b, to, "https://www.domain-00000.test/new") // as if it were missing here
				b.StartTimer()
				benchCopy(b, from, to, "again")
			}
		})
	}
}

func benchCopy(b *testing.B, from, to *Frontier, what string) {
	var request []byte
	var piece, install time.Duration // the longest
	bytes, trips, begun := 0, 0, time.Now()
	err := from.db.View(func(source *storage.Tx) error {
		for {
			at := time.Now()
			answer, err := from.Piece(source, request)
			if err != nil {
				return err
			}
			piece = max(piece, time.Since(at))
			bytes, trips = bytes+len(request)+len(answer), trips+1
			err = to.db.Update(func(tx *storage.Tx) (err error) {
				at := time.Now()
				request, err = to.Install(tx, request, answer)
				install = max(install, time.Since(at))
				return err
			})
			if err != nil || request == nil {
				return err
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(bytes)/1000, what+"-kB")
	b.ReportMetric(float64(trips), what+"-answers")
	b.ReportMetric(float64(time.Since(begun).Milliseconds()), what+"-ms")
	b.ReportMetric(float64(piece.Microseconds()), what+"-piece-µs")
	b.ReportMetric(float64(install.Microseconds()), what+"-install-µs")
}
