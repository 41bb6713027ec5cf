package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/fetch"
)

// simWeb is a web of sites that answer over pipes, so that a simulated clock
// runs while they are waited for. It remembers every request, and so judges a
// crawl from the sites' side.
type simWeb struct {
	domains, pages int
	delays         [5]int // that sites ask for, in seconds, in turn
	everywhere     bool   // all sites ask, not two of three
	servers        int    // that the sites share, in turn; 0 if each has its own
	moody          int    // of so many requests of pages one is refused; 0 for none

	conns  chan net.Conn
	server *http.Server
	served chan struct{}

	mu    sync.Mutex
	seen  []simRequest
	asked int // pages, while moody
}

// simRequest is a request as a site saw it.
type simRequest struct {
	domain, path string
	by           string // who sent it
	begin, end   time.Time
}

// simConn is the end of a pipe that a site has.
type simConn struct {
	net.Conn
	by string
}

const (
	// simConnect is how long a connection to a site takes, simAnswer how long the
	// quickest answer does; the slowest takes simSpread more.
	simConnect = 40 * time.Millisecond
	simAnswer  = 60 * time.Millisecond
	simSpread  = 240 // ms
)

// newSimWeb starts the sites. Stop must be called.
func newSimWeb(domains, pages int) *simWeb {
	w := &simWeb{domains: domains, pages: pages, delays: [5]int{0, 4, 0, 12, 7}, conns: make(chan net.Conn), served: make(chan struct{})}
	w.server = &http.Server{
		Handler: w,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, simConn{}, c.(simConn).by)
		},
	}
	go func() {
		defer close(w.served)
		w.server.Serve(pipes{w.conns, make(chan struct{}), new(sync.Once)})
	}()
	return w
}

func (w *simWeb) stop() {
	w.server.Close()
	<-w.served
}

// simPlug is how a node is connected to the sites.
type simPlug struct {
	web  *simWeb
	node string

	mu    sync.Mutex
	out   bool          // nothing goes through
	held  chan struct{} // nothing moves until it is closed; nil while all does
	conns []net.Conn
}

func (w *simWeb) plug(node string) *simPlug { return &simPlug{web: w, node: node} }

// pull cuts all connections, and no other comes about.
func (p *simPlug) pull() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = true
	for _, c := range p.conns {
		c.Close()
	}
}

