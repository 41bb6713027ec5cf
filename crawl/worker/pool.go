package worker

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/uplink"
	"github.com/forage-net/forage/crawl/words"
)

const (
	// leasesPerFetcher is how many leases a pool holds for each of its
	// fetchers. At the usual gap of seconds a fetcher could serve many more;
	// leases that wait long would lapse.
	leasesPerFetcher = 8

	// lateAfter is how long a turn may wait for a fetcher. While some wait longer, more
	// leases would only wait here instead of where somebody else could work them.
	lateAfter = time.Second

	// cutAfter is how long what is in flight may go on when work must stop: users are
	// promised two seconds.
	cutAfter = 1500 * time.Millisecond

	// beginWithin is the part of a lease within which requests begin: what is
	// still under way when it ends is cut, and the site asked for it a second
	// time, so the longest request must fit into the other part.
	beginWithin = 2
)

// Owner takes what fetchers report.
type Owner interface {
	// Settle takes an outcome whose capture is in the archive. It returns
	// when the outcome is on its way.
	Settle(ctx context.Context, o crawl.Outcome) error
	// Release takes a lease back. Tasks without an outcome are free again.
	Release(ctx context.Context, l crawl.Lease) error
}

// ErrUnfit is what an Archive returns, wrapped, for a response that can never
// be archived, whatever the state of the disk.
var ErrUnfit = errors.New("cannot be archived")

// Archive writes captures.
type Archive interface {
	// Archive writes request and response, and sets the outcome's digest and
	// whether that is a duplicate. On return both survive a crash of the process.
	Archive(r *fetch.Response, o *crawl.Outcome, page answer.Page) error
	// ArchiveBeside writes an answer that is not that of a task: one to asking for a robots.txt, or a step
	// on the way to a page.
	ArchiveBeside(r *fetch.Response) error
}

// Config says how a Pool works. All fields but PagesPerMin, Latest, RobotsRead, Requested, Slots, Pace and Log
// are needed.
type Config struct {
	Client     *fetch.Client
	Robots     *robots.Cache
	Scope      *scope.Scope
	Archive    Archive
	Owner      Owner
	Politeness crawl.Politeness
	// Lab says that all hosts share few addresses and are told apart by port.
	Lab bool
	// Fetchers is how many requests may be in flight at once, until SetFetchers says
	// otherwise.
	Fetchers int
	// PagesPerMin bounds the pages requested a minute, until SetPagesPerMin says otherwise; 0
	// means no bound.
	PagesPerMin int
	// Now is the clock of gaps and leases. It counts suspend, nobody can set
	// it, and it may lie years from time.Now, with which its readings are never
	// compared.
	Now func() time.Time
	// Latest is a clock that is never behind the true age of a robots.txt or lease: it follows
	// the wall clock where that runs ahead of Now, and never goes back. nil means Now.
	Latest func() time.Time
	// Trouble is told when an archive write fails.
	Trouble func(error)
	// Refuses, if set, returns why the user or this program does not want a URL
	// visited, "" if nothing speaks against it.
	Refuses func(u crawl.URL) string
	// RefusesDomain, if set, says the same of a whole domain.
	RefusesDomain func(d crawl.Domain) string
	// First, if set, reports whether a domain goes before others where they wait for nothing but this node: for a
	// fetcher, or for another page to be allowed. It keeps its own gap as they do.
	First func(d crawl.Domain) bool
	// Archived, if set, tells whether a payload is in the archive, so that a
	// 304 in its place will do.
	Archived func(digest [20]byte) bool
	// Challenged, if set, tells whether a response asks for proof that we are
	// a person. The body is as far as it was read.
	Challenged func(status int, header http.Header, body []byte) bool
	// RobotsRead, if set, is told after each robots.txt was asked for, and what the answers took.
	RobotsRead func(origin string, r robots.Record, cost RobotsCost)
	// Requested, if set, is told of each request that was made, and of what robots.txt kept from
	// being made. It must not block, nor keep the Request.
	Requested func(r *Request)
	// Words, if set, returns what counts the words of the next page, nil if they are not wanted.
	Words func() *words.Counter
	// Slots, if set, shares addresses with other nodes. Without, this node has one slot of each.
	Slots gates.Slots
	// Pace, if set, is called before each request and before what came is read. It returns nil when
	// there is room for that within the user's limits, and an error when ctx is done.
	Pace func(ctx context.Context) error
	Log  *slog.Logger
}

