package worker

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	phrases "github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/crawl/words"
)

// beginWithin is the part of a lease within which requests begin: what is still under way when it ends is cut, and the
// site asked for it a second time, so the longest request must fit into the other part.
const beginWithin = 2

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
var ErrUnfit = phrases.New("said.visit.cannot-be-archived", nil)

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

// fill gives what need not be set, and is asked on the way of a page, an answer.
func (c *Config) fill() {
	if c.Latest == nil {
		c.Latest = c.Now
	}
	if c.Refuses == nil {
		c.Refuses = func(crawl.URL) string { return "" }
	}
	if c.RefusesDomain == nil {
		c.RefusesDomain = func(crawl.Domain) string { return "" }
	}
	if c.First == nil {
		c.First = func(crawl.Domain) bool { return false }
	}
	if c.Archived == nil {
		c.Archived = func([20]byte) bool { return true }
	}
	if c.Challenged == nil {
		c.Challenged = func(int, http.Header, []byte) bool { return false }
	}
	if c.Words == nil {
		c.Words = func() *words.Counter { return nil }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}

// Pool works leases. Each of its parts has its own lock, and none calls another with it held but as the order of the
// fields says: an earlier one may be called.
type Pool struct {
	cfg      Config
	fetchers int // that there are

	clocks   *clocks
	bounds   *bounds
	leases   *leases
	flights  *flights
	schedule *schedule
	visitor  *visitor
}

// New returns a pool without leases.
func New(cfg Config) *Pool {
	cfg.fill()
	pages := cfg.PagesPerMin
	if pages <= 0 {
		pages = -1
	}
	p := &Pool{cfg: cfg, fetchers: max(cfg.Fetchers, maxFetchers)}
	free := make(chan struct{}, 1)
	p.clocks = &clocks{now: cfg.Now, latest: cfg.Latest}
	p.bounds = &bounds{slow: cfg.Politeness.Slow, free: free, fetchers: cfg.Fetchers, pages: pages}
	p.leases = &leases{clocks: p.clocks, held: make(map[leaseName]*turn)}
	p.flights = newFlights(&p.cfg, p.clocks, p.bounds)
	p.visitor = newVisitor(&p.cfg, p.clocks, p.bounds, p.flights)
	p.visitor.slow = newSlowness(free)
	p.schedule = &schedule{
		now: cfg.Now, bounds: p.bounds, slow: p.visitor.slow, leases: p.leases, flights: p.flights,
		free: free,
		work: make(chan *turn), back: make(chan *turn, p.fetchers*leasesPerFetcher),
		kick: make(chan struct{}, 1), rebound: make(chan struct{}, 1), wanting: make(chan struct{}, 1),
	}
	p.visitor.back = p.schedule.back
	return p
}

// Serve works until ctx is done; what is in flight then is cut. Call Drain before for an
// orderly end.
func (p *Pool) Serve(ctx context.Context) error {
	var all sync.WaitGroup
	all.Go(func() { p.schedule.run(ctx) })
	for range p.fetchers {
		all.Go(func() { p.fetcher(ctx) })
	}
	all.Wait()
	p.schedule.ticking.Wait()
	return ctx.Err()
}

func (p *Pool) fetcher(ctx context.Context) {
	for {
		select {
		case t := <-p.schedule.work:
			p.step(ctx, t)
			p.bounds.add(-1)
		case <-ctx.Done():
			return
		}
	}
}

// step takes a turn one request further, or gives its lease back.
func (p *Pool) step(ctx context.Context, t *turn) {
	wasSlow := t.slow
	p.leases.note(t, true)
	s := p.visitor.advance(ctx, t)
	if wasSlow {
		p.visitor.slow.add(-1)
	}
	if s == parked {
		return
	}
	p.visitor.leaveGate(t)
	if s == again {
		p.leases.note(t, false)
		p.schedule.back <- t
		return
	}
	if err := p.cfg.Owner.Release(ctx, t.Lease); err != nil && ctx.Err() == nil {
		p.cfg.Log.Warn("Lease not given back; it will lapse", "domain", t.Domain, "error", err)
	}
	p.leases.drop(t)
	signal(p.schedule.wanting)
}

// Want returns how many more leases the pool would take. It is none while a
// request is in flight for a lease that is over: after suspend the owner's
// margin is over too, and it would count the gap from before that request's end.
func (p *Pool) Want() int {
	if p.flights.cutOver() || p.flights.resting() {
		return 0
	}
	return p.schedule.want()
}

// Wanting receives when Want may have grown.
func (p *Pool) Wanting() <-chan struct{} { return p.schedule.wanting }

// Take begins to work a lease that was asked for at that time.
func (p *Pool) Take(l crawl.Lease, asked time.Time) {
	t := &turn{Lease: l, at: asked, deadline: asked.Add(l.For), closing: asked.Add(l.For / beginWithin),
		lead: p.clocks.leadAt(asked)}
	t.first = p.cfg.First(l.Domain)
	p.leases.note(t, false)
	p.schedule.take(t)
}

// Held returns how many leases of each granter are held.
func (p *Pool) Held() map[string]int { return p.leases.byGranter() }

// Domains returns the domains of the leases that are held and not over, and who
// granted each, "" for this node.
func (p *Pool) Domains() map[crawl.Domain]string { return p.leases.domains() }

// Visits returns at most limit visits, those whose turn has come first, then by when it comes.
func (p *Pool) Visits(limit int) []Visit {
	visits := p.leases.visits()
	return visits[:min(limit, len(visits))]
}

// InFlight returns how many requests are under way, and how many leases are held.
func (p *Pool) InFlight() (requests, leases int) { return p.flights.count(), p.leases.count() }

// Offline reports whether all that was tried lately could not be found or
// reached: this computer seems to have no connection.
func (p *Pool) Offline() bool { return p.visitor.uplink.Offline() }

// Captive reports whether our own network answers in place of all sites: somebody has to log in to it.
func (p *Pool) Captive() bool { return p.visitor.uplink.Captive() }

// RefusesDomain returns why the user does not want a domain visited, "" if
// nothing speaks against it.
func (p *Pool) RefusesDomain(d crawl.Domain) string { return p.cfg.RefusesDomain(d) }

// Grant takes an answer to Config.Slots.
func (p *Pool) Grant(at netip.AddrPort, m gates.Grant) { p.flights.gates.Grant(at, m) }

// SetFetchers changes how many requests may be in flight at once. 0 is none: all leases go home. Below 0
// there is no bound but the number of fetchers, 16 or what the configuration says. What is
// in flight goes on; until it has become less, nothing new begins.
func (p *Pool) SetFetchers(n int) {
	if n < 0 || n > p.fetchers {
		n = p.fetchers
	}
	p.setBounds(func(fetchers, _ *int) { *fetchers = n })
}

// SetPagesPerMin changes how many pages may be requested a minute. 0 is none: all leases go home. Below 0
// there is no bound. What is in flight goes on.
func (p *Pool) SetPagesPerMin(n int) {
	p.setBounds(func(_, pages *int) { *pages = max(n, -1) })
}

func (p *Pool) setBounds(set func(fetchers, pages *int)) {
	if !p.bounds.change(set) {
		return
	}
	if p.bounds.none() {
		p.flights.endWaits()
		signal(p.schedule.kick)
	}
	signal(p.schedule.rebound)
	signal(p.schedule.wanting)
}

// Stop lets no new request start, gives all leases back and cuts what is in
// flight after cutAfter. It returns at once.
func (p *Pool) Stop() {
	if p.flights.stop() {
		signal(p.schedule.kick)
	}
}

// Cut cuts what is in flight after a Stop now.
func (p *Pool) Cut() { p.flights.cut() }

// Start ends a Stop.
func (p *Pool) Start() {
	p.flights.start()
	signal(p.schedule.wanting)
}

// Drain stops the pool and returns when it holds no lease, or ctx is done.
func (p *Pool) Drain(ctx context.Context) {
	p.Stop()
	for p.leases.count() > 0 {
		select {
		case <-p.schedule.wanting:
		case <-time.After(50 * time.Millisecond): // the signal has another reader
		case <-ctx.Done():
			return
		}
	}
}
