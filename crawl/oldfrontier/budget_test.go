package frontier

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func TestBudget_FollowsWorthAndInlinks(t *testing.T) {
	base := Budget{}.orDefaults()
	for _, c := range []struct {
		name string
		d    domainRecord
		want uint64
	}{
		{"new", domainRecord{}, 10_000},
		{"too early to say", domainRecord{Fetched: 99, Duplicates: 99}, 10_000},
		{"good", domainRecord{Fetched: 1000}, 10_000},
		{"as bad as others", domainRecord{Fetched: 900, Gone: 100, Duplicates: 100}, 10_000},
		{"half duplicates", domainRecord{Fetched: 1000, Duplicates: 500}, 2_500},
		{"half failures", domainRecord{Fetched: 500, Failed: 500}, 2_500},
		{"nine in ten gone", domainRecord{Fetched: 100, Gone: 900}, leastBudget},
		{"nothing else", domainRecord{Fetched: 1000, Duplicates: 1000}, leastBudget},
		{"linked from three", domainRecord{Inlinks: 0b111}, 13_000},
		{"linked from three, half duplicates", domainRecord{Inlinks: 0b111, Fetched: 1000, Duplicates: 500}, 3_250},
		{"linked from everywhere", domainRecord{Inlinks: 1<<64 - 1}, 74_000},
	} {
		if got := c.d.budget(base); got != c.want {
			t.Errorf("%s: budget %d, want %d", c.name, got, c.want)
		}
	}
	if got := (&domainRecord{Inlinks: 1<<64 - 1}).budget(Budget{Base: 60_000, Most: 100_000}); got != 100_000 {
		t.Errorf("budget %d beyond the most", got)
	}
}

func TestBudget_RaisedByOtherDomainsOnly(t *testing.T) {
	r := newRig(t, Config{})
	from := func(domain string, n int) {
		t.Helper()
		r.enqueue(fmt.Sprintf("http://%s/%d", domain, n))
		for _, g := range r.pick().Grants {
			if string(g.Domain) != domain {
				continue
			}
			l := r.grantOf(g)
			o := page(byte(n))
			link, _ := crawl.ParseURL(fmt.Sprintf("http://a.test/%s/%d", domain, n))
			o.Outlinks = []crawl.Outlink{{URL: link, Priority: crawl.PriorityNormal}}
			r.settle(l, l.Tasks[0], r.at(o))
			r.release(l)
		}
	}
	from("a.test", 1)
	if got := r.info("a.test").Budget; got != 10_000 {
		t.Errorf("linked from itself: budget %d", got)
	}
	from("b.test", 2)
	from("c.test", 3)
	if got := r.info("a.test").Budget; got != 12_000 {
		t.Errorf("linked from two others: budget %d", got)
	}
}

func TestBudget_BoundsWhatIsTakenIn(t *testing.T) {
	r := newRig(t, Config{Budget: Budget{Base: 50}})
	links := make([]string, 200)
	for i := range links {
		links[i] = fmt.Sprintf("http://a.test/%d", i)
	}
	if got := r.enqueue(links...); got != 50 {
		t.Errorf("%d URLs taken in, want 50", got)
	}
	if got := r.info("a.test"); got.Dropped != 150 {
		t.Errorf("%d dropped", got.Dropped)
	}
	// What is known already is not dropped a second time.
	r.enqueue(links[:50]...)
	if got := r.info("a.test"); got.Dropped != 150 {
		t.Errorf("%d dropped after known links", got.Dropped)
	}
	if got := r.enqueue("http://b.test/"); got != 1 {
		t.Error("another domain has no room")
	}
}

