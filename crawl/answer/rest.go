package answer

import (
	"sync"

	"github.com/forage-net/forage/crawl"
)

// maxRest bounds the URLs that wait for an outcome they can travel with, in bytes.
const maxRest = 16 << 20

// Rest keeps links of large sitemaps until outcomes of their domains have taken them along, in their order. So
// one answer is read to its end though no outcome may be long. After a crash the next visit of the sitemap
// finds them again.
type Rest struct {
	mu    sync.Mutex
	links map[crawl.Domain][]crawl.Outlink
	bytes int
}

// Keep takes links in, at most maxRest bytes. For them it forgets those of others where there is no room for
// both, but none of a domain of which some still wait.
func (r *Rest) Keep(links []crawl.Outlink) {
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

// Bytes returns how long the URLs that wait are together.
func (r *Rest) Bytes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// sizeOf returns how long the URLs of links are together, in bytes.
func sizeOf(links []crawl.Outlink) (n int) {
	for _, l := range links {
		n += len(l.URL.String())
	}
	return n
}

// Lend adds links of the domain of an outcome to it, as many as it has room for, and returns how many these
// are. They stay until they are dropped.
func (r *Rest) Lend(o *crawl.Outcome) (n int) {
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

// Drop forgets the first links of a domain: an outcome took them along.
func (r *Rest) Drop(d crawl.Domain, n int) {
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
