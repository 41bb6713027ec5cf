package answer

import (
	"bytes"
	"slices"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/crawl/scope"
)

// linkTaker adds the links of one answer to its outcome: those in scope, in
// the spelling the crawl gives them.
type linkTaker struct {
	bytes   int // of the URLs taken
	outcome *crawl.Outcome
	scope   *scope.Scope
	extras  *Extras // take what is too much, nil for what is dropped
}

// take adds a link that is so many hops further from the seeds than the page;
// l says the rest.
func (t *linkTaker) take(u crawl.URL, hops int, l crawl.Outlink) {
	depth := min(int(t.outcome.Task.Depth)+hops, crawl.MaxDepth+1)
	l.Depth = uint8(min(depth, crawl.MaxDepth))
	ok := false
	if l.Source > 0 {
		ok = t.scope.AdmitSource(u)
	} else {
		u, ok = t.scope.Admit(u, depth)
	}
	if !ok {
		return
	}
	l.URL = u
	if t.isFull(u) {
		t.extras.keep(l)
		return
	}
	t.bytes += len(u.String())
	t.outcome.Outlinks = append(t.outcome.Outlinks, l)
}

// isFull reports whether the outcome has no room for another link. A
// page of 50 KB can make ten thousand URLs of 2 KB each, by way of its base.
func (t *linkTaker) isFull(u crawl.URL) bool {
	return len(t.outcome.Outlinks) >= extract.MaxLinks || t.bytes+len(u.String()) > crawl.MaxOutlinkBytes
}

// takePage adds what a page, and the headers it came with, links to. Its
// canonical address is as far from the seeds as itself.
func (t *linkTaker) takePage(p *extract.Page, r *fetch.Response) {
	p.AddHeaders(r.URL, r.URLField("Refresh"), r.URLField("Link"))
	if !p.Canonical.IsZero() && p.Canonical != t.outcome.Task.URL && !p.NoFollow {
		t.take(p.Canonical, 0, crawl.Outlink{Priority: crawl.PriorityHigh})
	}
	t.outcome.Outlinks = slices.Grow(t.outcome.Outlinks, len(p.Links)+len(p.Alternates)+len(p.Feeds))
	for _, l := range p.Links {
		if !l.NoFollow {
			t.take(l.URL, 1, crawl.Outlink{Priority: crawl.PriorityNormal})
		}
	}
	for _, u := range p.Alternates {
		t.take(u, 1, crawl.Outlink{Priority: crawl.PriorityNormal})
	}
	for _, u := range p.Feeds {
		t.take(u, 1, crawl.Outlink{Priority: crawl.PriorityLow, Source: crawl.MaxSource})
	}
}

// takeSource adds what a sitemap or feed links to, and reports whether the body is one. A sitemap that nobody
// announced counts like one that robots.txt names. Links that the outcome has no room for go to x.
func (t *linkTaker) takeSource(r *fetch.Response, body []byte, x *Extras) bool {
	t.extras = x
	level := t.outcome.Task.Source
	if level == 0 {
		if !extract.LooksLikeSource(r.MediaType, body) {
			return false
		}
		level = 1
	}
	kind, err := extract.Source(r.URL, r.ContentType(), bytes.NewReader(body), func(e extract.SourceEntry) bool {
		switch {
		case e.Elsewhere && (e.Sitemap || !t.extras.vouched(r.URL, e.URL)):
		case !e.Sitemap:
			t.take(e.URL, 1, crawl.Outlink{Priority: crawl.PriorityNormal, Modified: e.Modified})
		case level < crawl.MaxSource:
			t.take(e.URL, 1, crawl.Outlink{Priority: crawl.PriorityHigh, Modified: e.Modified, Source: level + 1})
		}
		return t.extras != nil || len(t.outcome.Outlinks) < extract.MaxLinks
	})
	if err != nil && t.outcome.Reason == "" {
		t.outcome.Reason = words.New("said.visit.sitemap-or-feed", words.Args{"error": err}).Stored()
	}
	return kind != extract.SourceNone
}

// TakeSitemaps adds the sitemaps that the robots.txt of the host names to an
// outcome.
func TakeSitemaps(o *crawl.Outcome, rules *robots.Rules, s *scope.Scope) {
	t := linkTaker{outcome: o, scope: s}
	for _, u := range rules.Sitemaps() {
		t.take(u, 0, crawl.Outlink{Priority: crawl.PriorityHigh, Source: 1})
	}
}
