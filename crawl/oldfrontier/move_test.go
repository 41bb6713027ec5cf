package frontier

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// send exports domains that are closing, chunk by chunk, into another log, which
// it leaves for the caller to open. It returns how many chunks and bytes it took.
func (r *rig) send(to *rig, n uint64, maxBytes int, domains ...crawl.Domain) (seq uint64, size int) {
	r.t.Helper()
	for _, d := range domains {
		var cursor []byte
		for done := false; !done; {
			var items [][]byte
			var err error
			if items, cursor, done, err = r.Export(r.t.Context(), d, cursor, maxBytes); err != nil {
				r.t.Fatal(err)
			}
			for _, it := range items {
				size += len(it)
			}
			seq++
			c := Entry{Chunk: &Chunk{From: "src", N: n, Seq: seq, Mark: cursor, Items: items}}
			for {
				applied, err := to.Propose(r.t.Context(), c)
				if err != nil {
					r.t.Fatal(err)
				}
				if !applied[0].Again {
					break
				}
			}
		}
	}
	return seq, size
}

// moveTo moves domains into another log.
func (r *rig) moveTo(to *rig, domains ...crawl.Domain) {
	r.t.Helper()
	n := r.propose(Entry{Close: &Close{Domains: domains, To: "dst"}})[0].N
	seq, _ := r.send(to, n, MaxChunk-2*MaxItem, domains...)
	to.openMove(n, seq)
	r.propose(Entry{Gone: &Gone{Domains: domains, To: "dst", N: n}})
	to.check()
}

func (r *rig) openMove(n, chunks uint64) {
	r.t.Helper()
	for {
		a := r.propose(Entry{Opened: &Opened{From: "src", N: n, Chunks: chunks}})[0]
		if !a.Again {
			if a.Move != MoveOpened {
				r.t.Fatalf("Opened = %+v", a)
			}
			return
		}
	}
}

