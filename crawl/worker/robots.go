package worker

import (
	"context"
	"errors"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
)

// robotsGetter makes the requests for a robots.txt, each through the gate of
// its address, and archives the answers: they are the evidence of what was allowed.
type robotsGetter struct {
	pool *Pool
	took time.Duration // of the last request

	asked      bool
	archiveErr error // the answer could not be archived: our trouble, not the site's
}

// GetRobots implements robots.Getter.
func (g *robotsGetter) GetRobots(ctx context.Context, u crawl.URL) (robots.Reply, error) {
	addrs, err := g.pool.cfg.Client.Addrs(ctx, u)
	if err != nil {
		return robots.Reply{}, err
	}
	for _, addr := range addrs[:min(len(addrs), maxAddresses)] {
		gate := g.pool.gateOf(addr)
		if err := g.pool.gates.wait(ctx, gate); err != nil {
			return robots.Reply{}, err
		}
		if err := g.wait(ctx); err != nil {
			g.pool.gates.leave(gate)
			return robots.Reply{}, err
		}
		resp, getErr := g.pool.cfg.Client.Get(ctx, fetch.Request{URL: u, Addr: addr, AnyType: true})
		g.pool.gates.leave(gate)
		if getErr == nil {
			return g.reply(resp)
		}
		if err = getErr; !elsewhere(err) {
			break
		}
	}
	return robots.Reply{}, err
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
	if err := g.pool.cfg.Archive.ArchiveRobots(resp); err != nil {
		if !errors.Is(err, ErrUnfit) {
			g.archiveErr = err
		}
		return robots.Reply{}, err
	}
	reply := robots.Reply{Status: resp.Status, Location: resp.Header.Get("Location"), Torn: resp.Truncated != ""}
	body, err := resp.Text()
	if err != nil {
		reply.Torn = true
	}
	reply.Body = append(reply.Body, body...)
	return reply, nil
}
