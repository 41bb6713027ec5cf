package stats

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// What counting 64 outcomes costs in a transaction, beside the commit.
func BenchmarkStats_Count(b *testing.B) {
	db := openDB(b)
	s := newMeteredStats("one")
	start := time.Unix(1_700_000_000, 0)
	languages := []string{"en", "de", "fr", "es", "pt", "ja"}
	var c Committed
	for i := range 64 {
		c.Outcomes = append(c.Outcomes, crawl.Outcome{Result: crawl.Fetched, Links: 20, Language: languages[i%len(languages)]})
	}
	err := db.Update(func(tx *storage.Tx) error {
		for i := 0; b.Loop(); i++ {
			s.now.Received += 1000
			if err := s.Count(tx, start.Add(time.Duration(i)*time.Second), c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// What reading costs when there are five years.
func BenchmarkStats_Read(b *testing.B) {
	db := openDB(b)
	s := newMeteredStats("one")
	start := time.Unix(1_600_000_000, 0)
	c := Committed{Outcomes: []crawl.Outcome{{Result: crawl.Fetched, Links: 20, Language: "en"}}}
	err := db.Update(func(tx *storage.Tx) error {
		for i := range 5 * 8766 {
			s.now.Received += 1000
			if err := s.Count(tx, start.Add(time.Duration(i)*time.Hour), c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, hours := range map[string]int{"totals": 0, "week": 7 * 24} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Read(db, hours); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
