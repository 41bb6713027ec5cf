package frontier

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

func TestAnswers_TellASiteInTrouble(t *testing.T) {
	for _, c := range []struct {
		name           string
		good, bad      int // good ones come first
		pages          int // that fail
		failed, length int
		want           bool
	}{
		{"none", 0, 0, 1, 0, 0, false},
		{"nineteen pages fail", 0, 19, 19, 19, 19, false},
		{"twenty do, and none was good", 0, 20, 20, 20, 20, true},
		{"twenty do after a good one", 1, 20, 20, 20, 21, false},
		{"nine in ten of the last", 30, 45, 45, 45, 50, true},
		{"fewer", 30, 44, 44, 44, 50, false},
		{"few pages again and again", 0, 50, 10, 50, 50, false},
	} {
		var a answers
		for range c.good {
			a.add("good", false, false)
		}
		for i := range c.bad {
			a.add(fmt.Sprint(i%c.pages), true, false)
		}
		if a.inTrouble() != c.want || a.failed() != c.failed || a.len() != c.length {
			t.Errorf("%s: %v, %d of %d", c.name, a.inTrouble(), a.failed(), a.len())
		}
	}
}

// record returns the stored record of the test domain.
func (n *node) stored() (rec store.Record) {
	n.t.Helper()
	n.update(func(tx *storage.Tx) error {
		rec = n.record(tx, testDomain)
		return nil
	})
	return rec
}

// site returns a node that knows many pages of a domain.
func site(t *testing.T, pages int, cfg Config) *node {
	n := newNode(t, cfg, nil)
	var links []Link
	for i := range pages {
		links = append(links, linkTo(fmt.Sprintf("https://a.example/%d", i)))
	}
	n.enqueue(Found{}, links...)
	return n
}

// wait moves the clock to when something is due, and returns how long that took.
func (n *node) wait() time.Duration {
	n.t.Helper()
	p := n.pick()
	if len(p.Due) > 0 || p.Next.IsZero() {
		return 0
	}
	took := p.Next.Sub(*n.now)
	*n.now = p.Next
	return took
}

