package worker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/uplink"
)

// patience is how long a test waits for what must come. It only ends tests that
// have failed.
const patience = 8 * time.Second

// visit is one request that a site was sent.
type visit struct {
	url        string // host and path
	start, end time.Time
}

// site is a real server on loopback that remembers its visits.
type site struct {
	addr netip.AddrPort

	mu      sync.Mutex
	visits  []visit // in the order of their start
	now     int     // requests being answered
	most    int     // the most of them at a time
	arrived chan struct{}
}

// serveSite answers robots.txt with 404 and everything else with handle, or
// everything with handle if withRobots is set.
func serveSite(t testing.TB, withRobots bool, handle http.HandlerFunc) *site {
	t.Helper()
	s := &site{arrived: make(chan struct{}, 1000)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := s.begin(r.Host + r.URL.RequestURI())
		defer s.finish(i)
		if r.URL.Path == "/robots.txt" && !withRobots {
			http.NotFound(w, r)
			return
		}
		handle(w, r)
	}))
	t.Cleanup(server.Close)
	s.addr = netip.MustParseAddrPort(server.Listener.Addr().String())
	return s
}

func (s *site) begin(url string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now++
	s.most = max(s.most, s.now)
	s.visits = append(s.visits, visit{url: url, start: time.Now()})
	select {
	case s.arrived <- struct{}{}:
	default:
	}
	return len(s.visits) - 1
}

func (s *site) finish(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now--
	s.visits[i].end = time.Now()
}

func (s *site) seen() []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.visits)
}

// paths returns the paths that were asked for, in order.
func (s *site) paths() []string {
	var paths []string
	for _, v := range s.seen() {
		paths = append(paths, v.url[strings.IndexByte(v.url, '/'):])
	}
	return paths
}

// awaitVisit returns when the next request has come.
func (s *site) awaitVisit(t testing.TB) {
	t.Helper()
	select {
	case <-s.arrived:
	case <-time.After(patience):
		t.Fatal("the request did not come")
	}
}

// html answers with a page.
func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, body)
	}
}

// books is an Owner that writes down what it is told.
type books struct {
	mu       sync.Mutex
	settled  []crawl.Outcome
	released []crawl.Lease
	log      []string      // both, in order
	refuse   error         // what Settle returns
	changed  chan struct{} // something was settled
}

func newBooks() *books { return &books{changed: make(chan struct{}, 1)} }

func (b *books) Settle(_ context.Context, o crawl.Outcome) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer signal(b.changed)
	if b.refuse != nil {
		return b.refuse
	}
	b.settled = append(b.settled, o)
	b.log = append(b.log, fmt.Sprintf("settle %d %s %v", o.Lease, o.Task.URL.Path(), o.Result))
	return nil
}

func (b *books) Release(_ context.Context, l crawl.Lease) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.released = append(b.released, l)
	b.log = append(b.log, fmt.Sprintf("release %d", l.ID))
	return nil
}

func (b *books) outcomes() []crawl.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.settled)
}

func (b *books) entries() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.log)
}

// shelf is an Archive in memory.
type shelf struct {
	mu       sync.Mutex
	pages    []string
	robots   []string
	fail     error // what Archive returns
	failRobs error // what ArchiveBeside returns
}

func (s *shelf) Archive(r *fetch.Response, o *crawl.Outcome, _ answer.Page) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return s.fail
	}
	s.pages = append(s.pages, r.URL.String())
	return nil
}

func (s *shelf) ArchiveBeside(r *fetch.Response) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failRobs != nil {
		return s.failRobs
	}
	s.robots = append(s.robots, r.URL.String())
	return nil
}

// robotsFiles is a robots.Store in memory.
type robotsFiles struct {
	mu   sync.Mutex
	data map[string][]byte
}

func (s *robotsFiles) Robots(origin string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data[origin], nil
}

func (s *robotsFiles) PutRobots(origin string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[origin] = slices.Clone(data)
	return nil
}

// setup says what rig to make. The zero value is a pool of one fetcher without gaps.
type setup struct {
	fetchers, perMin int
	gap              time.Duration
	now              func() time.Time
	client           *fetch.Client
	limits           fetch.Limits
	names            map[string]netip.AddrPort
}

// rig is a pool at work in a lab.
type rig struct {
	*Pool
	t       testing.TB
	books   *books
	shelf   *shelf
	cache   *robots.Cache
	trouble chan error
	leases  crawl.LeaseID // that were made
	taken   int           // of them, by the pool
}

