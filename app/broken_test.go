package app

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/fetch"
)

// brokenSite has a page that links to others: some fail, each of the rest leads to one page more.
type brokenSite struct {
	name   string
	broken int
	fail   http.HandlerFunc // nil: the connection is cut
	gap    time.Duration

	mu     sync.Mutex
	asked  map[string]int
	busy   bool
	ended  time.Time
	faults []string // against politeness
}

const goodLinks = 30

func (s *brokenSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.begin(r.URL.Path)
	if s.fail == nil && strings.HasPrefix(r.URL.Path, "/broken/") {
		conn, _, err := w.(http.Hijacker).Hijack()
		s.end() // before the client knows of it
		if err == nil {
			conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		}
		return
	}
	defer s.end()
	var n int
	w.Header().Set("Content-Type", "text/html")
	switch {
	case r.URL.Path == "/":
		for i := range s.broken { // before all that is well
			fmt.Fprintf(w, `<a href="/broken/%d">b</a>`, i)
		}
		for i := range goodLinks {
			fmt.Fprintf(w, `<a href="/good/%d">g</a>`, i)
		}
	case scans(r.URL.Path, "/good/%d", &n):
		fmt.Fprintf(w, `page %d of %s <a href="/deep/%d">d</a>`, n, s.name, n)
	case scans(r.URL.Path, "/deep/%d", &n):
		fmt.Fprintf(w, "end %d of %s", n, s.name)
	case scans(r.URL.Path, "/broken/%d", &n):
		s.fail(w, r)
	default:
		http.NotFound(w, r)
	}
}

func scans(path, format string, n *int) bool {
	_, err := fmt.Sscanf(path, format, n)
	return err == nil
}

func (s *brokenSite) begin(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy {
		s.faults = append(s.faults, path+" was asked for during another request")
	}
	// A request that got no answer on a kept connection is repeated at once.
	if waited := time.Since(s.ended); waited < s.gap && !(s.fail == nil && strings.HasPrefix(path, "/broken")) {
		s.faults = append(s.faults, fmt.Sprintf("%s was asked for after %v", path, waited))
	}
	s.busy = true
	s.asked[path]++
}

func (s *brokenSite) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.ended = false, time.Now()
}

func answerWith(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// Pages that fail are their own trouble: they keep a crawl from nothing else of their site.
func TestNode_BrokenLinksKeepNothingElseFromBeingVisited(t *testing.T) {
	const gap = 3 * time.Millisecond
	var sites []*brokenSite
	var hosts strings.Builder
	var seeds []string
	for kind, fail := range map[string]http.HandlerFunc{"404": answerWith(404), "500": answerWith(500), "503": answerWith(503), "403": answerWith(403), "cut": nil} {
		for _, broken := range []int{7, 20, 35, 60} {
			s := &brokenSite{name: fmt.Sprintf("b%s-%d.test", kind, broken), broken: broken, fail: fail, gap: gap, asked: make(map[string]int)}
			server := httptest.NewServer(s)
			t.Cleanup(server.Close)
			fmt.Fprintf(&hosts, "%s %s\n", server.Listener.Addr(), s.name)
			sites, seeds = append(sites, s), append(seeds, "http://"+s.name+"/")
		}
	}
	table, err := fetch.ParseHosts(strings.NewReader(hosts.String()))
	if err != nil {
		t.Fatal(err)
	}
	o := labOptions(t, t.TempDir(), table, seeds...)
	*o.Lab.Gap = gap
	n := newNode(t, o)
	defer closeNode(t, n)
	serveUntilIdle(t, n)
	for _, s := range sites {
		missing := 0
		for i := range goodLinks {
			if s.asked[fmt.Sprintf("/good/%d", i)] == 0 || s.asked[fmt.Sprintf("/deep/%d", i)] == 0 {
				missing++
			}
		}
		if missing > 0 || len(s.faults) > 0 {
			t.Errorf("%s: %d of %d good links and what they lead to were not visited; impolite: %v", s.name, missing, goodLinks, s.faults)
		}
	}
	list, err := n.frontier.Domains("", 100)
	if err != nil || len(list) != len(sites) {
		t.Fatalf("%d domains, %v", len(list), err)
	}
	for _, d := range list {
		if d.Retired || d.Queued > 0 {
			t.Errorf("%s: retired is %v, %d are queued, reason %q", d.Domain, d.Retired, d.Queued, d.Reason)
		}
	}
}
