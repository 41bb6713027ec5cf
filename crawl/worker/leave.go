package worker

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// leftOut returns the outcome of a task that is not to be requested; is is false for any other.
func (v *visitor) leftOut(u crawl.URL, h host) (o crawl.Outcome, is bool) {
	if why := v.cfg.Refuses(u); why != "" {
		return crawl.Outcome{Result: crawl.Declined, Reason: why}, true
	}
	verdict, _ := h.record.Verdict(v.cfg.Latest(), h.rules, u)
	return crawl.Outcome{Result: crawl.Forbidden, CrawlDelay: h.rules.CrawlDelay()}, verdict == robots.Forbidden
}

// anyWanted reports whether a task that a turn has left is to be requested. It looks from the end, and
// remembers what it found.
func (v *visitor) anyWanted(t *turn, h host) bool {
	if t.wanted >= t.next && t.wanted > 0 {
		return true
	}
	for i := len(t.Tasks) - 1; i >= t.next; i-- {
		if _, is := v.leftOut(t.Tasks[i].URL, h); !is {
			t.wanted = i
			return true
		}
	}
	return false
}

// leaveRest settles what a turn has left, none of which is to be requested.
func (v *visitor) leaveRest(ctx context.Context, t *turn, h host) {
	for ; t.next < len(t.Tasks); t.next++ {
		u := t.Tasks[t.next].URL
		o, is := v.leftOut(u, h)
		if !is {
			return
		}
		if o.Result == crawl.Forbidden {
			v.requests.leftOut(t, u, crawl.Forbidden, h.record, h.rules)
		}
		if !v.report(ctx, t, o) {
			return
		}
	}
}
