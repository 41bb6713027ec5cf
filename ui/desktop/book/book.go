// Package book keeps what a window knows of the domains of a node.
package book

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/shown"
)

// maxBook is how many domains a book holds, several times what a volunteer has. The rest is left out, and said.
const maxBook = 50_000

// Page is how many domains are asked for at a time.
const Page = 100

// leastPart is by how much more is asked for again than is seen.
const leastPart = 20

// Site is a domain as it is shown.
type Site struct {
	api.Domain
	// Name and Title are for the eye; Domain.Domain names it to the node.
	Name, Title string
	// folded is what a filter looks into.
	folded string
}

func newSite(d api.Domain) Site {
	s := Site{Domain: d, Name: shown.First(d.Domain), Title: shown.Text(d.Title)}
	s.Reason, s.State, s.Domain.Title = shown.Text(d.Reason), shown.Text(d.State), ""
	for _, n := range []*int64{
		&s.Queued, &s.Fetched, &s.Failed, &s.Duplicates, &s.Bytes, &s.Refusals, &s.Challenges, &s.Backoffs,
	} {
		*n = max(*n, 0)
	}
	s.CrawlDelayS = shown.Seconds(s.CrawlDelayS).Seconds()
	s.folded = strings.ToLower(s.Name + "\n" + s.Title)
	return s
}

// same reports whether nothing of two sites differs that is shown.
func (s Site) same(o Site) bool {
	at, other := s.NextVisit, o.NextVisit
	s.NextVisit, o.NextVisit = nil, nil
	return s == o && (at == nil) == (other == nil) && (at == nil || at.Equal(*other))
}

// Book is what is known of the domains of a node, in the order of their names. It is put together from pages that
// come in any order, and never has a gap: all domains up to a name are known.
type Book struct {
	Sites []Site
	// upTo is the name up to which all are known; Whole says that there are no more, Cut that there are, and
	// they are left out.
	upTo       string
	Whole, Cut bool
	// Filter is in lower case; hits are the indices of what it leaves.
	Filter string
	hits   []int32
}

// Next says after which name unknown domains begin, and whether there are any that are wanted.
func (b *Book) Next() (after string, more bool) { return b.upTo, !b.Whole && !b.Cut }

// Take takes in a page: what the node answered who was asked for so many domains after a name. It
// reports whether what is shown changed.
func (b *Book) Take(after string, limit int, page []api.Domain) bool {
	if after > b.upTo && !b.Whole {
		return false // asked before the Book became shorter
	}
	got := sorted(after, page)
	last := len(page) < limit || len(got) == 0
	from, to := b.Search(after, true), len(b.Sites)
	if !last {
		to = b.Search(got[len(got)-1].Domain.Domain, true)
	}
	changed := !slices.EqualFunc(b.Sites[from:to], got, Site.same)
	if changed {
		b.Sites = slices.Replace(b.Sites, from, to, got...)
	}
	was := *b
	b.reach(last, got)
	if changed {
		b.choose()
	}
	return changed || was.Whole != b.Whole || was.Cut != b.Cut
}

// reach moves what is known after a page.
func (b *Book) reach(last bool, got []Site) {
	switch end := len(got) - 1; {
	case last:
		b.Whole = true
	case got[end].Domain.Domain > b.upTo || b.Whole && got[end].Domain.Domain >= b.Sites[len(b.Sites)-1].Domain.Domain:
		b.upTo, b.Whole = got[end].Domain.Domain, false
	}
	if len(b.Sites) > maxBook {
		b.Sites = slices.Delete(b.Sites, maxBook, len(b.Sites))
		b.Cut, b.Whole = true, false
	}
	if b.Whole && len(b.Sites) > 0 {
		b.upTo = b.Sites[len(b.Sites)-1].Domain.Domain
	}
}

// sorted are the domains of a page that come after a name, in order, each once: whoever answers may be wrong.
func sorted(after string, page []api.Domain) []Site {
	got := make([]Site, 0, len(page))
	for _, d := range page {
		if d.Domain > after {
			got = append(got, newSite(d))
		}
	}
	byName := func(a, b Site) int { return strings.Compare(a.Domain.Domain, b.Domain.Domain) }
	slices.SortFunc(got, byName)
	return slices.CompactFunc(got, func(a, b Site) bool { return byName(a, b) == 0 })
}

// Search returns the index of a name, or with past that behind it, among all sites.
func (b *Book) Search(name string, past bool) int {
	byName := func(s Site, name string) int { return strings.Compare(s.Domain.Domain, name) }
	i, found := slices.BinarySearchFunc(b.Sites, name, byName)
	if found && past {
		i++
	}
	return i
}

// Find returns a site by its name.
func (b *Book) Find(name string) (Site, bool) {
	if i := b.Search(name, false); i < len(b.Sites) && b.Sites[i].Domain.Domain == name {
		return b.Sites[i], true
	}
	return Site{}, false
}

// Sift shows only sites with a text in their name or title; "" is all.
func (b *Book) Sift(text string) {
	b.Filter = strings.ToLower(shown.Text(text))
	b.choose()
}

func (b *Book) choose() {
	b.hits = b.hits[:0]
	if b.Filter == "" {
		return
	}
	for i := range b.Sites {
		if strings.Contains(b.Sites[i].folded, b.Filter) {
			b.hits = append(b.hits, int32(i))
		}
	}
}

// Length is how many sites are shown.
func (b *Book) Length() int {
	if b.Filter == "" {
		return len(b.Sites)
	}
	return len(b.hits)
}

// At returns a site by its place among those that are shown.
func (b *Book) At(i int) (Site, bool) {
	if i < 0 || i >= b.Length() {
		return Site{}, false
	}
	return b.Sites[b.index(i)], true
}

func (b *Book) index(i int) int {
	if b.Filter != "" {
		return int(b.hits[i])
	}
	return i
}

// Place is where a name stands among those that are shown, or would stand.
func (b *Book) Place(name string) int {
	i := b.Search(name, false)
	if b.Filter == "" {
		return i
	}
	at, _ := slices.BinarySearch(b.hits, int32(i))
	return at
}

// Preceding is the name before the one of an index among all sites.
func (b *Book) Preceding(i int) string {
	if i <= 0 || i > len(b.Sites) {
		return ""
	}
	return b.Sites[i-1].Domain.Domain
}

// Part says what to ask for, to have some sites again.
type Part struct {
	After string
	Limit int
}

// Parts are what to ask for, to have the sites from one place to another among those that are shown: few and small
// pages, although a filter may have left out many between them. There is one at least.
func (b *Book) Parts(first, last int) []Part {
	var list []Part
	from := -Page
	for i := first; i <= last && i < b.Length(); i++ {
		at := b.index(i)
		if at-from >= Page {
			list, from = append(list, Part{After: b.Preceding(at)}), at
		}
		list[len(list)-1].Limit = at - from + 1
	}
	if len(list) == 0 {
		list = []Part{{}}
	}
	if b.Filter == "" {
		list[len(list)-1].Limit += leastPart // what was added behind the last is seen too
	}
	list[0].Limit = max(1, list[0].Limit)
	return list
}
