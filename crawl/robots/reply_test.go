package robots

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// A known file answers for those who redirect to it, with the same rules and for no
// longer than it is good for itself.
func TestCache_ReplyIsThatOfTheRecord(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	store := make(files)
	c := NewCache(store, 0)
	const body = "User-agent: *\nDisallow: /a\n\nUser-agent: forage\nDisallow: /b\nAllow: /b/c\nCrawl-delay: 7\nSitemap: http://a.test/map.xml\n"
	origin, other := urlOf(t, "http://a.test/"), urlOf(t, "http://b.test/")
	first := Fetch(t.Context(), answer{Reply{Status: 200, Body: []byte(body)}}, origin, Record{}, now)
	if err := c.Put(origin.Origin(), first); err != nil {
		t.Fatal(err)
	}
	later := now.Add(20 * time.Hour)
	reply, ok := c.Reply(later, origin.Origin())
	if !ok || reply.Status != 200 {
		t.Fatalf("Reply = %+v, %v", reply, ok)
	}
	second := Fetch(t.Context(), answer{reply}, other, Record{}, later)
	a, b := first.Rules(), second.Rules()
	for _, path := range []string{"/", "/a", "/b", "/b/c", "/b/d"} {
		u, v := urlOf(t, "http://a.test"+path), urlOf(t, "http://b.test"+path)
		if a.Allowed(u) != b.Allowed(v) {
			t.Errorf("%s: allowed %v at first hand, %v at second", path, a.Allowed(u), b.Allowed(v))
		}
	}
	if a.CrawlDelay() != b.CrawlDelay() || len(b.Sitemaps()) != 1 {
		t.Errorf("crawl delay %v, %d sitemaps at second hand", b.CrawlDelay(), len(b.Sitemaps()))
	}
	if end := now.Add(24 * time.Hour); !second.Fresh(end.Add(-time.Second)) || second.Fresh(end) {
		t.Error("the copy does not end with what it was taken from")
	}

	if _, ok := c.Reply(now.Add(24*time.Hour-minLifetime+time.Second), origin.Origin()); ok {
		t.Error("a record that ends in a moment answers")
	}
	if _, ok := c.Reply(now, "http://c.test"); ok {
		t.Error("an unknown record answers")
	}
	down := Fetch(t.Context(), answer{Reply{Status: 500}}, other, Record{}, now)
	if err := c.Put("http://b.test", down); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.Reply(now, "http://b.test"); ok {
		t.Error("a server that could not be reached answers")
	}
	none := Fetch(t.Context(), answer{Reply{Status: 404}}, other, Record{}, now)
	if err := c.Put("http://b.test", none); err != nil {
		t.Fatal(err)
	}
	if reply, ok := c.Reply(now, "http://b.test"); !ok || reply.Status != 404 {
		t.Errorf("Reply of no robots.txt = %+v, %v", reply, ok)
	}
}

func urlOf(t *testing.T, text string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// answer always gives the same reply.
type answer struct{ reply Reply }

func (a answer) GetRobots(context.Context, crawl.URL) (Reply, error) { return a.reply, nil }

// files is a Store.
type files map[string][]byte

func (f files) Robots(origin string) ([]byte, error) { return f[origin], nil }

func (f files) PutRobots(origin string, data []byte) error {
	if data == nil {
		return errors.New("no data")
	}
	f[origin] = data
	return nil
}
