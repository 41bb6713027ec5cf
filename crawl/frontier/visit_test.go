package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

const day = 24 * time.Hour

func TestRevisit_After(t *testing.T) {
	r := Revisit{}.orDefaults()
	for _, c := range []struct {
		last    time.Duration
		result  crawl.Result
		changed bool
		want    time.Duration
	}{
		{8 * day, crawl.Fetched, true, 4 * day},
		{8 * day, crawl.Fetched, false, 12 * day},
		{8 * day, crawl.Unchanged, false, 12 * day},
		{8 * day, crawl.Gone, true, 16 * day},
		{day, crawl.Fetched, true, day},
		{29 * day, crawl.Unchanged, false, 30 * day},
	} {
		if got := r.after(c.last, c.result, c.changed); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	if got := (Revisit{First: -1}).orDefaults().after(day, crawl.Fetched, true); got != 0 {
		t.Errorf("with revisits off: %s", got)
	}
}

// visit lets a node lease one task and settle it with a result.
func (n *node) visit(change func(o *crawl.Outcome)) (task crawl.Task, ok bool) {
	n.t.Helper()
	g, ok := n.lease()
	if !ok {
		return task, false
	}
	o := n.outcome(g.Tasks[0])
	change(&o)
	n.settle(o, true)
	n.end(g.Domain)
	n.check()
	return g.Tasks[0], true
}

func fetched(*crawl.Outcome) {}

func with(r crawl.Result, status int) func(*crawl.Outcome) {
	return func(o *crawl.Outcome) { o.Result, o.Status, o.Digest = r, status, [20]byte{} }
}

func TestSettle_VisitsAgain(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	if _, ok := n.visit(func(o *crawl.Outcome) { o.ETag = "e" }); !ok {
		t.Fatal("nothing to visit")
	}
	*n.now = n.now.Add(7*day - time.Second)
	if p := n.pick(); len(p.Due) > 0 || !p.Next.Equal(n.now.Add(time.Second)) {
		t.Fatalf("picked %+v", p)
	}
	*n.now = n.now.Add(time.Second)
	task, ok := n.visit(with(crawl.Unchanged, 304))
	if !ok || task.Prior == nil || task.Prior.ETag != "e" || task.Prior.Digest[0] != 1 {
		t.Fatalf("the task is %+v", task)
	}
	p := n.page("https://a.example/")
	if got := p.Next.Sub(*n.now); got != 10*day+day/2 || p.Result != crawl.Fetched {
		t.Errorf("again in %s, %s", got, p.Result)
	}
	if info := n.info(testDomain); info.Fetched != 1 || info.Revisits != 1 || info.Changed != 0 || info.Revisiting != 1 {
		t.Errorf("%+v", info)
	}
}

// A fetcher that was told the hour of the last visit alone settles the page all the same, and once.
func TestSettle_VisitsAgainByTheHour(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	*n.now = n.now.Truncate(time.Hour).Add(40 * time.Minute)
	n.visit(fetched)
	*n.now = n.now.Add(8 * day)
	toTheHour := func(o *crawl.Outcome) {
		prior := *o.Task.Prior
		prior.Date = prior.Date.Truncate(time.Hour)
		o.Task.Prior, o.Result, o.Status = &prior, crawl.Unchanged, 304
	}
	var told crawl.Outcome
	if _, ok := n.visit(func(o *crawl.Outcome) { toTheHour(o); told = *o }); !ok || told.Task.Prior.Date.Equal(*n.now) {
		t.Fatalf("nothing to visit: %+v", told)
	}
	if info := n.info(testDomain); info.Revisits != 1 {
		t.Fatalf("%+v", info)
	}
	next := n.page("https://a.example/").Next
	n.settle(told, true)
	if info := n.info(testDomain); info.Revisits != 1 || !n.page("https://a.example/").Next.Equal(next) {
		t.Errorf("told twice it counts twice: %+v", info)
	}
}

func TestSettle_GivesAPageUpAfterMisses(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	n.visit(fetched)
	for i := range maxMisses {
		*n.now = n.now.Add(60 * day)
		if info := n.info(testDomain); info.Fetched != 1 {
			t.Fatalf("after %d misses: %+v", i, info)
		}
		if _, ok := n.visit(with(crawl.Gone, 404)); !ok {
			t.Fatalf("nothing to visit after %d misses", i)
		}
	}
	if p := n.page("https://a.example/"); !p.Next.IsZero() || p.Result != crawl.Gone || p.Status != 404 {
		t.Errorf("%+v", p)
	}
	if info := n.info(testDomain); info.Fetched != 0 || info.Gone != 1 {
		t.Errorf("%+v", info)
	}
}

func TestEnqueue_BringsAVisitForwardIfAPageChanged(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	n.visit(fetched)
	visited := *n.now
	*n.now = n.now.Add(3 * day)
	l := linkTo("https://a.example/")
	for _, c := range []struct {
		modified time.Time
		want     time.Duration
	}{
		{visited.Add(-day), 7 * day}, {visited.Add(2 * day), day}, {visited.Add(900 * day), day},
	} {
		l.Modified = c.modified
		n.enqueue(Found{Domain: testDomain}, l)
		if got := n.page("https://a.example/").Next.Sub(visited); got != c.want {
			t.Errorf("changed %s after the visit: again after %s, want %s", c.modified.Sub(visited), got, c.want)
		}
	}
	if task, ok := n.visit(fetched); !ok || task.Prior == nil {
		t.Errorf("not due")
	}
}

func TestSettle_TriesAgain(t *testing.T) {
	for _, c := range []struct {
		result crawl.Result
		tries  int
	}{{crawl.Failed, MaxFailures}, {crawl.Refused, maxRefusals}} {
		n := newNode(t, Config{Politeness: hurried()}, nil)
		n.enqueue(Found{}, linkTo("https://a.example/"))
		tries := 0
		for ; tries < 20; tries++ {
			*n.now = n.now.Add(2 * day)
			task, ok := n.visit(with(c.result, 503))
			if !ok {
				break
			}
			if int(task.Attempts) != tries {
				t.Errorf("%s: attempt %d is said to be %d", c.result, tries, task.Attempts)
			}
		}
		if info := n.info(testDomain); tries != c.tries || info.Failed != 1 || info.Queued != 0 {
			t.Errorf("%s: %d tries, %+v", c.result, tries, info)
		}
	}
}

func TestSettle_OfWhatWasSettledChangesNothing(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	g, _ := n.lease()
	failed := n.outcome(g.Tasks[0])
	with(crawl.Failed, 500)(&failed)
	n.settle(failed, true)
	if a := n.settle(failed, true); a.Settled {
		t.Errorf("the failure counts twice")
	}
	ok := n.outcome(g.Tasks[0], linkTo("https://a.example/2"))
	if a := n.settle(ok, true); !a.Settled || a.New != 1 {
		t.Errorf("got %+v", a)
	}
	before := n.items()
	*n.now = n.now.Add(time.Hour)
	for _, o := range []crawl.Outcome{ok, failed, n.outcome(g.Tasks[0])} {
		if a := n.settle(o, true); a.Settled {
			t.Errorf("settled again: %+v", a)
		}
	}
	stranger := n.outcome(crawl.Task{URL: parse("https://a.example/unheard/of")})
	if a := n.settle(stranger, true); a.Settled {
		t.Errorf("a page nobody linked to is settled")
	}
	if len(n.items()) != len(before) {
		t.Errorf("%d items, before %d", len(n.items()), len(before))
	}
	n.check()
}

func TestSettle_RevisitCountsOnce(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	n.visit(fetched)
	*n.now = n.now.Add(8 * day)
	g, _ := n.lease()
	o := n.outcome(g.Tasks[0])
	o.Date = n.now.Add(time.Hour) // by a clock that is ahead
	if a := n.settle(o, true); !a.Settled || n.info(testDomain).Revisits != 1 {
		t.Fatalf("got %+v and %d revisits", a, n.info(testDomain).Revisits)
	}
	*n.now = n.now.Add(time.Minute)
	if a := n.settle(o, true); a.Settled {
		t.Errorf("the revisit counts twice")
	}
}

func TestSettle_OfTheUnverified(t *testing.T) {
	judge := func(n *node, f func(*storage.Tx, crawl.Domain, ...string) ([]Item, error)) {
		n.apply(func(tx *storage.Tx) (items []Item, _ Applied, err error) {
			items, err = f(tx, testDomain, store.URLKey(parse("https://a.example/")))
			return items, Applied{}, err
		})
		n.check()
	}
	for _, again := range []bool{false, true} {
		n := newNode(t, Config{Politeness: hurried()}, nil)
		n.enqueue(Found{}, linkTo("https://a.example/"))
		if again {
			n.visit(fetched)
			*n.now = n.now.Add(8 * day)
		}
		report := func() {
			g, ok := n.lease()
			if !ok {
				t.Fatal("nothing to visit")
			}
			n.settle(n.outcome(g.Tasks[0]), false)
			n.end(g.Domain)
			*n.now = n.now.Add(time.Minute)
		}
		report()
		if info := n.info(testDomain); info.Unverified != 1 || info.Fetched != 0 {
			t.Errorf("%+v", info)
		}
		if _, ok := n.lease(); ok {
			t.Error("the unverified is visited again")
		}
		if a := n.settle(n.outcome(crawl.Task{URL: parse("https://a.example/")}), false); a.Settled {
			t.Error("another unverified outcome counts")
		}
		judge(n, n.Undo)
		report()
		judge(n, n.Confirm)
		if info := n.info(testDomain); info.Unverified != 0 || info.Fetched != 1 || info.Queued != 0 {
			t.Errorf("%+v", info)
		}
		judge(n, n.Undo) // who said so is believed no more
		judge(n, n.Confirm)
		if info := n.info(testDomain); info.Fetched != 0 || info.Queued != 1 {
			t.Errorf("%+v", info)
		}
	}
}

// A date that nobody can have seen does not win for years.
func TestSettle_DatesInTheFuture(t *testing.T) {
	const text = "https://a.example/"
	link := store.Link{Text: text, Priority: 2}
	lie := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	for name, u := range map[string]store.URL{
		"done":    {State: store.Done, Link: link, Visit: store.Visit{Date: lie, Result: crawl.Fetched, Every: 1000}},
		"waiting": {State: store.Waiting, Link: link, Visit: store.Visit{Date: lie, Result: crawl.Failed, Tries: 1}},
	} {
		n := newNode(t, Config{Politeness: hurried()}, nil)
		rec := store.Record{Answer: store.Answer{Date: lie, Level: 5, Until: lie + 5}, Wait: lie + 7}
		n.update(func(tx *storage.Tx) error {
			return merge(tx, []Item{
				{Domain: testDomain, Key: store.URLKey(parse(text)), Value: u.Encode(testDomain)},
				{Domain: testDomain, Key: store.RecordKey, Value: rec.Encode()},
			})
		})
		n.lead()
		n.wait()
		if _, ok := n.visit(fetched); !ok {
			t.Errorf("%s: not visited", name)
			continue
		}
		if p := n.page(text); p.State != store.Done || p.Date.Unix() != n.now.Unix() {
			t.Errorf("%s: %+v", name, p)
		}
		n.update(func(tx *storage.Tx) error {
			got := n.record(tx, testDomain)
			if a := got.Answer; a.Date > n.now.Unix() || a.Until != 0 || a.Level != 4 || got.Wait != 0 {
				t.Errorf("%s: %+v", name, got)
			}
			return nil
		})
	}
}
