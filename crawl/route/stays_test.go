package route

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

// others are two fetchers elsewhere, A and B. They note what they are offered.
type others struct {
	mu       sync.Mutex
	want     map[string]int
	declines map[string]bool
	none     bool
	offered  []Due
	lapsed   []crawl.LeaseID
}

func (o *others) MayLease(crawl.Domain) bool { return true }

func (o *others) Lapsed(l frontier.Release) {
	if l.By == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lapsed = append(o.lapsed, l.Lease)
}

func (o *others) Overdue(string, crawl.LeaseID) bool { return false }
func (o *others) Recover([]frontier.Release) bool    { return false }

func (o *others) None() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.none
}

func (o *others) Wanted() (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.want {
		n += w
	}
	return n
}

func (o *others) Wants(fetcher string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.want[fetcher] > 0
}

func (o *others) Declines(fetcher string, _ crawl.Domain) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.declines[fetcher]
}

func (o *others) Offer(due []Due) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.offered = append(o.offered, due...)
}

// set changes what a fetcher elsewhere wants.
func (o *others) set(fetcher string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.want[fetcher] = n
}

// offers returns what was offered since the last call.
func (o *others) offers() []Due {
	o.mu.Lock()
	defer o.mu.Unlock()
	got := o.offered
	o.offered = nil
	return got
}

// sharing is an owner whose router has fetchers elsewhere, in virtual time.
type sharing struct {
	t    *testing.T
	f    *frontier.Frontier
	here *fetcher
	away *others
	r    *Router

	mu    sync.Mutex
	still chan struct{} // closed when commits go on
}

// stop keeps everything from being committed until goOn.
func (s *sharing) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.still = make(chan struct{})
}

func (s *sharing) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.still)
	s.still = nil
}

// beforeCommit waits while commits are stopped.
func (s *sharing) beforeCommit() error {
	s.mu.Lock()
	still := s.still
	s.mu.Unlock()
	if still != nil {
		<-still
	}
	return nil
}

func shared(t *testing.T, test func(t *testing.T, s *sharing)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forage.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := storage.Open(path, storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		gap := time.Second
		s := &sharing{
			t: t, here: &fetcher{wanting: make(chan struct{}, 1)},
			away: &others{want: make(map[string]int), declines: make(map[string]bool)},
		}
		f, err := frontier.Open(db, frontier.Config{
			LogID: "self", LeaseFor: leaseFor, Politeness: crawl.Politeness{Fixed: &gap}, BeforeCommit: s.beforeCommit,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.f = f
		s.r = &Router{Frontier: f, Fetcher: s.here, Others: s.away, Now: time.Now}
		commits, stopCommits := context.WithCancel(context.Background())
		work, stopWork := context.WithCancel(commits)
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := f.Serve(commits); err != nil {
				t.Errorf("frontier: %v", err)
			}
		})
		serving.Go(func() {
			if err := s.r.Serve(work); !errors.Is(err, context.Canceled) {
				t.Errorf("router: %v", err)
			}
		})
		s.here.takes(8) // of which it has room for none
		synctest.Wait()
		s.here.takes(-8)
		test(t, s)
		stopWork()
		synctest.Wait()
		stopCommits()
		serving.Wait()
	})
}

// ask asks in the name of a fetcher elsewhere.
func (s *sharing) ask(fetcher string, n int) []crawl.Lease {
	s.t.Helper()
	leases, _, err := s.r.GrantTo(s.t.Context(), fetcher, n)
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait() // a round may end before it is known what is still wanted
	s.away.set(fetcher, n-len(leases))
	return leases
}

// end gives leases back; their domains are due again when it returns.
func (s *sharing) end(by string, leases ...crawl.Lease) {
	s.t.Helper()
	for _, l := range leases {
		e := frontier.Entry{Release: &frontier.Release{Lease: l.ID, Domain: l.Domain, By: by}}
		if _, err := s.f.Propose(s.t.Context(), e); err != nil {
			s.t.Fatal(err)
		}
	}
	time.Sleep(1100 * time.Millisecond)
	synctest.Wait()
}

// lendToA has A fetch a.test and bring it home.
func (s *sharing) lendToA() {
	s.t.Helper()
	enqueue(s.t, s.f, "http://a.test/1", "http://a.test/2")
	s.ask("A", 1)
	time.Sleep(DefaultStay)
	synctest.Wait()
	got := s.ask("A", 1)
	if len(got) != 1 {
		s.t.Fatal("A gets nothing that nobody else fetched for long")
	}
	s.end("A", got...)
}

