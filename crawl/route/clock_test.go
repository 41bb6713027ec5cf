package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/worker"
	"github.com/forage-net/forage/storage"
)

// laptop is a computer in virtual time: its timers stand still in suspend, its
// wall clock is set by anybody, and it is switched off now and then.
type laptop struct {
	mu    sync.Mutex
	boot  time.Time // of this boot, in virtual time
	boots int
	slept time.Duration // since the start of the test
	awake time.Duration // slept before this boot
	wall  time.Duration // how wrong the wall clock is
}

// truth returns how much time has passed, as the sites see it.
func (l *laptop) truth() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Add(l.slept)
}

func (l *laptop) sources() clock.Sources {
	return clock.Sources{
		Wall: func() time.Time {
			l.mu.Lock()
			defer l.mu.Unlock()
			return time.Now().Add(30*365*24*time.Hour + l.slept + l.wall)
		},
		Boot: func() time.Duration {
			l.mu.Lock()
			defer l.mu.Unlock()
			return time.Since(l.boot) + l.slept - l.awake
		},
		BootID: fmt.Sprint("boot-", l.boots),
	}
}

func (l *laptop) suspend(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slept += d
}

func (l *laptop) setWall(wrong time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wall = wrong
}

// reboot switches the computer off for a while.
func (l *laptop) reboot(off time.Duration) {
	time.Sleep(off)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.boots++
	l.boot, l.awake = time.Now(), l.slept
}

// visit is a request as its site saw it.
type visit struct {
	start, end        time.Time // true
	answered, refused bool
}

// crawler works leases as a pool does, a goroutine each, and remembers the visits.
type crawler struct {
	t       *testing.T
	pc      *laptop
	now     func() time.Time
	f       *frontier.Frontier
	ctx     context.Context
	all     sync.WaitGroup
	wanting chan struct{}

	mu      sync.Mutex
	free    int
	flights map[crawl.LeaseID]time.Time // ends of the leases that have a request in flight
	visits  map[crawl.Domain][]visit    // of all runs
}

const (
	fetchTime  = 2 * time.Second
	leastGap   = 10 * time.Second // five times that
	shyGap     = 2 * time.Second  // where no answer has come yet
	retryAfter = time.Hour
	refusals   = 3 // of each site whose name begins with "busy"
)

// Want is 0 while a request outlives its lease: its site shall not be counted
// as left alone.
func (c *crawler) RefusesDomain(crawl.Domain) string { return "" }

func (c *crawler) Want() int {
	now := c.now()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, deadline := range c.flights {
		if !now.Before(deadline) {
			return 0
		}
	}
	return c.free
}

func (c *crawler) Wanting() <-chan struct{} { return c.wanting }

func (c *crawler) Take(l crawl.Lease, asked time.Time) {
	c.mu.Lock()
	c.free--
	c.mu.Unlock()
	c.all.Go(func() {
		c.work(l, asked.Add(l.For))
		c.mu.Lock()
		c.free++
		c.mu.Unlock()
		select {
		case c.wanting <- struct{}{}:
		default:
		}
	})
}

// work asks for one task after the other. It looks at the clock every second.
func (c *crawler) work(l crawl.Lease, deadline time.Time) {
	defer func() {
		if c.ctx.Err() == nil {
			if err := c.f.Release(c.ctx, l, nil); err != nil {
				c.t.Errorf("release: %v", err)
			}
		}
	}()
	for next, at := 0, c.now(); next < len(l.Tasks); next++ {
		if !c.sleepUntil(at, deadline) {
			return
		}
		o, ok := c.fetch(l, l.Tasks[next], deadline)
		if !ok {
			return
		}
		if c.f.Settle(c.ctx, o, nil) != nil {
			c.lost(l.Domain)
			return
		}
		if !o.Result.Final() {
			return
		}
		at = c.now().Add(crawl.Politeness{}.Gap(0, fetchTime, l.Gap))
	}
}

// sleepUntil waits for a point of the line, and reports false if the lease or
// the node ends before.
func (c *crawler) sleepUntil(at, deadline time.Time) bool {
	for {
		now := c.now()
		if !now.Before(deadline) {
			return false
		}
		if !now.Before(at) {
			return true
		}
		select {
		case <-c.ctx.Done():
			return false
		case <-time.After(min(at.Sub(now), time.Second)):
		}
	}
}

