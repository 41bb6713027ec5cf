package frontier

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name    string
		inlinks uint64
		counts  store.Counts
		want    uint64
	}{
		{"a new domain", 0, store.Counts{}, 10_000},
		{"three others link to it", 0b111, store.Counts{}, 13_000},
		{"many do", 1<<64 - 1, store.Counts{}, 74_000},
		{"too few answers to judge", 0, store.Counts{Failed: 99}, 10_000},
		{"a fifth is worthless", 0, store.Counts{Fetched: 90, Duplicates: 10, Gone: 10}, 10_000},
		{"half is worthless", 0, store.Counts{Fetched: 100, Duplicates: 50}, 2_500},
		{"everything is", 0, store.Counts{Failed: 100}, 200},
	} {
		if got := (Budget{}).orDefaults().of(&store.Record{Inlinks: c.inlinks}, &c.counts); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestEnqueue_KeepsToBudgets(t *testing.T) {
	pages := func(n int, format string) (links []Link) {
		for i := range n {
			links = append(links, linkTo(fmt.Sprintf(format, i)))
		}
		return links
	}
	own, other := Found{Domain: testDomain}, Found{Domain: "b.example"}
	for _, c := range []struct {
		name  string
		from  Found
		links []Link
		want  int
		by    Limit
	}{
		{"the budget", own, pages(30, "https://a.example/%d"), 20, LimitBudget},
		{"half of it for what others link to", other, pages(30, "https://a.example/%d"), 15, LimitForeign},
		{"one parameter", own, pages(15, "https://a.example/?a=%d"), 15, LimitNone},
	} {
		n := newNode(t, Config{Budget: Budget{Base: 20, Most: 30}}, nil)
		for range 2 { // a URL that was dropped is counted once
			n.enqueue(c.from, c.links...)
		}
		info := n.info(testDomain)
		if info.Known != uint64(c.want) || info.DroppedBy != c.by || info.Dropped != uint64(len(c.links)-c.want) {
			t.Errorf("%s: %d taken in, %d dropped by %d, want %d by %d", c.name, info.Known, info.Dropped, info.DroppedBy, c.want, c.by)
		}
		n.check()
	}
}

func TestEnqueue_LimitsTheShapesOfAPath(t *testing.T) {
	n := newNode(t, Config{}, nil)
	for _, c := range []struct {
		format string
		urls   int
		want   uint64
	}{
		{"https://a.example/?a=%d&b=2", 2100, 2000},
		{"https://a.example/?a=%d&b=2&c=3", 600, 500},
		{"https://a.example/?a=%d&b=2&c=3&d=4", 200, 100},
		{"https://a.example/?a=%d&b=2&c=3&d=4&e=5", 200, 0}, // the class of more than three is one
		{"https://a.example/other?a=%d&b=2&c=3&d=4", 200, 100},
	} {
		before := n.info(testDomain).Known
		for i := range c.urls / 50 {
			var links []Link
			for j := range 50 {
				links = append(links, linkTo(fmt.Sprintf(c.format, 50*i+j)))
			}
			n.enqueue(Found{}, links...)
		}
		if got := n.info(testDomain).Known - before; got != c.want {
			t.Errorf("%s: %d taken in, want %d", c.format, got, c.want)
		}
	}
	if info := n.info(testDomain); info.DroppedBy != LimitShape {
		t.Errorf("dropped by %d", info.DroppedBy)
	}
}

func TestIsFull_CountsRetiredDomainsApart(t *testing.T) {
	for _, c := range []struct {
		queued, parked uint64
		want           bool
	}{
		{maxQueued - 1, 0, false}, {maxQueued, 0, true}, {maxQueued, 1, false}, {3 * maxQueued, 3 * maxQueued, true},
	} {
		w := &work{totals: Totals{Counts: store.Counts{Queued: c.queued}, Parked: c.parked}}
		if w.isFull() != c.want {
			t.Errorf("%+v: %v", c, !c.want)
		}
	}
}

func TestSettle_BoundsTheDomainsThatOneLinksTo(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried(), Budget: Budget{Base: 5, Most: 5}}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"), linkTo("https://a.example/2"))
	var links []Link
	for i := range 8 {
		links = append(links, linkTo(fmt.Sprintf("https://b%d.example/", i)), linkTo(fmt.Sprintf("https://b%d.example/2", i)))
	}
	g, _ := n.lease()
	a := n.settle(n.outcome(g.Tasks[0], links...), true)
	if a.Elsewhere != 10 {
		t.Errorf("%d links go out, want 10", a.Elsewhere)
	}
	if a := n.settle(n.outcome(g.Tasks[1], links[2:6]...), true); a.Elsewhere != 4 {
		t.Errorf("%d links to known domains go out, want 4", a.Elsewhere)
	}
	if info := n.info(testDomain); info.DroppedBy != LimitBrought || info.Dropped != 6 {
		t.Errorf("%d dropped by %d", info.Dropped, info.DroppedBy)
	}
}