// Pool works leases.
type Pool struct {
	cfg   Config
	gates *gates.Gates
	work  chan *turn    // from the schedule to the fetchers
	back  chan *turn    // to the schedule; never full
	lane  chan struct{} // a turn that others had to wait for is back from its fetcher
	kick  chan struct{} // the schedule shall hand out everything
	// unwanted signals that the schedule shall hand out what is wanted back.
	unwanted chan struct{}
	rebound  chan struct{} // the schedule shall look at the bounds again
	wanting  chan struct{}
	ticking  sync.WaitGroup // of gates: turns come back by a channel that the schedule reads
	fetchers int            // that there are
	maxLine  int            // leases that may wait for each slot of an address

	clocks   *clocks
	requests *requests
	rest     answer.Rest
	sources  chan struct{} // full while as many sitemaps are requested as may be

	bounds *bounds
	slow   *slowness
	uplink *uplink.Uplink

	mu      sync.Mutex
	live    int  // leases held
	busy    int  // requests in flight
	stopped bool // no new request
	full    bool // turns wait for a fetcher longer than they should
	ready   int  // turns that wait for nothing but this node, of those that the schedule has
	coming  int  // turns that it is yet to see
	sated   bool // the sites that it has would take all pages that may be requested
	cutter  *time.Timer
	flights map[*turn]context.CancelFunc
	asks    map[*turn]context.CancelFunc // turns that wait for their pace
	held    map[leaseName]*turn
}

// leaseName names a lease among those of all granters.
type leaseName struct {
	granter string
	id      crawl.LeaseID
}

// turn is a lease on its way through the pool.
type turn struct {
	crawl.Lease
	next     int            // index of the task at hand
	wanted   int            // the last that is to be requested, 0 if not looked for
	chain    *chain         // of redirects that the task leads through, nil for most
	at       time.Time      // not before
	gap      time.Duration  // that its site wanted after the last request, 0 before one
	deadline time.Time      // what is under way then is cut
	closing  time.Time      // nothing new is begun from then on
	lead     time.Duration  // of Config.Latest when it was asked for
	address  int            // which of the host's addresses to try
	gate     netip.AddrPort // the gate it holds
	first    bool           // it goes before others
	slow     bool           // it counts against what slow domains may have
	recalled bool           // to be given back, whatever is allowed by then
	unwanted bool           // its granter wants it back; Pool.mu guards it
	paged    bool           // it waits only for another page to be allowed
	due      time.Time      // since when it does
	seen     bool           // by the schedule
	asked    bool           // a request of it was made
	// sitemapsTold says that those of robots.txt went with an outcome of this
	// lease. Each lease tells them: what read the file may have died since, or
	// its page come to nothing.
	sitemapsTold bool
	visit        Visit // Pool.mu guards it
	// fetched and received count pages and bytes of this lease.
	fetched  int
	received int64
	connect  time.Duration // of the last connection that no outcome has told of
}

// New returns a pool without leases.
func New(cfg Config) *Pool {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Latest == nil {
		cfg.Latest = cfg.Now
	}
	fetchers := max(cfg.Fetchers, maxFetchers)
	pages := cfg.PagesPerMin
	if pages <= 0 {
		pages = -1
	}
	p := &Pool{
		cfg: cfg, sources: make(chan struct{}, sourcesAtOnce), fetchers: fetchers,
		work: make(chan *turn), back: make(chan *turn, fetchers*leasesPerFetcher),
		lane: make(chan struct{}, 1), kick: make(chan struct{}, 1),
		unwanted: make(chan struct{}, 1),
		rebound:  make(chan struct{}, 1), wanting: make(chan struct{}, 1),
		flights: make(map[*turn]context.CancelFunc), asks: make(map[*turn]context.CancelFunc),
		held: make(map[leaseName]*turn), maxLine: defaultLine,
		requests: newRequests(&cfg), clocks: &clocks{now: cfg.Now, latest: cfg.Latest},
		uplink: uplink.New(cfg.Now, cfg.Lab),
	}
	p.bounds = &bounds{slow: cfg.Politeness.Slow, free: p.lane, fetchers: cfg.Fetchers, pages: pages}
	p.slow = newSlowness(cfg.Fetchers, p.lane)
	p.gates = gates.New(cfg.Slots, cfg.Latest, p.isResting)
	return p
}

// Serve works until ctx is done; what is in flight then is cut. Call Drain before for an
// orderly end.
func (p *Pool) Serve(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { p.schedule(ctx) })
	for range p.fetchers {
		all.Go(func() { p.fetcher(ctx) })
	}
	all.Wait()
	p.ticking.Wait()
	return ctx.Err()
}

