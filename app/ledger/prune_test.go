package ledger

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/storage"
)

func TestRobotsStore_PruneDropsWhatNobodyAskedForInAMonth(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := NewRobotsStore(db)
	now := time.Unix(1_800_000_000, 0)
	const records = 3 * prunePart
	for i := range records {
		r := robots.Record{Class: robots.ClassAllowAll, Status: 404, Fetched: now.Add(-time.Duration(i%3) * 20 * 24 * time.Hour)}
		data, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		s.PutRobots(fmt.Sprintf("https://%04d.test", i), data)
	}
	s.PutRobots("https://damaged.test", []byte("x"))
	if err := db.Update(s.commit); err != nil {
		t.Fatal(err)
	}
	dropped, err := s.prune(t.Context(), now.Add(-robotsKept))
	if err != nil || dropped != records/3+1 {
		t.Errorf("prune = %d, %v, want %d", dropped, err, records/3+1)
	}
	for i := range records {
		data, err := s.Robots(fmt.Sprintf("https://%04d.test", i))
		if kept := data != nil; err != nil || kept != (i%3 < 2) {
			t.Errorf("record %d, %d days old: kept %v, %v", i, i%3*20, kept, err)
		}
	}
	if dropped, err := s.prune(t.Context(), now.Add(-robotsKept)); dropped != 0 || err != nil {
		t.Errorf("a second prune = %d, %v", dropped, err)
	}
}
