package route

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/storage"
)

// fetcher takes what it is given.
type fetcher struct {
	mu      sync.Mutex
	want    int
	got     []crawl.Lease
	asked   []time.Time
	wanting chan struct{}
	refuses func(d crawl.Domain) bool // nil: nothing
}

func (f *fetcher) RefusesDomain(d crawl.Domain) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refuses != nil && f.refuses(d) {
		return "not wanted"
	}
	return ""
}

func (f *fetcher) Want() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.want
}

func (f *fetcher) Wanting() <-chan struct{} { return f.wanting }

func (f *fetcher) Take(l crawl.Lease, asked time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.want--; f.want < 0 {
		panic("more leases than were wanted")
	}
	f.got = append(f.got, l)
	f.asked = append(f.asked, asked)
}

// takes makes the fetcher want n more leases.
func (f *fetcher) takes(n int) {
	f.mu.Lock()
	f.want += n
	f.mu.Unlock()
	select {
	case f.wanting <- struct{}{}:
	default:
	}
}

// leases returns what it was given since the last call.
func (f *fetcher) leases() []crawl.Lease {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.got
	f.got = nil
	return got
}

func domains(leases []crawl.Lease) []string {
	var names []string
	for _, l := range leases {
		names = append(names, string(l.Domain))
	}
	slices.Sort(names)
	return names
}

const leaseFor = 100 * time.Second

// routed runs test in virtual time, with a router between a frontier on a
// real store and a fetcher that wants nothing yet.
func routed(t *testing.T, test func(t *testing.T, f *frontier.Frontier, to *fetcher)) {
	routedIn(t, func(t *testing.T, _ *storage.DB, f *frontier.Frontier, to *fetcher) { test(t, f, to) })
}

// routedIn is routed, for a test that needs the store.
func routedIn(t *testing.T, test func(t *testing.T, db *storage.DB, f *frontier.Frontier, to *fetcher)) {
	path := filepath.Join(t.TempDir(), "forage.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := storage.Open(path, storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		gap := 10 * time.Second
		f, err := frontier.Open(db, frontier.Config{LogID: "self", LeaseFor: leaseFor, Politeness: crawl.Politeness{Fixed: &gap}})
		if err != nil {
			t.Fatal(err)
		}
		to := &fetcher{wanting: make(chan struct{}, 1)}
		r := &Router{Frontier: f, Fetcher: to, Now: time.Now}
		commits, stopCommits := context.WithCancel(context.Background())
		work, stopWork := context.WithCancel(commits)
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := f.Serve(commits); err != nil {
				t.Errorf("frontier: %v", err)
			}
		})
		routed := make(chan error, 1)
		go func() { routed <- r.Serve(work) }()
		test(t, db, f, to)
		stopWork()
		if err := <-routed; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v", err)
		}
		stopCommits()
		serving.Wait()
		if err := f.Check(); err != nil {
			t.Errorf("Check: %v", err)
		}
	})
}

