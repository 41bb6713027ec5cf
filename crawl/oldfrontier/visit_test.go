package frontier

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

const day = 24 * time.Hour

// at is an outcome of that moment of the rig's clock.
func (r *rig) at(o crawl.Outcome) crawl.Outcome {
	o.Date = r.clock()
	return o
}

func page(content byte) crawl.Outcome {
	return crawl.Outcome{Result: crawl.Fetched, Status: 200, Digest: [20]byte{content}, ETag: fmt.Sprintf(`"%d"`, content)}
}

// visit works the one lease that is due, with the same outcome for each task.
func (r *rig) visit(o crawl.Outcome) []crawl.Task {
	r.t.Helper()
	l := r.lease()
	for _, t := range l.Tasks {
		r.settle(l, t, r.at(o))
	}
	r.release(l)
	r.advance(time.Minute)
	return l.Tasks
}

// wake calls back what is due.
func (r *rig) wake() {
	r.t.Helper()
	if err := r.Wake(r.t.Context(), r.pick()); err != nil {
		r.t.Fatal(err)
	}
	r.check()
}

// until advances the clock by d and returns whether the one page is queued then,
// but was not an hour and a half before.
func (r *rig) until(d time.Duration) bool {
	r.t.Helper()
	const early = 90 * time.Minute
	r.advance(d - early)
	r.wake()
	if r.totals().Queued != 0 {
		return false
	}
	r.advance(early)
	r.wake()
	return r.totals().Queued == 1
}

func TestRevisit_WaitFollowsObservedChange(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	unchanged := crawl.Outcome{Result: crawl.Unchanged, Status: 304}
	wait := 7 * day
	for i, step := range []struct {
		outcome crawl.Outcome
		wait    time.Duration // after it
	}{
		{page(1), 7 * day}, {unchanged, 252 * time.Hour}, {page(1), 378 * time.Hour}, {unchanged, 567 * time.Hour}, {unchanged, 30 * day},
		{unchanged, 30 * day}, {page(2), 15 * day}, {page(3), 180 * time.Hour}, {page(4), 90 * time.Hour}, {page(5), 45 * time.Hour},
		{page(6), day}, {page(7), day}, {page(7), 36 * time.Hour},
	} {
		if i > 0 && !r.until(wait-time.Minute) {
			t.Fatalf("before visit %d: not queued after %v", i, wait)
		}
		r.visit(step.outcome)
		wait = step.wait
	}
	if got := r.totals(); got.Known != 1 || got.Fetched != 1 || got.Revisits != 12 || got.Changed != 6 {
		t.Errorf("totals = %+v", got)
	}
}

func TestRevisit_TaskCarriesWhatIsKnown(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	first := page(1)
	first.LastModified = "Mon, 02 Jan 2006 15:04:05 GMT"
	seen := r.clock()
	if got := r.visit(first); got[0].Prior != nil {
		t.Errorf("first visit: prior %+v", got[0].Prior)
	}
	r.advance(7 * day)
	r.wake()
	want := crawl.Prior{Date: seen.Truncate(time.Second), Digest: first.Digest, ETag: first.ETag, LastModified: first.LastModified}
	got := r.visit(crawl.Outcome{Result: crawl.Unchanged, Status: 304, ETag: `W/"1"`})
	if got[0].Prior == nil || *got[0].Prior != want {
		t.Errorf("second visit: prior %+v, want %+v", got[0].Prior, want)
	}
	want.Date, want.ETag = r.clock().Add(-time.Minute), `W/"1"`
	r.advance(30 * day)
	r.wake()
	l := r.lease()
	if got := l.Tasks[0].Prior; got == nil || *got != want {
		t.Errorf("third visit: prior %+v, want %+v", got, want)
	}
	if live, err := r.Leases(); err != nil || len(live) != 1 || live[0].Tasks[0].Prior == nil || *live[0].Tasks[0].Prior != want {
		t.Errorf("live lease %+v, %v", live, err)
	}
	// A failure is tried again, as a visit of the same page.
	r.settle(l, l.Tasks[0], r.at(crawl.Outcome{Result: crawl.Failed, Reason: "reset"}))
	r.release(l)
	r.advance(time.Hour)
	r.wake()
	if got := r.lease().Tasks[0]; got.Attempts != 1 || got.Prior == nil || *got.Prior != want {
		t.Errorf("second attempt: %+v", got)
	}
}

func TestRevisit_PageThatIsGoneIsGivenUp(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	r.visit(page(1))
	gone := crawl.Outcome{Result: crawl.Gone, Status: 404}
	for range maxMisses {
		r.advance(31 * day)
		r.wake()
		r.visit(gone)
	}
	r.advance(400 * day)
	r.wake()
	if got := r.totals(); got.Queued != 0 || got.Revisits != maxMisses {
		t.Errorf("totals = %+v", got)
	}
}

