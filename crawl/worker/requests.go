package worker

import (
	"errors"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
)

// Request is a request that was made, or that robots.txt kept from being made, for the
// user's own record.
type Request struct {
	URL crawl.URL
	// Granter is that of the lease.
	Granter string
	// Started is when it was begun, by the wall clock.
	Started time.Time
	// Addr is what was asked, the zero value if nothing was.
	Addr netip.AddrPort
	// Robots says that it was for a robots.txt.
	Robots bool
	// Result is what came of it; Forbidden and Deferred mean that robots.txt kept it from being
	// made. For a robots.txt it is Fetched if there was any answer.
	Result crawl.Result
	// Cut says that we ended it: work had to stop, or the lease was over.
	Cut bool
	// Status is the HTTP status, 0 if there was no answer; Received counts bytes.
	Status   int
	Received int64
	// Took is the time from request to last byte.
	Took  time.Duration
	Title string
	// Ground is why it was made, or not, and Line the line of robots.txt that decided, "" if none did.
	Ground robots.Ground
	Line   string
	// Waited is the time since the end of the request before to the same domain from here,
	// negative if that is not known. Gap is what politeness asked for after that one, 0 if
	// that is not known either.
	Waited, Gap time.Duration
}

// maxSites bounds the domains of which the last request is remembered. Of one that is
// forgotten the record says that it is not known.
const maxSites = 4096

// lastAsked is when a request ended, by Config.Now, and what gap it left.
type lastAsked struct {
	end time.Time
	gap time.Duration
}

// requests tells the user's own record of requests, and remembers when domains were asked last. Its methods are
// safe for concurrent use.
type requests struct {
	now   func() time.Time
	to    func(*Request) // nil: nobody wants to know
	sites *lru.Cache[crawl.Domain, lastAsked]
}

func newRequests(cfg *Config) *requests {
	sites, _ := lru.New[crawl.Domain, lastAsked](maxSites) // fails for no size only
	return &requests{now: cfg.Now, to: cfg.Requested, sites: sites}
}

// begin begins a request. floor is the least gap before the first one of a lease.
func (a *requests) begin(t *turn, u crawl.URL, addr netip.AddrPort, floor time.Duration) *Request {
	r := &Request{URL: u, Granter: t.Granter, Started: time.Now(), Addr: addr, Waited: -1}
	if l, ok := a.sites.Get(u.Domain()); ok {
		r.Waited, r.Gap = a.now().Sub(l.end), l.gap
	}
	if !t.asked {
		t.asked = true
		r.Gap = max(r.Gap, floor)
	}
	return r
}

// answered notes the answer to a request, and the gap it leaves.
func (a *requests) answered(r *Request, resp *fetch.Response, gap time.Duration) {
	a.tellFirst(r, resp.Repeated)
	a.sites.Add(r.URL.Domain(), lastAsked{a.now(), gap})
	r.Result, r.Status, r.Received, r.Took = crawl.Fetched, resp.Status, resp.Received, resp.Took
}

// setGap notes the gap that the last request to a domain left, where that is known later than its end.
func (a *requests) setGap(d crawl.Domain, gap time.Duration) {
	if asked, ok := a.sites.Get(d); ok {
		a.sites.Add(d, lastAsked{asked.end, gap})
	}
}

// tellFirst tells of a request that was sent once in vain and then again.
func (a *requests) tellFirst(r *Request, repeated bool) {
	if !repeated {
		return
	}
	first := *r
	first.Result = crawl.Failed
	a.tell(&first)
	r.Waited, r.Gap = -1, 0
}

// failed tells of a request that brought no answer. One of which nothing was sent, because
// it was stopped before, was none.
func (a *requests) failed(r *Request, err error, gap time.Duration) {
	var fe *fetch.Error
	if errors.As(err, &fe) {
		a.tellFirst(r, fe.Repeated)
		r.Received = fe.Received
		if fe.Kind == fetch.KindStopped && fe.Sent == 0 {
			return
		}
	}
	r.Took, r.Cut, r.Result = time.Since(r.Started), isStopped(err), crawl.Failed
	if !elsewhere(err) { // the site was reached
		a.sites.Add(r.URL.Domain(), lastAsked{a.now(), gap})
	} else if fe.Kind == fetch.KindBlocked {
		r.Addr, r.Result = netip.AddrPort{}, crawl.Blocked
	}
	a.tell(r)
}

// leftOut tells of a page that is not requested because of robots.txt.
func (a *requests) leftOut(t *turn, u crawl.URL, result crawl.Result, record *robots.Record, rules *robots.Rules) {
	if a.to == nil {
		return
	}
	r := &Request{URL: u, Granter: t.Granter, Started: time.Now(), Result: result, Waited: -1}
	r.Ground, r.Line = record.Ground(rules, u)
	a.to(r)
}

// groundOf returns why a URL may be fetched, if anybody wants to know.
func (a *requests) groundOf(record *robots.Record, rules *robots.Rules, u crawl.URL) (robots.Ground, string) {
	if a.to == nil {
		return "", ""
	}
	return record.Ground(rules, u)
}

func (a *requests) tell(r *Request) {
	if a.to != nil {
		a.to(r)
	}
}

// elsewhere reports whether another address of the host may do better.
func elsewhere(err error) bool {
	var fe *fetch.Error
	if !errors.As(err, &fe) {
		return false
	}
	switch fe.Kind {
	case fetch.KindRefused, fetch.KindUnreachable, fetch.KindConnectTimeout, fetch.KindBlocked:
		return true
	}
	return false
}

// isStopped reports whether it was us who ended a request.
func isStopped(err error) bool {
	var fe *fetch.Error
	return errors.As(err, &fe) && fe.Kind == fetch.KindStopped
}
