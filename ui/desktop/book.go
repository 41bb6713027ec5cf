package desktop

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
)

// maxBook is how many domains a book holds, several times what a node of a volunteer owns. The rest is left out, and said.
const maxBook = 50_000

// leastPart is by how much more is asked for again than is seen.
const leastPart = 20

// site is a domain as it is shown.
type site struct {
	api.Domain
	// name and title are for the eye; Domain.Domain names it to the node.
	name, title string
	// folded is what a filter looks into.
	folded string
}

func newSite(d api.Domain) site {
	s := site{Domain: d, name: firstOf(d.Domain), title: shown(d.Title)}
	s.Reason, s.State, s.Title = shown(d.Reason), shown(d.State), ""
	for _, n := range []*int64{&s.Queued, &s.Fetched, &s.Failed, &s.Duplicates, &s.Bytes, &s.Refusals, &s.Challenges, &s.Backoffs} {
		*n = max(*n, 0)
	}
	s.CrawlDelayS = seconds(s.CrawlDelayS).Seconds()
	s.folded = strings.ToLower(s.name + "\n" + s.title)
	return s
}

// same reports whether nothing of two sites differs that is shown.
func (s site) same(o site) bool {
	at, other := s.NextVisit, o.NextVisit
	s.NextVisit, o.NextVisit = nil, nil
	return s == o && (at == nil) == (other == nil) && (at == nil || at.Equal(*other))
}

// book is what is known of the domains of a node, in the order of their names. It is put together from pages that come in
// any order, and never has a gap: all domains up to a name are known.
type book struct {
	sites []site
	// upTo is the name up to which all are known; whole says that there are no more, cut that there are, and
	// they are left out.
	upTo       string
	whole, cut bool
	// filter is in lower case; hits are the indices of what it leaves.
	filter string
	hits   []int32
}

// next says after which name unknown domains begin, and whether there are any that are wanted.
func (b *book) next() (after string, more bool) { return b.upTo, !b.whole && !b.cut }

// take takes in a page: what the node answered who was asked for so many domains after a name. It
// reports whether what is shown changed.
func (b *book) take(after string, limit int, page []api.Domain) bool {
	if after > b.upTo && !b.whole {
		return false // asked before the book became shorter
	}
	got := sorted(after, page)
	last := len(page) < limit || len(got) == 0
	from, to := b.search(after, true), len(b.sites)
	if !last {
		to = b.search(got[len(got)-1].Domain.Domain, true)
	}
	changed := !slices.EqualFunc(b.sites[from:to], got, site.same)
	if changed {
		b.sites = slices.Replace(b.sites, from, to, got...)
	}
	was := *b
	b.reach(last, got)
	if changed {
		b.choose()
	}
	return changed || was.whole != b.whole || was.cut != b.cut
}

// reach moves what is known after a page.
func (b *book) reach(last bool, got []site) {
	switch end := len(got) - 1; {
	case last:
		b.whole = true
	case got[end].Domain.Domain > b.upTo || b.whole && got[end].Domain.Domain >= b.sites[len(b.sites)-1].Domain.Domain:
		b.upTo, b.whole = got[end].Domain.Domain, false
	}
	if len(b.sites) > maxBook {
		b.sites = slices.Delete(b.sites, maxBook, len(b.sites))
		b.cut, b.whole = true, false
	}
	if b.whole && len(b.sites) > 0 {
		b.upTo = b.sites[len(b.sites)-1].Domain.Domain
	}
}

// sorted are the domains of a page that come after a name, in order, each once: whoever answers may be wrong.
func sorted(after string, page []api.Domain) []site {
	got := make([]site, 0, len(page))
	for _, d := range page {
		if d.Domain > after {
			got = append(got, newSite(d))
		}
	}
	byName := func(a, b site) int { return strings.Compare(a.Domain.Domain, b.Domain.Domain) }
	slices.SortFunc(got, byName)
	return slices.CompactFunc(got, func(a, b site) bool { return byName(a, b) == 0 })
}

// search returns the index of a name, or with past that behind it, among all sites.
func (b *book) search(name string, past bool) int {
	i, found := slices.BinarySearchFunc(b.sites, name, func(s site, name string) int { return strings.Compare(s.Domain.Domain, name) })
	if found && past {
		i++
	}
	return i
}

// find returns a site by its name.
func (b *book) find(name string) (site, bool) {
	if i := b.search(name, false); i < len(b.sites) && b.sites[i].Domain.Domain == name {
		return b.sites[i], true
	}
	return site{}, false
}

// sift shows only sites with a text in their name or title; "" is all.
func (b *book) sift(text string) {
	b.filter = strings.ToLower(shown(text))
	b.choose()
}

func (b *book) choose() {
	b.hits = b.hits[:0]
	if b.filter == "" {
		return
	}
	for i := range b.sites {
		if strings.Contains(b.sites[i].folded, b.filter) {
			b.hits = append(b.hits, int32(i))
		}
	}
}

// length is how many sites are shown.
func (b *book) length() int {
	if b.filter == "" {
		return len(b.sites)
	}
	return len(b.hits)
}

// at returns a site by its place among those that are shown.
func (b *book) at(i int) (site, bool) {
	if i < 0 || i >= b.length() {
		return site{}, false
	}
	return b.sites[b.index(i)], true
}

func (b *book) index(i int) int {
	if b.filter != "" {
		return int(b.hits[i])
	}
	return i
}

// place is where a name stands among those that are shown, or would stand.
func (b *book) place(name string) int {
	i := b.search(name, false)
	if b.filter == "" {
		return i
	}
	at, _ := slices.BinarySearch(b.hits, int32(i))
	return at
}

// preceding is the name before the one of an index among all sites.
func (b *book) preceding(i int) string {
	if i <= 0 || i > len(b.sites) {
		return ""
	}
	return b.sites[i-1].Domain.Domain
}

// part says what to ask for, to have some sites again.
type part struct {
	after string
	limit int
}

// parts are what to ask for, to have the sites from one place to another among those that are shown: few and small pages, although
// a filter may have left out many between them. There is one at least.
func (b *book) parts(first, last int) []part {
	var list []part
	from := -sitesPage
	for i := first; i <= last && i < b.length(); i++ {
		at := b.index(i)
		if at-from >= sitesPage {
			list, from = append(list, part{after: b.preceding(at)}), at
		}
		list[len(list)-1].limit = at - from + 1
	}
	if len(list) == 0 {
		list = []part{{}}
	}
	if b.filter == "" {
		list[len(list)-1].limit += leastPart // what was added behind the last is seen too
	}
	list[0].limit = max(1, list[0].limit)
	return list
}