func TestRevisit_None(t *testing.T) {
	r := newRig(t, Config{Revisit: Revisit{First: -1}})
	r.enqueue("http://a.test/")
	r.visit(page(1))
	r.advance(400 * day)
	r.wake()
	if got := r.totals().Queued; got != 0 {
		t.Errorf("%d pages are queued", got)
	}
}

// What the user did not want visited comes up again when a month has passed.
func TestRevisit_DeclinedPageStaysKnown(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	r.visit(crawl.Outcome{Result: crawl.Declined})
	if !r.until(30*day - time.Minute) {
		t.Fatal("not queued after 30 days")
	}
	r.visit(page(1))
	if got := r.totals(); got.Revisits != 1 || got.Queued != 0 {
		t.Errorf("totals = %+v", got)
	}
}

// A sitemap that says a page changed brings its visit forward, once a day at most.
func TestRevisit_ModifiedPageComesUpSooner(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/", "http://a.test/sitemap.xml")
	says := func(modified time.Time) {
		t.Helper()
		links := []Link{{URL: "http://a.test/", Modified: modified.Unix(), Priority: crawl.PriorityNormal}}
		settle := &Settle{Domain: "a.test", Date: r.clock().Unix(), Links: links, Result: crawl.Fetched, Status: 200}
		l := r.lease()
		settle.Lease, settle.Task, settle.URL = l.ID, []byte(l.Tasks[0].ID), l.Tasks[0].URL.String()
		if _, err := r.Propose(t.Context(), Entry{Settle: settle}); err != nil {
			t.Fatal(err)
		}
		r.release(l)
		r.advance(time.Minute)
	}
	r.visit(page(1))
	seen := r.clock()
	if got := r.totals().Queued; got != 0 {
		t.Fatalf("%d queued", got)
	}
	for i, step := range []struct {
		after    time.Duration // since the visit
		modified time.Duration
		want     uint64 // tasks queued for another visit
	}{
		{12 * time.Hour, 6 * time.Hour, 0}, // too soon
		{2 * day, -day, 0},                 // older than what was seen
		{3 * day, 30 * day, 0},             // a date in the future
		{4 * day, 2 * day, 1},
		{5 * day, 3 * day, 1}, // queued already
	} {
		r.enqueue(fmt.Sprintf("http://a.test/sitemap%d.xml", i))
		r.advance(seen.Add(step.after).Sub(r.clock()))
		if i == 4 {
			break // the first task would be the page itself
		}
		says(seen.Add(step.modified))
		if got := r.totals().Revisiting; got != step.want {
			t.Errorf("step %d: %d pages are to be visited again, want %d", i, got, step.want)
		}
	}
	// The place in the order of later visits that was taken for it is void.
	r.visit(page(1))
	r.advance(3 * day)
	r.wake()
	for _, task := range r.lease().Tasks {
		if task.URL.String() == "http://a.test/" {
			t.Error("visited again three days after a visit")
		}
	}
}

func TestRetire_FailingDomainIsLeftAloneThenTriedAgain(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome crawl.Outcome
	}{
		{"does not answer", crawl.Outcome{Result: crawl.Failed, Reason: "connection refused"}},
		{"refuses", crawl.Outcome{Result: crawl.Refused, Status: 429, Reason: "Too Many Requests"}},
		{"forbids", crawl.Outcome{Result: crawl.Gone, Status: 403, Reason: "Forbidden"}},
		{"has no name", crawl.Outcome{Result: crawl.Gone, Reason: "no such host"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, Config{})
			for i := range 40 {
				r.enqueue(fmt.Sprintf("http://a.test/%d", i))
			}
			start, visits := r.clock(), 0
			for ; !r.info("a.test").Retired; visits++ {
				if r.clock().Sub(start) > 10*day {
					t.Fatalf("not retired after %d visits", visits)
				}
				p := r.pick()
				if len(p.Grants) == 0 {
					r.advance(max(p.Next.Sub(r.clock()), 0))
					r.wake()
					continue
				}
				l := r.grantOf(p.Grants[0])
				r.settle(l, l.Tasks[0], r.at(c.outcome))
				r.release(l)
			}
			if waited := r.clock().Sub(start); waited < 2*day {
				t.Errorf("retired after %v", waited)
			}
			info := r.info("a.test")
			if info.Reason != c.outcome.Reason || info.Next.Sub(r.clock()).Round(time.Hour) != 30*day {
				t.Errorf("info = %+v", info)
			}
			if idle, err := r.Idle(); !idle || err != nil {
				t.Errorf("idle = %v, %v", idle, err)
			}
			if got := r.enqueue("http://a.test/new"); got != 0 {
				t.Error("a retired domain takes links in")
			}
			r.advance(30*day - time.Minute)
			r.wake()
			if p := r.pick(); len(p.Grants) != 0 {
				t.Error("leased before its time")
			}
			r.advance(2 * time.Minute)
			r.wake()
			for range secondPatience {
				l := r.lease()
				r.settle(l, l.Tasks[0], r.at(c.outcome))
				r.release(l)
				r.advance(time.Hour)
			}
			if info := r.info("a.test"); !info.Retired || info.Next.Sub(r.clock()).Round(2*time.Hour) != 60*day {
				t.Errorf("the second time: %+v", info)
			}
			r.advance(60 * day)
			r.wake()
			r.settle(r.leased(), r.leased().Tasks[0], r.at(page(1)))
			if info := r.info("a.test"); info.Retired || info.Reason != "" {
				t.Errorf("after a success: %+v", info)
			}
		})
	}
}

