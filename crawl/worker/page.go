package worker

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/chain"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/uplink"
)

const (
	// sourceBody is how much of a sitemap or feed is read on the wire, in bytes: packed, what the protocol
	// allows (50 MB), and as it is, some 50,000 URLs of ordinary length. Four times as much may come of it
	// (fetch.Limits).
	sourceBody = 12 << 20
	// sourcesAtOnce is how many of them are requested at a time: each may take 60 MiB of memory.
	sourcesAtOnce = 2
	// sourceAgain is the wait of one that finds others requested.
	sourceAgain = 250 * time.Millisecond
)

// request requests the task at hand once the gate of its address is free.
func (v *visitor) request(ctx context.Context, t *turn, h host) state {
	t.CrawlDelay = h.rules.CrawlDelay() // comes home with the lease, whatever comes of the request
	addr := h.addrs[t.address%len(h.addrs)]
	if s := v.enterGate(ctx, t, addr); s != proceed {
		return s
	}
	if t.address == 0 && !v.takePage(t) {
		return again
	}
	release, ok := v.takeSource(t)
	if !ok {
		return again
	}
	defer release()
	flight, land, ok := v.flights.takeOff(ctx, t)
	if !ok {
		return over
	}
	defer land() // once the outcome is on its way: see Want
	begun := time.Now()
	resp, asked, err := v.get(flight, t, h, addr)
	if err != nil {
		return v.failed(ctx, t, err, len(h.addrs), time.Since(begun))
	}
	defer resp.Release()
	if wait := v.uplink.Judge(t.Domain, resp); wait > 0 {
		return v.putOff(ctx, t, asked, wait)
	}
	v.awaitReading(flight, t)
	return v.read(ctx, t, h, resp, asked)
}

// putOff leaves the host of the task at hand alone for a while: our own network may have given the answer.
func (v *visitor) putOff(ctx context.Context, t *turn, asked *Request, wait time.Duration) state {
	asked.Result = crawl.Deferred
	v.requests.tell(asked)
	v.report(ctx, t, uplink.PutOff(wait))
	return over
}

// takePage takes the place of a page among those that may be requested a minute. If the next one is later, the turn
// waits for it.
func (v *visitor) takePage(t *turn) bool {
	now := v.cfg.Now()
	if at := v.bounds.takePage(now); at.After(now) {
		if t.due.IsZero() {
			t.due = now
		}
		t.at, t.paged = at, true
		return false
	}
	t.due = time.Time{}
	return true
}

// takeSource takes the place of a sitemap or feed among those that may be requested at once, until release is called.
// If there is none, the turn waits. Of other tasks there may be any number.
func (v *visitor) takeSource(t *turn) (release func(), ok bool) {
	if t.Tasks[t.next].Source == 0 {
		return func() {}, true
	}
	select {
	case v.sources <- struct{}{}:
		return func() { <-v.sources }, true
	default:
		t.at = v.cfg.Now().Add(sourceAgain)
		return nil, false
	}
}

// get sends a request for the task at hand.
func (v *visitor) get(ctx context.Context, t *turn, h host, addr netip.AddrPort) (*fetch.Response, *Request, error) {
	req := v.requestOf(t, addr)
	asked := v.requests.begin(t, req.URL, addr, t.Gap)
	asked.Ground, asked.Line = v.requests.groundOf(h.record, h.rules, req.URL)
	begun := time.Now()
	resp, err := v.cfg.Client.Get(ctx, req)
	took := time.Since(begun)
	v.slow.note(t.Domain, took)
	if err != nil {
		v.noteFailure(asked, err, v.cfg.Politeness.Gap(t.CrawlDelay, took, t.Gap))
		return nil, nil, err
	}
	t.connected(resp)
	v.uplink.Answered()
	v.requests.answered(asked, resp, v.cfg.Politeness.Gap(t.CrawlDelay, resp.Took, t.Gap))
	return resp, asked, nil
}

// noteFailure notes a request that brought no answer, and the gap it leaves.
func (v *visitor) noteFailure(asked *Request, err error, gap time.Duration) {
	if !isStopped(err) {
		v.used(asked.Addr, uplink.FailureOf(err))
	}
	v.requests.failed(asked, err, gap)
}

// requestOf makes the request for the task at hand: a conditional one for a page that
// was visited before and is still in the archive, and one for whatever comes for a sitemap.
func (v *visitor) requestOf(t *turn, addr netip.AddrPort) fetch.Request {
	task := &t.Tasks[t.next]
	r := fetch.Request{URL: task.URL, Addr: addr, Allowed: v.allowed(t)}
	if task.Source > 0 {
		r.AnyType, r.MaxBody = true, sourceBody
	}
	if t.chain != nil {
		r.URL, r.Cookie = t.chain.URL, t.chain.Cookie
	} else if task.Prior != nil && v.cfg.Archived(task.Prior.Digest) {
		r.IfNoneMatch, r.IfModifiedSince = task.Prior.ETag, task.Prior.LastModified
	}
	return r
}

