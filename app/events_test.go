package app

import (
	"net/http"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/worker"
)

// eventsOf returns all events that a node keeps.
func eventsOf(t testing.TB, n *Node) []api.Event {
	t.Helper()
	list, _, dropped := n.Events(0, journalSize)
	if dropped {
		t.Fatal("some events are no longer kept")
	}
	return list
}

func TestEvents_SayWhatCameOfEachURL(t *testing.T) {
	s := newTestSite(t, "a.test", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte(`<title>Start</title><a href="/gone">1</a><a href="/moved">2</a><a href="/picture">3</a>`))
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/picture":
			w.Header().Set("Content-Type", "image/png")
		default:
			http.NotFound(w, r)
		}
	})
	n := newNode(t, labOptions(t, t.TempDir(), s.hosts, "http://a.test/"))
	serveUntilIdle(t, n)
	at := crawl.KeyOf("a.test").Place()
	want := map[string]api.Code{
		"http://a.test/": api.CodeFetched, "http://a.test/gone": api.CodeGone, "http://a.test/moved": api.CodeRedirected,
		"http://a.test/picture": api.CodeSkipped, "http://a.test/robots.txt": api.CodeRobots,
	}
	states := 0
	for _, e := range eventsOf(t, n) {
		if e.Code == api.CodeSwarm { // told after two seconds, if all took that long
			continue
		}
		if e.Code == api.CodeState {
			states++
			if e.At != -1 {
				t.Errorf("a change of state happened at %v, want -1", e.At)
			}
			continue
		}
		if e.Code != want[e.URL] || e.At != at || e.Peer != "" || e.Count != 0 {
			t.Errorf("event %+v, want %s at %v", e, want[e.URL], at)
		}
		delete(want, e.URL)
	}
	if len(want) > 0 || states == 0 {
		t.Errorf("no events of %v; %d changes of state", want, states)
	}
	closeNode(t, n)
}

// What asking for a robots.txt took is told with it.
func TestEvents_RobotsTellWhatTheyTook(t *testing.T) {
	w := &owner{journal: newJournal(time.Now)}
	w.tellRobots("https://a.test", robots.Record{Class: robots.ClassRules, Status: 200}, worker.RobotsCost{Took: 1234 * time.Millisecond, Received: 567})
	list, _, _ := w.journal.since(0, 1)
	if len(list) != 1 || list[0].TookMs != 1234 || list[0].Bytes != 567 || list[0].Domain != "a.test" {
		t.Errorf("told %+v, want one of a.test that took 1234 ms and 567 bytes", list)
	}
}

// What members say of what went between them agrees: what was sent was received, what
// was lent was held, what was brought home came home.
func TestSim_EventsOfBothSidesAgree(t *testing.T) {
	simulate(t, 180, 6, func(s *simSwarm) {
		s.prepare = func(o *Options) { o.Config.Limits.Budget.Full.Fetchers = 1 } // it needs help
		first := s.start(nil, 0)
		s.run(5 * time.Second)
		s.prepare = nil
		for i := 1; i < 3; i++ {
			s.start([]*simNode{first}, i)
		}
		s.finish(20 * time.Minute)
		type way struct {
			code     api.Code
			from, to string
		}
		counts := make(map[way]int64)
		codes := make(map[api.Code]bool)
		for _, x := range s.nodes {
			self := x.host.ID().String()
			for _, e := range eventsOf(t, x.node) {
				codes[e.Code] = true
				if e.Peer != "" {
					counts[way{e.Code, self, e.Peer}] += e.Count
				}
				if e.Domain != "" && e.At != crawl.KeyOf(crawl.Domain(e.Domain)).Place() {
					t.Errorf("%+v is not where its domain is", e)
				}
			}
		}
		for _, code := range []api.Code{api.CodeFetched, api.CodeLinksSent, api.CodeDomainLeft, api.CodeSwarm, api.CodeLeaseLent, api.CodeLeaseReturned} {
			if !codes[code] {
				t.Errorf("no event %s", code)
			}
		}
		for w, count := range counts {
			there := map[api.Code]api.Code{
				api.CodeLinksSent: api.CodeLinksReceived, api.CodeDomainLeft: api.CodeDomainCame, api.CodeLeaseHeld: api.CodeLeaseLent,
				api.CodeLeaseReturned: api.CodeLeaseBrought,
			}[w.code]
			if got := counts[way{there, w.to, w.from}]; there != "" && got != count {
				t.Errorf("%s says %s %d %s, who says %s %d", w.from, w.code, count, w.to, there, got)
			}
		}
		versions := make(map[string]bool)
		for _, x := range s.nodes {
			r, err := x.node.Ring(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			versions[r.Version] = true
			if len(r.Members) != 3 || !r.Exact || !r.Members[1].Connected || !r.Members[2].Connected || len(r.Domains) == 0 {
				t.Errorf("ring of %s: %+v, %d domains, exact: %v", x.name, r.Members, len(r.Domains), r.Exact)
			}
			for _, d := range r.Domains {
				if owner := ownerOnPicture(&r, d.At); owner != r.Self {
					t.Errorf("%s has %s, which is drawn as a domain of %s", x.name, d.Domain, owner)
				}
			}
		}
		if len(versions) != 1 {
			t.Errorf("the members draw different rings: %v", versions)
		}
		s.checkAll()
	})
}