// fetch returns false if the request was cut.
func (c *crawler) fetch(l crawl.Lease, task crawl.Task, deadline time.Time) (crawl.Outcome, bool) {
	c.mu.Lock()
	c.flights[l.ID] = deadline
	c.mu.Unlock()
	v := visit{start: c.pc.truth()}
	ok := c.sleepUntil(c.now().Add(fetchTime), deadline)
	v.end = c.pc.truth()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, l.ID)
	answers := 0
	for _, v := range c.visits[l.Domain] {
		if v.answered {
			answers++
		}
	}
	v.answered = ok
	v.refused = ok && l.Domain[:4] == "busy" && answers < refusals
	c.visits[l.Domain] = append(c.visits[l.Domain], v)
	o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: task, Result: crawl.Fetched, Status: 200, Took: fetchTime}
	if v.refused {
		o.Result, o.Status, o.Wait = crawl.Refused, 429, retryAfter
	}
	return o, ok
}

// lost forgets what the last visit of a domain has told: the node went down with
// it. (One that keeps an archive reads it there.)
func (c *crawler) lost(d crawl.Domain) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := &c.visits[d][len(c.visits[d])-1]
	last.answered, last.refused = false, false
}

// run is a node between its start and its end.
type run struct {
	*crawler
	clock *clock.Clock
	stop  func()
}

var keyClock = []byte("clock")

// start opens the store and works until stop. As a node does it, leases of an
// earlier run are given back, and the state of the clock is part of every commit.
func start(t *testing.T, path string, pc *laptop, visits map[crawl.Domain][]visit) *run {
	t.Helper()
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	var state clock.State
	db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyClock); raw != nil {
			if err := cbor.Unmarshal(raw, &state); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	k := clock.OpenWith(state, pc.sources())
	f, err := frontier.Open(db, frontier.Config{LogID: "self", LeaseFor: leaseFor, Now: k.Now, Revisit: frontier.Revisit{First: -1},
		InCommit: func(tx *storage.Tx, _ frontier.Committed) error {
			raw, err := cbor.Marshal(k.State())
			if err != nil {
				return err
			}
			return tx.Bucket(storage.BucketMeta).Put(keyClock, raw)
		}})
	if err != nil {
		t.Fatal(err)
	}
	commits, endCommits := context.WithCancel(context.Background())
	work, endWork := context.WithCancel(commits)
	c := &crawler{t: t, pc: pc, now: k.Now, f: f, ctx: work, wanting: make(chan struct{}, 1), free: 4,
		flights: make(map[crawl.LeaseID]time.Time), visits: visits}
	var parts sync.WaitGroup
	parts.Go(func() {
		if err := f.Serve(commits); err != nil {
			t.Errorf("frontier: %v", err)
		}
	})
	leases, err := f.Leases()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leases {
		if _, err := f.Propose(commits, frontier.Entry{Release: &frontier.Release{Lease: l.ID, Domain: l.Domain}}); err != nil {
			t.Fatal(err)
		}
	}
	routed := make(chan error, 1)
	go func() { routed <- (&Router{Frontier: f, Fetcher: c, Now: k.Now}).Serve(work) }()
	return &run{crawler: c, clock: k, stop: func() {
		endWork()
		if err := <-routed; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v", err)
		}
		c.all.Wait()
		endCommits()
		parts.Wait()
		if err := f.Check(); err != nil {
			t.Errorf("Check: %v", err)
		}
		db.Close()
	}}
}

// left returns how many tasks are not done.
func (r *run) left() int {
	r.t.Helper()
	totals, err := r.f.Totals()
	if err != nil {
		r.t.Fatal(err)
	}
	return int(totals.Queued)
}

func checkVisits(t *testing.T, visits map[crawl.Domain][]visit) {
	t.Helper()
	for d, list := range visits {
		known := false // how long the site takes to answer
		for i := 1; i < len(list); i++ {
			known = known || list[i-1].answered
			want := shyGap
			if list[i-1].refused {
				want = retryAfter
			} else if known {
				want = leastGap
			}
			if got := list[i].start.Sub(list[i-1].end); got < want {
				t.Errorf("%s: request %d came %v after the one before, want %v", d, i, got, want)
			}
		}
		for i, v := range list {
			if got := v.end.Sub(v.start); got > fetchTime+time.Second+8*time.Hour {
				t.Errorf("%s: request %d took %v", d, i, got)
			}
		}
	}
}

