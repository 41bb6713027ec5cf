package index

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/storage/index/posting"
)

// maxInlinks bounds how many links of other sites are looked at for one answer.
const maxInlinks = 20_000

// Inlink is a link of another site, seen on one of its pages or several.
type Inlink struct {
	// Place is the newest page that has it, Domain the hash of its domain.
	Place
	Domain uint32
	// To is where the link leads, Text what the page calls it.
	To, Text string
	// First and Last are when it was seen first and last.
	First, Last time.Time
	// Pages is how many pages of the site have it, at least.
	Pages int
}

// Inlinks returns the links of other sites to an address, or to all addresses of a domain if url is "", those
// seen last first.
func (x *Index) Inlinks(ctx context.Context, domain, url string) (list []Inlink, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	defer func() {
		if r := recover(); r != nil {
			list, err = nil, fmt.Errorf("%w: %v", ErrDamaged, r)
		}
	}()
	c := inlinkCollector{found: make(map[inlinkKey]*Inlink)}
	from, until := []byte(targetKey(domain, url)), []byte(domain+"\x01")
	if url != "" {
		until = append(slices.Clone(from), 0)
	}
	for _, s := range x.segments {
		err := s.targets.Each(from, until, func(key, value []byte) bool {
			if _, to, _, ok := splitTarget(key); ok {
				c.take(to, posting.ReadSources(value, s.n), &s.table, s.deleted)
			}
			return len(c.found) < maxInlinks && ctx.Err() == nil
		})
		if err != nil {
			return nil, err
		}
	}
	for key, sources := range x.memory.targets {
		if d, to, _, _ := splitTarget([]byte(key)); d == domain && (url == "" || to == url) {
			c.take(to, sources, &x.memory.table, x.memory.deleted)
		}
	}
	return c.list(), ctx.Err()
}

type inlinkKey struct {
	domain uint32
	to     string
}

type inlinkCollector struct{ found map[inlinkKey]*Inlink }

// take takes the pages that link to an address. Those that are deleted tell only since when the link is there.
func (c *inlinkCollector) take(to string, sources []posting.Source, t *table, deleted *roaring.Bitmap) {
	for _, s := range sources {
		key := inlinkKey{uint32(t.get(columnDomain, s.Doc)), to}
		l := c.found[key]
		if l == nil {
			if len(c.found) >= maxInlinks {
				return
			}
			l = &Inlink{Domain: key.domain, To: to}
			c.found[key] = l
		}
		if since := time.Unix(int64(s.Since), 0).UTC(); l.First.IsZero() || since.Before(l.First) {
			l.First = since
		}
		if deleted.Contains(uint32(s.Doc)) {
			continue
		}
		l.Pages++
		if at := t.time(s.Doc); l.Last.IsZero() || at.After(l.Last) {
			l.Place, l.Last, l.Text = t.place(s.Doc), at, s.Label
		}
	}
}

func (c *inlinkCollector) list() []Inlink {
	list := make([]Inlink, 0, len(c.found))
	for _, l := range c.found {
		if l.Pages > 0 {
			list = append(list, *l)
		}
	}
	slices.SortFunc(list, func(a, b Inlink) int {
		return cmp.Or(b.Last.Compare(a.Last), strings.Compare(a.To, b.To), cmp.Compare(a.Domain, b.Domain))
	})
	return list
}

// LinkingDomains returns how many other domains link to a domain, given by its hash, of pages that may be gone
// since; at most 1,000 are counted.
func (x *Index) LinkingDomains(domain uint32) (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	defer func() {
		if recover() != nil { // a damaged dictionary; Search says so
			n = 0
		}
	}()
	lists := make([][]uint32, 0, len(x.segments)+1)
	key := []byte(linkingKey(domain))
	for _, s := range x.segments {
		raw := s.targets.Get(key)
		if n, _ := binary.Uvarint(raw); n >= posting.MaxDomains {
			return posting.MaxDomains
		}
		lists = append(lists, posting.ReadDomains(raw))
	}
	all := slices.Concat(append(lists, x.memory.linking[domain])...)
	slices.Sort(all)
	return min(len(slices.Compact(all)), posting.MaxDomains)
}

