package route

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage"
)

// The model of leases (model_test.go) says by which rules sites are safe; these tests ask
// whether the code keeps them.

// granter is who a pool works for; it hears when leases come home.
type granter struct{ home chan crawl.Lease }

func (g granter) Settle(context.Context, crawl.Outcome) error { return nil }
func (g granter) Release(_ context.Context, l crawl.Lease) error {
	g.home <- l
	return nil
}

// lateWork takes a lease to a pool that begins to work only when meanwhile has happened,
// and returns how many requests the site saw before the lease came home.
func lateWork(t *testing.T, pc *laptop, k *clock.Clock, meanwhile func(p *worker.Pool, l crawl.Lease)) int64 {
	t.Helper()
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	hosts, err := fetch.ParseHosts(strings.NewReader(server.Listener.Addr().String() + " site.test\n"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Config{World: fetch.Lab, Hosts: hosts, UserAgent: crawl.UserAgent(true)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	all, err := scope.New(scope.Config{Depth: 1, Lab: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	cache := robots.NewCache(node{}, 0)
	if err := cache.Put("http://site.test", robots.Record{Class: robots.ClassAllowAll, Fetched: k.Now().Truncate(time.Second), Status: 404}); err != nil {
		t.Fatal(err)
	}
	gap := time.Millisecond
	owner := granter{home: make(chan crawl.Lease, 1)}
	p := worker.New(worker.Config{
		Client: client, Robots: cache, Scope: all, Archive: node{}, Owner: owner, Politeness: crawl.Politeness{Fixed: &gap}, Lab: true,
		Fetchers: 1, Now: k.Now, Latest: k.Latest, Trouble: func(err error) { t.Error(err) },
	})
	u, err := crawl.ParseURL("http://site.test/")
	if err != nil {
		t.Fatal(err)
	}
	l := crawl.Lease{ID: 7, Granter: "owner", Domain: u.Domain(), For: frontier.DefaultLeaseFor, Tasks: []crawl.Task{{ID: "1", URL: u}}}
	p.Take(l, k.Now())
	meanwhile(p, l)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx) }()
	select {
	case <-owner.home:
	case <-time.After(20 * time.Second):
		t.Error("the lease does not come home")
	}
	cancel()
	<-served
	return requests.Load()
}

func laptopClock() (*laptop, *clock.Clock) {
	pc := &laptop{boot: time.Now()}
	return pc, clock.OpenWith(clock.State{}, pc.sources())
}

func TestModelOfCode_PoolWorksALeaseThatIsLive(t *testing.T) {
	pc, k := laptopClock()
	if n := lateWork(t, pc, k, func(*worker.Pool, crawl.Lease) {}); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
	if n := lateWork(t, pc, k, func(p *worker.Pool, l crawl.Lease) {
		asked := k.Now().Add(l.For * 3 / 10)
		pc.suspend(l.For * 4 / 10)
		p.Extend(l.Granter, l.ID, asked)
		pc.suspend(l.For * 3 / 10)
	}); n != 1 {
		t.Errorf("renewed: %d requests, want 1", n)
	}
}

func TestModelOfCode_PoolLeavesALeaseThatIsOver(t *testing.T) {
	pc, k := laptopClock()
	if n := lateWork(t, pc, k, func(_ *worker.Pool, l crawl.Lease) { pc.suspend(l.For) }); n != 0 {
		t.Errorf("%d requests, want none", n)
	}
}

// The owner ended the lease when it was over by its own count, and the renewal stood in its log before
// that: it answers that it renewed a lease that is no more. See "fetchers believe renewals
// of leases that are over".
func TestModelOfCode_PoolBelievesNoRenewalOfALeaseThatIsOver(t *testing.T) {
	pc, k := laptopClock()
	n := lateWork(t, pc, k, func(p *worker.Pool, l crawl.Lease) {
		pc.suspend(l.For * 9 / 10)
		asked := k.Now()
		pc.suspend(l.For * 2 / 10)
		p.Extend(l.Granter, l.ID, asked)
	})
	if n != 0 {
		t.Error("a request was sent by a renewal that came when the lease was over")
	}
}

// A virtual machine was stopped, or the system has no clock that counts suspend: the wall clock alone
// knows. See "fetchers do not look at the wall clock".
func TestModelOfCode_LeaseIsOverWhenTheWallClockSaysSo(t *testing.T) {
	pc, k := laptopClock()
	n := lateWork(t, pc, k, func(_ *worker.Pool, l crawl.Lease) { pc.setWall(2 * l.For) })
	if n != 0 {
		t.Error("a request was sent for a lease that is over by the wall clock")
	}
}

// Members of one log that are told another length of leases by their users (--lab-times) count a
// renewal shorter than its holder does, and each its own way.
func TestModelOfCode_RenewalLastsAsLongAsItsHolderCounts(t *testing.T) {
	const theirs, ours = frontier.DefaultLeaseFor, 10 * time.Second
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var now atomic.Int64
	now.Store(int64(40 * 365 * 24 * time.Hour))
	f, err := frontier.Open(db, frontier.Config{LogID: "self", LeaseFor: ours, Now: func() time.Time { return time.Unix(0, now.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	defer func() { cancel(); <-served }()
	propose := func(e frontier.Entry) frontier.Applied {
		t.Helper()
		applied, err := f.Propose(ctx, e)
		if err != nil {
			t.Fatal(err)
		}
		return applied[0]
	}
	pick := func() frontier.Picked {
		t.Helper()
		p, err := f.Pick(1, func(crawl.Domain) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	propose(frontier.Entry{Enqueue: &frontier.Enqueue{Links: []frontier.Link{{URL: "http://site.test/", Priority: crawl.PriorityNormal}}}})
	g := pick().Grants[0]
	g.For, g.Holder = theirs, "fetcher" // another member granted it
	id := propose(frontier.Entry{Grant: &g}).Lease
	a := propose(frontier.Entry{Renew: &frontier.Renew{Lease: id, Domain: g.Domain, By: "fetcher", For: ours}})
	now.Add(int64(theirs))
	if p := pick(); a.Lease == id && len(p.Lapsed) > 0 {
		t.Error("a lease lapsed whose holder counts it to be live")
	}
}
