package swarm

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

func TestTold(t *testing.T) {
	link := func(u string, depth uint8) crawl.Outlink {
		parsed, err := crawl.ParseURL(u)
		if err != nil {
			t.Fatal(err)
		}
		return crawl.Outlink{URL: parsed, Depth: depth, Priority: crawl.PriorityNormal}
	}
	const from = crawl.Domain("a.example")
	stored := []crawl.Outlink{link("http://b.example/x", 3), link("http://a.example/own", 3)}
	sitemap, target := link("http://b.example/x", 3), link("http://b.example/x", 3)
	sitemap.Source, target.Redirects = 1, 1
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		from  crawl.Domain
		link  crawl.Outlink
		after time.Duration
		news  bool
	}{
		{"the same link", from, link("http://b.example/x", 3), 0, false},
		{"farther from the seeds", from, link("http://b.example/x", 4), 0, false},
		{"nearer to the seeds", from, link("http://b.example/x", 2), 0, true},
		{"found on another domain", "c.example", link("http://b.example/x", 3), 0, true},
		{"another address", from, link("http://b.example/y", 3), 0, true},
		{"of the domain itself", from, link("http://a.example/own", 3), 0, true},
		{"a sitemap", from, sitemap, 0, true},
		{"the target of a redirect", from, target, 0, true},
		{"a little later", from, link("http://b.example/x", 3), toldFor, false},
		{"much later", from, link("http://b.example/x", 3), 2 * toldFor, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := newTold()
			told.add(begin, from, stored)
			for at := toldFor; at <= c.after; at += toldFor {
				told.add(begin.Add(at), from, nil)
			}
			if got := len(told.news(c.from, []crawl.Outlink{c.link})) == 1; got != c.news {
				t.Errorf("news: %v, want %v", got, c.news)
			}
			told.forget()
			if len(told.news(c.from, []crawl.Outlink{c.link})) != 1 {
				t.Error("a link is known that was forgotten")
			}
		})
	}
}

func TestTold_IsBounded(t *testing.T) {
	told := newTold()
	for i := range 3 * maxTold {
		u, err := crawl.ParseURL(fmt.Sprintf("http://b.example/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		told.add(time.Time{}, "a.example", []crawl.Outlink{{URL: u, Priority: crawl.PriorityNormal}})
	}
	if n := len(told.now) + len(told.before); n > 2*maxTold+1 {
		t.Errorf("%d links are remembered", n)
	}
}
