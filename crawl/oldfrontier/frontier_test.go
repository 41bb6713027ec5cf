package frontier

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// rig is a frontier on a real store with a clock that the test moves.
type rig struct {
	*Frontier
	t    *testing.T
	db   *storage.DB
	mu   sync.Mutex
	now  time.Time
	path string
	stop func()
	// records makes it keep the entries of its log.
	records bool
	entries []LogEntry
}

func newRig(t *testing.T, cfg Config) *rig {
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0)}
	r.open(filepath.Join(t.TempDir(), "forage.db"), cfg)
	t.Cleanup(func() { r.stop() })
	return r
}

func (r *rig) open(path string, cfg Config) {
	r.path = path
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		r.t.Fatal(err)
	}
	cfg.LogID, cfg.Now = "self", r.clock
	if cfg.commitEvery == 0 {
		cfg.commitEvery = hurriedCommitEvery // those who wait need not wait long
	}
	f, err := Open(db, cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.records {
		f.log = &listed{alone{f}, r}
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	r.Frontier, r.db = f, db
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			r.t.Errorf("Serve: %v", err)
		}
		if err := f.Check(); err != nil {
			r.t.Errorf("Check: %v", err)
		}
		db.Close()
	})
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func (r *rig) check() {
	r.t.Helper()
	if err := r.Check(); err != nil {
		r.t.Fatalf("Check: %v", err)
	}
}

func (r *rig) enqueue(urls ...string) int {
	r.t.Helper()
	e := &Enqueue{}
	for _, u := range urls {
		e.Links = append(e.Links, Link{URL: u, Priority: crawl.PriorityNormal})
	}
	applied, err := r.Propose(r.t.Context(), Entry{Enqueue: e})
	if err != nil {
		r.t.Fatal(err)
	}
	r.check()
	return applied[0].New
}

func never(crawl.Domain) bool { return false }