func TestRouter_DomainStaysWithItsLastFetcher(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		if got := s.ask("B", 5); len(got) != 0 {
			t.Fatalf("B is granted %q, which A fetched", domains(got))
		}
		s.away.offers()
		s.here.takes(1)
		synctest.Wait()
		if got := s.here.leases(); len(got) != 0 {
			t.Fatalf("this node takes %q back at once", domains(got))
		}
		if got := s.away.offers(); len(got) != 0 {
			t.Errorf("%v is offered while A wants nothing", got)
		}
		s.away.set("A", 1)
		s.here.takes(0)
		synctest.Wait()
		if got := s.away.offers(); len(got) != 1 || got[0] != (Due{Domain: "a.test", Last: "A", Only: true}) {
			t.Errorf("offered %v, want a.test to A alone", got)
		}
		if got := s.ask("A", 1); len(got) != 1 {
			t.Errorf("A is granted %q, want what it fetched last", domains(got))
		}
	})
}

func TestRouter_DomainWhoseFetcherIsGoneGoesToAnother(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		start := time.Now()
		if got := s.ask("B", 5); len(got) != 0 {
			t.Fatalf("B is granted %q at once", domains(got))
		}
		s.away.offers()
		for len(s.away.offers()) == 0 {
			if time.Since(start) > time.Minute {
				t.Fatal("B is never told")
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if d := time.Since(start); d < DefaultStay || d > DefaultStay+200*time.Millisecond {
			t.Errorf("offered after %v, want %v", d, DefaultStay)
		}
		if got := s.ask("B", 5); len(got) != 1 {
			t.Errorf("B is granted %q", domains(got))
		}
	})
}

func TestRouter_TakesBackWhatItsFetcherLeft(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.away.set("B", 1) // so that there are others
		start := time.Now()
		s.here.takes(1)
		for len(s.here.leases()) == 0 {
			if time.Since(start) > time.Minute {
				t.Fatal("nobody fetches it")
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if d := time.Since(start); d < DefaultStay-time.Second || d > DefaultStay+200*time.Millisecond {
			t.Errorf("taken after %v, want %v", d, DefaultStay)
		}
	})
}

func TestRouter_IdleFetcherTakesItsDomainsBackAtOnce(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.away.set("A", 1)
		s.here.takes(8)
		synctest.Wait()
		if got := s.here.leases(); len(got) != 1 {
			t.Errorf("this node takes %q with nothing else to do", domains(got))
		}
	})
}

func TestRouter_OwnDomainsWaitForTheFetcherHere(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.here.takes(1)
		enqueue(t, s.f, "http://a.test/1", "http://a.test/2")
		s.end("", s.here.leases()...)
		s.away.set("B", 5)
		if got := s.ask("B", 5); len(got) != 0 {
			t.Fatalf("B is granted %q, which is only just due", domains(got))
		}
		time.Sleep(DefaultStay / 2)
		s.here.takes(1)
		synctest.Wait()
		if got := s.here.leases(); len(got) != 1 {
			t.Fatalf("this node is granted %q, want its own", domains(got))
		} else if s.end("", got...); s.r.Due() != 1 {
			t.Errorf("%d wait for this node, want 1", s.r.Due())
		}
		time.Sleep(DefaultStay) // it has no room
		synctest.Wait()
		if got := s.ask("B", 5); len(got) != 1 {
			t.Errorf("B is granted %q after a while", domains(got))
		}
	})
}

func TestRouter_NothingWaitsForWhoWillNotVisitIt(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.away.mu.Lock()
		s.away.declines["A"] = true
		s.away.mu.Unlock()
		if got := s.ask("B", 5); len(got) != 1 {
			t.Errorf("B is granted %q, want what A declines", domains(got))
		}
	})
}

func TestRouter_NothingWaitsForMembersOfAnEmptyNetwork(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.lendToA()
		s.away.mu.Lock()
		s.away.none = true
		s.away.mu.Unlock()
		s.here.takes(1)
		synctest.Wait()
		if got := s.here.leases(); len(got) != 1 {
			t.Errorf("this node takes %q, want what A fetched", domains(got))
		}
	})
}

