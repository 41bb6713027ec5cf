package app

import (
	"context"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/health"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/gates"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
)

// late are the parts that earlier ones call, and that are made with them: fetchers give outcomes to the swarm and the
// swarm leases to fetchers, the swarm acts through the driver and the driver has hooks of the swarm, limits ask for
// footings and those go by the driver. Nothing calls them before Serve.
type late struct {
	swarm  *swarm.Swarm
	driver *driver.Driver
	foot   *footing.Changer
	joined atomic.Bool // it is known who the other members are
}

// Do implements swarm.Loop.
func (l *late) Do(ctx context.Context, do func(*group.Node) error) error { return l.driver.Do(ctx, do) }

// DoSoon implements swarm.Loop.
func (l *late) DoSoon(do func(*group.Node)) bool { return l.driver.DoSoon(do) }

// Ask implements gates.Slots.
func (l *late) Ask(at netip.AddrPort, a gates.Ask) { l.swarm.Ask(at, a) }

// commitSoon is ledger.Config.Soon, takeFound its Found.
func (l *late) commitSoon() { l.driver.CommitSoon() }

func (l *late) takeFound() (urls, domains int) { return l.swarm.TakeFound() }

// take is limiter.Config.Take.
func (l *late) take(ctx context.Context, to limits.Footing, until time.Time) error {
	return l.foot.Take(ctx, to, until)
}

// leased returns who fetches the domains that this node keeps, as far as anybody does.
func (l *late) leased() map[crawl.Domain]crawl.PeerID {
	if !l.joined.Load() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	by, err := l.swarm.Leased(ctx)
	if err != nil {
		return nil // it rests, or ends
	}
	return by
}

// owner hands what the fetchers report to those who lead the domains.
type owner struct {
	late   *late
	health *health.Watch
	own    *claims.Own // the user's own sites
}

// Settle implements worker.Owner.
func (w *owner) Settle(ctx context.Context, o crawl.Outcome) error {
	w.health.Answered(&o)
	w.own.Took(o.Domain, o.Received, o.Sent)
	return w.late.swarm.Settle(ctx, o)
}

// Release implements worker.Owner.
func (w *owner) Release(ctx context.Context, l crawl.Lease) error {
	return w.late.swarm.Release(ctx, l)
}
