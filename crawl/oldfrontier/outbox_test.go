package frontier

import (
	"fmt"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// ownsOnly is Config.Owns of a member that owns some domains.
func ownsOnly(domains ...crawl.Domain) func(crawl.Domain) bool {
	own := make(map[crawl.Domain]bool)
	for _, d := range domains {
		own[d] = true
	}
	return func(d crawl.Domain) bool { return own[d] }
}

func (r *rig) propose(entries ...Entry) []Applied {
	r.t.Helper()
	applied, err := r.Propose(r.t.Context(), entries...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.check()
	return applied
}

func (r *rig) outbox() []OutLink {
	r.t.Helper()
	list, err := r.Outbox(nil, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

func outlinks(t testing.TB, urls ...string) (list []crawl.Outlink) {
	for _, s := range urls {
		u, err := crawl.ParseURL(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, crawl.Outlink{URL: u, Depth: 1, Priority: crawl.PriorityNormal})
	}
	return list
}

func TestOutbox_TakesLinksOfOthersMostValuableFirst(t *testing.T) {
	r := newRig(t, Config{Owns: ownsOnly("a.test")})
	a := r.propose(Entry{Enqueue: &Enqueue{Links: []Link{
		{URL: "http://b.test/deep", Depth: 3, Priority: crawl.PriorityHigh}, {URL: "http://z.test/low", Depth: 1, Priority: crawl.PriorityLow},
		{URL: "http://a.test/", Depth: 1}, {URL: "http://c.test/normal", Depth: 1, Priority: crawl.PriorityNormal},
		{URL: "http://c.test/normal", Depth: 1, Priority: crawl.PriorityNormal}, {URL: "no URL"},
	}}})
	if a[0].New != 1 {
		t.Errorf("%d URLs are new, want 1", a[0].New)
	}
	var got []string
	for _, l := range r.outbox() {
		got = append(got, l.Link.URL)
	}
	if want := "[http://c.test/normal http://z.test/low http://b.test/deep]"; fmt.Sprint(got) != want {
		t.Errorf("outbox = %v, want %v", got, want)
	}
	if tot := r.totals(); tot.Outbox != 3 || tot.OutboxBytes == 0 || tot.Domains != 1 {
		t.Errorf("totals = %+v", tot)
	}
	if idle, err := r.Idle(); idle || err != nil {
		t.Errorf("Idle = %v, %v with links in the outbox", idle, err)
	}
	first := r.outbox()[0]
	rest, err := r.Outbox(first.Key, 1)
	if err != nil || len(rest) != 1 || rest[0].Link.URL != "http://z.test/low" {
		t.Errorf("Outbox after the first = %v, %v", rest, err)
	}
	for range 2 {
		r.propose(Entry{Sent: &Sent{Keys: [][]byte{first.Key}}})
		if tot := r.totals(); tot.Outbox != 2 {
			t.Errorf("%d links are left, want 2", tot.Outbox)
		}
	}
}

func TestOutbox_IsBoundedAndKeepsTheMostValuable(t *testing.T) {
	r := newRig(t, Config{Owns: ownsOnly(), OutboxMax: 3})
	link := func(name string, depth uint8) Link {
		return Link{URL: "http://" + name + ".test/", Depth: depth, Priority: crawl.PriorityNormal}
	}
	r.propose(Entry{Enqueue: &Enqueue{Links: []Link{link("a", 2), link("b", 2), link("c", 2), link("d", 3), link("e", 1)}}})
	var got []string
	for _, l := range r.outbox() {
		got = append(got, l.Link.URL)
	}
	if want := "[http://e.test/ http://a.test/ http://b.test/]"; fmt.Sprint(got) != want {
		t.Errorf("outbox = %v, want %v", got, want)
	}
	if tot := r.totals(); tot.Outbox != 3 || tot.Dropped != 2 {
		t.Errorf("totals = %+v, want 3 waiting and 2 dropped", tot)
	}
}

// One site cannot fill the outbox with names it made up.
func TestOutbox_DomainsBroughtCountAgainstTheBudget(t *testing.T) {
	r := newRig(t, Config{Owns: ownsOnly("a.test"), Budget: Budget{Base: 5, Most: 5}})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	o := r.at(fetched)
	for i := range 8 {
		o.Outlinks = append(o.Outlinks, outlinks(t, fmt.Sprintf("http://n%d.test/1", i), fmt.Sprintf("http://n%d.test/2", i))...)
	}
	r.settle(l, l.Tasks[0], o)
	if tot := r.totals(); tot.Outbox != 10 || tot.Dropped != 6 {
		t.Errorf("%d links wait and %d were dropped, want 10 to 5 domains and 6", tot.Outbox, tot.Dropped)
	}
	// Domains that it linked to before cost nothing, wherever those links are now.
	var keys [][]byte
	for _, out := range r.outbox() {
		keys = append(keys, out.Key)
		if out.From != "a.test" || out.Date != o.Date.Unix() {
			t.Errorf("link comes from %q at %d", out.From, out.Date)
		}
	}
	r.propose(Entry{Sent: &Sent{Keys: keys}})
	o.Outlinks = outlinks(t, "http://n0.test/3", "http://n0.test/1")
	l.Tasks = l.Tasks[1:]
	if len(l.Tasks) == 0 {
		r.release(l)
		r.advance(10 * 60e9)
		l = r.lease()
	}
	r.settle(l, l.Tasks[0], o)
	if got := r.outbox(); len(got) != 1 || got[0].Link.URL != "http://n0.test/3" {
		t.Errorf("outbox = %v, want the one link that was not sent", got)
	}
}

func TestEnqueue_OfOtherOwnersCountsInlinks(t *testing.T) {
	r := newRig(t, Config{})
	links := []OutLink{
		{Link: Link{URL: "http://a.test/1"}, From: "x.test", Date: 5}, {Link: Link{URL: "http://a.test/2"}, From: "y.test", Date: 6},
		{Link: Link{URL: "http://a.test/3"}, From: "x.test", Date: 7},
	}
	entries := Received(links)
	if len(entries) != 2 || entries[0].Enqueue.From != "x.test" || entries[0].Enqueue.Date != 7 || len(entries[0].Enqueue.Links) != 2 {
		t.Fatalf("Received = %+v", entries)
	}
	r.propose(entries...)
	d, err := r.Domains("", 10)
	if err != nil || len(d) != 1 || d[0].Known != 3 || d[0].Budget != DefaultBudget+2*perLinking {
		t.Errorf("Domains = %+v, %v, want a.test alone with two domains that link to it", d, err)
	}
}

func TestOutbox_TakesBackWhatHasBecomeItsOwn(t *testing.T) {
	owns := ownsOnly()
	r := newRig(t, Config{Owns: func(d crawl.Domain) bool { return owns(d) }})
	r.enqueue("http://a.test/1", "http://b.test/1")
	owns = ownsOnly("a.test")
	if _, err := r.TakeBack(t.Context(), r.outbox()); err != nil {
		t.Fatal(err)
	}
	r.check()
	if got := r.outbox(); len(got) != 1 || got[0].Link.URL != "http://b.test/1" || r.totals().Queued != 1 {
		t.Errorf("outbox = %v, totals %+v, want the link of b.test there and that of a.test queued", got, r.totals())
	}
}