func TestEnqueue_KnowsWhatItHasSeen(t *testing.T) {
	n := newNode(t, Config{}, nil)
	link := func(text string, depth uint8) Link { return Link{URL: parse(text), Depth: depth, Priority: 2} }
	n.enqueue(Found{}, link("https://a.example/?a=1&b=2", 3))
	for _, l := range []Link{
		link("https://a.example/?a=1&b=2", 3), link("https://a.example/?b=2&a=1", 5), link("https://a.example/?b=2&a=1", 1),
	} {
		if a := n.enqueue(Found{}, l); a.New != 0 {
			t.Errorf("%s is new", l.URL)
		}
	}
	if got := n.page("https://a.example/?b=2&a=1"); got.Depth != 1 || got.URL != "https://a.example/?a=1&b=2" {
		t.Errorf("got %+v", got)
	}
	if a := n.enqueue(Found{}, link("https://a.example/new", 1), link("https://a.example/new", 1)); a.New != 1 {
		t.Errorf("%d new", a.New)
	}
}

func TestEnqueue_IgnoresOtherDomains(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"), linkTo("https://b.example/"), Link{})
	if info := n.info("b.example"); info.Known != 0 {
		t.Errorf("%+v", info)
	}
	if info := n.info(testDomain); info.Known != 1 {
		t.Errorf("%+v", info)
	}
}

// A page that comes under many addresses is what the site says to everything: its links lead nowhere.
func TestSettle_DoesNotFollowRepeats(t *testing.T) {
	n := newNode(t, Config{Politeness: hurried()}, nil)
	var links []Link
	for i := range 9 {
		links = append(links, linkTo(fmt.Sprintf("https://a.example/%d", i)))
	}
	n.enqueue(Found{}, links...)
	g, _ := n.lease()
	for i, task := range g.Tasks {
		o := n.outcome(task, linkTo(fmt.Sprintf("https://a.example/more/%d", i)))
		o.Digest, o.Duplicate = [20]byte{7}, true
		want := 1
		if i+1 >= repeatLimit {
			want = 0
		}
		if a := n.settle(o, true); a.New != want {
			t.Errorf("duplicate %d leads to %d", i+1, a.New)
		}
	}
	// The successor knows it, though it never saw the duplicates.
	other := newNode(t, Config{Politeness: hurried()}, n.now)
	n.give(other)
	other.lead()
	other.wait()
	g, _ = other.lease()
	o := n.outcome(g.Tasks[0], linkTo("https://a.example/yet/another"))
	o.Digest, o.Duplicate = [20]byte{7}, true
	if a := other.settle(o, true); a.New != 0 || !a.Settled {
		t.Errorf("got %+v", a)
	}
}

func TestRepeatOf_ForgetsTheRarest(t *testing.T) {
	var p store.Place
	for i := range store.MaxRepeats {
		repeatOf(&p, [store.RepeatSize]byte{byte(i)}).Count = uint64(10 - i)
	}
	repeatOf(&p, [store.RepeatSize]byte{99}).Count++
	if len(p.Repeats) != store.MaxRepeats || repeatOf(&p, [store.RepeatSize]byte{0}).Count != 10 {
		t.Errorf("%+v", p.Repeats)
	}
	if r := repeatOf(&p, [store.RepeatSize]byte{store.MaxRepeats - 1}); r.Count != 0 {
		t.Errorf("the rarest has count %d", r.Count)
	}
}

