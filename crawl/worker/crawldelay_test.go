package worker

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

const halfMinute = "User-agent: *\nDisallow: /never\nCrawl-delay: 30\n"

// A host was asked though nothing is settled: the owner must know for how long it
// is to be left alone.
func TestPool_LeaseBringsTheCrawlDelayHome(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*rig)            // before
		end   func(*rig)            // while the request is under way
		serve func(<-chan struct{}) // how the site answers
		want  []crawl.Result
	}{
		{
			name: "the request is cut", want: nil,
			end:   func(r *rig) { r.Stop(); r.Cut() },
			serve: func(over <-chan struct{}) { <-over },
		},
		{
			name: "the archive does not take the page", want: nil,
			spoil: func(r *rig) { r.shelf.fail = errors.New("the disk is full") },
		},
		{
			name: "the owner does not take the outcome", want: nil,
			spoil: func(r *rig) { r.books.refuse = errors.New("not now") },
		},
		{name: "all went well", want: []crawl.Result{crawl.Fetched}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serveSite(t, true, func(w http.ResponseWriter, req *http.Request) {
				if c.serve != nil {
					c.serve(req.Context().Done())
				}
				html("a page")(w, req)
			})
			r := newRig(t, setup{})
			if c.spoil != nil {
				c.spoil(r)
			}
			base := "http://" + s.addr.String()
			r.rules(base, halfMinute)
			r.work()
			r.Take(r.lease(base+"/page"), time.Now())
			s.awaitVisit(t)
			if c.end != nil {
				c.end(r)
			}
			r.await(1)
			if got := r.books.released[0].CrawlDelay; got != 30*time.Second {
				t.Errorf("the lease came home with a crawl delay of %v, want 30s", got)
			}
			if got := results(r.books.outcomes()); !slices.Equal(got, c.want) {
				t.Errorf("outcomes %v, want %v", got, c.want)
			}
		})
	}
}

// Outcomes without a request say what robots.txt asks for too, where it is known.
func TestPool_OutcomeWithoutARequestTellsTheCrawlDelay(t *testing.T) {
	r := newRig(t, setup{client: deafNames(t)})
	r.rules("http://slow.example.org/", halfMinute)
	r.work()
	for i, c := range []struct {
		path string
		want crawl.Result
	}{{"/never", crawl.Forbidden}, {"/page", crawl.Deferred}} {
		r.Take(r.lease("http://slow.example.org"+c.path), time.Now())
		r.await(i + 1)
		if o := r.last(); o.Result != c.want || o.CrawlDelay != 30*time.Second {
			t.Errorf("%s: %v with a crawl delay of %v, want %v with 30s", c.path, o.Result, o.CrawlDelay, c.want)
		}
	}
}

// deafNames returns a client of the public web whose name servers do not answer.
func deafNames(t testing.TB) *fetch.Client {
	t.Helper()
	c, err := fetch.New(fetch.Config{World: fetch.Public, UserAgent: crawl.UserAgent(false), Lookup: deafLookup{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
