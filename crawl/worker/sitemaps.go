package worker

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/answer"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/words"
)

const (
	// sourceBody is how much of a sitemap or feed is read on the wire, in bytes: packed, what the protocol
	// allows (50 MB), and as it is, some 50,000 URLs of ordinary length. Four times as much may come of it
	// (fetch.Limits).
	sourceBody = 12 << 20
	// sourcesAtOnce is how many of them are requested at a time: each may take 60 MiB of memory.
	sourcesAtOnce = 2
	// sourceAgain is the wait of one that finds others requested.
	sourceAgain = 250 * time.Millisecond
)

// vouches reports whether the robots.txt of a page's host names a sitemap on the host of this one: that is how
// sitemaps.org has a site say that its sitemaps are elsewhere. It is the host that is compared, since
// robots.txt names an index, and the sitemaps in that speak for the site as well.
func (p *Pool) vouches(sitemap, page crawl.URL) bool {
	_, rules, fresh := p.cfg.Robots.Get(p.cfg.Latest(), page.Origin())
	return fresh && slices.ContainsFunc(rules.Sitemaps(), func(u crawl.URL) bool { return u.Host() == sitemap.Host() })
}

// readAll reads a response, and returns what the outcome has no room for.
func (p *Pool) readAll(task crawl.Task, r *fetch.Response) (crawl.Outcome, answer.Page, []crawl.Outlink) {
	var counter *words.Counter
	if p.cfg.Words != nil {
		counter = p.cfg.Words()
	}
	return answer.ReadAll(task, r, p.cfg.Scope, time.Now(), counter, p.vouches)
}
