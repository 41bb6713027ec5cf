package worker

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/uplink"
)

const (
	// maxAddresses is how many addresses of a host are tried for one task.
	maxAddresses = 3
	// defaultLine is how many leases may wait for one address. A longer line
	// would take leases from sites that could be visited.
	defaultLine = 4
	// lineWait is how long a host is left alone that found the line too long; with a shorter gap, as in some
	// labs, as long as that, and at least shortLine.
	lineWait  = 2 * time.Second
	shortLine = 250 * time.Millisecond
)

// state is where a turn goes after a step.
type state int

const (
	again  state = iota // to the schedule
	over                // home to the owner
	parked              // into the line of an address; others may have it already
)

// step takes a turn one request further.
func (p *Pool) step(ctx context.Context, t *turn) {
	wasSlow := t.slow
	p.noteVisit(t, true)
	s := p.advance(ctx, t)
	if wasSlow {
		p.slow.add(-1)
	}
	if s == parked {
		return
	}
	p.leaveGate(t)
	if s == again {
		p.noteVisit(t, false)
		p.back <- t
	} else {
		p.release(ctx, t)
	}
}

// refusedWait is how long a domain rests that the user does not want visited: so long nothing of it is fetched
// after the user has changed their mind. Others may be lent it meanwhile.
const refusedWait = 10 * time.Minute

// advance does what the turn's next task needs: at most one request.
func (p *Pool) advance(ctx context.Context, t *turn) state {
	t.paged = false
	if !p.awaitRequest(ctx, t) {
		return over
	}
	if p.bounds.isSurplus() && !t.recalled && !p.isResting() && !p.clocks.isClosing(t) {
		return again // the bound has been lowered: another time
	}
	for t.next < len(t.Tasks) {
		if p.isResting() || t.recalled || p.clocks.isClosing(t) {
			return over
		}
		if wait := p.uplink.Closed(); wait > 0 {
			p.report(ctx, t, uplink.PutOff(wait))
			return over
		}
		u := t.current()
		if why := p.RefusesDomain(t.Domain); why != "" {
			p.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: refusedWait, Reason: why})
			return over // what is queued stays: the user may change their mind
		}
		if why := p.refuses(u); why != "" {
			if !p.report(ctx, t, crawl.Outcome{Result: crawl.Declined, Reason: why}) {
				return over
			}
			t.done()
			continue
		}
		age := p.cfg.Latest()
		record, rules, fresh := p.cfg.Robots.Get(age, u.Origin())
		if fresh {
			switch verdict, wait := record.Verdict(age, rules, u); verdict {
			case robots.Deferred:
				p.requests.leftOut(t, u, crawl.Deferred, &record, rules)
				p.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: wait, Reason: robotsTrouble(record),
					NoRobots: true})
				return over // all tasks of a lease are of one host
			case robots.Forbidden:
				p.requests.leftOut(t, u, crawl.Forbidden, &record, rules)
				if !p.report(ctx, t, crawl.Outcome{Result: crawl.Forbidden, CrawlDelay: rules.CrawlDelay()}) {
					return over
				}
				t.done()
				continue
			}
		}
		flight, land, ok := p.takeOff(ctx, t)
		if !ok {
			return over
		}
		addrs, err := p.cfg.Client.Addrs(flight, u)
		cut := flight.Err() != nil
		land()
		if err != nil {
			if cut {
				return over
			}
			o := p.uplink.Failure(err)
			if fresh {
				o.CrawlDelay = rules.CrawlDelay()
			}
			if !p.report(ctx, t, o) || o.Result != crawl.Blocked {
				return over // all tasks of a lease are of one host: what has no name has none for the others
			}
			t.done()
			continue
		}
		if !fresh {
			if s := p.enterGate(ctx, t, addrs[0]); s != again {
				return s
			}
			return p.readRobots(ctx, t, u, record)
		}
		return p.request(ctx, t, addrs, &record, rules)
	}
	return over
}

// RefusesDomain returns why the user does not want a domain visited, "" if
// nothing speaks against it.
func (p *Pool) RefusesDomain(d crawl.Domain) string {
	if p.cfg.RefusesDomain == nil {
		return ""
	}
	return p.cfg.RefusesDomain(d)
}

func (p *Pool) refuses(u crawl.URL) string {
	if p.cfg.Refuses == nil {
		return ""
	}
	return p.cfg.Refuses(u)
}

// allowed tells whether a request of a lease may still be sent.
func (p *Pool) allowed(t *turn) func() bool {
	return func() bool { return !p.clocks.isOver(t) }
}

// robotsTrouble says why a host's robots.txt could not be had.
func robotsTrouble(r robots.Record) string {
	if r.Status == 0 {
		return "robots.txt could not be reached"
	}
	return fmt.Sprintf("robots.txt answered %d", r.Status)
}

