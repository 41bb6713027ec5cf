package worker

import (
	"context"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/robots"
)

// leftOut returns the outcome of a task that is not to be requested; is is false for any other.
func (p *Pool) leftOut(u crawl.URL, record *robots.Record, rules *robots.Rules) (o crawl.Outcome, is bool) {
	if why := p.refuses(u); why != "" {
		return crawl.Outcome{Result: crawl.Declined, Reason: why}, true
	}
	verdict, _ := record.Verdict(p.cfg.Latest(), rules, u)
	return crawl.Outcome{Result: crawl.Forbidden, CrawlDelay: rules.CrawlDelay()}, verdict == robots.Forbidden
}

// anyWanted reports whether a task that a turn has left is to be requested. It looks from the end, and
// remembers what it found.
func (p *Pool) anyWanted(t *turn, record *robots.Record, rules *robots.Rules) bool {
	if t.wanted >= t.next && t.wanted > 0 {
		return true
	}
	for i := len(t.Tasks) - 1; i >= t.next; i-- {
		if _, is := p.leftOut(t.Tasks[i].URL, record, rules); !is {
			t.wanted = i
			return true
		}
	}
	return false
}

// leaveRest settles what a turn has left, none of which is to be requested.
func (p *Pool) leaveRest(ctx context.Context, t *turn, record *robots.Record, rules *robots.Rules) {
	for ; t.next < len(t.Tasks); t.next++ {
		u := t.Tasks[t.next].URL
		o, is := p.leftOut(u, record, rules)
		if !is {
			return
		}
		if o.Result == crawl.Forbidden {
			p.requests.leftOut(t, u, crawl.Forbidden, record, rules)
		}
		if !p.report(ctx, t, o) {
			return
		}
	}
}
