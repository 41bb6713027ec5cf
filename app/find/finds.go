package find

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/storage/index"
)

const (
	// findsOf is how far back pages are looked for that are worth reading, findsFrom how many of them are
	// weighed and findsShown how many are shown.
	findsOf    = 24 * time.Hour
	findsFrom  = 5000
	findsShown = 5
	// findsRead bounds the pages that are read for it.
	findsRead = 25
	// Pages of fewer words than leastWords say little, and those of more than mostWords are lists.
	leastWords, mostWords = 250, 20_000
	// linkedFrom is from how many sites on a page's own is called linked.
	linkedFrom = 3
)

// Finds returns a few pages of the last day that are worth reading, each of another site: of some length, in
// one of the languages (none means any), of sites that others link to or that are new. It depends on nothing
// that the user did.
func (f *Finder) Finds(ctx context.Context, languages []string) (api.Finds, error) {
	now := f.cfg.Now()
	finds := api.Finds{Day: now}
	var err error
	finds.Pages, err = f.pick(ctx, now.Add(-findsOf), now, languages)
	return finds, err
}

// Picks returns a few pages that were fetched from since to until and are worth reading, each of another site. At most
// the newest 5000 pages since then are weighed.
func (f *Finder) Picks(ctx context.Context, since, until time.Time) ([]api.Find, error) {
	return f.pick(ctx, since, until, nil)
}

func (f *Finder) pick(ctx context.Context, since, until time.Time, languages []string) (picks []api.Find, err error) {
	now := f.cfg.Now()
	type candidate struct {
		index.Hit
		links int
		worth float64
	}
	var list []candidate
	links := make(map[uint32]int)
	for _, h := range f.index.Recent(since, findsFrom) {
		others := len(languages) > 0 && !slices.Contains(languages, h.Language)
		if h.Time.After(until) || h.Words < leastWords || h.Words > mostWords || others {
			continue
		}
		n, ok := links[h.Domain]
		if !ok {
			n = f.index.LinkingDomains(h.Domain)
			links[h.Domain] = n
		}
		// A page of a thousand words is worth most; twice or half as many is worth a little less.
		list = append(list, candidate{h, n, math.Log2(1+float64(n)) - 0.3*math.Abs(math.Log2(float64(h.Words)/1000))})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.worth, a.worth) })
	seen := make(map[uint32]bool)
	for read, c := 0, 0; c < len(list) && read < findsRead && len(picks) < findsShown && ctx.Err() == nil; c++ {
		h := list[c]
		if seen[h.Domain] {
			continue
		}
		read++
		r, page, ok := f.describe(h.Hit)
		if !ok {
			continue
		}
		if r.Title != "" {
			seen[h.Domain] = true
			if text := description(page); text != "" {
				r.Snippet = []api.SnippetPiece{{Text: text}}
			}
			picks = append(picks, api.Find{SearchResult: r, Reason: f.reason(h.Hit, h.links, now)})
		}
		page.release()
	}
	return picks, ctx.Err()
}

// reason says why a page is worth reading.
func (f *Finder) reason(h index.Hit, links int, now time.Time) string {
	switch {
	case links >= linkedFrom:
		return "linked"
	case now.Sub(f.index.Site(h.Domain, now).First) < findsOf:
		return "new-site"
	}
	return "fresh"
}