// report settles the task at hand; false means the owner cannot be told now.
func (p *Pool) report(ctx context.Context, t *turn, o crawl.Outcome) bool {
	o.Lease, o.Domain, o.Granter, o.Index, o.Task, o.Connect = t.ID, t.Domain, t.Granter, t.next, t.Tasks[t.next],
		t.connect
	if o.Date.IsZero() {
		o.Date = time.Now()
	}
	if err := p.cfg.Owner.Settle(ctx, o); err != nil {
		if ctx.Err() == nil {
			p.cfg.Log.Warn("Outcome not settled; the task stays queued", "url", o.Task.URL.String(), "error", err)
		}
		return false
	}
	if o.Result == crawl.Fetched {
		t.fetched++
	}
	t.received += o.Received
	t.connect = 0
	return true
}

// connected notes how long a connection took that was opened for a request of a turn.
func (t *turn) connected(r *fetch.Response) {
	if r.Connect > 0 {
		t.connect = max(r.Connect.Round(time.Millisecond), time.Millisecond)
	}
}

// request fetches the task at hand once the gate of its address is free.
func (p *Pool) request(
	ctx context.Context, t *turn, addrs []netip.AddrPort, record *robots.Record, rules *robots.Rules,
) state {
	crawlDelay := rules.CrawlDelay()
	t.CrawlDelay = crawlDelay // comes home with the lease, whatever comes of the request
	addr := addrs[t.address%len(addrs)]
	if s := p.enterGate(ctx, t, addr); s != again {
		return s
	}
	if now := p.cfg.Now(); t.address == 0 {
		if at := p.bounds.takePage(now); at.After(now) {
			if t.due.IsZero() {
				t.due = now
			}
			t.at, t.paged = at, true
			return again
		}
		t.due = time.Time{}
	}
	if t.Tasks[t.next].Source > 0 {
		select {
		case p.sources <- struct{}{}:
			defer func() { <-p.sources }()
		default:
			t.at = p.cfg.Now().Add(sourceAgain)
			return again
		}
	}
	flight, land, ok := p.takeOff(ctx, t)
	if !ok {
		return over
	}
	defer land() // once the outcome is on its way: see Want
	req := p.requestOf(t.Tasks[t.next], addr)
	if t.chain != nil {
		req.URL, req.Cookie, req.IfNoneMatch, req.IfModifiedSince = t.chain.url, t.chain.cookie, "", ""
	}
	req.Allowed = p.allowed(t)
	asked := p.requests.begin(t, req.URL, addr, t.Gap)
	asked.Ground, asked.Line = p.requests.groundOf(record, rules, req.URL)
	begun := time.Now()
	resp, err := p.cfg.Client.Get(flight, req)
	p.slow.note(t.Domain, time.Since(begun))
	if err != nil {
		p.requests.failed(asked, err, p.cfg.Politeness.Gap(crawlDelay, time.Since(begun), t.Gap))
		if !isStopped(err) {
			p.used(addr, uplink.FailureOf(err))
		}
		return p.failed(ctx, t, err, len(addrs), crawlDelay, time.Since(begun))
	}
	defer resp.Release()
	t.connected(resp)
	p.uplink.Answered()
	p.requests.answered(asked, resp, p.cfg.Politeness.Gap(crawlDelay, resp.Took, t.Gap))
	if wait := p.uplink.Judge(t.Domain, resp); wait > 0 {
		asked.Result = crawl.Deferred
		p.requests.tell(asked)
		p.report(ctx, t, uplink.PutOff(wait))
		return over
	}
	p.awaitReading(flight, t)
	o, page, rest := p.readAll(t.Tasks[t.next], resp)
	o.CrawlDelay = crawlDelay
	o.Lease, o.Domain, o.Granter, o.Index = t.ID, t.Domain, t.Granter, t.next
	o.Challenged = p.challenged(resp)
	asked.Result, asked.Title = o.Result, o.Title
	p.requests.tell(asked)
	p.used(addr, o)
	gap := p.cfg.Politeness.Gap(crawlDelay, o.Took, t.Gap)
	if at := p.cfg.Now().Add(gap); at.Before(t.closing) && t.follow(resp, &o) {
		if err := p.cfg.Archive.ArchiveBeside(resp); err != nil && !errors.Is(err, ErrUnfit) {
			p.cfg.Trouble(err)
			return over
		}
		t.received += o.Received
		t.address, t.gap, t.at = 0, gap, at
		return again
	}
	if t.chain != nil {
		o.ETag, o.LastModified = "", "" // of an answer that nobody else gets
	}
	if !t.sitemapsTold {
		answer.TakeSitemaps(&o, rules, p.cfg.Scope)
	}
	lent := p.rest.Lend(&o)
	if err := p.cfg.Archive.Archive(resp, &o, page); errors.Is(err, ErrUnfit) {
		p.report(ctx, t, crawl.Outcome{Result: crawl.Failed, Status: resp.Status, Reason: ErrUnfit.Error(),
			CrawlDelay: crawlDelay})
		return over
	} else if err != nil {
		p.cfg.Trouble(err)
		return over
	}
	if !p.report(ctx, t, o) {
		return over
	}
	p.rest.Drop(t.Domain, lent)
	p.rest.Keep(rest)
	t.sitemapsTold = true
	t.done()
	t.address = 0
	t.gap = gap
	t.at = p.cfg.Now().Add(gap)
	if !p.anyWanted(t, record, rules) {
		// Behind the gap, the owner would count it a second time.
		p.leaveRest(ctx, t, record, rules)
		return over
	}
	if !o.Result.Final() || o.Status == http.StatusForbidden || !t.at.Before(t.closing) {
		return over // the owner counts the gap, or a longer wait, from here
	}
	return again
}

