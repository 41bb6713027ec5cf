package worker

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// notebook takes the requests that a pool tells of.
type notebook struct {
	mu   sync.Mutex
	list []Request
}

func (n *notebook) note(r *Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, *r)
}

func (n *notebook) requests() []Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// Every request is told of, with why it was made, and what was left out; and the site had as
// many as were told of.
func TestPool_TellsOfEachRequest(t *testing.T) {
	s := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\nAllow: /no/but\n")
		case "/gone":
			http.NotFound(w, r)
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		default:
			html("<title>A page</title>")(w, r)
		}
	})
	const gap = 20 * time.Millisecond
	r := newRig(t, setup{gap: gap})
	var notes notebook
	r.visitor.requests.to = notes.note
	r.work()
	base := "http://" + s.addr.String()
	r.Take(r.lease(base+"/", base+"/no/1", base+"/no/but/yes", base+"/gone"), time.Now())
	r.await(1)
	second := r.lease(base + "/moved")
	second.Granter, second.Gap = "another", 2*gap
	time.Sleep(3 * gap)
	r.Take(second, time.Now())
	r.await(2)

	want := []Request{
		{Robots: true, Result: crawl.Fetched, Status: 200, Ground: robots.GroundItself},
		{Result: crawl.Fetched, Status: 200, Title: "A page", Ground: robots.GroundNoRule, Gap: gap},
		{Result: crawl.Forbidden, Ground: robots.GroundRules, Line: "Disallow: /no"},
		{Result: crawl.Fetched, Status: 200, Title: "A page", Ground: robots.GroundRules, Line: "Allow: /no/but", Gap: gap},
		{Result: crawl.Gone, Status: 404, Ground: robots.GroundNoRule, Gap: gap},
		{Result: crawl.Redirected, Status: 302, Granter: "another", Ground: robots.GroundNoRule, Gap: 2 * gap},
	}
	paths := []string{"/robots.txt", "/", "/no/1", "/no/but/yes", "/gone", "/moved"}
	got := notes.requests()
	if len(got) != len(want) {
		t.Fatalf("%d requests told of: %+v, want %d", len(got), got, len(want))
	}
	made := 0
	for i, g := range got {
		if g.URL.Path() != paths[i] || g.Started.IsZero() {
			t.Errorf("request %d is of %s at %v, want %s", i, g.URL, g.Started, paths[i])
		}
		if asked := g.Addr.IsValid(); asked {
			made++
			if g.Addr != s.addr || g.Received == 0 || g.Took <= 0 {
				t.Errorf("request %d: %+v", i, g)
			}
			if i == 0 && g.Waited >= 0 || i > 0 && g.Waited < g.Gap {
				t.Errorf("request %d waited %v, the gap is %v", i, g.Waited, g.Gap)
			}
		} else if g.Waited >= 0 {
			t.Errorf("request %d waited, and was not made", i)
		}
		g.URL, g.Started, g.Addr, g.Received, g.Took, g.Waited = crawl.URL{}, time.Time{}, want[i].Addr, 0, 0, 0
		if g != want[i] {
			t.Errorf("request %d is %+v, want %+v", i, g, want[i])
		}
	}
	if n := len(s.seen()); n != made {
		t.Errorf("the site had %d requests, %d were told of", n, made)
	}
}

func TestPool_TellsOfRequestsInVain(t *testing.T) {
	r := newRig(t, setup{})
	var notes notebook
	r.visitor.requests.to = notes.note
	r.work()
	base := "http://" + closedPort(t).String()
	r.allow(base)
	r.Take(r.lease(base+"/a"), time.Now())
	r.await(1)
	got := notes.requests()
	if len(got) != 1 || got[0].Result != crawl.Failed || got[0].Status != 0 || got[0].Ground != robots.GroundNoFile || got[0].Cut {
		t.Errorf("requests %+v, want one that failed", got)
	}
}

// A request that is sent again since the connection was dead counts twice, as the site sees it.
func TestPool_TellsOfRequestsThatAreRepeated(t *testing.T) {
	var once sync.Once
	s := serveSite(t, true, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/b" {
			dead := false
			once.Do(func() { dead = true })
			if dead {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				conn.Close()
				return
			}
		}
		html("a page")(w, r)
	})
	r := newRig(t, setup{})
	var notes notebook
	r.visitor.requests.to = notes.note
	r.work()
	base := "http://" + s.addr.String()
	r.allow(base)
	r.Take(r.lease(base+"/a", base+"/b"), time.Now())
	r.await(1)
	var got []string
	for _, x := range notes.requests() {
		got = append(got, fmt.Sprint(x.URL.Path(), " ", x.Status))
	}
	if want := []string{"/a 200", "/b 0", "/b 200"}; !slices.Equal(got, want) || len(s.seen()) != len(want) {
		t.Errorf("told of %v, want %v; the site saw %v", got, want, s.paths())
	}
}

func TestSites_AreBounded(t *testing.T) {
	s := newRequests(&Config{}).sites
	for i := range maxSites + 10 {
		s.Add(crawl.Domain(fmt.Sprint(i)), lastAsked{})
	}
	if s.Len() != maxSites {
		t.Errorf("%d domains are remembered, want %d", s.Len(), maxSites)
	}
	if !s.Contains(crawl.Domain(fmt.Sprint(maxSites + 9))) {
		t.Error("the last is not")
	}
}
