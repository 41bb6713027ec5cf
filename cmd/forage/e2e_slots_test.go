//go:build unix

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// slotGap is between two requests to the address of the shared server.
const slotGap = 40 * time.Millisecond

// sharedServer is one address for all sites of a practice web. The way in is shut until it
// is opened.
type sharedServer struct {
	mu   sync.Mutex
	open bool
	hits []sharedHit
}

// Open lets visitors in, and begins to count them.
func (s *sharedServer) Open() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open, s.hits = true, nil
}

// good returns how many good answers visitors have had.
func (s *sharedServer) good() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hits {
		if h.good {
			n++
		}
	}
	return n
}

// isShut answers who comes early.
func (s *sharedServer) isShut(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open || r.URL.Path == "/robots.txt" {
		return false
	}
	w.Header().Set("Retry-After", "1")
	http.Error(w, "not yet", http.StatusServiceUnavailable)
	return true
}

// sharedHit is a request as the server saw it.
type sharedHit struct {
	start, end time.Time
	what       string
	good       bool
}

// share has all names of a web found at one address.
func share(t *testing.T, l *lab) *sharedServer {
	t.Helper()
	s := new(sharedServer)
	ports := make(map[string]string)
	var hosts strings.Builder
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: ports[r.In.Host]})
			r.Out.Host = r.In.Host
		},
		Transport: &http.Transport{DisableCompression: true},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hit := sharedHit{start: time.Now(), what: r.Host + r.URL.Path}
		status := &statusWriter{ResponseWriter: w, status: http.StatusOK, last: hit.start}
		defer func() { // also of an answer that is cut off
			hit.end, hit.good = status.last, status.status < 500 && status.status != http.StatusTooManyRequests
			s.mu.Lock()
			defer s.mu.Unlock()
			s.hits = append(s.hits, hit)
		}()
		if !s.isShut(status, r) {
			proxy.ServeHTTP(status, r)
		}
	}))
	t.Cleanup(server.Close)
	for line := range strings.Lines(l.web.Hosts()) {
		address, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		ports[name] = address
		fmt.Fprintf(&hosts, "%s %s\n", server.Listener.Addr().(*net.TCPAddr), name)
	}
	if err := os.WriteFile(l.hosts, []byte(hosts.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// statusWriter remembers the status of an answer, and when its last bytes were
// about to be sent: a client does not have all of it before, however busy the
// computer is.
type statusWriter struct {
	http.ResponseWriter
	status int
	last   time.Time
}

func (w *statusWriter) WriteHeader(status int) {
	w.status, w.last = status, time.Now()
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(b []byte) (int, error) {
	w.last = time.Now()
	return w.ResponseWriter.Write(b)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// slotsAfter is the most slots that an address can have earned by so many good
// answers.
func slotsAfter(good int) int {
	slots := 1
	for slots < 8 && good >= 64*slots {
		good -= 64 * slots
		slots++
	}
	return slots
}

// judge fails the test if the server had more visitors at a time than it had slots.
// A visitor is there until the gap behind its request is over. It returns the most there were.
func (s *sharedServer) judge(t *testing.T, gap time.Duration) (most int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	few := complaints{t: t}
	slices.SortFunc(s.hits, func(a, b sharedHit) int { return a.start.Compare(b.start) })
	for i, h := range s.hits {
		there, good := 1, 0
		var names []string
		for j, other := range s.hits[:i] {
			if other.good && other.end.Before(h.start) {
				good++
			}
			if h.start.Before(other.end.Add(gap - gapSlack)) {
				there++
				names = append(names, fmt.Sprintf("%s %v before", s.hits[j].what, h.start.Sub(other.end)))
			}
		}
		most = max(most, there)
		if slots := slotsAfter(good); there > slots {
			few.errorf("%s: %d visitors of %d slots after %d good answers: %s", h.what, there, slots, good, names)
		}
	}
	return most
}

// gapSlack is what clocks of two processes may differ in when they see the end of an
// answer.
const gapSlack = 2 * time.Millisecond

// Many domains on one server: nodes visit it as if they were one, also when the members change
// and some of them die.
func TestSwarm_OneServerOfManySites(t *testing.T) {
	t.Parallel()
	o := demo.Options{Sites: sized(6, 40, 100), Pages: sized(130, 620, 1500), Latency: 10 * time.Millisecond}
	c := newCrowd(t, o)
	server := share(t, c.lab)
	lab := []string{"--lab-slots", "--lab-times", "lab", "--gap", slotGap.String()}
	c.enter("1", lab...)
	n := sized(3, 4, 4)
	for i := 2; i <= n; i++ {
		c.enter(fmt.Sprint(i), append([]string{"--bootstrap", c.nodes[0].door()}, lab...)...)
	}
	c.agree(int64(n))
	server.Open()
	pages := func() int { return len(c.visits().pages()) }
	// The first dies while the address has one slot, and has it or not.
	for i, after := range sized([]int{25}, []int{25, 160, 230}, []int{25, 160, 230}) {
		until(t, fmt.Sprintf("%d good answers", after), func() bool { return server.good() >= after })
		m := c.here()[0]
		t.Logf("after %d good answers, with %d slots at most: kill %s", server.good(), slotsAfter(server.good()), m.home)
		m.kill()
		time.Sleep(time.Second)
		c.again(m, m.name(), false, lab...)
		before := pages()
		until(t, fmt.Sprintf("the crawl to go on after kill %d", i+1), func() bool { return pages() > before+10 })
	}
	c.enter(fmt.Sprint(n+1), append([]string{"--bootstrap", c.here()[0].door()}, lab...)...)
	for before := 0; before < pages(); { // on a busy machine it takes longer than anything else may
		before = pages()
		c.waitForPage(before + 100)
	}
	c.settle()
	c.end()
	v := c.visits()
	v.complete(t, c.web)
	t.Logf("%d requests, %d repeated, at most %d visitors at a time", len(v), len(v.repeats()), server.judge(t, slotGap))
	if t.Failed() {
		c.explain(v)
	}
}

// waitForPage waits until the web has answered so many requests for pages, or nobody has
// anything to do.
func (c *crowd) waitForPage(n int) {
	c.t.Helper()
	until(c.t, fmt.Sprintf("page %d", n), func() bool {
		if len(c.visits().pages()) >= n {
			return true
		}
		time.Sleep(100 * time.Millisecond)
		for _, m := range c.here() {
			if s := m.status(); s.Queued+s.Leases+s.InFlight+s.Waiting+s.Moving > 0 {
				return false
			}
		}
		return true
	})
}