func (p *Pool) fetcher(ctx context.Context) {
	for {
		select {
		case t := <-p.work:
			p.step(ctx, t)
			p.bounds.add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// Want returns how many more leases the pool would take. It is none while a
// request is in flight for a lease that is over: after suspend the owner's
// margin is over too, and it would count the gap from before that request's end.
func (p *Pool) Want() int {
	if p.cutOver() {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting() || p.full || p.sated {
		return 0
	}
	return max(min(p.bounds.most()*leasesPerFetcher-p.live, ahead(p.bounds.pageGap())-p.ready-p.coming), 0)
}

// Wanting receives when Want may have grown.
func (p *Pool) Wanting() <-chan struct{} { return p.wanting }

// Take begins to work a lease that was asked for at that time.
func (p *Pool) Take(l crawl.Lease, asked time.Time) {
	t := &turn{Lease: l, at: asked, deadline: asked.Add(l.For), closing: asked.Add(l.For / beginWithin),
		lead: p.clocks.leadAt(asked)}
	t.first = p.cfg.First != nil && p.cfg.First(l.Domain)
	p.noteVisit(t, false)
	p.mu.Lock()
	p.live++
	p.coming++
	p.held[leaseName{l.Granter, l.ID}] = t
	p.mu.Unlock()
	p.back <- t
}

// Recall gives a lease back as soon as no request of it is in flight. One that
// is not held is none's concern.
func (p *Pool) Recall(granter string, id crawl.LeaseID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.held[leaseName{granter, id}]; t != nil && !t.unwanted {
		t.unwanted = true
		if cancel := p.asks[t]; cancel != nil {
			cancel()
		}
		signal(p.unwanted)
	}
}

// Held returns how many leases of each granter are held.
func (p *Pool) Held() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := make(map[string]int)
	for name := range p.held {
		n[name.granter]++
	}
	return n
}

func (p *Pool) isUnwanted(t *turn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return t.unwanted
}

// InFlight returns how many requests are under way, and how many leases are held.
func (p *Pool) InFlight() (requests, leases int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.busy, p.live
}

// Offline reports whether all that was tried lately could not be found or
// reached: this computer seems to have no connection.
func (p *Pool) Offline() bool { return p.uplink.Offline() }

// Captive reports whether our own network answers in place of all sites: somebody has to log in to it.
func (p *Pool) Captive() bool { return p.uplink.Captive() }

// Stop lets no new request start, gives all leases back and cuts what is in
// flight after cutAfter. It returns at once.
func (p *Pool) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	p.stopped = true
	p.recallAll()
	p.cutter = time.AfterFunc(cutAfter, p.cut)
}

// Cut cuts what is in flight after a Stop now.
func (p *Pool) Cut() { p.cut() }

func (p *Pool) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		return
	}
	for _, cancel := range p.flights {
		cancel()
	}
}

// cutOver cuts what is in flight for leases that are over, and reports whether
// there was any: a computer that slept wakes up with timers that did not count.
func (p *Pool) cutOver() (late bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t, cancel := range p.flights {
		if p.clocks.isOver(t) {
			cancel()
			late = true
		}
	}
	for t, cancel := range p.asks {
		if p.clocks.isOver(t) {
			cancel()
		}
	}
	return late
}

// Start ends a Stop.
func (p *Pool) Start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		p.stopped = false
		p.cutter.Stop()
	}
	signal(p.wanting)
}

// Drain stops the pool and returns when it holds no lease, or ctx is done.
func (p *Pool) Drain(ctx context.Context) {
	p.Stop()
	for {
		if _, leases := p.InFlight(); leases == 0 {
			return
		}
		select {
		case <-p.wanting:
		case <-time.After(50 * time.Millisecond): // the signal has another reader
		case <-ctx.Done():
			return
		}
	}
}

// release gives a lease back.
func (p *Pool) release(ctx context.Context, t *turn) {
	if err := p.cfg.Owner.Release(ctx, t.Lease); err != nil && ctx.Err() == nil {
		p.cfg.Log.Warn("Lease not given back; it will lapse", "domain", t.Domain, "error", err)
	}
	p.mu.Lock()
	p.live--
	delete(p.held, leaseName{t.Granter, t.ID})
	p.mu.Unlock()
	signal(p.wanting)
}

// takeOff registers a request in flight; ok is false if none may start. It is cut when its lease is over, or
// when the slot of its address lapses, unless that is granted for longer meanwhile.
func (p *Pool) takeOff(ctx context.Context, t *turn) (_ context.Context, land func(), ok bool) {
	gate, most := t.gate, time.Duration(0)
	left := func() time.Duration {
		if gate.IsValid() {
			return min(p.clocks.left(t, t.deadline), p.gates.Left(gate))
		}
		return p.clocks.left(t, t.deadline)
	}
	if most = left(); most <= 0 {
		return nil, nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.resting() {
		return nil, nil, false
	}
	ctx, cancel := context.WithCancel(ctx)
	// Not a deadline of the context: it would compare a point of the line with time.Now.
	var lapse *time.Timer
	lapse = time.AfterFunc(most, func() {
		p.mu.Lock()
		timer := lapse
		p.mu.Unlock()
		if more := left(); more > 0 {
			timer.Reset(more)
		} else {
			cancel()
		}
	})
	p.flights[t] = cancel
	p.busy++
	return ctx, func() {
		lapse.Stop()
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.flights, t)
		p.busy--
	}, true
}