// dial connects to a site.
func (p *simPlug) dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	select {
	case <-time.After(simConnect):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := p.wait(ctx); err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	p.mu.Lock()
	if p.out {
		p.mu.Unlock()
		return nil, net.ErrClosed
	}
	p.conns = append(p.conns, ours)
	p.mu.Unlock()
	select {
	case p.web.conns <- simConn{theirs, p.node}:
		return heldConn{ours, p}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// pipes is a listener that is handed its connections.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   *sync.Once
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func simDomain(i int) string          { return fmt.Sprintf("s%03d.test", i) }
func simURL(domain int) string        { return "http://" + simDomain(domain) + "/" }
func simPath(page int) string         { return fmt.Sprintf("/p%d.html", page) }
func (w *simWeb) isSecret(i int) bool { return i%5 == 0 }

// crawlDelay returns how long a site asks to be left alone, in seconds; 0 if it
// does not say.
func (w *simWeb) crawlDelay(i int) int { return w.delays[i%5] }

// serverOf returns which server a site is at.
func (w *simWeb) serverOf(site int) int {
	if w.servers > 0 {
		return site % w.servers
	}
	return site
}

// hosts returns where the sites are.
func (w *simWeb) hosts(t testing.TB) *fetch.Hosts {
	t.Helper()
	var text strings.Builder
	for i := range w.domains {
		at := w.serverOf(i)
		fmt.Fprintf(&text, "10.200.%d.%d %s\n", at/250, at%250+1, simDomain(i))
	}
	hosts, err := fetch.ParseHosts(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	return hosts
}

// ServeHTTP implements http.Handler.
func (w *simWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	var site int
	fmt.Sscanf(r.Host, "s%d.test", &site)
	path := r.URL.Path
	time.Sleep(simAnswer + time.Duration((site*31+len(path)*17)%simSpread)*time.Millisecond)
	if w.isMoody(path) {
		http.Error(rw, "not now", http.StatusServiceUnavailable)
	} else {
		w.answer(rw, site, path)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	by, _ := r.Context().Value(simConn{}).(string)
	w.seen = append(w.seen, simRequest{r.Host, path, by, begin, time.Now()})
}

func (w *simWeb) answer(rw http.ResponseWriter, site int, path string) {
	if path == "/robots.txt" {
		if site%3 == 1 && !w.everywhere {
			http.NotFound(rw, nil)
			return
		}
		fmt.Fprint(rw, "User-agent: *\n")
		if d := w.crawlDelay(site); d > 0 {
			fmt.Fprintf(rw, "Crawl-delay: %d\n", d)
		}
		if w.isSecret(site) {
			fmt.Fprint(rw, "Disallow: /secret\n")
		}
		return
	}
	page := 0
	if path != "/" {
		if n, err := fmt.Sscanf(path, "/p%d.html", &page); n != 1 || err != nil || page < 1 || page >= w.pages {
			http.Error(rw, "no such page", http.StatusNotFound)
			return
		}
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(rw, "<!doctype html><title>Page %d of site %d</title>\n<p>Text of page %d of %s.\n", page, site, page, simDomain(site))
	for _, l := range w.links(site, page) {
		fmt.Fprintf(rw, "<a href=\"%s\">more</a>\n", l)
	}
}

// links returns where a page links to: two pages further on at its site, two
// sites further on in a tree of sites, and pages of sites far away.
func (w *simWeb) links(site, page int) (list []string) {
	for _, next := range []int{2*page + 1, 2*page + 2} {
		if next < w.pages {
			list = append(list, simPath(next))
		}
	}
	if page == 0 {
		for _, next := range []int{2*site + 1, 2*site + 2} {
			if next < w.domains {
				list = append(list, simURL(next))
			}
		}
	}
	far, other := (site*7+page*13+5)%w.domains, (page*5+site)%w.pages
	list = append(list, simURL(far))
	if other > 0 {
		list = append(list, "http://"+simDomain(far)+simPath(other))
	}
	if w.isSecret(site) && site%3 != 1 {
		list = append(list, "/secret.html")
	}
	return list
}

// requests returns what the sites saw so far, in the order of the answers.
func (w *simWeb) requests() []simRequest {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// fetches returns how often each page was asked for since a time; robots.txt is none.
func (w *simWeb) fetches(since time.Time) map[string]int {
	times := make(map[string]int)
	for _, r := range w.requests() {
		if r.path != "/robots.txt" && !r.begin.Before(since) {
			times[r.domain+r.path]++
		}
	}
	return times
}

// checkCoverage makes sure that every page was fetched, and nothing else.
func (w *simWeb) checkCoverage(t testing.TB) {
	t.Helper()
	times := w.fetches(time.Time{})
	missing := 0
	for site := range w.domains {
		for page := range w.pages {
			path := "/"
			if page > 0 {
				path = simPath(page)
			}
			if url := simDomain(site) + path; times[url] == 0 {
				if missing++; missing <= 10 {
					t.Errorf("%s was not fetched", url)
				}
			} else {
				delete(times, url)
			}
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d pages were not fetched", missing, w.domains*w.pages)
	}
	for url := range times {
		t.Errorf("%s was fetched", url)
	}
}

// checkOnce makes sure that no page was fetched twice since a time, except for so many checks.
func (w *simWeb) checkOnce(t testing.TB, since time.Time, origin time.Time, checks int64) {
	t.Helper()
	twice := 0
	byURL := make(map[string][]simRequest)
	for _, r := range w.requests() {
		if r.path != "/robots.txt" && !r.begin.Before(since) {
			byURL[r.domain+r.path] = append(byURL[r.domain+r.path], r)
		}
	}
	for url, list := range byURL {
		if len(list) < 2 {
			continue
		}
		if twice++; twice <= 10 {
			t.Logf("%s was fetched %d times: %s", url, len(list), describeRequests(list, origin))
		}
	}
	if int64(twice) > checks {
		t.Errorf("%d of %d pages were fetched more than once", twice, len(byURL))
	}
}

func describeRequests(list []simRequest, origin time.Time) string {
	var words []string
	for _, r := range list {
		words = append(words, fmt.Sprintf("%s by %s %v–%v", r.path, r.by, r.begin.Sub(origin), r.end.Sub(origin)))
	}
	return strings.Join(words, ", ")
}

// checkGaps makes sure that every site was left alone for as long as it must be
// between two requests, whoever sent them, since a time.
func (w *simWeb) checkGaps(t testing.TB, since, origin time.Time) {
	t.Helper()
	bySite := make(map[string][]simRequest)
	for _, r := range w.requests() {
		if !r.begin.Before(since) {
			bySite[r.domain] = append(bySite[r.domain], r)
		}
	}
	faults := 0
	for domain, list := range bySite {
		var site int
		fmt.Sscanf(domain, "s%d.test", &site)
		slices.SortFunc(list, func(a, b simRequest) int { return a.begin.Compare(b.begin) })
		for i := 1; i < len(list); i++ {
			before, after := list[i-1], list[i]
			want := max(2*time.Second, 5*before.end.Sub(before.begin))
			if site%3 != 1 || w.everywhere {
				want = max(want, time.Duration(w.crawlDelay(site))*time.Second)
			}
			if got := after.begin.Sub(before.end); got < want {
				if faults++; faults <= 10 {
					t.Errorf("%s was left alone for %v, want %v: %s", domain, got, want, describeRequests([]simRequest{before, after}, origin))
				}
			}
		}
	}
	if faults > 0 {
		t.Errorf("%d gaps were too short", faults)
	}
}

// isMoody reports whether the next request of a page is to be refused.
func (w *simWeb) isMoody(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.moody == 0 || path == "/robots.txt" {
		return false
	}
	w.asked++
	return w.asked%w.moody == 0
}

// slowly makes sites ask for so long a gap that a crawl lasts.
func (w *simWeb) slowly(seconds int) {
	w.delays = [5]int{seconds, seconds, seconds, seconds, seconds}
	w.everywhere = true
}
