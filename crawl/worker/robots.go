package worker

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/forage-net/forage/assets/words"
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

// unknownDelay is the crawl delay of a host whose robots.txt was asked for, and the answer cut off by us. Few
// ask for more.
const unknownDelay = 30 * time.Second

// readRobots asks for the robots.txt of the host at hand. It counts as a
// request of the domain, so the page waits for the gap.
func (v *visitor) readRobots(ctx context.Context, t *turn, u crawl.URL, old robots.Record) state {
	flight, land, ok := v.flights.takeOff(ctx, t)
	if !ok {
		return over
	}
	defer land()
	begun := time.Now()
	g := &robotsGetter{visitor: v, turn: t, until: begun.Add(t.For * 3 / (4 * beginWithin))}
	record := robots.Fetch(flight, g, u, old, v.cfg.Latest())
	v.slow.note(t.Domain, time.Since(begun))
	switch {
	case g.archiveErr != nil:
		v.cfg.Trouble(g.archiveErr)
		return over
	case g.portal > 0:
		v.report(ctx, t, uplink.PutOff(g.portal))
		return over
	case flight.Err() != nil || g.cut:
		// Nothing was learned of the host, not even how long it wants to be left alone.
		t.CrawlDelay = max(t.CrawlDelay, unknownDelay)
		return over
	}
	if err := v.cfg.Robots.Put(u.Origin(), record); err != nil {
		v.cfg.Trouble(err)
		return over
	}
	if v.cfg.RobotsRead != nil {
		v.cfg.RobotsRead(u.Origin(), record, g.cost)
	}
	return v.waitAfterRobots(ctx, t, u, g.took)
}

// waitAfterRobots has a turn wait for the gap after its robots.txt, which took so long.
func (v *visitor) waitAfterRobots(ctx context.Context, t *turn, u crawl.URL, took time.Duration) state {
	now := v.cfg.Now()
	_, rules, _ := v.cfg.Robots.Get(v.cfg.Latest(), u.Origin())
	t.CrawlDelay = rules.CrawlDelay()
	t.gap = v.cfg.Politeness.Gap(t.CrawlDelay, took, 0) // the back-off was waited for before this lease
	t.at = now.Add(t.gap)
	v.requests.setGap(t.Domain, t.gap)
	if t.at.Before(t.closing) {
		return again
	}
	// The owner must wait in our place.
	v.report(ctx, t, crawl.Outcome{Result: crawl.Deferred, Wait: t.gap, CrawlDelay: t.CrawlDelay,
		Reason: words.New("said.visit.crawl-delay-after-robots-txt", nil).Stored()})
	return over
}

// robotsGetter makes the requests for a robots.txt, each through the gate of
// its address, and archives the answers: they are the evidence of what was allowed.
type robotsGetter struct {
	*visitor
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
	if g.asked && !g.cfg.Scope.World(u) { // a redirect to where no link may lead
		return robots.Reply{}, &fetch.Error{Kind: fetch.KindBlocked, Detail: "outside the crawl"}
	}
	redirected := g.asked && u.Path() == "/robots.txt"
	if redirected {
		if known, ok := g.cfg.Robots.Reply(g.cfg.Latest(), u.Origin()); ok {
			return known, nil
		}
	}
	first := !g.asked
	if !first { // for the first request the turn has waited
		g.awaitRoom(ctx)
	}
	site, cancel := context.WithDeadline(ctx, g.until)
	defer cancel()
	resp, err := g.askEach(site, ctx, u)
	if err != nil {
		return robots.Reply{}, err
	}
	if first {
		if g.portal = g.uplink.Judge(g.turn.Domain, resp); g.portal > 0 {
			resp.Release()
			return robots.Reply{}, uplink.ErrPortal
		}
	}
	reply, err := g.reply(resp)
	if err == nil && redirected {
		err = g.keepReply(site, u, reply)
	}
	return reply, err
}

// awaitRoom waits until there is room for the request that a redirect leads to.
func (g *robotsGetter) awaitRoom(ctx context.Context) {
	begun := time.Now()
	g.awaitReading(ctx, g.turn)
	g.until = g.until.Add(time.Since(begun)) // it was not the site that took so long
}

