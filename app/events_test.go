package app

import (
	"net/http"
	"testing"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/journal"
	"github.com/forage-net/forage/crawl"
)

// eventsOf returns all events that a node keeps.
func eventsOf(t testing.TB, n *Node) []api.Event {
	t.Helper()
	list, _, dropped := n.Events(0, journal.Size)
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
		if e.Code == api.CodeState || e.Code == api.CodeStopping {
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