func TestRouter_LendsWhatHasMostToDo(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		for i, pages := range []int{1, 7, 3} {
			for p := range pages {
				enqueue(t, s.f, fmt.Sprintf("http://d%d.test/%d", i, p))
			}
		}
		s.ask("A", 2)
		time.Sleep(DefaultStay)
		synctest.Wait()
		if got := domains(s.ask("A", 2)); !slices.Equal(got, []string{"d1.test", "d2.test"}) {
			t.Errorf("lent %q, want the two with most pages", got)
		}
	})
}

// Whatever comes, a domain that is due waits no longer than it may, and no more
// are remembered than there is room for.
func TestStays_NothingWaitsForEver(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var s stays
	now := time.Unix(1e9, 0)
	began := make(map[crawl.Domain]time.Time) // looked at without a pause since
	for i := range 200_000 {
		if i%100 == 0 {
			s.waiting(now, DefaultStay)
		}
		now = now.Add(time.Duration(random.Int64N(int64(2 * time.Millisecond))))
		d := crawl.Domain(fmt.Sprintf("d%d.test", random.IntN(3*maxStays)))
		if random.IntN(8) == 0 {
			s.granted(d)
			delete(began, d)
			continue
		}
		waits := s.waits(d, now, DefaultStay)
		if _, ok := began[d]; !ok {
			if waits { // else there is no room to remember it
				began[d] = now
			}
		} else if waits && now.Sub(began[d]) >= DefaultStay && now.Sub(began[d]) < unseenFor {
			t.Fatalf("%s waits for %v", d, now.Sub(began[d]))
		}
		if len(s) > maxStays {
			t.Fatalf("%d are remembered", len(s))
		}
	}
	if n, _ := s.waiting(now.Add(time.Hour), DefaultStay); n != 0 || len(s) != 0 {
		t.Errorf("%d wait, %d are remembered of domains that nobody saw for an hour", n, len(s))
	}
	s.waits("a.test", now, DefaultStay)
	if past := now.Add(-time.Hour); !s.waits("a.test", past, DefaultStay) || s.waits("a.test", past.Add(DefaultStay), DefaultStay) {
		t.Error("with the clock set back it does not wait its time")
	}
}

// What goes before others is picked before what has been due for longer, and taken without waiting for its last fetcher.
func TestRouter_FirstGoesBeforeOthers(t *testing.T) {
	for _, first := range []bool{true, false} {
		shared(t, func(t *testing.T, s *sharing) {
			s.lendToA() // a.test
			enqueue(t, s.f, "http://b.test/1", "http://c.test/1", "http://d.test/1")
			time.Sleep(DefaultStay / 2)
			s.away.set("A", 1)
			s.r.First = func() []crawl.Domain {
				if first {
					return []crawl.Domain{"none.test", "a.test"}
				}
				return nil
			}
			s.here.takes(1)
			synctest.Wait()
			got := domains(s.here.leases())
			if len(got) != 1 || (got[0] == "a.test") != first {
				t.Errorf("going first %v: this node takes %q", first, got)
			}
		})
	}
}

// Domains that the user of this node will not have visited, and others do not want now or will not have either, keep nobody from those behind
// them. They are looked at now and then, not all the time.
func TestRouter_RefusedDomainsKeepNobodyBack(t *testing.T) {
	shared(t, func(t *testing.T, s *sharing) {
		s.here.refuses = func(d crawl.Domain) bool { return d != "wanted.test" }
		s.away.declines["A"] = true
		var refused []string
		for i := range 40 {
			refused = append(refused, fmt.Sprintf("http://no%d.test/", i))
		}
		enqueue(t, s.f, refused...)
		time.Sleep(time.Second)
		enqueue(t, s.f, "http://wanted.test/")
		s.here.takes(2)
		synctest.Wait()
		if got := domains(s.here.leases()); !slices.Equal(got, []string{"wanted.test"}) {
			t.Errorf("this node is granted %q", got)
		}
		time.Sleep(time.Minute) // which would never be over, were it looked all the time
		s.away.offers()
		s.away.set("B", 3)
		s.here.takes(1)
		synctest.Wait()
		if got := s.away.offers(); len(got) == 0 {
			t.Error("B, which wants work, is not offered what this node will not have")
		}
		if got := s.ask("B", 3); len(got) != 3 {
			t.Errorf("B is granted %q", domains(got))
		}
		if leases, due, err := s.r.GrantTo(t.Context(), "A", 3); err != nil || len(leases) != 0 || due != 0 {
			t.Errorf("A, which will have nothing, is granted %q, and %d more are due, %v", domains(leases), due, err)
		}
	})
}
