package route

import (
	"context"
	"slices"

	"github.com/forage-net/forage/crawl/frontier"
)

// maxLeft bounds what is remembered in leftGrants; of the others the leases lapse.
const maxLeft = 64

// leftGrants are grants that were proposed, and whose fetcher has got an error instead of leases: the commit took
// longer than it waits. Nobody would work them until they lapse.
type leftGrants struct {
	pending *frontier.Pending
	before  int // entries of the proposal before the grants
	grants  []frontier.Grant
}

// leaves notes that nobody waits for grants any more.
func (r *Router) leaves(p *frontier.Pending, before int, grants []frontier.Grant) {
	if len(r.left) < maxLeft && len(grants) > 0 {
		r.left = append(r.left, leftGrants{pending: p, before: before, grants: slices.Clone(grants)})
	}
}

// takeBack ends the leases of grants that have been committed since their fetchers left.
func (r *Router) takeBack(ctx context.Context) error {
	var entries []frontier.Entry
	r.left = slices.DeleteFunc(r.left, func(l leftGrants) bool {
		applied, over := l.pending.Over()
		for i, g := range l.grants {
			if at := l.before + i; at < len(applied) && applied[at].Lease != 0 {
				entries = append(entries, frontier.Entry{Release: &frontier.Release{Lease: applied[at].Lease, Domain: g.Domain, By: g.Holder}})
			}
		}
		return over
	})
	if len(entries) == 0 {
		return nil
	}
	_, err := r.Frontier.Propose(ctx, entries...)
	return err
}