// What happens to laptops: their owners set the clock, close the lid, restart
// the program or the computer, which may then be years away from the truth. No site
// sees two requests nearer than the gap, and all of them are visited.
func TestRouter_GapsSurviveClocksSuspendAndRestarts(t *testing.T) {
	const year = 365 * 24 * time.Hour
	wrong := []time.Duration{0, time.Second, -time.Second, time.Hour, -time.Hour, 10 * year, -10 * year}
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "forage.db")
			synctest.Test(t, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(seed, 7))
				pc := &laptop{boot: time.Now().Add(-time.Hour)}
				visits := make(map[crawl.Domain][]visit)
				r := start(t, path, pc, visits)
				for _, d := range []string{"a.test", "b.test", "busy-c.test", "d.test", "busy-e.test", "f.test"} {
					for i := range 12 {
						enqueue(t, r.f, fmt.Sprintf("http://%s/%d", d, i))
					}
				}
				for range 120 {
					time.Sleep(time.Duration(rng.Int64N(int64(20 * time.Second))))
					switch rng.IntN(8) {
					case 0, 1:
						pc.setWall(wrong[rng.IntN(len(wrong))])
					case 2, 3:
						pc.suspend(time.Duration(rng.Int64N(int64(5 * time.Second))))
					case 4:
						pc.suspend(time.Duration(rng.Int64N(int64(8 * time.Hour))))
					case 5:
						r.stop()
						pc.setWall(wrong[rng.IntN(len(wrong))])
						r = start(t, path, pc, visits)
					case 6:
						r.stop()
						pc.reboot(time.Duration(rng.Int64N(int64(time.Hour))))
						pc.setWall(wrong[rng.IntN(len(wrong))])
						r = start(t, path, pc, visits)
					}
				}
				for since := time.Now(); r.left() > 0; time.Sleep(10 * time.Second) {
					if time.Since(since) > 12*time.Hour {
						t.Errorf("%d tasks are left after 12 h without any trouble", r.left())
						break
					}
				}
				r.stop()
				checkVisits(t, visits)
				if len(visits) != 6 {
					t.Errorf("%d sites were visited, want 6", len(visits))
				}
			})
		})
	}
}

// A router that waits when the lid is closed looks again within idleWait.
func TestRouter_LooksAgainSoonAfterSuspend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	synctest.Test(t, func(t *testing.T) {
		pc := &laptop{boot: time.Now()}
		visits := make(map[crawl.Domain][]visit)
		r := start(t, path, pc, visits)
		defer func() {
			r.stop()
			checkVisits(t, visits)
		}()
		enqueue(t, r.f, "http://busy.test/")
		time.Sleep(time.Minute)
		pc.suspend(2 * retryAfter)
		r.mu.Lock()
		before := len(visits["busy.test"])
		r.mu.Unlock()
		time.Sleep(idleWait + time.Second)
		synctest.Wait()
		r.mu.Lock()
		after := len(visits["busy.test"])
		r.mu.Unlock()
		if before != 1 || after != 2 {
			t.Errorf("%d visits before suspend and %d soon after, want 1 and 2", before, after)
		}
	})
}

// Of the year that a computer is off nothing is certain. It is not waited for
// either: only what was left of the wait.
func TestRouter_WaitGoesOnAfterAYearOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	synctest.Test(t, func(t *testing.T) {
		pc := &laptop{boot: time.Now()}
		visits := make(map[crawl.Domain][]visit)
		r := start(t, path, pc, visits)
		enqueue(t, r.f, "http://busy.test/")
		time.Sleep(retryAfter / 2)
		enqueue(t, r.f, "http://other.test/") // a commit, and with it the state of the clock
		time.Sleep(time.Minute)
		r.stop()
		pc.reboot(365 * 24 * time.Hour)
		r = start(t, path, pc, visits)
		time.Sleep(retryAfter/2 + time.Minute)
		r.stop()
		if n := len(visits["busy.test"]); n != 2 {
			t.Errorf("%d visits, want a second when the wait was over", n)
		}
	})
}

