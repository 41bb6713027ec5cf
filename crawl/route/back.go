package route

import (
	"context"

	"github.com/forage-net/forage/crawl/oldfrontier"
)

// maxBack is how many leases at most wait to be taken back; others lapse.
const maxBack = 4096

// TakeBack ends leases that their fetchers certainly were not told of: nobody would work them until they lapse. It
// does not wait for that.
func (r *Router) TakeBack(leases ...frontier.Release) {
	r.backMu.Lock()
	for _, l := range leases[:min(len(leases), maxBack-len(r.back))] {
		r.back = append(r.back, frontier.Entry{Release: &l})
	}
	r.backMu.Unlock()
	select {
	case r.woken() <- struct{}{}:
	default:
	}
}

// takeBack proposes to end what TakeBack was given. What is picked before that is committed does without.
func (r *Router) takeBack(ctx context.Context) error {
	r.backMu.Lock()
	entries := r.back
	r.back = nil
	r.backMu.Unlock()
	if len(entries) == 0 {
		return nil
	}
	_, err := r.Frontier.Begin(ctx, entries...)
	return err
}

// forgetBack forgets what TakeBack was given: another member leads the log.
func (r *Router) forgetBack() {
	r.backMu.Lock()
	defer r.backMu.Unlock()
	r.back = nil
}

// left does what is to be done when grants, and ends of leases before them, are committed whose fetcher has got an
// error instead: the commit took longer than it waits.
func (r *Router) left(lapsed []frontier.Lapse, grants []frontier.Grant) func([]frontier.Applied, error) {
	return func(applied []frontier.Applied, err error) {
		if err != nil {
			return
		}
		r.lapsed(lapsed)
		var leases []frontier.Release
		for i, g := range grants {
			if id := applied[len(lapsed)+i].Lease; id != 0 {
				leases = append(leases, frontier.Release{Lease: id, Domain: g.Domain, By: g.Holder})
			}
		}
		r.TakeBack(leases...)
	}
}

// lapsed tells of leases that were ended after their time.
func (r *Router) lapsed(list []frontier.Lapse) {
	for _, l := range list {
		if r.Others != nil {
			r.Others.Lapsed(l.Release)
		}
	}
}