func (r *rig) pick() Picked {
	r.t.Helper()
	p, err := r.Pick(100, never)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// lease grants the one lease that is due.
func (r *rig) lease() crawl.Lease {
	r.t.Helper()
	p := r.pick()
	if len(p.Grants) != 1 {
		r.t.Fatalf("%d domains are due, want 1", len(p.Grants))
	}
	return r.grantOf(p.Grants[0])
}

func (r *rig) grantOf(g Grant) crawl.Lease {
	r.t.Helper()
	applied, err := r.Propose(r.t.Context(), Entry{Grant: &g})
	if err != nil {
		r.t.Fatal(err)
	}
	tasks, gap, err := r.Tasks(g)
	if err != nil {
		r.t.Fatal(err)
	}
	r.check()
	return crawl.Lease{ID: applied[0].Lease, Domain: g.Domain, Tasks: tasks, For: g.For, Gap: gap}
}

func (r *rig) settle(l crawl.Lease, t crawl.Task, o crawl.Outcome) Applied {
	r.t.Helper()
	o.Lease, o.Domain, o.Task = l.ID, l.Domain, t
	done := make(chan Applied, 1)
	if err := r.Settle(r.t.Context(), o, func(a Applied, _ error) { done <- a }); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.Propose(r.t.Context()); err != nil { // urgent, so that the outcome need not wait
		r.t.Fatal(err)
	}
	a := <-done
	r.check()
	return a
}

func (r *rig) release(l crawl.Lease) {
	r.t.Helper()
	if _, err := r.Propose(r.t.Context(), Entry{Release: &Release{Lease: l.ID, Domain: l.Domain}}); err != nil {
		r.t.Fatal(err)
	}
	r.check()
}

func (r *rig) totals() Totals {
	r.t.Helper()
	t, err := r.Totals()
	if err != nil {
		r.t.Fatal(err)
	}
	return t
}

var fetched = crawl.Outcome{Result: crawl.Fetched, Status: 200, Took: 100 * time.Millisecond}

func TestFrontier_TakesEveryURLOnce(t *testing.T) {
	r := newRig(t, Config{})
	if got := r.enqueue("http://a.test/", "http://a.test/x", "http://a.test/", "http://b.test/"); got != 3 {
		t.Errorf("%d URLs are new, want 3", got)
	}
	if got := r.enqueue("http://a.test/x", "not a url", "ftp://a.test/"); got != 0 {
		t.Errorf("%d URLs are new, want 0", got)
	}
	if got := r.totals(); got.Queued != 3 || got.Domains != 2 || got.Known != 3 {
		t.Errorf("totals = %+v", got)
	}
}

func TestFrontier_VisitsBreadthFirst(t *testing.T) {
	r := newRig(t, Config{})
	r.Propose(t.Context(), Entry{Enqueue: &Enqueue{Links: []Link{
		{URL: "http://a.test/deep", Depth: 2, Priority: crawl.PriorityHigh}, {URL: "http://a.test/late", Depth: 1, Priority: crawl.PriorityLow},
		{URL: "http://a.test/1", Depth: 1, Priority: crawl.PriorityNormal}, {URL: "http://a.test/2", Depth: 1, Priority: crawl.PriorityNormal},
	}}})
	var got []string
	for _, task := range r.lease().Tasks {
		got = append(got, task.URL.Path())
	}
	if want := []string{"/1", "/2", "/late", "/deep"}; !slices.Equal(got, want) {
		t.Errorf("order = %v, want %v", got, want)
	}
}

func TestFrontier_LeaseWaitsForGap(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	if p := r.pick(); len(p.Grants)+len(p.Lapsed) != 0 {
		t.Fatalf("a leased domain is due: %+v", p)
	}
	o := fetched
	o.CrawlDelay = 10 * time.Second
	r.settle(l, l.Tasks[0], o)
	r.release(l)
	r.advance(10*time.Second - 1)
	if p := r.pick(); len(p.Grants) != 0 || p.Next != r.clock().Add(1) {
		t.Fatalf("before the crawl delay: %d due, next at %v", len(p.Grants), p.Next)
	}
	r.advance(1)
	if l := r.lease(); len(l.Tasks) != 1 || l.Gap != 10*time.Second {
		t.Errorf("second lease = %+v", l)
	}
}

func TestFrontier_GapOutlivesAnEmptyQueueAndARestart(t *testing.T) {
	r := newRig(t, Config{})
	path := filepath.Join(t.TempDir(), "other.db")
	r.stop()
	r.open(path, Config{})
	r.enqueue("http://a.test/1")
	l := r.lease()
	o := fetched
	o.CrawlDelay = time.Minute
	r.settle(l, l.Tasks[0], o)
	r.release(l)
	if idle, err := r.Idle(); !idle || err != nil {
		t.Errorf("Idle = %v, %v, want true", idle, err)
	}
	r.stop()
	r.open(path, Config{})
	r.enqueue("http://a.test/2")
	if p := r.pick(); len(p.Grants) != 0 || !p.Next.Equal(r.clock().Add(time.Minute)) {
		t.Errorf("%d due, next in %v, want none for 1m", len(p.Grants), p.Next.Sub(r.clock()))
	}
}

func TestFrontier_NeverTwoLeases(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://www.a.test/2")
	g := r.pick().Grants[0]
	if l := r.grantOf(g); l.ID == 0 {
		t.Fatal("first grant refused")
	}
	if l := r.grantOf(g); l.ID != 0 {
		t.Fatal("second grant for a leased domain")
	}
	other := Grant{Domain: "a.test", Origin: "http://www.a.test", Tasks: g.Tasks, For: g.For}
	if l := r.grantOf(other); l.ID != 0 {
		t.Fatal("grant for another host of a leased domain")
	}
}

func TestFrontier_LapsedLeaseGivesTasksBack(t *testing.T) {
	r := newRig(t, Config{LeaseFor: 10 * time.Second})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	r.settle(l, l.Tasks[0], fetched)
	r.advance(11*time.Second - 1)
	if p := r.pick(); len(p.Lapsed) != 0 {
		t.Fatal("lapsed within its time and a tenth")
	}
	r.advance(1)
	p := r.pick()
	if len(p.Lapsed) != 1 || len(p.Grants) != 0 {
		t.Fatalf("picked %+v, want one lapsed lease", p)
	}
	r.release(crawl.Lease{ID: p.Lapsed[0].Lease, Domain: "a.test"})
	r.advance(time.Hour)
	again := r.lease()
	if len(again.Tasks) != 1 || again.Tasks[0].URL != l.Tasks[1].URL {
		t.Fatalf("second lease has %v", again.Tasks)
	}
	// The first holder comes late with an outcome that somebody else holds now.
	late := fetched
	late.CrawlDelay = time.Hour
	if a := r.settle(l, l.Tasks[1], late); a.Settled {
		t.Error("an outcome of a lapsed lease settled a task that another holds")
	}
	r.settle(again, again.Tasks[0], fetched)
	r.release(again)
	if got := r.totals(); got.Fetched != 2 || got.Queued != 0 {
		t.Errorf("totals = %+v", got)
	}
}

func TestFrontier_LateOutcomeOfAFreeTaskSettlesIt(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	l := r.lease()
	r.release(l)
	o := fetched
	o.CrawlDelay = time.Hour
	if a := r.settle(l, l.Tasks[0], o); !a.Settled {
		t.Error("a late outcome was not taken")
	}
	r.enqueue("http://a.test/2")
	r.advance(time.Minute)
	if l := r.lease(); l.Gap != 0 {
		t.Errorf("a late outcome moved the clock: gap %v", l.Gap)
	}
	if a := r.settle(l, l.Tasks[0], fetched); a.Settled {
		t.Error("settled twice")
	}
}

func TestFrontier_TriesFailuresAgainThenGivesUp(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	waits := []time.Duration{30 * time.Second, time.Minute}
	for attempt := range maxFailures {
		l := r.lease()
		if got := l.Tasks[0].Attempts; int(got) != attempt {
			t.Errorf("attempt %d says %d", attempt, got)
		}
		r.settle(l, l.Tasks[0], crawl.Outcome{Result: crawl.Failed, Reason: "connection refused"})
		r.release(l)
		if attempt < len(waits) {
			if next := r.pick().Next.Sub(r.clock()); next != waits[attempt] {
				t.Errorf("wait after failure %d = %v, want %v", attempt+1, next, waits[attempt])
			}
			r.advance(waits[attempt])
			if err := r.Wake(t.Context(), r.pick()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := r.totals(); got.Failed != 1 || got.Queued != 0 {
		t.Errorf("totals = %+v", got)
	}
}

// A page that fails neither comes again before the others, however deep they are, nor slows them.
func TestFrontier_FailureIsThatOfItsPage(t *testing.T) {
	for name, o := range map[string]crawl.Outcome{
		"500": {Result: crawl.Failed, Status: 500, Took: time.Millisecond}, "503": {Result: crawl.Failed, Status: 503, Took: time.Millisecond},
		"no answer": {Result: crawl.Failed, Reason: "connection refused"}, "403": {Result: crawl.Gone, Status: 403, Took: time.Millisecond},
		"too slow": {Result: crawl.Failed, Reason: "time-out", Took: 2 * time.Second},
	} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/1", "http://a.test/2")
		l := r.lease()
		r.propose(Entry{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/deep", Depth: 9, Priority: crawl.PriorityLow}}}})
		r.settle(l, l.Tasks[0], o)
		r.release(l)
		if got, want := r.nextVisit(), r.cfg.Politeness.Gap(0, o.Took, 0); got != want {
			t.Errorf("%s: the next visit is in %v, want %v", name, got, want)
		}
		r.advance(time.Minute)
		var order []string
		for _, task := range r.lease().Tasks {
			order = append(order, task.URL.Path())
		}
		want := []string{"/2", "/deep", "/1"}
		if o.Result.Final() {
			want = want[:2]
		}
		if !slices.Equal(order, want) {
			t.Errorf("%s: the order is %v, want %v", name, order, want)
		}
	}
}

func TestFrontier_RefusalWaitsAsLongAsAsked(t *testing.T) {
	zero := time.Duration(0)
	for _, polite := range []crawl.Politeness{{}, {Fixed: &zero}} {
		r := newRig(t, Config{Politeness: polite})
		r.enqueue("http://a.test/1", "http://a.test/2")
		l := r.lease()
		r.settle(l, l.Tasks[0], crawl.Outcome{Result: crawl.Refused, Status: 429, Wait: 2 * time.Hour, Reason: "429"})
		r.release(l)
		if next := r.pick().Next.Sub(r.clock()); next != 2*time.Hour {
			t.Errorf("fixed gap %v: wait = %v, want 2h", polite.Fixed, next)
		}
		r.advance(2 * time.Hour)
		if l := r.lease(); len(l.Tasks) != 1 {
			t.Errorf("a domain in trouble gets %d tasks, want 1", len(l.Tasks))
		}
	}
}

func TestFrontier_HoldsHostWithoutRobots(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://www.a.test/2")
	l := r.lease()
	if l.Tasks[0].URL.Host() != "a.test" {
		t.Fatalf("first host = %s", l.Tasks[0].URL.Host())
	}
	r.settle(l, l.Tasks[0], crawl.Outcome{Result: crawl.Deferred, Wait: 5 * time.Minute, Reason: "robots.txt: 503"})
	r.release(l)
	r.advance(30 * time.Second)
	l = r.lease()
	if got := l.Tasks[0].URL.Host(); got != "www.a.test" {
		t.Errorf("the held host's turn: %s", got)
	}
	r.settle(l, l.Tasks[0], fetched)
	r.release(l)
	r.enqueue("http://a.test/3") // new tasks do not end the hold
	r.advance(4 * time.Minute)
	if p := r.pick(); len(p.Grants) != 0 {
		t.Fatal("held host granted")
	}
	r.advance(time.Minute)
	p := r.pick()
	if err := r.Wake(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r.check()
	if l := r.lease(); len(l.Tasks) != 2 {
		t.Errorf("after the hold %d tasks, want 2", len(l.Tasks))
	}
}

// recorder is a log that others read.
type recorder struct {
	alone
	data [][]byte
}

func (r *recorder) Shared() bool { return len(r.data)%2 == 0 }

func (r *recorder) Propose(ctx context.Context, data []byte, mine any) error {
	r.data = append(r.data, data)
	return r.alone.Propose(ctx, data, mine)
}

// Members that apply the same entries hold the same replicated state, however
// their clocks run and however the entries are divided into transactions.
func TestApply_IsDeterministic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, b := newRig(t, Config{}), newRig(t, Config{})
	log := &recorder{alone: alone{a.Frontier}}
	a.Frontier.log = log
	b.advance(1000 * time.Hour)
	steps := 60
	if testing.Short() {
		steps = 15
	}
	for step := range steps {
		for range rng.IntN(4) + 1 {
			if _, err := a.Propose(t.Context(), randomEntry(a, rng)); err != nil {
				t.Fatal(err)
			}
		}
		err := b.db.Update(func(tx *storage.Tx) error {
			for _, data := range log.data {
				if err := b.Apply(tx, LogEntry{Data: data}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		log.data = nil
		a.check()
		b.check()
		if diff := difference(a, b); diff != "" {
			t.Fatalf("step %d: bucket %s differs", step, diff)
		}
		a.advance(time.Duration(rng.IntN(100)) * time.Second)
	}
	if got := a.totals(); got.Fetched == 0 || got.Failed == 0 {
		t.Errorf("the run did little: %+v", got)
	}
}

func randomEntry(r *rig, rng *rand.Rand) Entry {
	link := func() Link {
		return Link{URL: fmt.Sprintf("http://h%d.d%d.test/%d", rng.IntN(3), rng.IntN(4), rng.IntN(200)), Depth: uint8(rng.IntN(3)), Priority: 2}
	}
	leases, _ := r.Leases()
	p := r.pick()
	switch n := rng.IntN(10); {
	case n < 3 && len(p.Grants) > 0:
		return Entry{Grant: &p.Grants[rng.IntN(len(p.Grants))]}
	case n < 8 && len(leases) > 0:
		l := leases[rng.IntN(len(leases))]
		if len(l.Tasks) == 0 || rng.IntN(5) == 0 {
			return Entry{Release: &Release{Lease: l.ID, Domain: l.Domain}}
		}
		o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: l.Tasks[0], Result: crawl.Result(1 + rng.IntN(9)), Status: 200}
		return Entry{Settle: settleOf(o, []Link{link(), link()})}
	}
	return Entry{Enqueue: &Enqueue{Links: []Link{link(), link(), link()}}}
}

// difference names a replicated bucket that is not the same in both.
func difference(a, b *rig) string {
	dump := func(r *rig, name []byte) []byte {
		var out bytes.Buffer
		r.db.View(func(tx *storage.Tx) error {
			return tx.Bucket(storage.BucketLogs).Bucket([]byte("self")).Bucket(name).ForEach(func(k, v []byte) error {
				fmt.Fprintf(&out, "%x=%x\n", k, v)
				return nil
			})
		})
		return out.Bytes()
	}
	for _, name := range [][]byte{nameMeta, nameDomains, nameHosts, nameQueue, nameLeases, nameFilters, namePages} {
		if !bytes.Equal(dump(a, name), dump(b, name)) {
			return string(name)
		}
	}
	return ""
}

func FuzzEntries(f *testing.F) {
	u, _ := crawl.ParseURL("http://a.test/x")
	key := queueKey(hostKey("a.test", "http://a.test"), rank{depth: 1, prio: 2, number: 1})
	seed, _ := encodeEntries([]Entry{
		{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/x", Depth: 1, Priority: 2}}}},
		{Grant: &Grant{Domain: "a.test", Origin: "http://a.test", Tasks: [][]byte{key[len(key)-tailSize:]}, For: time.Minute}},
		{Settle: settleOf(crawl.Outcome{Lease: 1, Domain: "a.test", Result: 1, Task: crawl.Task{ID: crawl.TaskID(key), URL: u}}, nil)},
		{Release: &Release{Lease: 1, Domain: "a.test"}},
	})
	f.Add(seed)
	d, task := []crawl.Domain{"a.test"}, []byte("\x07\x01\x02\x00\x00http://a.test/y")
	seed, _ = encodeEntries([]Entry{
		{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/x"}}, Out: []Link{{URL: "http://o.test/x"}}, From: "b.test", Ask: true}},
		{Confirm: &Confirm{Domains: d}}, {Close: &Close{Domains: d, To: "p", N: 1}}, {Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/z"}}}},
		{Freeze: &Freeze{Domains: d, N: 1}}, {Reopen: &Reopen{Domains: d, N: 1}},
		{Chunk: &Chunk{From: "p", N: 1, Seq: 1, Items: [][]byte{[]byte("\x01a.test"), task}}}, {Abort: &Abort{From: "p", N: 1}},
		{Chunk: &Chunk{From: "p", N: 2, Seq: 1, Items: [][]byte{[]byte("\x01a.test"), task}}}, {Opened: &Opened{From: "p", N: 2, Chunks: 1}},
		{Close: &Close{Domains: d, To: "p", N: 2}}, {Gone: &Gone{Domains: d, To: "p", N: 2}}, {Forget: &Forget{Domains: d}},
		{Renew: &Renew{Lease: 1, Domain: "a.test", For: 1}}, {Sent: &Sent{Keys: [][]byte{outKey(u, Link{})}}},
	})
	f.Add(seed)
	db, err := storage.Open(filepath.Join(f.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, data []byte) {
		fr, err := Open(db, Config{LogID: "fuzz", Now: func() time.Time { return time.Unix(0, 0) }})
		if err != nil {
			t.Fatal(err)
		}
		undo := fmt.Errorf("undo")
		db.Update(func(tx *storage.Tx) error {
			m, err := newMachine(tx, &fr.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.apply(data); err != nil {
				return undo
			}
			if err := m.flush(); err != nil {
				t.Fatal(err)
			}
			if err := fr.checkIn(tx); err != nil {
				t.Fatal(err)
			}
			return undo
		})
	})
}

func BenchmarkSettle(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%v", sync), func(b *testing.B) { benchmarkSettle(b, sync) })
	}
}

// benchmarkSettle settles pages of one site with four new links each.
func benchmarkSettle(b *testing.B, sync bool) {
	db, err := storage.Open(filepath.Join(b.TempDir(), "db"), storage.Options{NoSync: !sync})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	f, err := Open(db, Config{LogID: "self"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	defer func() { cancel(); <-served }()
	f.Propose(ctx, Entry{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/0", Priority: 2}}}})
	next, done := 1, 0
	for done < b.N {
		p, err := f.Pick(1, never)
		if err != nil {
			b.Fatal(err)
		}
		if len(p.Grants) == 0 {
			db.Update(func(tx *storage.Tx) error { // the gap is not what is measured
				bk, _ := openBuckets(tx, "self")
				return bk.setClock([]byte("a.test"), 0, true)
			})
			continue
		}
		applied, _ := f.Propose(ctx, Entry{Grant: &p.Grants[0]})
		tasks, _, _ := f.Tasks(p.Grants[0])
		for _, t := range tasks {
			o := crawl.Outcome{Lease: applied[0].Lease, Domain: "a.test", Task: t, Result: crawl.Fetched, Status: 200}
			for range 4 {
				u, _ := crawl.ParseURL(fmt.Sprintf("http://a.test/%d", next))
				o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: u, Priority: 2})
				next++
			}
			f.Settle(ctx, o, nil)
			done++
		}
		f.Propose(ctx, Entry{Release: &Release{Lease: applied[0].Lease, Domain: "a.test"}})
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(done), "µs/page")
}

// What a site says must never end the log, which every site shares.
func TestFrontier_HostileOutcomesAreTaken(t *testing.T) {
	r := newRig(t, Config{})
	long := strings.Repeat("aaaaaaaaa.", 60) + "evil.test"
	if n := r.enqueue("http://a.test/1", "http://"+long+"/"); n != 1 {
		t.Errorf("%d URLs taken, want 1: no name is that long", n)
	}
	l := r.lease()
	o := fetched
	o.ETag, o.LastModified, o.Title, o.Reason = "\xe9", "\xff\xfe", "\xc3(", strings.Repeat("ü", 300)
	if a := r.settle(l, l.Tasks[0], o); !a.Settled {
		t.Error("the outcome was not taken")
	}
	if err := r.Settle(t.Context(), crawl.Outcome{Lease: l.ID, Domain: "a b", Task: l.Tasks[0], Result: 1}, nil); !errors.Is(err, ErrEntry) {
		t.Errorf("Settle of an impossible outcome = %v, want ErrEntry", err)
	}
	if n := r.enqueue("http://a.test/2"); n != 1 {
		t.Error("the log does not go on")
	}
}

// A computer may start with a clock years ahead, which is then set right.
func TestFrontier_ClockSetBackStrandsNothing(t *testing.T) {
	r := newRig(t, Config{})
	r.advance(4 * 365 * 24 * time.Hour)
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	r.settle(l, l.Tasks[0], fetched)
	r.release(l)
	r.advance(-4 * 365 * 24 * time.Hour)
	if l := r.lease(); len(l.Tasks) != 1 {
		t.Errorf("%d tasks are due, want 1", len(l.Tasks))
	}
}

// What goes first is picked however many others have been due for longer, and nothing of it that is not due.
func TestFrontier_PickFirst(t *testing.T) {
	r := newRig(t, Config{})
	for i := range 20 {
		r.enqueue(fmt.Sprintf("http://s%d.test/", i))
		r.advance(time.Second)
	}
	r.enqueue("http://mine.test/1", "http://mine.test/2")
	r.advance(time.Second)
	first := []crawl.Domain{"none.test", "mine.test", "s7.test"}
	names := func(first []crawl.Domain, limit int, busy func(crawl.Domain) bool) (list []crawl.Domain) {
		t.Helper()
		p, err := r.PickFirst(first, limit, busy)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range p.Grants {
			list = append(list, g.Domain)
		}
		return list
	}
	if got := names(nil, 1, never); !slices.Equal(got, []crawl.Domain{"s0.test"}) {
		t.Errorf("picked %q, want what has been due for longest", got)
	}
	if got := names(first, 4, never); !slices.Equal(got, []crawl.Domain{"mine.test", "s7.test", "s0.test", "s1.test"}) {
		t.Errorf("picked %q", got)
	}
	if got := names(first, 100, never); len(got) != 21 || got[0] != "mine.test" {
		t.Errorf("picked %q, want each once", got)
	}
	if got := names(first, 2, func(d crawl.Domain) bool { return d == "mine.test" }); !slices.Equal(got, []crawl.Domain{"s7.test", "s0.test"}) {
		t.Errorf("picked %q where mine.test is busy", got)
	}
	p, err := r.PickFirst(first, 1, never)
	if err != nil {
		t.Fatal(err)
	}
	l := r.grantOf(p.Grants[0])
	if got := names(first, 1, never); slices.Contains(got, "mine.test") {
		t.Errorf("picked %q while mine.test is leased", got)
	}
	r.advance(l.For + time.Hour)
	if p, err = r.PickFirst(first, 1, never); err != nil || len(p.Lapsed) != 1 || p.Lapsed[0].Domain != "mine.test" {
		t.Errorf("lapsed %+v, %v, want the lease of mine.test once", p.Lapsed, err)
	}
}