func newRig(t testing.TB, s setup) *rig {
	t.Helper()
	if s.now == nil {
		s.now = time.Now
	}
	if s.client == nil {
		s.client = labClient(t, s.names, s.limits)
	}
	everything, err := scope.New(scope.Config{Depth: crawl.MaxDepth, Lab: func(string) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, books: newBooks(), shelf: &shelf{}, trouble: make(chan error, 100),
		cache: robots.NewCache(&robotsFiles{data: make(map[string][]byte)}, 0),
	}
	r.Pool = New(Config{
		Client: s.client, Robots: r.cache, Scope: everything, Archive: r.shelf, Owner: r.books,
		Politeness: crawl.Politeness{Fixed: &s.gap}, Lab: true, Fetchers: max(s.fetchers, 1), PagesPerMin: s.perMin,
		Now: s.now, Trouble: func(err error) { r.trouble <- err },
	})
	return r
}

// share has the pool share addresses.
func (r *rig) share(slots gates.Slots, now func() time.Time) {
	r.flights.gates = gates.New(slots, now, r.flights.resting)
}

// believes makes the pool believe that sites lead to a domain by themselves.
func (r *rig) believes(target crawl.Domain) {
	ago := 2 * time.Hour
	r.visitor.uplink = uplink.New(func() time.Time { return r.cfg.Now().Add(-ago) }, true)
	moved := "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://" + string(target) + "/\r\n\r\n"
	resp, err := fetch.ParseResponse(mustURL(r.t, "http://moved.test/"), []byte(moved))
	if err != nil {
		r.t.Fatal(err)
	}
	r.visitor.uplink.Judge("moved.test", resp)
	ago = 0
}

// work lets the pool serve until the test ends.
func (r *rig) work() *rig {
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-served; !errors.Is(err, context.Canceled) {
			r.t.Errorf("Serve: %v", err)
		}
	})
	return r
}

// Take has the pool take a lease, and counts it.
func (r *rig) Take(l crawl.Lease, asked time.Time) {
	r.taken++
	r.Pool.Take(l, asked)
}

// await returns when n leases came home. The owner has a lease back before the pool counts it as home, so await asks the
// pool: its other counts include none of the n from then on.
func (r *rig) await(n int) {
	r.t.Helper()
	if got := r.awaitCount(n, r.home); got < n {
		r.t.Fatalf("%d leases came home, want %d; so far: %q", got, n, r.books.entries())
	}
}

// home counts the leases that the pool had and holds no more.
func (r *rig) home() int {
	_, held := r.InFlight()
	return r.taken - held
}

// awaitWant returns when the pool wants n leases. It may have to look at its queue before.
func (r *rig) awaitWant(n int) {
	r.t.Helper()
	if got := r.awaitCount(n, r.Want); got != n {
		r.t.Fatalf("Want = %d, want %d", got, n)
	}
}

// awaitCount returns a count of the pool as soon as it is n or more, or after patience. The pool signals when a count may
// have grown.
func (r *rig) awaitCount(n int, count func() int) (got int) {
	timeout := time.After(patience)
	for {
		if got = count(); got >= n {
			return got
		}
		select {
		case <-r.Wanting():
		case <-timeout:
			return got
		}
	}
}

func labClient(t testing.TB, names map[string]netip.AddrPort, limits fetch.Limits) *fetch.Client {
	t.Helper()
	var file strings.Builder
	for name, addr := range names {
		fmt.Fprintln(&file, addr, name)
	}
	hosts, err := fetch.ParseHosts(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	c, err := fetch.New(fetch.Config{World: fetch.Lab, Hosts: hosts, UserAgent: crawl.UserAgent(true), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func mustURL(t testing.TB, s string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// lease makes a lease of two minutes on URLs of one host.
func (r *rig) lease(urls ...string) crawl.Lease {
	r.t.Helper()
	r.leases++
	l := crawl.Lease{ID: r.leases, For: 2 * time.Minute}
	for i, s := range urls {
		u := mustURL(r.t, s)
		l.Domain = u.Domain()
		l.Tasks = append(l.Tasks, crawl.Task{ID: crawl.TaskID(fmt.Sprintf("%d/%d", l.ID, i)), URL: u})
	}
	return l
}

// allow makes the pool believe that the host of a URL has no robots.txt.
func (r *rig) allow(url string) {
	r.t.Helper()
	rec := robots.Record{Class: robots.ClassAllowAll, Fetched: r.cfg.Now().Truncate(time.Second), Status: 404}
	if err := r.cache.Put(mustURL(r.t, url).Origin(), rec); err != nil {
		r.t.Fatal(err)
	}
}

// closedPort returns a loopback address where nothing listens.
func closedPort(t testing.TB) netip.AddrPort {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return netip.MustParseAddrPort(l.Addr().String())
}

func results(list []crawl.Outcome) []crawl.Result {
	var rs []crawl.Result
	for _, o := range list {
		rs = append(rs, o.Result)
	}
	return rs
}