// askEach asks the addresses of a host, one after the other until one answers. ctx ends when the site has had its time,
// lease only when we stop or the lease is over.
func (g *robotsGetter) askEach(ctx, lease context.Context, u crawl.URL) (*fetch.Response, error) {
	addrs, err := g.cfg.Client.Addrs(ctx, u)
	if err != nil {
		return nil, err
	}
	var lastErr error
	for _, addr := range addrs[:min(len(addrs), maxAddresses)] {
		if err := g.wait(ctx); err != nil {
			return nil, err
		}
		leave, err := g.enter(lease, addr, u.Domain())
		if err != nil {
			return nil, err
		}
		resp, err := g.ask(ctx, lease, u, addr, leave)
		if err == nil {
			return resp, nil
		}
		if lastErr = err; !elsewhere(err) {
			break
		}
	}
	return nil, lastErr
}

// ask asks an address, whose gate it leaves.
func (g *robotsGetter) ask(
	ctx, lease context.Context, u crawl.URL, addr netip.AddrPort, leave func(),
) (*fetch.Response, error) {
	asked := g.requests.begin(g.turn, u, addr, 0)
	asked.Robots, asked.Ground = true, robots.GroundItself
	req := fetch.Request{URL: u, Addr: addr, AnyType: true, Allowed: g.allowed(g.turn)}
	resp, err := g.cfg.Client.Get(ctx, req)
	leave()
	if err != nil {
		g.cut = g.cut || isStopped(err) && (lease.Err() != nil || ctx.Err() == nil)
		g.noteFailure(asked, err, g.cfg.Politeness.Gap(0, g.took, 0))
		g.uplink.Failure(err) // for what it says of our own network
		return nil, err
	}
	if u.Domain() == g.turn.Domain {
		g.turn.connected(resp)
	}
	g.uplink.Answered()
	g.requests.answered(asked, resp, g.cfg.Politeness.Gap(0, resp.Took, 0))
	g.requests.tell(asked)
	o := crawl.Outcome{Status: resp.Status}
	if resp.Status == http.StatusTooManyRequests || resp.Status >= 500 {
		o.Result = crawl.Refused
	}
	g.used(addr, o)
	return resp, nil
}

// keepReply remembers what a redirect led to for the host it belongs to, so that others that
// redirect there need not ask it again.
func (g *robotsGetter) keepReply(ctx context.Context, u crawl.URL, reply robots.Reply) error {
	r := robots.Fetch(ctx, answered{reply}, u, robots.Record{}, g.cfg.Latest())
	if r.Class != robots.ClassRules && r.Class != robots.ClassAllowAll {
		return nil // it may be better soon
	}
	return g.cfg.Robots.Put(u.Origin(), r)
}

// answered is a Getter that has its answer already.
type answered struct{ reply robots.Reply }

// GetRobots implements robots.Getter.
func (a answered) GetRobots(context.Context, crawl.URL) (robots.Reply, error) { return a.reply, nil }

// enter takes the gate of an address. A turn that holds one must not wait for another,
// so the turn's own is given up for it.
func (g *robotsGetter) enter(ctx context.Context, addr netip.AddrPort, d crawl.Domain) (leave func(), err error) {
	gate := g.gateOf(addr)
	if d != g.turn.Domain && g.flights.gates.Crowded(gate, g.maxLine) {
		return nil, &fetch.Error{Kind: fetch.KindUnreachable, Detail: "many others wait for its address"}
	}
	if g.turn.gate == gate {
		return func() {}, nil
	}
	g.leaveGate(g.turn)
	if err := g.flights.gates.Wait(ctx, gate, d); err != nil {
		return nil, err
	}
	free := func() { g.flights.gates.Leave(gate) }
	if d == g.turn.Domain {
		return free, nil
	}
	// The clock of its own domain does not know of this request, so the address rests for the gap.
	return func() { time.AfterFunc(g.cfg.Politeness.Gap(0, g.took, 0), free) }, nil
}

// wait keeps the gap between the requests that redirects and further
// addresses make.
func (g *robotsGetter) wait(ctx context.Context) error {
	if !g.asked {
		g.asked = true
		return nil
	}
	select {
	case <-time.After(g.cfg.Politeness.Gap(0, g.took, 0)):
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
	if err := g.cfg.Archive.ArchiveBeside(resp); err != nil {
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