func (r *rig) where(d crawl.Domain) Place {
	r.t.Helper()
	p, err := r.Where(d)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

func TestMove_GapSurvives(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	b.advance(-1000 * time.Hour) // clocks are each member's own
	a.enqueue("http://a.test/1", "http://a.test/2", "http://www.a.test/3")
	l := a.lease()
	o := a.at(fetched)
	o.CrawlDelay = 10 * time.Minute
	a.settle(l, l.Tasks[0], o)
	a.release(l)
	a.advance(4 * time.Minute)
	a.moveTo(b, "a.test")
	if got := b.nextVisit(); got != 6*time.Minute {
		t.Errorf("the next visit is in %v, want 6m", got)
	}
	b.advance(6 * time.Minute)
	if l := b.lease(); l.Gap != 10*time.Minute {
		t.Errorf("the gap is %v, want 10m", l.Gap)
	}
	if ta, tb := a.totals(), b.totals(); ta != (Totals{}) || tb.Known != 3 || tb.Fetched != 1 || tb.Queued != 2 || tb.Domains != 1 {
		t.Errorf("totals = %+v and %+v", ta, tb)
	}
}

func TestMove_DestinationWaitsForALiveLease(t *testing.T) {
	a, b := newRig(t, Config{LeaseFor: 100 * time.Second}), newRig(t, Config{})
	a.enqueue("http://a.test/1", "http://a.test/2")
	l, _ := a.leaseTo("peer")
	a.advance(30 * time.Second)
	n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
	if c, err := a.Closing("", 10); err != nil || len(c) != 1 || !c[0].Leased || c[0].Left != 80*time.Second || c[0].To != "dst" || c[0].N != n {
		t.Errorf("Closing = %+v, %v", c, err)
	}
	// As long as nothing was exported, the lease goes on as before.
	o := a.at(fetched)
	o.Outlinks = outlinks(t, "http://a.test/new")
	if s := a.report("peer", l, l.Tasks[0], o); !s.Settled || s.New != 1 {
		t.Errorf("an outcome of the live lease = %+v", s)
	}
	seq, _ := a.send(b, n, MaxItem, "a.test")
	if s := a.report("peer", l, l.Tasks[1], a.at(fetched)); s.Settled {
		t.Error("an outcome was taken after the domain was exported")
	}
	b.openMove(n, seq)
	least := 80*time.Second + minGapOf(a)
	if got := b.nextVisit(); got != least {
		t.Errorf("the next visit is in %v, want %v", got, least)
	}
	if got := b.totals(); got.Queued != 2 || got.Fetched != 1 {
		t.Errorf("totals = %+v", got)
	}
}

func minGapOf(r *rig) time.Duration { return r.cfg.Politeness.Gap(0, fetched.Took, 0) }

func TestMove_HoldsAndRetirementSurvive(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/1", "http://www.a.test/2", "http://r.test/1")
	for range 2 {
		l := a.grantOf(a.pick().Grants[0])
		o := a.at(crawl.Outcome{Result: crawl.Deferred, Wait: 5 * time.Hour, Reason: "robots.txt: 503"})
		if l.Domain == "r.test" {
			tire(a.db, "r.test")
			o = a.at(crawl.Outcome{Result: crawl.Failed, Reason: "connection refused"})
		}
		a.settle(l, l.Tasks[0], o)
		a.release(l)
	}
	a.advance(time.Hour)
	a.moveTo(b, "a.test", "r.test")
	d, err := b.Domains("", 10)
	if err != nil || len(d) != 2 {
		t.Fatalf("Domains = %v, %v", d, err)
	}
	if d[0].Held != 1 || d[0].AllHeld {
		t.Errorf("of a.test %d hosts are held, want one of two", d[0].Held)
	}
	if want := b.clock().Add(retireFor - time.Hour); !d[1].Retired || !d[1].Next.Equal(want) {
		t.Errorf("r.test is retired %v until %v, want %v", d[1].Retired, d[1].Next, want)
	}
	if l := b.lease(); l.Tasks[0].URL.Host() != "www.a.test" {
		t.Errorf("leased %s, which is held", l.Tasks[0].URL)
	}
	b.advance(4 * time.Hour)
	p := b.pick()
	if err := b.Wake(t.Context(), p); err != nil || len(p.held) != 1 {
		t.Errorf("%d holds are over, %v, want 1", len(p.held), err)
	}
	b.advance(retireFor)
	if err := b.Wake(t.Context(), b.pick()); err != nil {
		t.Fatal(err)
	}
	if d, _ := b.Domains("a.test", 1); d[0].Retired {
		t.Error("r.test is never revived")
	}
	b.check()
}

func TestMove_RevisitsGoOn(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/1")
	l := a.lease()
	o := a.at(page(7))
	o.ETag = `"x"`
	a.settle(l, l.Tasks[0], o)
	a.release(l)
	a.advance(3 * day)
	b.advance(3 * day)
	a.moveTo(b, "a.test")
	b.advance(4*day + time.Hour)
	if err := b.Wake(t.Context(), b.pick()); err != nil {
		t.Fatal(err)
	}
	got := b.lease()
	if p := got.Tasks[0].Prior; p == nil || p.ETag != `"x"` || p.Digest != o.Digest {
		t.Errorf("the visit before was %+v", p)
	}
}

// A domain as large as they come moves in chunks, and is deleted by and by.
func TestMove_LargeDomain(t *testing.T) {
	const urls = 20_000
	budget := Budget{Base: 2 * urls, Most: 2 * urls}
	a, b := newRig(t, Config{Budget: budget}), newRig(t, Config{Budget: budget})
	a.fill("a.test", urls)
	n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
	seq, size := a.send(b, n, MaxChunk-2*MaxItem, "a.test")
	t.Logf("%d URLs in %d chunks of together %d bytes", urls, seq, size)
	if p := b.where("a.test"); p.State != StateArriving || p.Peer != "src" || p.N != n {
		t.Errorf("Where = %+v", p)
	}
	if tot := b.totals(); tot.Queued != 0 || tot.Domains != 0 || tot.Arriving != 1 || len(b.pick().Grants) != 0 {
		t.Errorf("before it is opened, totals = %+v", tot)
	}
	if d, err := b.Domains("", 10); len(d) != 0 || err != nil {
		t.Errorf("before it is opened, Domains = %v, %v", d, err)
	}
	b.openMove(n, seq)
	if tot := b.totals(); tot.Queued != urls || tot.Known != urls {
		t.Errorf("totals = %+v, want %d URLs", tot, urls)
	}
	if got := b.enqueue("http://a.test/0/17", "http://a.test/fresh"); got != 1 {
		t.Errorf("%d URLs are new, want 1", got)
	}
	a.propose(Entry{Gone: &Gone{Domains: []crawl.Domain{"a.test"}, To: "dst", N: n}})
	if p := a.where("a.test"); p.State != StateGone || p.Peer != "dst" || p.N != n || a.totals() != (Totals{}) {
		t.Errorf("at its source: %+v, totals %+v", p, a.totals())
	}
	a.stop() // in the middle of it
	a.swept(t)
}

// fill enqueues many URLs of a domain.
func (r *rig) fill(d crawl.Domain, urls int) {
	r.t.Helper()
	for part := 0; urls > 0; part++ {
		e := &Enqueue{}
		for i := range min(urls, 10_000) {
			e.Links = append(e.Links, Link{URL: fmt.Sprintf("http://%s/%d/%d", d, part, i), Depth: uint8(i % 3), Priority: crawl.PriorityNormal})
		}
		urls -= len(e.Links)
		if _, err := r.Propose(r.t.Context(), Entry{Enqueue: e}); err != nil {
			r.t.Fatal(err)
		}
	}
}

func TestClose_LinksGoIntoTheOutbox(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/1", "http://b.test/1")
	domains := []crawl.Domain{"a.test", "none.test"}
	if c := a.propose(Entry{Close: &Close{Domains: domains, To: "dst"}}, Entry{Close: &Close{Domains: domains, To: "other"}}); c[0].Domains != 1 || c[1].Domains != 0 {
		t.Errorf("Close = %+v, want one domain, once", c)
	}
	if names, err := a.Names("", 10); err != nil || fmt.Sprint(names) != "[b.test]" {
		t.Errorf("Names = %v, %v", names, err)
	}
	if l := a.lease(); l.Domain != "b.test" {
		t.Errorf("leased %s", l.Domain)
	}
	count := func(r *rig, url string, want int) {
		t.Helper()
		if got := r.enqueue(url); got != 0 || len(r.outbox()) != want {
			t.Errorf("%d URLs are new, %d wait in the outbox, want 0 and %d", got, len(r.outbox()), want)
		}
	}
	count(a, "http://a.test/2", 1)
	seq, _ := a.send(b, 1, MaxItem, "a.test")
	count(b, "http://a.test/3", 1)
	b.openMove(1, seq)
	a.propose(Entry{Gone: &Gone{Domains: domains, To: "dst", N: 1}})
	count(a, "http://a.test/4", 2)
	if idle, err := a.Idle(); idle || err != nil {
		t.Error("idle with links in the outbox")
	}
	if _, err := b.TakeBack(t.Context(), append(a.outbox(), b.outbox()...)); err != nil {
		t.Fatal(err)
	}
	if got := b.totals(); got.Known != 4 || got.Outbox != 0 {
		t.Errorf("totals = %+v, want 4 URLs known", got)
	}
}

func TestClose_ReopensAsBefore(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/1", "http://a.test/2")
	n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
	a.send(b, n, 1, "a.test")
	for range 2 {
		if got := b.propose(Entry{Abort: &Abort{From: "src", N: n}})[0]; got.Move != MoveDeclined {
			t.Errorf("Abort = %+v", got)
		}
	}
	if tot := b.totals(); tot != (Totals{}) || b.where("a.test").State != StateNone {
		t.Errorf("totals of the destination = %+v", tot)
	}
	late := b.propose(Entry{Chunk: &Chunk{From: "src", N: n, Seq: 1, Items: [][]byte{[]byte("\x01a.test")}}}, Entry{Opened: &Opened{From: "src", N: n}})
	if late[0].Move != MoveDeclined || late[1].Move != MoveDeclined {
		t.Errorf("after it declined, %+v", late)
	}
	a.propose(Entry{Reopen: &Reopen{Domains: []crawl.Domain{"a.test"}, N: n + 1}})
	if a.where("a.test").State != StateClosing {
		t.Error("another move has reopened it")
	}
	for range 2 {
		a.propose(Entry{Reopen: &Reopen{Domains: []crawl.Domain{"a.test"}, N: n}})
	}
	if l := a.lease(); len(l.Tasks) != 2 {
		t.Errorf("%d tasks, want 2", len(l.Tasks))
	}
	if _, _, _, err := a.Export(t.Context(), "a.test", nil, MaxChunk); !errors.Is(err, ErrNotClosing) {
		t.Errorf("Export = %v, want ErrNotClosing", err)
	}
}

// Both logs know the domain: outcomes win over queued tasks, and no page is queued
// twice.
func TestMove_JoinsWhatWasHere(t *testing.T) {
	for _, piece := range []int{0, 2} {
		a, b := newRig(t, Config{}), newRig(t, Config{piece: piece})
		a.enqueue("http://a.test/both", "http://a.test/a", "http://a.test/visited")
		b.enqueue("http://a.test/both", "http://a.test/b", "http://a.test/visited", "http://a.test/only")
		l := b.lease()
		o := b.at(fetched)
		o.CrawlDelay = time.Hour
		b.settleURL(l, "http://a.test/visited", o)
		b.settleURL(l, "http://a.test/only", o)
		a.moveTo(b, "a.test")
		if tot := b.totals(); tot.Known != 5 || tot.Queued != 3 || tot.Fetched != 2 || tot.Leases != 0 || tot.Arriving != 0 {
			t.Errorf("totals = %+v, want 5 known, 3 queued, 2 fetched", tot)
		}
		// The lease that was live here counts on: its holder may be at work.
		if got, want := b.nextVisit(), l.For+l.For/10+time.Hour; got != want {
			t.Errorf("the next visit is in %v, want %v", got, want)
		}
		if s := b.settleURL(l, "http://a.test/b", b.at(fetched)); !s.Settled {
			t.Error("a late outcome of the lease was not taken")
		}
		if got := b.enqueue("http://a.test/visited", "http://a.test/only", "http://a.test/a"); got != 0 {
			t.Errorf("%d URLs are new, want none", got)
		}
		b.advance(3 * time.Hour)
		if l := b.lease(); len(l.Tasks) != 1 && len(l.Tasks) != 2 {
			t.Errorf("%d tasks are due", len(l.Tasks))
		}
	}
}

// settleURL settles the task of a URL.
func (r *rig) settleURL(l crawl.Lease, url string, o crawl.Outcome) Applied {
	r.t.Helper()
	for _, task := range l.Tasks {
		if task.URL.String() == url {
			return r.settle(l, task, o)
		}
	}
	// Not in the lease by its size: it is fetched by whoever likes.
	return r.settle(l, r.task(l.Domain, url), o)
}

func TestMove_DeclinedLeavesWhatWasHere(t *testing.T) {
	for _, piece := range []int{0, 2} {
		a, b := newRig(t, Config{}), newRig(t, Config{piece: piece, Ask: func() bool { return true }})
		a.enqueue("http://a.test/a", "http://a.test/both")
		b.enqueue("http://a.test/b", "http://a.test/both")
		before := b.totals()
		n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
		a.send(b, n, 1, "a.test")
		for {
			if x := b.propose(Entry{Abort: &Abort{From: "src", N: n}})[0]; !x.Again {
				break
			}
		}
		if got := b.totals(); got != before || b.where("a.test").State != StateUnasked {
			t.Errorf("totals = %+v, want %+v", got, before)
		}
		if got := b.enqueue("http://a.test/b", "http://a.test/a"); got != 1 {
			t.Errorf("%d URLs are new, want that of the other log alone", got)
		}
	}
}

func TestGone_IsRememberedForADay(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	a.enqueue("http://a.test/1", "http://b.test/1")
	a.moveTo(b, "a.test", "b.test")
	if got := a.propose(Entry{Forget: &Forget{Domains: []crawl.Domain{"b.test"}}}); got[0].Domains != 1 {
		t.Errorf("Forget = %+v", got)
	}
	if got := a.enqueue("http://a.test/1", "http://b.test/1"); got != 1 {
		t.Errorf("%d URLs are new, want that of the domain that begins anew", got)
	}
	a.advance(goneFor)
	a.propose()
	if p := a.where("a.test"); p.State != StateNone {
		t.Errorf("after a day: %+v", p)
	}
	if got := a.enqueue("http://a.test/2"); got != 1 {
		t.Error("it does not begin anew")
	}
}

// task finds a task in the queue.
func (r *rig) task(d crawl.Domain, url string) (task crawl.Task) {
	r.t.Helper()
	edit(r.t, r.db, func(b *buckets) error {
		return b.queue.ForEach(func(key, value []byte) error {
			if t, err := readTask(key, value); err == nil && t.URL.Domain() == d && t.URL.String() == url {
				task = t
			}
			return nil
		})
	})
	if task.ID == "" {
		r.t.Fatalf("%s is not queued", url)
	}
	return task
}

// swept begins again from a store and waits until nothing is left of what has
// moved away.
func (r *rig) swept(t *testing.T) {
	t.Helper()
	cfg := r.cfg
	r.open(r.path, cfg)
	for r.chores.Load() {
		r.propose()
	}
	edit(t, r.db, func(b *buckets) error {
		for _, p := range b.list() {
			if key, _ := (*p.place).Cursor().First(); key != nil && string(p.name) != "meta" && string(p.name) != "gone" {
				t.Errorf("%s still has %q", p.name, key)
			}
		}
		return nil
	})
}

// A fetcher may report pages of a lease that lapsed to where their domain has moved: tasks have other numbers there.
func TestMove_TasksAreFoundByTheirURLs(t *testing.T) {
	a, b := newRig(t, Config{}), newRig(t, Config{})
	b.enqueue("http://b.test/1", "http://b.test/2", "http://b.test/3") // so b has counted further than a
	a.enqueue("http://a.test/1", "http://a.test/2", "http://www.a.test/1")
	first, second := a.task("a.test", "http://a.test/1"), a.task("a.test", "http://a.test/2")
	a.moveTo(b, "a.test")
	none, _ := crawl.ParseURL("http://a.test/none")
	otherHost, _ := crawl.ParseURL("http://www.a.test/1")
	got, err := b.Find([]crawl.URL{first.URL, none, second.URL, otherHost})
	if err != nil || len(got) != 2 {
		t.Fatalf("found %v, %v; want two", got, err)
	}
	for _, old := range []crawl.Task{first, second} {
		here := got[old.URL.String()]
		if want := b.task("a.test", old.URL.String()); here.ID != want.ID || here.ID == old.ID || here.URL != old.URL {
			t.Errorf("%s is found as %+v; want % x", old.URL, here, want.ID)
		}
	}
	late := crawl.Lease{ID: 99, Domain: "a.test"} // that a had granted
	if got := b.settle(late, got[second.URL.String()], page(1)); !got.Settled {
		t.Errorf("the outcome comes to %+v", got)
	}
	if got, err := b.Find([]crawl.URL{second.URL}); err != nil || len(got) != 0 {
		t.Errorf("what is settled is found: %v, %v", got, err)
	}
	if got, err := b.Find(nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing is found %v, %v", got, err)
	}
	b.check()
}
