package swarm

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// A fetcher that owns nothing learns the hour of an earlier visit, a member the second.
func TestTasks_StrangersLearnTheHour(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := New(Config{
		Self: "self", DB: db, Owners: func() []crawl.PeerID { return []crawl.PeerID{"self", "member"} }, Now: time.Now,
		Tell: func(Event) {}, Established: func(p crawl.PeerID) bool { return p == "self" || p == "member" },
	})
	u, err := crawl.ParseURL("https://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	visited := time.Date(2026, 11, 27, 13, 47, 11, 0, time.UTC)
	for to, want := range map[crawl.PeerID]time.Time{"member": visited, "self": visited,
		"stranger": visited.Truncate(time.Hour)} {
		l, err := wire.DecodeLease(s.offers.lease(to,
			record.Lease{ID: 1, Domain: "a.example", Fetcher: to, Left: time.Minute},
			crawl.Lease{Domain: "a.example",
				Tasks: []crawl.Task{{ID: "1", URL: u, Prior: &crawl.Prior{Date: visited, ETag: "e"}}}}))
		if err != nil {
			t.Fatal(err)
		}
		if p := l.Tasks[0].Prior; p == nil || !p.Date.Equal(want) || p.ETag != "e" {
			t.Errorf("%s is told of a visit at %+v, want %s", to, p, want)
		}
	}
}
