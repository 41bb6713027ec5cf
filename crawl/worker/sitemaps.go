package worker

import (
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
)

const (
	// sourceBody is how much of a sitemap or feed is read on the wire, in bytes: packed, what the protocol allows (50 MB), and as
	// it is, some 50,000 URLs of ordinary length. Four times as much may come of it (fetch.Limits).
	sourceBody = 12 << 20
	// sourcesAtOnce is how many of them are requested at a time: each may take 60 MiB of memory.
	sourcesAtOnce = 2
	// sourceAgain is the wait of one that finds others requested.
	sourceAgain = 250 * time.Millisecond
	// maxVouchers is how many other sites are looked at for one sitemap.
	maxVouchers = 16
	// maxRest bounds the URLs that wait for an outcome they can travel with, in bytes.
	maxRest = 16 << 20
)

// vouches reports whether the robots.txt of a page's host names a sitemap on the host of this one: that is how sitemaps.org has a site
// say that its sitemaps are elsewhere. It is the host that is compared, since robots.txt names an index, and the sitemaps in
// that speak for the site as well.
func (p *Pool) vouches(sitemap, page crawl.URL) bool {
	_, rules, fresh := p.cfg.Robots.Get(p.cfg.Latest(), page.Origin())
	return fresh && slices.ContainsFunc(rules.Sitemaps(), func(u crawl.URL) bool { return u.Host() == sitemap.Host() })
}

// readAll is Read that looks for who vouches for what a sitemap lists, and returns what the outcome has no room for.
func (p *Pool) readAll(task crawl.Task, r *fetch.Response) (crawl.Outcome, Page, []crawl.Outlink) {
	m := &more{vouches: p.vouches}
	if p.cfg.Words != nil {
		m.words = p.cfg.Words()
	}
	o, page := read(task, r, p.cfg.Scope, time.Now(), m)
	return o, page, m.links
}

// rest keeps links of large sitemaps until outcomes of their domains have taken them along, in their order. So one answer is read
// to its end though no outcome may be long. After a crash the next visit of the sitemap finds them again.
type rest struct {
	mu    sync.Mutex
	links map[crawl.Domain][]crawl.Outlink
	bytes int
}

// keep takes links in, at most maxRest bytes. For them it forgets those of others where there is no room for both, but none of a
// domain of which some still wait.
func (r *rest) keep(links []crawl.Outlink) {
	byDomain := make(map[crawl.Domain][]crawl.Outlink)
	for _, l := range links {
		d := l.URL.Domain()
		byDomain[d] = append(byDomain[d], l)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.links == nil {
		r.links = make(map[crawl.Domain][]crawl.Outlink)
	}
	for d, list := range byDomain {
		if len(r.links[d]) > 0 {
			continue
		}
		size := sizeOf(list)
		for other, waiting := range r.links {
			if r.bytes+size <= maxRest {
				break
			}
			r.bytes -= sizeOf(waiting)
			delete(r.links, other)
		}
		r.links[d] = list
		r.bytes += size
	}
}

// sizeOf returns how long the URLs of links are together, in bytes.
func sizeOf(links []crawl.Outlink) (n int) {
	for _, l := range links {
		n += len(l.URL.String())
	}
	return n
}

// lend adds links of the domain of an outcome to it, as many as it has room for, and returns how many these are. They stay until they are dropped.
func (r *rest) lend(o *crawl.Outcome) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.links[o.Domain]
	if len(waiting) == 0 {
		return 0
	}
	t := linkTaker{outcome: o, bytes: sizeOf(o.Outlinks)}
	for ; n < len(waiting) && !t.isFull(waiting[n].URL); n++ {
		t.bytes += len(waiting[n].URL.String())
		o.Outlinks = append(o.Outlinks, waiting[n])
	}
	return n
}

// drop forgets the first links of a domain: an outcome took them along.
func (r *rest) drop(d crawl.Domain, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := r.links[d]
	n = min(n, len(waiting)) // the others may have been forgotten meanwhile
	r.bytes -= sizeOf(waiting[:n])
	if n == len(waiting) {
		delete(r.links, d)
		return
	}
	r.links[d] = waiting[n:]
}