// Standing returns how many other domains link to a domain at least. It is quick, for rankings: it looks at the
// segment that knows most of them.
func (x *Index) Standing(domain uint32) (n int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	defer func() {
		if recover() != nil { // a damaged dictionary; Search says so
			n = 0
		}
	}()
	n = len(x.memory.linking[domain])
	key := []byte(linkingKey(domain))
	for _, s := range x.segments {
		known, _ := binary.Uvarint(s.targets.Get(key))
		n = max(n, int(min(known, posting.MaxDomains)))
	}
	return n
}

// Site sums up the pages of a domain.
type Site struct {
	Pages       int
	Bytes       int64
	First, Last time.Time
	// Since counts the pages fetched since the time that was asked for.
	Since     int
	Languages map[string]int
	// Some are up to 1000 of its pages, the first ones.
	Some []Hit
}

// Site sums up the pages of a domain, which its hash names.
func (x *Index) Site(domain uint32, since time.Time) Site {
	x.mu.RLock()
	defer x.mu.RUnlock()
	site := Site{Languages: make(map[string]int)}
	for _, s := range x.segments {
		site.take(&s.table, s.deleted, domain, since)
	}
	site.take(&x.memory.table, x.memory.deleted, domain, since)
	return site
}

const maxOfSite = 1000

func (site *Site) take(t *table, deleted *roaring.Bitmap, domain uint32, since time.Time) {
	for doc := range int32(t.n) {
		if uint32(t.get(columnDomain, doc)) != domain || deleted.Contains(uint32(doc)) {
			continue
		}
		h := hitOf(t, doc, 0)
		site.Pages++
		site.Bytes += int64(h.Bytes)
		site.Languages[h.Language]++
		if site.First.IsZero() || h.Time.Before(site.First) {
			site.First = h.Time
		}
		if h.Time.After(site.Last) {
			site.Last = h.Time
		}
		if !h.Time.Before(since) {
			site.Since++
		}
		if len(site.Some) < maxOfSite {
			site.Some = append(site.Some, h)
		}
	}
}

// Recent returns up to limit pages fetched since a time, the newest first.
func (x *Index) Recent(since time.Time, limit int) []Hit {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var list []Hit
	take := func(t *table, deleted *roaring.Bitmap) {
		for doc := int32(t.n) - 1; doc >= 0 && len(list) < limit; doc-- {
			if !t.time(doc).Before(since) && !deleted.Contains(uint32(doc)) {
				list = append(list, hitOf(t, doc, 0))
			}
		}
	}
	take(&x.memory.table, x.memory.deleted)
	for _, s := range slices.Backward(x.segments) {
		take(&s.table, s.deleted)
	}
	return list
}

// Languages returns the language of the newest page that has one, of each of the domains that hashes name. It looks at
// the newest pages, so many of them at most.
func (x *Index) Languages(domains []uint32, pages int) map[uint32]string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	wanted := make(map[uint32]bool, len(domains))
	for _, d := range domains {
		wanted[d] = true
	}
	found := make(map[uint32]string, len(wanted))
	take := func(t *table, deleted *roaring.Bitmap) {
		for doc := int32(t.n) - 1; doc >= 0 && pages > 0 && len(wanted) > 0; doc-- {
			pages--
			domain, language := uint32(t.get(columnDomain, doc)), uint16(t.get(columnLanguage, doc))
			if language != 0 && wanted[domain] && !deleted.Contains(uint32(doc)) {
				found[domain] = unpackLanguage(language)
				delete(wanted, domain)
			}
		}
	}
	take(&x.memory.table, x.memory.deleted)
	for _, s := range slices.Backward(x.segments) {
		take(&s.table, s.deleted)
	}
	return found
}