// failed handles a request that brought no response.
func (v *visitor) failed(ctx context.Context, t *turn, err error, addresses int, took time.Duration) state {
	if isStopped(err) {
		return over // cut by us: stopped, or the lease is over
	}
	if elsewhere(err) && t.address+1 < min(addresses, maxAddresses) && !v.clocks.isClosing(t) {
		t.address++
		return again
	}
	o := v.uplink.Failure(err)
	o.CrawlDelay, o.Took = t.CrawlDelay, took
	v.report(ctx, t, o)
	return over
}

// read makes the outcome of an answer, and has both kept.
func (v *visitor) read(ctx context.Context, t *turn, h host, resp *fetch.Response, asked *Request) state {
	extras := answer.Extras{Words: v.cfg.Words(), Vouches: v.vouches}
	o, page := answer.Read(t.Tasks[t.next], resp, v.cfg.Scope, time.Now(), &extras)
	o.CrawlDelay = t.CrawlDelay
	body, _ := resp.Text() // what cannot be read says nothing
	o.Challenged = v.cfg.Challenged(resp.Status, resp.Header, body)
	asked.Result, asked.Title = o.Result, o.Title
	v.requests.tell(asked)
	v.used(asked.Addr, o)
	gap := v.cfg.Politeness.Gap(t.CrawlDelay, o.Took, t.Gap)
	if at := v.cfg.Now().Add(gap); at.Before(t.closing) {
		if next := chain.Follow(t.chain, resp, &o); next != nil {
			t.chain, t.address, t.gap, t.at = next, 0, gap, at
			return v.keepStep(t, resp, &o)
		}
	}
	if !v.keep(ctx, t, h, resp, o, page, extras.Rest) {
		return over
	}
	t.done()
	t.address, t.gap, t.at = 0, gap, v.cfg.Now().Add(gap)
	if !v.anyWanted(t, h) {
		// Behind the gap, the owner would count it a second time.
		v.leaveRest(ctx, t, h)
		return over
	}
	if !o.Result.Final() || o.Status == http.StatusForbidden || !t.at.Before(t.closing) {
		return over // the owner counts the gap, or a longer wait, from here
	}
	return again
}

// vouches reports whether the robots.txt of a page's host names a sitemap on the host of this one: that is how
// sitemaps.org has a site say that its sitemaps are elsewhere. It is the host that is compared, since
// robots.txt names an index, and the sitemaps in that speak for the site as well.
func (v *visitor) vouches(sitemap, page crawl.URL) bool {
	_, rules, fresh := v.cfg.Robots.Get(v.cfg.Latest(), page.Origin())
	return fresh && slices.ContainsFunc(rules.Sitemaps(), func(u crawl.URL) bool { return u.Host() == sitemap.Host() })
}

// keep has an answer archived and its outcome settled. rest is what that has no room for. It reports whether it could.
func (v *visitor) keep(
	ctx context.Context, t *turn, h host, resp *fetch.Response, o crawl.Outcome, page answer.Page, rest []crawl.Outlink,
) bool {
	if t.chain != nil {
		o.ETag, o.LastModified = "", "" // of an answer that nobody else gets
	}
	if !t.sitemapsTold {
		answer.TakeSitemaps(&o, h.rules, v.cfg.Scope)
	}
	lent := v.rest.Lend(&o)
	if err := v.cfg.Archive.Archive(resp, &o, page); errors.Is(err, ErrUnfit) {
		v.report(ctx, t, crawl.Outcome{Result: crawl.Failed, Status: resp.Status, Reason: ErrUnfit.Stored(),
			CrawlDelay: t.CrawlDelay})
		return false
	} else if !v.archived(err) {
		return false
	}
	if !v.report(ctx, t, o) {
		return false
	}
	v.rest.Drop(t.Domain, lent)
	v.rest.Keep(rest)
	t.sitemapsTold = true
	return true
}

// keepStep has an answer archived that was only a step on the way to a page.
func (v *visitor) keepStep(t *turn, resp *fetch.Response, o *crawl.Outcome) state {
	if !v.archived(v.cfg.Archive.ArchiveBeside(resp)) {
		return over
	}
	t.received += o.Received
	return again
}

// archived reports whether work may go on after a write to the archive, and tells of trouble if not.
func (v *visitor) archived(err error) bool {
	if err == nil || errors.Is(err, ErrUnfit) {
		return true
	}
	v.cfg.Trouble(err)
	return false
}