// A false positive of the Bloom filter loses no page of a domain whose items are few.
// What a transaction took in that failed is not known afterwards.
func TestEnqueue_ForgetsWhatIsNotDurable(t *testing.T) {
	n := newNode(t, Config{}, nil)
	failure := errors.New("the disk is full")
	for _, text := range []string{"https://a.example/1", "https://a.example/2"} {
		n.enqueue(Found{}, linkTo(text+"/known"))
		err := n.db.Update(func(tx *storage.Tx) error {
			items, _, err := n.Enqueue(tx, testDomain, []Link{linkTo(text)}, Found{})
			return errors.Join(err, merge(tx, items), failure)
		})
		if !errors.Is(err, failure) {
			t.Fatal(err)
		}
		if a := n.enqueue(Found{}, linkTo(text), linkTo(text+"/known")); a.New != 1 {
			t.Errorf("%s: %d URLs are new, want 1", text, a.New)
		}
	}
	n.check()
}

func TestEnqueue_SmallDomainsNeedNotTrustTheFilter(t *testing.T) {
	n := newNode(t, Config{}, nil)
	n.enqueue(Found{}, linkTo("https://a.example/"))
	n.update(func(tx *storage.Tx) error {
		f := store.OpenFilter(tx, testDomain)
		if _, err := f.Note(parse("https://a.example/lost").SeenKey()); err != nil {
			return err
		}
		return f.Flush()
	})
	if a := n.enqueue(Found{}, linkTo("https://a.example/lost")); a.New != 1 {
		t.Errorf("got %+v", a)
	}
}

func TestEnqueue_LargeDomainsAskTheFilter(t *testing.T) {
	n := newNode(t, Config{Budget: Budget{Base: 2 * cheapLookup}}, nil)
	var links []Link
	for i := range cheapLookup + 100 {
		links = append(links, linkTo(fmt.Sprintf("https://a.example/%d", i)))
	}
	n.enqueue(Found{}, links...)
	again := append(links[cheapLookup:], linkTo("https://a.example/new"))
	again[0].Modified = *n.now
	if a := n.enqueue(Found{}, again...); a.New != 1 {
		t.Errorf("%d of one are new", a.New)
	}
	n.check()
}

// Some URLs that look like traps are pages: the first are taken in, however many a site has, and of a site that the user knows all.
func TestEnqueue_TakesSomeOfWhatLooksEndless(t *testing.T) {
	n := newNode(t, Config{Untrapped: func(u crawl.URL) bool { return strings.HasPrefix(u.Path(), "/chronicle/") }}, nil)
	take := func(format string, urls int) uint64 {
		before := n.info(testDomain).Known
		for i := 0; i < urls; i += 50 {
			var links []Link
			for j := i; j < min(i+50, urls); j++ {
				links = append(links, linkTo(fmt.Sprintf(format, j)))
			}
			n.enqueue(Found{}, links...)
		}
		return n.info(testDomain).Known - before
	}
	if got := take("https://a.example/%d/1/1/1/", 30); got != 30 {
		t.Errorf("%d of the first 30 are taken in", got)
	}
	if got := take("https://a.example/2/2/2/%d", 200); got != MaxTraps-30 {
		t.Errorf("%d more are taken in, want %d", got, MaxTraps-30)
	}
	if got := take("https://a.example/page/%d", 200); got != 200 {
		t.Errorf("%d of 200 pages are taken in", got)
	}
	if got := take("https://a.example/chronicle/%d/1/1/1/", 300); got != 300 {
		t.Errorf("%d of 300 pages of a site that the user knows are taken in", got)
	}
	if info := n.info(testDomain); info.DroppedBy != LimitTrap || info.Dropped != 180 {
		t.Errorf("%d dropped by %d", info.Dropped, info.DroppedBy)
	}
	n.check()
}