// leased returns the live lease, or a new one.
func (r *rig) leased() crawl.Lease {
	r.t.Helper()
	live, err := r.Leases()
	if err != nil {
		r.t.Fatal(err)
	}
	if len(live) == 0 {
		return r.lease()
	}
	return crawl.Lease{ID: live[0].ID, Domain: live[0].Domain, Tasks: live[0].Tasks}
}

func (r *rig) info(d crawl.Domain) DomainInfo {
	r.t.Helper()
	list, err := r.Domains("", 10)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, i := range list {
		if i.Domain == d {
			return i
		}
	}
	r.t.Fatalf("no domain %s", d)
	return DomainInfo{}
}

// A clock that was set back must not keep pages and domains waiting for years.
func TestLater_SurvivesClockSetBack(t *testing.T) {
	r := newRig(t, Config{})
	r.advance(10 * 365 * day)
	r.enqueue("http://a.test/")
	r.visit(page(1))
	r.advance(-10 * 365 * day)
	r.wake()
	r.advance(8 * day)
	r.wake()
	if got := r.totals().Queued; got != 1 {
		t.Errorf("%d tasks are queued", got)
	}
}

// A log of the first form gets what the second has.
func TestOpen_UpgradesOlderLogs(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/", "http://a.test/?b=1&a=2")
	r.visit(page(1))
	err := r.db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		if err != nil {
			return err
		}
		meta, err := b.readMeta()
		if err != nil {
			return err
		}
		meta.Form = 0
		log := tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
		for _, name := range [][]byte{nameLater, nameShapes} {
			if err := log.DeleteBucket(name); err != nil {
				return err
			}
		}
		if _, err := log.CreateBucket(nameHosts); err != nil {
			return err
		}
		// Filters held URLs as they are spelt.
		for _, key := range keysOf(b.filters) {
			if err := b.filters.Delete(key); err != nil {
				return err
			}
		}
		return putRecord(b.meta, keyState, &meta)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(r.db, Config{LogID: "self", Now: r.clock}); err != nil {
		t.Fatal(err)
	}
	r.check()
	r.advance(15 * day)
	r.wake()
	if got := r.totals().Revisiting; got != 2 {
		t.Errorf("%d pages are to be visited again, want 2", got)
	}
	r.db.View(func(tx *storage.Tx) error {
		if tx.Bucket(storage.BucketLogs).Bucket([]byte("self")).Bucket(nameHosts) != nil {
			t.Error("the records of hosts are still there")
		}
		return nil
	})
}

// A page whose next visit falls into a move to its log is visited when that is over, whether it came to anything or not.
func TestRevisit_FallsIntoAMove(t *testing.T) {
	for name, opened := range map[string]bool{"opened": true, "aborted": false} {
		t.Run(name, func(t *testing.T) {
			a, b := newRig(t, Config{}), newRig(t, Config{})
			b.enqueue("http://a.test/own")
			b.visit(page(1))
			a.enqueue("http://a.test/other")
			a.advance(time.Minute)
			n := a.propose(Entry{Close: &Close{Domains: []crawl.Domain{"a.test"}, To: "dst"}})[0].N
			seq, _ := a.send(b, n, MaxChunk-2*MaxItem, "a.test")
			b.advance(8 * day)
			b.wake()
			if opened {
				b.openMove(n, seq)
			} else {
				for b.propose(Entry{Abort: &Abort{From: "src", N: n}})[0].Again {
				}
			}
			b.advance(time.Hour)
			b.wake()
			b.task("a.test", "http://a.test/own") // it is queued, or the test ends
		})
	}
}

// A gap that is kept several times is never so long that it is taken for the work of a clock that was set back.
func TestGap_IsNeverTakenForAClockSetBack(t *testing.T) {
	var none crawl.Politeness
	for level := range uint8(maxLevel + 1) {
		for _, times := range []int{1, 3} {
			d := &domainRecord{Level: level, Took: time.Second, CrawlDelay: 10 * time.Minute}
			if got := d.gap(crawl.Politeness{Times: func() int { return times }}); got > crawl.MaxWait || got < none.Backoff(level, 0) {
				t.Errorf("at level %d, %d times: %v", level, times, got)
			}
		}
	}
}