// node is what stands between a pool and a frontier. It keeps nothing, and says
// when leases of site.test come home: their requests have ended then.
type node struct {
	*frontier.Frontier
	home chan time.Time
}

func (n node) Release(ctx context.Context, l crawl.Lease) error {
	if l.Domain == "site.test" {
		n.home <- time.Now()
	}
	return n.Frontier.Release(ctx, l, nil)
}
func (n node) Settle(ctx context.Context, o crawl.Outcome) error {
	return n.Frontier.Settle(ctx, o, nil)
}
func (node) Archive(*fetch.Response, *crawl.Outcome, worker.Page) error { return nil }
func (node) ArchiveBeside(*fetch.Response) error                        { return nil }
func (node) Robots(string) ([]byte, error)                              { return nil, nil }
func (node) PutRobots(string, []byte) error                             { return nil }

// poolOf wires a pool to a frontier, in a lab where site.test is at addr and has
// no robots.txt.
func poolOf(t *testing.T, n node, now func() time.Time, gap time.Duration, addr string) *worker.Pool {
	t.Helper()
	hosts, err := fetch.ParseHosts(strings.NewReader(addr + " site.test\n"))
	if err != nil {
		t.Fatal(err)
	}
	client, err := fetch.New(fetch.Config{World: fetch.Lab, Hosts: hosts, UserAgent: crawl.UserAgent(true)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	everything, err := scope.New(scope.Config{Depth: 1, Lab: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	cache := robots.NewCache(n, 0)
	none := robots.Record{Class: robots.ClassAllowAll, Fetched: now().Truncate(time.Second), Status: 404}
	if err := cache.Put("http://site.test", none); err != nil {
		t.Fatal(err)
	}
	return worker.New(worker.Config{
		Client: client, Robots: cache, Scope: everything, Archive: n, Owner: n,
		Politeness: crawl.Politeness{Fixed: &gap}, Lab: true, Fetchers: 2, Now: now, Trouble: func(err error) { t.Error(err) },
	})
}

// The lid is closed while a site answers. On waking, the lease is over for the
// owner too, which looks first: it must not count the gap from before the end
// of the request.
func TestRouter_GapAfterSuspendCountsFromTheEndOfTheRequest(t *testing.T) {
	const gap = 1500 * time.Millisecond
	const patience = 20 * time.Second
	arrived, home := make(chan time.Time, 10), make(chan time.Time, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		arrived <- time.Now()
		if req.URL.Path == "/slow" {
			<-req.Context().Done()
		}
	}))
	defer server.Close()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pc := &laptop{boot: time.Now()}
	k := clock.OpenWith(clock.State{}, pc.sources())
	g := gap
	f, err := frontier.Open(db, frontier.Config{LogID: "self", Now: k.Now, Politeness: crawl.Politeness{Fixed: &g}})
	if err != nil {
		t.Fatal(err)
	}
	pool := poolOf(t, node{f, home}, k.Now, gap, server.Listener.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	for _, serve := range []func(context.Context) error{f.Serve, pool.Serve, (&Router{Frontier: f, Fetcher: pool, Now: k.Now}).Serve} {
		parts.Go(func() {
			if err := serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	add := func(url string) {
		t.Helper()
		e := &frontier.Enqueue{Links: []frontier.Link{{URL: url, Priority: crawl.PriorityHigh}}}
		if _, err := f.Propose(ctx, frontier.Entry{Enqueue: e}); err != nil {
			t.Fatal(err)
		}
	}
	next := func(c <-chan time.Time) time.Time {
		t.Helper()
		select {
		case at := <-c:
			return at
		case <-time.After(patience):
			t.Fatal("nothing is requested any more")
			return time.Time{}
		}
	}
	add("http://site.test/slow")
	next(arrived)
	pc.suspend(3 * time.Hour)
	add("http://other.test/") // the commit makes the router look at once
	end := next(home)
	if d := next(arrived).Sub(end); d < gap {
		t.Errorf("the next request came %v after the end of the one before, want %v", d, gap)
	}
}
