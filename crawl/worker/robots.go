package worker

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/uplink"
)

// RobotsCost is what asking for a robots.txt took, redirects included.
type RobotsCost struct {
	// Took is the time from each request to its last byte, all together; 0 if there was no answer.
	Took time.Duration
	// Received counts bytes, as the response does.
	Received int64
}

// robotsGetter makes the requests for a robots.txt, each through the gate of
// its address, and archives the answers: they are the evidence of what was allowed.
type robotsGetter struct {
	pool *Pool
	turn *turn         // it holds the gate of the first address
	took time.Duration // of the last request
	cost RobotsCost    // of all of them

	until      time.Time // what takes longer is the site's failure, not the lease's end
	asked      bool
	cut        bool          // by us: stopped, or the lease is over
	archiveErr error         // the answer could not be archived: our trouble, not the site's
	portal     time.Duration // our own network may have answered: how long to leave the host alone
}

// GetRobots implements robots.Getter.
func (g *robotsGetter) GetRobots(ctx context.Context, u crawl.URL) (robots.Reply, error) {
	if g.asked && !g.pool.cfg.Scope.World(u) { // a redirect to where no link may lead
		return robots.Reply{}, &fetch.Error{Kind: fetch.KindBlocked, Detail: "outside the crawl"}
	}
	first := !g.asked
	redirected := g.asked && u.Path() == "/robots.txt"
	if redirected {
		if known, ok := g.pool.cfg.Robots.Reply(g.pool.cfg.Latest(), u.Origin()); ok {
			return known, nil
		}
	}
	lease := ctx
	if g.asked { // for the first request the turn has waited
		begun := time.Now()
		g.pool.awaitReading(lease, g.turn)
		g.until = g.until.Add(time.Since(begun)) // it was not the site that took so long
	}
	ctx, cancel := context.WithDeadline(ctx, g.until)
	defer cancel()
	addrs, err := g.pool.cfg.Client.Addrs(ctx, u)
	if err != nil {
		return robots.Reply{}, err
	}
	var lastErr error
	for _, addr := range addrs[:min(len(addrs), maxAddresses)] {
		if err := g.wait(ctx); err != nil {
			return robots.Reply{}, err
		}
		gate := g.pool.gateOf(addr)
		if u.Domain() != g.turn.Domain && g.pool.gates.Crowded(gate, g.pool.maxLine) {
			return robots.Reply{}, &fetch.Error{Kind: fetch.KindUnreachable, Detail: "many others wait for its address"}
		}
		leave, err := g.enter(lease, gate, u.Domain())
		if err != nil {
			return robots.Reply{}, err
		}
		asked := g.pool.requests.begin(g.turn, u, addr, 0)
		asked.Robots, asked.Ground = true, robots.GroundItself
		resp, getErr := g.pool.cfg.Client.Get(ctx,
			fetch.Request{URL: u, Addr: addr, AnyType: true, Allowed: g.pool.allowed(g.turn)})
		if u.Domain() == g.turn.Domain {
			leave()
		} else { // its own clock does not know of this request, so its address rests for the gap
			time.AfterFunc(g.pool.cfg.Politeness.Gap(0, g.took, 0), leave)
		}
		g.cut = g.cut || isStopped(getErr) && (lease.Err() != nil || ctx.Err() == nil)
		if getErr == nil {
			if u.Domain() == g.turn.Domain {
				g.turn.connected(resp)
			}
			g.pool.uplink.Answered()
			g.pool.requests.answered(asked, resp, g.pool.cfg.Politeness.Gap(0, resp.Took, 0))
			g.pool.requests.tell(asked)
			o := crawl.Outcome{Status: resp.Status}
			if resp.Status == http.StatusTooManyRequests || resp.Status >= 500 {
				o.Result = crawl.Refused
			}
			g.pool.used(addr, o)
			if first {
				if g.portal = g.pool.uplink.Judge(g.turn.Domain, resp); g.portal > 0 {
					resp.Release()
					return robots.Reply{}, uplink.ErrPortal
				}
			}
			reply, err := g.reply(resp)
			if err == nil && redirected {
				err = g.keep(ctx, u, reply)
			}
			return reply, err
		}
		g.pool.requests.failed(asked, getErr, g.pool.cfg.Politeness.Gap(0, g.took, 0))
		if !isStopped(getErr) {
			g.pool.used(addr, uplink.FailureOf(getErr))
		}
		g.pool.uplink.Failure(getErr) // for what it says of our own network
		if lastErr = getErr; !elsewhere(lastErr) {
			break
		}
	}
	return robots.Reply{}, lastErr
}

// keep remembers what a redirect led to for the host it belongs to, so that others that
// redirect there need not ask it again.
func (g *robotsGetter) keep(ctx context.Context, u crawl.URL, reply robots.Reply) error {
	r := robots.Fetch(ctx, answered{reply}, u, robots.Record{}, g.pool.cfg.Latest())
	if r.Class != robots.ClassRules && r.Class != robots.ClassAllowAll {
		return nil // it may be better soon
	}
	return g.pool.cfg.Robots.Put(u.Origin(), r)
}

// answered is a Getter that has its answer already.
type answered struct{ reply robots.Reply }

// GetRobots implements robots.Getter.
func (a answered) GetRobots(context.Context, crawl.URL) (robots.Reply, error) { return a.reply, nil }

// enter takes the gate of an address. A turn that holds one must not wait for another,
// so the turn's own is given up for it.
func (g *robotsGetter) enter(ctx context.Context, gate netip.AddrPort, d crawl.Domain) (leave func(), err error) {
	if g.turn.gate == gate {
		return func() {}, nil
	}
	g.pool.leaveGate(g.turn)
	if err := g.pool.gates.Wait(ctx, gate, d); err != nil {
		return nil, err
	}
	return func() { g.pool.gates.Leave(gate) }, nil
}

// wait keeps the gap between the requests that redirects and further
// addresses make.
func (g *robotsGetter) wait(ctx context.Context) error {
	if !g.asked {
		g.asked = true
		return nil
	}
	select {
	case <-time.After(g.pool.cfg.Politeness.Gap(0, g.took, 0)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *robotsGetter) reply(resp *fetch.Response) (robots.Reply, error) {
	defer resp.Release()
	g.took = resp.Took
	g.cost.Took += resp.Took
	g.cost.Received += resp.Received
	if err := g.pool.cfg.Archive.ArchiveBeside(resp); err != nil {
		if !errors.Is(err, ErrUnfit) {
			g.archiveErr = err
		}
		return robots.Reply{}, err
	}
	reply := robots.Reply{
		Status: resp.Status, Location: resp.Header.Get("Location"), CacheControl: resp.Header.Get("Cache-Control"),
		Torn: resp.Truncated != "",
	}
	reply.RetryAfter, _ = resp.RetryAfter(time.Now())
	body, err := resp.Text()
	if err != nil {
		reply.Torn = true
	}
	reply.Body = append(reply.Body, body...)
	return reply, nil
}
