package swarm_test

import (
	"context"
	"crypto/sha1"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/group"
)

// web is a generated web and the log of its servers.
type web struct {
	links map[string][]crawl.Outlink // of each page, by URL
	roots []crawl.URL                // one of each domain

	took   time.Duration                                  // by each visit
	far    func(crawl.PeerID, crawl.Domain) time.Duration // nil: all is at hand
	shared bool                                           // all domains are at one address

	mu   sync.Mutex
	log  map[crawl.Domain][]visit
	busy int    // visits under way
	load []load // of the address, if it is shared
	// fickle pages are different at each visit, personal ones for each visitor.
	fickle, personal map[string]bool
}

// load is how many visits were under way when one began, and how many had been answered.
type load struct {
	at             time.Time
	busy, answered int
}

// visit is a line in a server's log.
type visit struct {
	at  time.Time
	url string
	by  crawl.PeerID
}

// newWeb makes domains of so many pages each. The pages of a domain form a tree, and one link in four leads to
// another domain.
func newWeb(seed uint64, domains, pages int) *web {
	w := &web{links: make(map[string][]crawl.Outlink), log: make(map[crawl.Domain][]visit)}
	rng := rand.New(rand.NewPCG(seed, 7))
	page := func(d, p int) crawl.URL {
		u, err := crawl.ParseURL(fmt.Sprintf("http://site%d.example/p%d", d, p))
		if err != nil {
			panic(err)
		}
		return u
	}
	for d := range domains {
		w.roots = append(w.roots, page(d, 0))
		for p := range pages {
			from := page(d, p)
			w.links[from.String()] = nil
			for _, child := range []int{3*p + 1, 3*p + 2, 3*p + 3} {
				if child < pages {
					w.link(from, page(d, child))
				}
			}
			w.link(from, page(rng.IntN(domains), rng.IntN(pages)))
		}
		w.link(page(d, 0), page((d+1)%domains, 0))
	}
	return w
}

func (w *web) link(from, to crawl.URL) {
	w.links[from.String()] = append(w.links[from.String()],
		crawl.Outlink{URL: to, Depth: 1, Priority: crawl.PriorityNormal})
}

// visit answers a request.
func (w *web) visit(by crawl.PeerID, u crawl.URL) []crawl.Outlink {
	w.mu.Lock()
	w.busy++
	w.load = append(w.load, load{time.Now(), w.busy, len(w.load) + 1 - w.busy})
	w.mu.Unlock()
	if w.took > 0 {
		time.Sleep(w.took)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy--
	w.log[u.Domain()] = append(w.log[u.Domain()], visit{time.Now(), u.String(), by})
	return w.links[u.String()]
}

// loads returns a copy: visits may go on.
func (w *web) loads() []load {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.load)
}

// answer answers a request with what a fetcher makes of a page.
func (w *web) answer(by crawl.PeerID, u crawl.URL, o *crawl.Outcome) {
	o.Outlinks = slices.Clone(w.visit(by, u))
	text := u.String()
	o.Title = text
	if w.links[text] == nil && !w.known(text) {
		o.Result, o.Status, o.Title = crawl.Gone, 404, ""
	}
	switch {
	case w.fickle[text]:
		o.Received += rand.Int64N(100)
		text += fmt.Sprint(rand.Uint64())
	case w.personal[text]:
		text += string(by)
	}
	o.Digest = sha1.Sum([]byte(text))
}

func (w *web) known(text string) bool {
	_, is := w.links[text]
	return is
}

func (w *web) wasVisited(u crawl.URL, by []crawl.PeerID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.log[u.Domain()], func(v visit) bool {
		return v.url == u.String() &&
			slices.Contains(by, v.by)
	})
}

// differ makes some pages fickle and some personal, in percent of all.
func (w *web) differ(fickle, personal int) {
	w.fickle, w.personal = make(map[string]bool), make(map[string]bool)
	rng := rand.New(rand.NewPCG(8, 8))
	for _, text := range slices.Sorted(maps.Keys(w.links)) {
		switch n := rng.IntN(100); {
		case n < fickle:
			w.fickle[text] = true
		case n < fickle+personal:
			w.personal[text] = true
		}
	}
}

// counts returns how many pages were visited, and how many visits were second ones.
func (w *web) counts() (pages, again int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := make(map[string]bool)
	for _, list := range w.log {
		for _, v := range list {
			if seen[v.url] {
				again++
			}
			seen[v.url] = true
		}
	}
	return len(seen), again
}

// shortest returns the shortest time between two requests of one domain.
func (w *web) shortest() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	least := time.Hour
	for _, list := range w.log {
		for i := 1; i < len(list); i++ {
			least = min(least, list[i].at.Sub(list[i-1].at))
		}
	}
	return least
}