// requestOf makes the request for a task: a conditional one for a page that
// was visited before and is still in the archive, and one for whatever comes for a sitemap.
func (p *Pool) requestOf(t crawl.Task, addr netip.AddrPort) fetch.Request {
	r := fetch.Request{URL: t.URL, Addr: addr}
	if t.Source > 0 {
		r.AnyType, r.MaxBody = true, sourceBody
	}
	if t.Prior != nil && (p.cfg.Archived == nil || p.cfg.Archived(t.Prior.Digest)) {
		r.IfNoneMatch, r.IfModifiedSince = t.Prior.ETag, t.Prior.LastModified
	}
	return r
}

func (p *Pool) challenged(r *fetch.Response) bool {
	if p.cfg.Challenged == nil {
		return false
	}
	body, _ := r.Text() // what cannot be read says nothing
	return p.cfg.Challenged(r.Status, r.Header, body)
}

// failed handles a request that brought no response.
func (p *Pool) failed(ctx context.Context, t *turn, err error, addresses int, crawlDelay, took time.Duration) state {
	if isStopped(err) {
		return over // cut by us: stopped, or the lease is over
	}
	if elsewhere(err) && t.address+1 < min(addresses, maxAddresses) && !p.clocks.isClosing(t) {
		t.address++
		return again
	}
	o := p.uplink.Failure(err)
	o.CrawlDelay, o.Took = crawlDelay, took
	p.report(ctx, t, o)
	return over
}

// unknownDelay is the crawl delay of a host whose robots.txt was asked for, and the answer cut off by us. Few
// ask for more.
const unknownDelay = 30 * time.Second

// readRobots asks for the robots.txt of the host at hand. It counts as a
// request of the domain, so the page waits for the gap.
func (p *Pool) readRobots(ctx context.Context, t *turn, u crawl.URL, old robots.Record) state {
	flight, land, ok := p.takeOff(ctx, t)
	if !ok {
		return over
	}
	defer land()
	begun := time.Now()
	g := &robotsGetter{pool: p, turn: t, until: begun.Add(t.For * 3 / (4 * beginWithin))}
	record := robots.Fetch(flight, g, u, old, p.cfg.Latest())
	p.slow.note(t.Domain, time.Since(begun))
	cut := flight.Err() != nil || g.cut
	if g.archiveErr != nil {
		p.cfg.Trouble(g.archiveErr)
		return over
	}
	if g.portal > 0 {
		p.report(ctx, t, uplink.PutOff(g.portal))
		return over
	}
	if cut {
		// Nothing was learned of the host, not even how long it wants to be left alone.
		t.CrawlDelay = max(t.CrawlDelay, unknownDelay)
		return over
	}
	if err := p.cfg.Robots.Put(u.Origin(), record); err != nil {
		p.cfg.Trouble(err)
		return over
	}
	if p.cfg.RobotsRead != nil {
		p.cfg.RobotsRead(u.Origin(), record, g.cost)
	}
	now := p.cfg.Now()
	_, rules, _ := p.cfg.Robots.Get(p.cfg.Latest(), u.Origin())
	delay := rules.CrawlDelay()
	t.CrawlDelay = delay
	gap := p.cfg.Politeness.Gap(delay, g.took, 0) // the back-off was waited for before this lease
	t.gap, t.at = gap, now.Add(gap)
	if asked, ok := p.requests.sites.Get(t.Domain); ok {
		p.requests.sites.Add(t.Domain, lastAsked{asked.end, gap})
	}
	if !t.at.Before(t.closing) { // the owner must wait in our place
		p.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: t.at.Sub(now), CrawlDelay: delay,
			Reason: "crawl delay after robots.txt"})
		return over
	}
	return again
}