func TestSettle_BacksOff(t *testing.T) {
	n := site(t, 20, Config{})
	for i, c := range []struct {
		do   func(*crawl.Outcome)
		want time.Duration
	}{
		{fetched, 2 * time.Second},
		{with(crawl.Refused, 429), 30 * time.Second},
		{with(crawl.Refused, 429), time.Minute},
		{func(o *crawl.Outcome) { with(crawl.Refused, 503)(o); o.Wait = time.Hour }, time.Hour},
		{fetched, time.Minute}, // one success takes back one refusal
		{fetched, 30 * time.Second},
		{fetched, 2 * time.Second},
		{with(crawl.Failed, 500), 2 * time.Second}, // a page that fails is its own trouble
		{func(o *crawl.Outcome) { o.Took = 4 * time.Second }, 20 * time.Second},
		{func(o *crawl.Outcome) { o.CrawlDelay = 40 * time.Second }, 40 * time.Second},
	} {
		if _, ok := n.visit(c.do); !ok {
			t.Fatalf("%d: nothing to visit", i)
		}
		if got := n.wait(); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}

func TestSettle_OfALateRefusalMovesTheClock(t *testing.T) {
	n := site(t, 20, Config{})
	g, _ := n.lease()
	n.end(g.Domain)
	o := n.outcome(g.Tasks[0])
	with(crawl.Refused, 429)(&o)
	o.Lease, o.Wait = 0, time.Hour
	n.settle(o, true)
	if got := n.wait(); got != time.Hour {
		t.Errorf("waits %s", got)
	}
	late := n.outcome(g.Tasks[1])
	late.Lease = 0
	n.settle(late, true)
	if info := n.info(testDomain); info.Fetched != 1 || info.Troubled {
		t.Errorf("%+v", info)
	}
}

// A successor keeps what the site asked for.
func TestLed_KeepsTheWaitThatASiteAskedFor(t *testing.T) {
	n := site(t, 3, Config{})
	n.visit(func(o *crawl.Outcome) { with(crawl.Refused, 429)(o); o.Wait = time.Hour })
	other := newNode(t, Config{}, n.now)
	n.give(other)
	*n.now = n.now.Add(time.Minute)
	other.update(func(tx *storage.Tx) error {
		_, err := other.Led(tx, testDomain)
		return err
	})
	if got := other.wait(); got != time.Hour-time.Minute {
		t.Errorf("waits %s", got)
	}
}

// failUntilRetired lets all visits fail until the domain retires, and returns how many those were.
func (n *node) failUntilRetired() (visits int) {
	n.t.Helper()
	for visits = 1; visits < 1000; visits++ {
		n.visit(with(crawl.Failed, 0))
		if n.info(testDomain).Retired {
			return visits
		}
		n.wait()
	}
	n.t.Fatal("it never retires")
	return visits
}

func TestSettle_RetiresADomainInTrouble(t *testing.T) {
	n := site(t, 200, Config{})
	start := *n.now
	if visits := n.failUntilRetired(); visits < answersPages+maxLevel || visits > 150 {
		t.Errorf("it retires after %d visits", visits)
	}
	retired := *n.now
	info := n.info(testDomain)
	if until := n.stored().Answer.Until; retired.Sub(start) < 24*time.Hour || info.Next.Unix() != until {
		t.Errorf("retired after %s until %d: %+v", retired.Sub(start), until, info)
	}
	n.update(func(tx *storage.Tx) error {
		tot, err := n.Totals(tx)
		if tot.Parked != tot.Queued || tot.Queued == 0 {
			return fmt.Errorf("%+v", tot)
		}
		return err
	})
	n.check()
}

func TestSettle_RetiresLongerEachTime(t *testing.T) {
	n := site(t, 300, Config{})
	n.failUntilRetired()
	for i, want := range []time.Duration{60 * day, 120 * day, 240 * day, 360 * day, 360 * day} {
		*n.now = n.info(testDomain).Next
		before := *n.now
		if info := n.info(testDomain); info.Retired {
			t.Fatalf("%d: still retired at %s", i, info.Next)
		}
		n.failUntilRetired()
		if got := time.Unix(n.stored().Answer.Until, 0).Sub(before); got < want || got > want+3*time.Hour {
			t.Errorf("%d: %s, want %s", i, got, want)
		}
	}
}

func TestSettle_WhileRetired(t *testing.T) {
	n := site(t, 200, Config{})
	n.failUntilRetired()
	if a := n.enqueue(Found{}, linkTo("https://a.example/new")); a.New != 0 {
		t.Error("a link is taken in")
	}
	if info := n.info(testDomain); info.DroppedBy != LimitRetired {
		t.Errorf("%+v", info)
	}
	if p := n.pick(); len(p.Due) > 0 || p.Next.Unix() != n.stored().Answer.Until {
		t.Errorf("picked %+v", p)
	}
	*n.now = n.info(testDomain).Next
	n.visit(fetched)
	if a := n.stored().Answer; a.Until != 0 || a.Level != 0 || a.Retired != 0 || a.Reason != "" {
		t.Errorf("after a good answer: %+v", a)
	}
	if a := n.enqueue(Found{}, linkTo("https://a.example/newer")); a.New != 1 {
		t.Error("a link is not taken in")
	}
}

func TestSettle_RetiresTheSilent(t *testing.T) {
	n := site(t, 3, Config{})
	silent := func(o *crawl.Outcome) {
		with(crawl.Deferred, 0)(o)
		o.Wait, o.NoRobots, o.Reason = day, true, "robots.txt cannot be had"
	}
	for i := range 2 * silentTries {
		if n.info(testDomain).Retired {
			if i < silentTries || n.now.Sub(time.Unix(1_800_000_000, 0)) < silentFor {
				t.Errorf("retired after %d tries", i)
			}
			return
		}
		n.visit(silent)
		if info := n.info(testDomain); !info.Retired && (!info.AllHeld || info.Held != 1 || info.Next.Sub(*n.now) != day) {
			t.Errorf("%+v", info)
		}
		*n.now = n.now.Add(day)
	}
	t.Error("it never retires")
}

func TestSettle_RetiresWhatSendsTooMuch(t *testing.T) {
	n := site(t, 10, Config{Budget: Budget{Base: 10}})
	for i := range 4 {
		n.visit(func(o *crawl.Outcome) { o.Received = 3 * perURL })
		if got, want := n.info(testDomain).Retired, i >= 3; got != want {
			t.Errorf("after %d pages: %v", i+1, got)
		}
		if i < 3 {
			n.wait()
		}
	}
	*n.now = n.info(testDomain).Next
	n.visit(func(o *crawl.Outcome) { o.Received = 3 * perURL })
	if n.info(testDomain).Retired {
		t.Error("what came before counts again")
	}
}

// Pages that go on as they did cost no item of the domain.
func TestSettle_KeepsTheRecordWhereNothingChanged(t *testing.T) {
	n := site(t, 10, Config{Politeness: hurried()})
	g, _ := n.lease()
	n.settle(n.outcome(g.Tasks[0]), true)
	before := n.stored().Encode()
	for i, task := range g.Tasks[1:] {
		o := n.outcome(task)
		o.Took = time.Duration(100+i) * time.Millisecond
		n.settle(o, true)
	}
	if got := n.stored().Encode(); string(got) != string(before) {
		t.Errorf("%+v", n.stored())
	}
}