// visitors returns who visited, and how often.
func (w *web) visitors() map[crawl.PeerID]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	by := make(map[crawl.PeerID]int)
	for _, list := range w.log {
		for _, v := range list {
			by[v.by]++
		}
	}
	return by
}

// fetcher works leases as a worker.Pool does, without a network.
type fetcher struct {
	m      *member
	gates  *gates.Gates
	leases int // that it works at a time

	mu      sync.Mutex
	held    int
	wanting chan struct{}
	work    sync.WaitGroup
	ctx     context.Context
	// lie, if set, makes an outcome without a visit. It returns false for pages that are visited all the same.
	lie     func(*crawl.Outcome) bool
	refuses string // why it refuses every domain
	// alter, if set, changes what was found.
	alter func(*crawl.Outcome)
}

func newFetcher(ctx context.Context, m *member, leases int) *fetcher {
	f := &fetcher{m: m, leases: leases, wanting: make(chan struct{}, 1), ctx: ctx}
	f.gates = gates.New(m, time.Now, func() bool { return false })
	f.work.Go(f.tick)
	return f
}

// setLeases says how many it works at a time from now on.
func (f *fetcher) setLeases(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leases = n
}

func (f *fetcher) Want() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.leases - f.held
}

func (f *fetcher) Wanting() <-chan struct{}          { return f.wanting }
func (f *fetcher) RefusesDomain(crawl.Domain) string { return f.refuses }

func (f *fetcher) Grant(at netip.AddrPort, m gates.Grant) { f.gates.Grant(at, m) }

// address returns where a domain is served.
func address(d crawl.Domain, shared bool) netip.AddrPort {
	if shared {
		return netip.MustParseAddrPort("192.0.2.1:80")
	}
	h := fnv.New32a()
	h.Write([]byte(d))
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte(h.Sum(nil))), 80)
}

// enter waits for a slot until the lease has little time left.
func (f *fetcher) enter(l crawl.Lease, asked time.Time) (ok bool) {
	in := make(chan bool, 1)
	if f.gates.Enter(address(l.Domain, f.m.lab.web.shared), l.Domain, gates.Waiter{
		In:    func(ok bool) { in <- ok },
		Quits: func() bool { return time.Since(asked) > l.For/2 || f.ctx.Err() != nil },
	}) {
		return true
	}
	select {
	case ok = <-in:
		return ok
	case <-f.ctx.Done():
		return false
	}
}

// tick looks after the gates.
func (f *fetcher) tick() {
	for f.sleep(time.Second) {
		f.gates.Tick()
	}
}

func (f *fetcher) Take(l crawl.Lease, asked time.Time) {
	f.mu.Lock()
	f.held++
	f.mu.Unlock()
	f.work.Go(func() {
		f.visit(l, asked)
		f.mu.Lock()
		f.held--
		f.mu.Unlock()
		select {
		case f.wanting <- struct{}{}:
		default:
		}
	})
}

// visit fetches the pages of a lease.
func (f *fetcher) visit(l crawl.Lease, asked time.Time) {
	for i, t := range l.Tasks {
		if i > 0 && (i == f.m.lab.tasks || !f.sleep(l.Gap)) || time.Since(asked) > l.For/2 || !f.enter(l, asked) ||
			f.ctx.Err() != nil {
			break
		}
		if at := address(l.Domain, f.m.lab.web.shared); f.gates.Left(at) < f.m.lab.web.took { // it would be cut
			f.gates.Leave(at)
			break
		}
		o := crawl.Outcome{
			Lease: l.ID, Domain: l.Domain, Granter: l.Granter, Task: t, Result: crawl.Fetched,
			Status: 200, Date: time.Now(),
			Took: time.Millisecond, Received: 1000,
		}
		if f.lie == nil || !f.lie(&o) {
			o.Result, o.Status = crawl.Fetched, 200
			f.m.lab.web.answer(f.m.id, t.URL, &o)
		}
		if i == 0 && f.m.lab.web.far != nil {
			o.Connect = f.m.lab.web.far(f.m.id, l.Domain)
		}
		f.gates.Note(address(l.Domain, f.m.lab.web.shared), false)
		f.gates.Leave(address(l.Domain, f.m.lab.web.shared))
		if f.alter != nil {
			f.alter(&o)
		}
		for i := range o.Outlinks {
			o.Outlinks[i].Depth = t.Depth + 1
		}
		if f.m.swarm.Settle(f.ctx, o) != nil {
			return
		}
	}
	_ = f.m.swarm.Release(f.ctx, l)
}

func (f *fetcher) sleep(d time.Duration) bool {
	select {
	case <-f.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

var _ = group.MaxBody
