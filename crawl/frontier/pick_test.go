package frontier

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

func TestPick_OrdersTasks(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	link := func(name string, depth uint8, p crawl.Priority) Link {
		return Link{URL: parse("https://a.example/" + name), Depth: depth, Priority: p}
	}
	n.enqueue(Found{}, link("failed", 0, 1))
	n.visit(with(crawl.Failed, 500))
	n.enqueue(Found{}, link("deep", 9, 1), link("low", 2, 3), link("high", 2, 1), link("normal", 2, 0), link("seed", 0, 2))
	*n.now = n.now.Add(time.Hour)
	g, _ := n.lease()
	var got []string
	for _, task := range g.Tasks {
		got = append(got, task.URL.Path()[1:])
	}
	if want := []string{"seed", "high", "normal", "low", "deep", "failed"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPick_LeasesFitTheirTime(t *testing.T) {
	for _, c := range []struct {
		do   func(*crawl.Outcome)
		want int
	}{
		{fetched, 30}, // 60 s at 2 s
		{func(o *crawl.Outcome) { o.CrawlDelay = 10 * time.Second }, 5},
		{func(o *crawl.Outcome) { o.CrawlDelay = time.Hour }, 1},
		{with(crawl.Refused, 429), 1},
	} {
		n := site(t, 200, Config{})
		n.visit(c.do)
		n.wait()
		if g, ok := n.lease(); !ok || len(g.Tasks) != c.want {
			t.Errorf("%d tasks, want %d", len(g.Tasks), c.want)
		}
	}
	n := site(t, 200, Config{Politeness: crawl.Politeness{Fixed: new(time.Duration(0))}})
	if g, _ := n.lease(); len(g.Tasks) != MaxLeaseTasks {
		t.Errorf("%d tasks without gaps", len(g.Tasks))
	}
}

func TestPick_LeavesALeasedDomainAlone(t *testing.T) {
	n := site(t, 10, Config{})
	g, _ := n.lease()
	if p := n.pick(); len(p.Due) > 0 || !p.Next.Equal(n.now.Add(132*time.Second)) {
		t.Errorf("picked %+v", p)
	}
	n.settle(n.outcome(g.Tasks[0]), true)
	if p := n.pick(); len(p.Due) > 0 {
		t.Error("picked after an outcome")
	}
	*n.now = n.now.Add(132 * time.Second) // nobody ended it
	if p := n.pick(); len(p.Due) != 1 {
		t.Error("not picked after the lease")
	}
	p := Picked{}
	n.update(func(tx *storage.Tx) (err error) {
		p, err = n.Pick(tx, 10, func(d crawl.Domain) bool { return d == testDomain })
		return err
	})
	if len(p.Due) > 0 {
		t.Error("skipped, and picked")
	}
}

func TestPick_HostsTakeTurns(t *testing.T) {
	n := newNode(t, Config{}, nil)
	for i := range 90 {
		n.enqueue(Found{}, linkTo(fmt.Sprintf("https://h%d.a.example/%d", i%3, i)))
	}
	var got []string
	for i := range 9 {
		g, ok := n.lease()
		if !ok {
			t.Fatal("nothing is due")
		}
		got = append(got, g.Origin())
		if i == 2 { // one host is put off
			o := n.outcome(g.Tasks[0])
			with(crawl.Deferred, 0)(&o)
			o.Wait = time.Hour
			n.settle(o, true)
		}
		n.end(g.Domain)
		n.wait()
	}
	held := got[2]
	if got[0] == got[1] || got[1] == got[2] || got[0] == got[2] {
		t.Errorf("the first round is %q", got[:3])
	}
	for i := 3; i < 9; i++ {
		if got[i] == held || got[i] == got[i-1] {
			t.Errorf("after %q was put off: %q", held, got)
		}
	}
	*n.now = n.now.Add(time.Hour)
	if g, _ := n.lease(); g.Origin() != held && n.info(testDomain).Held != 0 {
		t.Errorf("still held: %+v", n.info(testDomain))
	}
}

// Neither what is new nor what is visited again keeps the other from being visited.
func TestPick_NewAndOldTakeTurns(t *testing.T) {
	n := newNode(t, Config{}, nil)
	for i := range 100 {
		n.enqueue(Found{}, linkTo(fmt.Sprintf("https://old.a.example/%d", i)))
	}
	for {
		g, ok := n.lease()
		if !ok {
			break
		}
		for _, task := range g.Tasks {
			n.settle(n.outcome(task), true)
		}
		n.end(g.Domain)
		*n.now = n.now.Add(time.Minute)
	}
	*n.now = n.now.Add(8 * day)
	for i := range 100 {
		n.enqueue(Found{}, linkTo(fmt.Sprintf("https://new.a.example/%d", i)))
	}
	var origins []string
	for range 4 {
		g, _ := n.lease()
		origins = append(origins, g.Origin())
		for _, task := range g.Tasks {
			if again := task.Prior != nil; again != (g.Origin() == "https://old.a.example") {
				t.Errorf("%+v", task)
			}
			n.settle(n.outcome(task), true)
		}
		n.end(g.Domain)
		*n.now = n.now.Add(time.Minute)
	}
	slices.Sort(origins)
	if want := []string{"https://new.a.example", "https://new.a.example", "https://old.a.example", "https://old.a.example"}; !slices.Equal(origins, want) {
		t.Errorf("got %q", origins)
	}
	n.check()
}

// The same where both are of one host.
func TestPick_NewAndOldOfAHostTakeTurns(t *testing.T) {
	n := site(t, 30, Config{})
	g, _ := n.lease()
	for _, task := range g.Tasks {
		n.settle(n.outcome(task), true)
	}
	n.end(testDomain)
	*n.now = n.now.Add(8 * day)
	for i := range 100 {
		n.enqueue(Found{}, linkTo(fmt.Sprintf("https://a.example/new/%d", i)))
	}
	again := 0
	for range 2 {
		g, _ := n.lease()
		if g.Tasks[0].Prior != nil {
			again++
		}
		*n.now = n.now.Add(time.Hour)
	}
	if again != 1 {
		t.Errorf("%d of 2 leases begin with pages that were visited before", again)
	}
}

func TestPick_ADomainWithRevisitsOnlyWaitsForItsClock(t *testing.T) {
	n := site(t, 1, Config{})
	n.visit(fetched)
	*n.now = n.now.Add(8 * day)
	n.lease()
	if got := n.info(testDomain).Next.Sub(*n.now); got != 132*time.Second {
		t.Errorf("due in %s", got)
	}
}

func TestSettle_RetriesOfAHostWait(t *testing.T) {
	n := site(t, 1, Config{})
	n.visit(with(crawl.Failed, 500))
	if got, want := n.wait(), 30*time.Second; got != want {
		t.Errorf("the only page is tried again after %s, want the first back-off, %s", got, want)
	}
	n = site(t, 5, Config{})
	n.visit(with(crawl.Failed, 500))
	if got, want := n.wait(), 2*time.Second; got != want {
		t.Errorf("others are visited after %s, want the usual gap, %s", got, want)
	}
}

// It may be noted that a lease began when outcomes of it are settled already: they hold the host all the same.
func TestBegun_KeepsTheHoldOfAnOutcome(t *testing.T) {
	n := site(t, 1, Config{})
	n.visit(func(o *crawl.Outcome) { o.Result, o.Wait = crawl.Deferred, time.Hour })
	n.update(func(tx *storage.Tx) error {
		return n.Begun(tx, testDomain, "https://a.example", n.now.Add(time.Second))
	})
	n.end(testDomain)
	if got := n.wait(); got < 59*time.Minute {
		t.Errorf("the host is visited again after %s, want an hour", got)
	}
}

// A clock that was set back strands nothing.
func TestPick_AfterTheClockWasSetBack(t *testing.T) {
	n := site(t, 3, Config{})
	*n.now = n.now.Add(1000 * day)
	n.visit(fetched)
	*n.now = n.now.Add(-1000 * day)
	if _, ok := n.visit(fetched); !ok {
		t.Error("nothing is due")
	}
	n = site(t, 1, Config{})
	*n.now = n.now.Add(1000 * day)
	n.visit(fetched)
	*n.now = n.now.Add(-1000 * day)
	if task, ok := n.visit(fetched); !ok || task.Prior == nil {
		t.Error("no page is due")
	}
	if got := n.page("https://a.example/0").Date; !got.Equal(*n.now) {
		t.Errorf("visited %s", got)
	}
}

// Many domains that are skipped do not keep the others from being found.
func TestPick_LooksBehindWhatIsSkipped(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.update(func(tx *storage.Tx) error {
		for i := range scanLimit + 10 {
			d := crawl.Domain(fmt.Sprintf("d%04d.example", i))
			if _, err := n.Led(tx, d); err != nil {
				return err
			}
			items, _, err := n.Enqueue(tx, d, []Link{linkTo("https://" + string(d) + "/")}, Found{})
			if err != nil {
				return err
			}
			if err := merge(tx, items); err != nil {
				return err
			}
		}
		return nil
	})
	last := crawl.Domain(fmt.Sprintf("d%04d.example", scanLimit+9))
	for try := range 2 {
		n.update(func(tx *storage.Tx) error {
			p, err := n.Pick(tx, 10, func(d crawl.Domain) bool { return d != last })
			if len(p.Due) != try || !p.Next.Equal(*n.now) {
				return fmt.Errorf("pick %d: %d grants, next %s", try, len(p.Due), p.Next)
			}
			return err
		})
	}
}

func TestOutgoing_TellsEachLinkUntilItIsDelivered(t *testing.T) {
	n := site(t, 3, Config{Politeness: hurried()})
	g, _ := n.lease()
	next := func() (x Delivery, ok bool) {
		n.update(func(tx *storage.Tx) error {
			x, ok = n.Outgoing(tx, "", 100)
			return nil
		})
		return x, ok
	}
	settle := func(i int, text string) {
		o := n.outcome(g.Tasks[i], linkTo(text))
		o.Date = n.now.Add(-time.Hour) // it comes late
		n.settle(o, true)
	}
	settle(0, "https://b.example/1")
	x, ok := next()
	settle(1, "https://b.example/2") // after that look, within the same second
	if !ok || len(x.Links) != 1 || x.Links[0].URL.String() != "https://b.example/1" || x.From != testDomain {
		t.Errorf("got %+v", x)
	}
	deliver := func(x Delivery) {
		n.apply(func(tx *storage.Tx) (items []Item, _ Applied, err error) {
			items, err = n.Delivered(tx, x.From, x.Of)
			return items, Applied{}, err
		})
		n.check()
	}
	deliver(x)
	*n.now = n.now.Add(-10 * time.Second) // the clock of a successor
	settle(2, "https://b.example/3")
	*n.now = n.now.Add(time.Minute)
	if x, ok = next(); !ok || len(x.Links) != 2 {
		t.Fatalf("got %+v", x)
	}
	deliver(x)
	if x, ok := next(); ok {
		t.Errorf("delivered, and told again: %+v", x)
	}
}

func TestLed_BuildsInSteps(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.update(func(tx *storage.Tx) error {
		for i := range 2*buildStep + 10 {
			u := parse(fmt.Sprintf("https://a.example/%d", i))
			value := store.URL{Link: store.Link{Text: u.String(), Priority: 2}}.Encode(u.Domain())
			if err := merge(tx, []Item{{Domain: testDomain, Key: store.URLKey(u), Value: value}}); err != nil {
				return err
			}
		}
		return nil
	})
	steps := 0
	led := func() (done bool) {
		n.update(func(tx *storage.Tx) (err error) {
			done, err = n.Led(tx, testDomain)
			return err
		})
		steps++
		return done
	}
	led()
	n.update(func(tx *storage.Tx) error {
		if _, _, err := n.Enqueue(tx, testDomain, []Link{linkTo("https://a.example/new")}, Found{}); !errors.Is(err, ErrNotLed) {
			return fmt.Errorf("enqueue: %v", err)
		}
		if p, err := n.Pick(tx, 1, nil); len(p.Due) > 0 || err != nil {
			return fmt.Errorf("picked %+v, %v", p, err)
		}
		return nil
	})
	for !led() {
	}
	if p := n.pick(); len(p.Due) > 0 || p.Next.Sub(*n.now) != 2*time.Second {
		t.Errorf("picked %+v before a gap was over", p)
	}
	if info := n.info(testDomain); steps < 3 || info.Queued != 2*buildStep+10 {
		t.Errorf("after %d steps: %+v", steps, info)
	}
	if a := n.enqueue(Found{}, linkTo("https://a.example/new")); a.New != 1 {
		t.Errorf("got %+v", a)
	}
	n.check()
}

// Nothing that comes late makes a domain one that this node visits.
func TestFrontier_LeavesDomainsOfOthersAlone(t *testing.T) {
	n := site(t, 3, Config{})
	g, _ := n.lease()
	n.update(func(tx *storage.Tx) error {
		if done, err := n.Left(tx, testDomain); err != nil || !done {
			return fmt.Errorf("left: %v, %v", done, err)
		}
		_, _, settle := n.Settle(tx, n.outcome(g.Tasks[0]), true, nil)
		_, undo := n.Undo(tx, testDomain, store.URLKey(g.Tasks[0].URL))
		_, delivered := n.Delivered(tx, testDomain, nil)
		for i, err := range []error{settle, undo, delivered} {
			if !errors.Is(err, ErrNotLed) {
				return fmt.Errorf("%d: %v", i, err)
			}
		}
		if err := n.Begun(tx, testDomain, g.Origin(), *n.now); err != nil {
			return err
		}
		return n.Ended(tx, testDomain, 0)
	})
	*n.now = n.now.Add(time.Hour)
	if p := n.pick(); len(p.Due) > 0 || !p.Next.IsZero() {
		t.Errorf("picked %+v", p)
	}
}

func TestLed_RefusesWhatIsNoDomain(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.update(func(tx *storage.Tx) error {
		for _, d := range []crawl.Domain{"", "a\x00b", "a b", crawl.Domain(make([]byte, 300))} {
			if _, err := n.Led(tx, d); !errors.Is(err, ErrDomain) {
				return fmt.Errorf("%q: %v", d, err)
			}
		}
		return nil
	})
}

func TestRead(t *testing.T) {
	n := site(t, 5, Config{Politeness: hurried()})
	n.enqueue(Found{}, linkTo("https://b.example/"))
	for range 2 {
		g, _ := n.lease()
		n.settle(n.outcome(g.Tasks[0]), true)
		n.end(g.Domain)
	}
	n.update(func(tx *storage.Tx) error {
		list, err := n.Domains(tx, "", 10)
		if err != nil || len(list) != 2 || list[0].Domain != testDomain || list[0].Fetched+list[1].Fetched != 2 {
			return fmt.Errorf("domains %+v, %v", list, err)
		}
		if list, err := n.Domains(tx, testDomain, 10); err != nil || len(list) != 1 || list[0].Domain != "b.example" {
			return fmt.Errorf("domains after the first: %+v, %v", list, err)
		}
		briefs, err := n.BriefsOf(tx, []crawl.Domain{"b.example", "c.example"})
		if err != nil || len(briefs) != 1 {
			return fmt.Errorf("briefs %+v, %v", briefs, err)
		}
		if briefs, err := n.Briefs(tx, 1); err != nil || len(briefs) > 1 {
			return fmt.Errorf("briefs %+v, %v", briefs, err)
		}
		if fill := n.FilterFill(tx, []crawl.Domain{testDomain}); fill <= 0 || fill >= 1 {
			return fmt.Errorf("fill %f", fill)
		}
		waiting := 0
		for i := range 5 {
			if p, ok := n.Page(tx, parse(fmt.Sprintf("https://a.example/%d", i))); !ok {
				return fmt.Errorf("page %d is not known", i)
			} else if p.Waits() {
				waiting++
			}
		}
		if _, ok := n.Page(tx, parse("https://a.example/no")); ok || waiting != 5-int(list[0].Fetched) {
			return fmt.Errorf("%d pages wait, want %d; known beside them: %v", waiting, 5-list[0].Fetched, ok)
		}
		return nil
	})
}

// A page that another has visited may be looked at again, alone or among those that wait, and at their pace.
func TestChoose_WithOtherTasks(t *testing.T) {
	n := site(t, 3, Config{})
	g, _ := n.lease()
	n.settle(n.outcome(g.Tasks[0]), true)
	seen := crawl.Task{URL: g.Tasks[0].URL, Depth: g.Tasks[0].Depth}
	choose := func() (g crawl.Lease) {
		n.update(func(tx *storage.Tx) (err error) {
			g, err = n.Choose(tx, testDomain, seen)
			return err
		})
		return g
	}
	if got := choose(); len(got.Tasks) != 0 {
		t.Errorf("%d tasks while the domain is leased", len(got.Tasks))
	}
	n.end(testDomain)
	*n.now = n.now.Add(time.Hour)
	got := choose()
	if count := len(got.Tasks); count != 3 {
		t.Errorf("%d tasks, want 2 that wait and 1 that does not", count)
	}
	for _, task := range got.Tasks {
		n.settle(n.outcome(task), true)
	}
	if got := choose(); len(got.Tasks) != 1 || got.Tasks[0].URL != seen.URL {
		t.Errorf("got %+v, want the one that does not wait", got)
	}
}