func enqueue(t *testing.T, f *frontier.Frontier, urls ...string) {
	t.Helper()
	e := &frontier.Enqueue{}
	for _, u := range urls {
		e.Links = append(e.Links, frontier.Link{URL: u, Priority: crawl.PriorityNormal})
	}
	if _, err := f.Propose(t.Context(), frontier.Entry{Enqueue: e}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

func liveLeases(t *testing.T, f *frontier.Frontier) int {
	t.Helper()
	totals, err := f.Totals()
	if err != nil {
		t.Fatal(err)
	}
	return int(totals.Leases)
}

func TestRouter_GrantsOnlyWhatIsWanted(t *testing.T) {
	routed(t, func(t *testing.T, f *frontier.Frontier, to *fetcher) {
		for i := range 5 {
			enqueue(t, f, fmt.Sprintf("http://d%d.test/", i), fmt.Sprintf("http://d%d.test/2", i))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := to.leases(); len(got) != 0 || liveLeases(t, f) != 0 {
			t.Fatalf("granted %q to a fetcher that wants nothing", domains(got))
		}
		asked := time.Now()
		to.takes(2)
		synctest.Wait()
		got := to.leases()
		if len(got) != 2 || liveLeases(t, f) != 2 {
			t.Fatalf("granted %q, want two", domains(got))
		}
		for i, l := range got {
			if l.ID == 0 || l.For != leaseFor || l.Gap != 10*time.Second || len(l.Tasks) == 0 || l.Tasks[0].URL.Domain() != l.Domain || to.asked[i] != asked {
				t.Errorf("lease %+v, asked for at %v", l, to.asked[i])
			}
		}
		to.takes(10)
		synctest.Wait()
		if rest := to.leases(); len(rest) != 3 {
			t.Errorf("granted %q, want the other three", domains(rest))
		} else if all := domains(append(got, rest...)); !slices.Equal(all, []string{"d0.test", "d1.test", "d2.test", "d3.test", "d4.test"}) {
			t.Errorf("granted %q: a domain twice", all)
		}
	})
}

func TestRouter_GrantsWhatComesLater(t *testing.T) {
	routed(t, func(t *testing.T, f *frontier.Frontier, to *fetcher) {
		to.takes(5)
		synctest.Wait()
		start := time.Now()
		enqueue(t, f, "http://a.test/1")
		got := to.leases()
		if len(got) != 1 || time.Since(start) > time.Second {
			t.Fatalf("granted %q after %v, want one at once", domains(got), time.Since(start))
		}
		enqueue(t, f, "http://a.test/2") // while the lease is live
		if again := to.leases(); len(again) != 0 {
			t.Fatalf("granted %q twice at a time", domains(again))
		}
		o := crawl.Outcome{Lease: got[0].ID, Domain: got[0].Domain, Task: got[0].Tasks[0], Result: crawl.Fetched, Status: 200}
		if err := f.Settle(t.Context(), o, nil); err != nil {
			t.Fatal(err)
		}
		if err := f.Release(t.Context(), got[0], nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		released := time.Now()
		for len(to.leases()) == 0 {
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if time.Since(released) > time.Minute {
				t.Fatal("the domain is not granted again")
			}
		}
		if d := time.Since(released); d < 10*time.Second || d > 11*time.Second {
			t.Errorf("granted again after %v, want when the gap of 10 s is over", d)
		}
	})
}

func TestRouter_LapsedLeaseIsGrantedAgain(t *testing.T) {
	routed(t, func(t *testing.T, f *frontier.Frontier, to *fetcher) {
		enqueue(t, f, "http://a.test/1", "http://a.test/2")
		to.takes(2)
		synctest.Wait()
		first := to.leases()
		start := time.Now()
		if len(first) != 1 {
			t.Fatalf("granted %q", domains(first))
		}
		var second []crawl.Lease
		for len(second) == 0 { // its holder is gone
			time.Sleep(time.Second)
			synctest.Wait()
			if second = to.leases(); time.Since(start) > time.Hour {
				t.Fatal("the lease never lapsed")
			}
		}
		// A tenth longer than its holder may, and the gap.
		if d := time.Since(start); d < leaseFor+leaseFor/10+10*time.Second || d > leaseFor+leaseFor/10+15*time.Second {
			t.Errorf("granted again after %v", d)
		}
		if second[0].ID == first[0].ID || len(second[0].Tasks) != len(first[0].Tasks) {
			t.Errorf("granted lease %d with %d tasks, then %d with %d", first[0].ID, len(first[0].Tasks), second[0].ID, len(second[0].Tasks))
		}
		if n := liveLeases(t, f); n != 1 {
			t.Errorf("%d leases are live, want 1", n)
		}
	})
}

// What is queued and no task is nobody's to fetch: the domain waits for its gap, not for a lease that no fetcher has. A lease
// has all tasks that were granted, by whose places they are reported, or is none.
func TestRouter_LeaseIsWholeOrEndsAtOnce(t *testing.T) {
	for _, early := range []bool{false, true} {
		t.Run(fmt.Sprint(early), func(t *testing.T) {
			routedIn(t, func(t *testing.T, db *storage.DB, f *frontier.Frontier, to *fetcher) {
				enqueue(t, f, "http://a.test/1")
				err := db.Update(func(tx *storage.Tx) error {
					queue := tx.Bucket(storage.BucketLogs).Bucket([]byte("self")).Bucket([]byte("queue"))
					key, value := queue.Cursor().First()
					return queue.Put(slices.Clone(key), append(slices.Clone(value[:2]), "http://b.test/1"...))
				})
				if err != nil {
					t.Fatal(err)
				}
				if early {
					enqueue(t, f, "http://a.test/2")
				}
				to.takes(1)
				synctest.Wait()
				if got := to.leases(); len(got) != 0 {
					t.Errorf("granted %+v, want nothing at first", got)
				}
				if !early {
					enqueue(t, f, "http://a.test/2")
				}
				time.Sleep(11 * time.Second)
				synctest.Wait()
				got := to.leases()
				if len(got) != 1 || len(got[0].Tasks) != 1 || got[0].Tasks[0].URL.String() != "http://a.test/2" {
					t.Errorf("granted %+v, want the one task there is", got)
				}
			})
		})
	}
}

func TestRouter_HeldHostComesBack(t *testing.T) {
	routed(t, func(t *testing.T, f *frontier.Frontier, to *fetcher) {
		enqueue(t, f, "http://a.test/1", "http://www.a.test/1")
		to.takes(10)
		synctest.Wait()
		hold := func(l crawl.Lease, wait time.Duration) {
			t.Helper()
			o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: l.Tasks[0], Result: crawl.Deferred, Wait: wait}
			if err := f.Settle(t.Context(), o, nil); err != nil {
				t.Fatal(err)
			}
			if err := f.Release(t.Context(), l, nil); err != nil {
				t.Fatal(err)
			}
		}
		next := func() crawl.Lease {
			t.Helper()
			for start := time.Now(); ; {
				if got := to.leases(); len(got) > 0 {
					return got[0]
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if time.Since(start) > time.Hour {
					t.Fatal("nothing is granted for an hour")
				}
			}
		}
		first := next()
		start := time.Now()
		hold(first, 5*time.Minute)
		second := next() // the other host of the domain
		if a, b := first.Tasks[0].URL.Host(), second.Tasks[0].URL.Host(); a == b {
			t.Fatalf("%s was granted again while it is held", a)
		}
		if d := time.Since(start); d > 15*time.Second {
			t.Errorf("the other host waited for %v", d)
		}
		hold(second, time.Minute)
		if third := next(); third.Tasks[0].URL != second.Tasks[0].URL {
			t.Errorf("%s came back first", third.Tasks[0].URL)
		} else if d := time.Since(start); d < time.Minute || d > 2*time.Minute {
			t.Errorf("the host held for a minute came back after %v", d)
		} else if err := f.Release(t.Context(), third, nil); err != nil {
			t.Fatal(err)
		}
		for {
			l := next()
			if l.Tasks[0].URL == first.Tasks[0].URL {
				break
			}
			if err := f.Release(t.Context(), l, nil); err != nil {
				t.Fatal(err)
			}
			to.takes(1)
		}
		if d := time.Since(start); d < 5*time.Minute || d > 6*time.Minute {
			t.Errorf("the host held for five minutes came back after %v", d)
		}
	})
}

func TestRouter_EndsWhenTheFrontierIsClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f, err := frontier.Open(db, frontier.Config{LogID: "self"})
	if err != nil {
		t.Fatal(err)
	}
	commits, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- f.Serve(commits) }()
	e := &frontier.Enqueue{Links: []frontier.Link{{URL: "http://a.test/", Priority: crawl.PriorityNormal}}}
	if _, err := f.Propose(t.Context(), frontier.Entry{Enqueue: e}); err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	r := &Router{Frontier: f, Fetcher: &fetcher{want: 1}, Now: time.Now}
	if err := r.Serve(t.Context()); !errors.Is(err, frontier.ErrClosed) {
		t.Errorf("Serve = %v, want ErrClosed", err)
	}
}