// Each URL that is kept out counts once, however often it is offered, for the limit that did it.
func TestBudget_DroppedURLsAreCountedOnce(t *testing.T) {
	many := func(format string, n int) (urls []string) {
		for i := range n {
			urls = append(urls, fmt.Sprintf(format, i))
		}
		return urls
	}
	for _, c := range []struct {
		name   string
		budget uint64
		before func(r *rig)
		from   crawl.Domain // of the links
		links  []string
		domain crawl.Domain // for which they count
		want   uint64
		by     Limit
	}{
		{"nothing", 100, nil, "", many("http://a.test/%d", 50), "a.test", 0, LimitNone},
		{"budget", 50, nil, "", many("http://a.test/%d", 80), "a.test", 30, LimitBudget},
		{"budget of links of its own", 50, nil, "a.test", many("http://a.test/%d", 51), "a.test", 1, LimitBudget},
		{"links of others", 50, nil, "b.test", many("http://a.test/%d", 30), "a.test", 5, LimitForeign},
		{"parameters", 9000, nil, "", many("http://a.test/x?a=%d&b=1&c=2&d=3", 240), "a.test", 140, LimitShape},
		{"retired", 9000, func(r *rig) {
			r.enqueue("http://a.test/")
			r.retireAnew("a.test", 0)
		}, "", many("http://a.test/%d", 7), "a.test", 7, LimitRetired},
		{"new domains", 20, func(r *rig) { r.enqueue("http://b.test/") }, "b.test", many("http://n%d.test/", 33), "b.test", 13, LimitBrought},
		{"more than are counted", 10, nil, "", many("http://a.test/%d", MaxDropped+100), "a.test", MaxDropped, LimitBudget},
	} {
		r := newRig(t, Config{Budget: Budget{Base: c.budget, Most: c.budget}})
		if c.before != nil {
			c.before(r)
		}
		var links []Link
		for _, u := range c.links {
			links = append(links, Link{URL: u, Priority: 2})
		}
		for round := range 3 {
			switch {
			case c.name == "new domains": // an outcome brings them
				r.propose(Entry{Enqueue: &Enqueue{Links: []Link{{URL: fmt.Sprintf("http://b.test/%d", round), Priority: 2}}}})
				p, err := r.PickFirst([]crawl.Domain{"b.test"}, 1, never)
				if err != nil || p.Grants[0].Domain != "b.test" {
					t.Fatalf("due is %v, %v", p.Grants, err)
				}
				l := r.grantOf(p.Grants[0])
				s := settleOf(r.at(fetched), links)
				s.Lease, s.Domain, s.Task, s.URL = l.ID, l.Domain, []byte(l.Tasks[0].ID), l.Tasks[0].URL.String()
				r.propose(Entry{Settle: s})
				r.release(l)
				r.advance(time.Hour)
			default:
				r.propose(Entry{Enqueue: &Enqueue{From: c.from, Links: links}})
			}
		}
		info := r.info(c.domain)
		if info.Dropped != c.want || info.DroppedBy != c.by {
			t.Errorf("%s: %d were dropped by limit %d, want %d by %d", c.name, info.Dropped, info.DroppedBy, c.want, c.by)
		}
	}
}

func TestBudget_CombinedParametersAreBounded(t *testing.T) {
	for _, c := range []struct {
		query string // with two verbs
		want  int
	}{
		{"?p=%d%.0d", 3000}, {"?p=%d&q=%d", 2000}, {"?p=%d&q=%d&r=1", 500}, {"?p=%d&q=%d&r=1&s=2", 100}, {"?p=%d&q=%d&r=1&s=2&t=3&u=4", 100},
	} {
		r := newRig(t, Config{})
		links := make([]string, 3000)
		for i := range links {
			links[i] = "http://a.test/list" + fmt.Sprintf(c.query, i, i%7)
		}
		if got := r.enqueue(links...); got != c.want {
			t.Errorf("%s: %d URLs taken in, want %d", c.query, got, c.want)
		}
		if got := r.enqueue("http://a.test/other?a=1&b=2&c=3&d=4"); got != 1 {
			t.Errorf("%s: another path has no room", c.query)
		}
	}
}

// The same page under ever more addresses: from the fourth on its links are
// not followed.
func TestRepeats_SoftNotFoundLeadsNowhere(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/0")
	visits := 0
	for n := 1; ; n++ {
		p := r.pick()
		if len(p.Grants) == 0 {
			if p.Next.IsZero() {
				break
			}
			r.advance(p.Next.Sub(r.clock()))
			continue
		}
		l := r.grantOf(p.Grants[0])
		for _, task := range l.Tasks {
			visits++
			o := page(9)
			o.Duplicate = visits > 1
			for i := range 3 {
				u, _ := crawl.ParseURL(fmt.Sprintf("http://a.test/%d/%d/%d", n, visits, i))
				o.Outlinks = append(o.Outlinks, crawl.Outlink{URL: u, Depth: task.Depth + 1, Priority: crawl.PriorityNormal})
			}
			r.settle(l, task, r.at(o))
		}
		r.release(l)
		if visits > 100 {
			t.Fatal("endless")
		}
	}
	if want := 1 + 3*repeatLimit; visits != want {
		t.Errorf("%d visits, want %d", visits, want)
	}
	// Mirrors of single pages do no harm.
	for i := range 3 * maxRepeats {
		r.enqueue(fmt.Sprintf("http://b.test/%d", i))
		l := r.lease()
		o := page(byte(100 + i))
		o.Duplicate = true
		u, _ := crawl.ParseURL(fmt.Sprintf("http://c.test/%d", i))
		o.Outlinks = []crawl.Outlink{{URL: u, Priority: crawl.PriorityNormal}}
		if got := r.settle(l, l.Tasks[0], r.at(o)); got.New != 1 {
			t.Errorf("page %d: %d links taken in, want 1", i, got.New)
		}
		r.release(l)
		c := r.lease() // of c.test
		r.settle(c, c.Tasks[0], r.at(page(byte(i))))
		r.release(c)
		r.advance(1e12)
	}
}
