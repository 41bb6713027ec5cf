package app

import (
	"context"
	"time"
)

// takes reports whether the node may begin to own domains.
func (f *footing) takes() bool {
	given := f.n.opts.Lab != nil && f.n.opts.Sim == nil && f.n.opts.Footing != FootingDuty
	if given || f.now() == FootingDuty {
		return true
	}
	t, err := view(f.n.frontier, f.n.keeper.Totals)
	return err == nil && t.Domains > 0
}

// needed returns the peers without which the books cannot be kept.
func (f *footing) needed() map[string]bool {
	needed := make(map[string]bool)
	for _, s := range f.n.member.Layout.Mine() {
		for _, p := range f.n.member.Layout.Line(s) {
			needed[string(p)] = true
		}
	}
	return needed
}

func (f *footing) flush(ctx context.Context) { _ = f.n.driver.Commit(ctx) }

// isHome reports whether all that was held is back where it belongs.
func (f *footing) isHome() bool { return f.isIdle() && f.n.isHome() }

// isHome reports whether no outcome and no lease is on its way to its leader.
func (n *Node) isHome() bool { return n.returning() == 0 && n.swarm.Held() == 0 }

// restWithin is how long a node hands over at most before it is silent.
const restWithin = time.Second

// handOver has others lead, and falls silent.
func (f *footing) handOver(ctx context.Context) {
	within := restWithin
	if end, is := ctx.Deadline(); is {
		within = time.Until(end)
	}
	long, cancel := context.WithTimeout(context.WithoutCancel(ctx), within+restWithin)
	defer cancel()
	_ = f.n.driver.Rest(long, within)
}
