package swarm

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/swarm/checks"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// A look for work reads what is committed: one within the transaction would miss what that brings.
func TestItems_LooksForWorkAfterTheCommit(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s := &Swarm{cfg: Config{Frontier: frontier.New(frontier.Config{Items: Items{}})}, wake: make(chan struct{}, 1)}
	makes := s.items("a.test", func(*storage.Tx) ([]frontier.Item, error) {
		return []frontier.Item{{Domain: "a.test"}}, nil
	})
	err = db.Update(func(tx *storage.Tx) error {
		list, err := makes(stream.FromStorage(tx))
		if len(list) != 1 || len(s.wake) != 0 {
			t.Errorf("%d items and %d looks before the commit, want one and none", len(list), len(s.wake))
		}
		return err
	})
	if err != nil || len(s.wake) != 1 {
		t.Errorf("%d looks after the commit, %v; want one", len(s.wake), err)
	}
}

// known is a store of URLs of one domain, by key.
type known map[string][]byte

func (k known) Get(_ *storage.Tx, _ crawl.Domain, key string) []byte { return k[key] }

func (k known) Scan(_ *storage.Tx, _ crawl.Domain, from string, visit func(string, []byte) bool) error {
	for _, key := range slices.Sorted(maps.Keys(k)) {
		if key >= from && !visit(key, k[key]) {
			break
		}
	}
	return nil
}

// What is taken for a domain that nothing was known of counts as stored: it is not left out if the same
// transaction first merges more of that domain than one step of the index takes.
func TestItems_OfADomainThatCameMeanwhile(t *testing.T) {
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	urls := make(known)
	f := frontier.New(frontier.Config{Items: urls})
	s := &Swarm{cfg: Config{Frontier: f}, wake: make(chan struct{}, 1)}
	makes := s.items("a.test", func(tx *storage.Tx) ([]frontier.Item, error) {
		items, _, err := f.Enqueue(tx, "a.test", []frontier.Link{{URL: mustURL(t, "http://a.test/new")}},
			frontier.Found{})
		return items, err
	})
	for i := range 2500 {
		u := mustURL(t, fmt.Sprintf("http://a.test/%d", i))
		urls[store.URLKey(u)] = store.URL{Link: store.Link{Text: u.String(), Priority: 2}}.Encode("a.test")
	}
	err = db.Update(func(tx *storage.Tx) error {
		items, err := makes(stream.FromStorage(tx))
		if len(items) == 0 {
			t.Error("the link was left out")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a member brings after its lease, as it was away, counts though another fetcher has the domain by now. A
// stranger's does not.
func TestTakeReport_Late(t *testing.T) {
	const d, member, stranger = crawl.Domain("a.test"), crawl.PeerID("member"), crawl.PeerID("stranger")
	s := &Swarm{cfg: Config{Self: "self", Now: time.Now, Trusts: true, Tell: func(Event) {}}}
	s.checking.s = s
	s.checking.ledger = checks.New(checks.Config{Self: "self",
		Established: func(p crawl.PeerID) bool { return p == member }})
	o := crawl.Outcome{Domain: d, Task: crawl.Task{URL: mustURL(t, "http://a.test/")}, Result: crawl.Fetched,
		Status: 200}
	for _, c := range []struct {
		from group.Sender
		want int
	}{
		{group.Sender{ID: member}, 1},
		{group.Sender{ID: member, Other: true}, 1},
		{group.Sender{ID: stranger}, 1},
		{group.Sender{ID: stranger, Other: true}, 0},
	} {
		makes, ends := s.takeReport(c.from, reported{crawl.Lease{ID: 7, Domain: d}, []crawl.Outcome{o}, true})
		if len(makes) != c.want || ends != 0 {
			t.Errorf("%+v: %d outcomes taken, lease %d ended; want %d and none", c.from, len(makes), ends, c.want)
		}
	}
}

// A leader takes its own outcomes as they are, those under way only, and nobody else's word for them.
func TestTake_Own(t *testing.T) {
	const d = crawl.Domain("a.test")
	s := &Swarm{cfg: Config{Self: "self"}}
	s.reports.begin(s)
	link := crawl.Outlink{URL: mustURL(t, "http://a.test/b"), Depth: 3, Priority: crawl.PriorityNormal}
	o := crawl.Outcome{
		Lease: 7, Domain: d, Task: crawl.Task{URL: mustURL(t, "http://a.test/"), Attempts: 2},
		Result: crawl.Fetched, Status: 200,
		Title: "a\x1bb", Outlinks: []crawl.Outlink{link},
	}
	x := s.reports.report(crawl.Lease{ID: 7, Domain: d})
	x.outcomes = []crawl.Outcome{o, o}
	_, b := split(ownBody(7, true))
	if id, over, ok := readOwn(b); id != 7 || !over || !ok {
		t.Fatalf("read lease %d, over %t, %t", id, over, ok)
	}
	for _, c := range []struct {
		lease  crawl.LeaseID
		flying int
		want   int
	}{{7, -1, -1}, {7, 0, 0}, {7, 1, 1}, {7, 2, 2}, {8, 0, -1}} {
		x.flying = c.flying
		_, b := split(ownBody(c.lease, true))
		r, ok := s.reports.own(b)
		if ok != (c.want >= 0) || len(r.outcomes) != max(c.want, 0) || ok && (!r.over || r.lease.ID != 7) {
			t.Errorf("%+v: %d outcomes of %+v, %t", c, len(r.outcomes), r.lease, ok)
		}
		for _, got := range r.outcomes {
			if got.Title != "ab" || got.Lease != 7 || got.Domain != d || got.Task.URL != o.Task.URL ||
				got.Task.Attempts != 2 ||
				len(got.Outlinks) != 1 || got.Outlinks[0] != link {
				t.Errorf("got %+v, want what was there, with a clean title", got)
			}
		}
	}
}
