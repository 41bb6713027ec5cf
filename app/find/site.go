package find

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/index"
)

const (
	// freshFor is how long a visit is called fresh.
	freshFor = 30 * 24 * time.Hour
	// topPages, topLinks and topLanguages are how many of each are shown of a site.
	topPages, topLinks, topLanguages = 10, 5, 10
	// readOfSite is how many pages of a site are read to choose those.
	readOfSite = 60
	// descriptionLength is how long the text of a site's first page may be, in bytes.
	descriptionLength = 240
)

// Site says what the archive has of a domain. The error is api.ErrNoSite if that is nothing.
func (f *Finder) Site(ctx context.Context, domain crawl.Domain) (api.SiteSummary, error) {
	known := f.index.Site(hashOfDomain(domain), f.cfg.Now().Add(-freshFor))
	if known.Pages == 0 {
		return api.SiteSummary{}, api.ErrNoSite
	}
	s := api.SiteSummary{
		Domain: string(domain), Pages: known.Pages, Bytes: known.Bytes, First: known.First, Last: known.Last,
		Fresh:     known.Since,
		Languages: languagesOf(known.Languages),
	}
	linked, err := f.index.Inlinks(ctx, string(domain), "")
	if err != nil {
		return api.SiteSummary{}, fmt.Errorf("look up links: %w", err)
	}
	sites := make(map[uint32]bool)
	pointing := make(map[uint64]int) // links to a page, by its address
	for _, l := range linked {
		sites[l.Domain] = true
		pointing[hashOf(l.To)]++
		if len(s.TopLinks) < topLinks {
			if link, ok := f.inLink(l); ok {
				s.TopLinks = append(s.TopLinks, link)
			}
		}
	}
	s.LinkingSites = len(sites)
	f.readTop(ctx, &s, known.Some, pointing)
	return s, ctx.Err()
}

// readTop chooses the pages that are shown of a site: those that others link to, then those nearest to the root.
func (f *Finder) readTop(ctx context.Context, s *api.SiteSummary, pages []index.Hit, pointing map[uint64]int) {
	slices.SortStableFunc(pages, func(a, b index.Hit) int { return cmp.Compare(pointing[b.URL], pointing[a.URL]) })
	type top struct {
		api.SearchResult
		links, depth int
	}
	var list []top
	root := ""
	for _, h := range pages[:min(len(pages), readOfSite)] {
		if ctx.Err() != nil {
			return
		}
		r, page, ok := f.describe(h)
		if !ok {
			continue
		}
		depth := strings.Count(strings.Trim(strings.TrimPrefix(r.URL, page.url.Origin()), "/"), "/")
		if path := strings.TrimPrefix(r.URL, page.url.Origin()); root == "" || len(path) < len(root) {
			root, s.Title, s.Description = path, r.Title, description(page)
		}
		page.release()
		list = append(list, top{r, pointing[h.URL], depth})
	}
	slices.SortStableFunc(list, func(a, b top) int {
		return cmp.Or(cmp.Compare(b.links, a.links), cmp.Compare(a.depth, b.depth),
			cmp.Compare(len(a.URL), len(b.URL)), strings.Compare(a.URL, b.URL))
	})
	for _, t := range list[:min(len(list), topPages)] {
		s.Top = append(s.Top, t.SearchResult)
	}
}

// description returns the first text of a page that is long enough to say something.
func description(p *stored) string {
	if p.facts.NoSnippet {
		return ""
	}
	for _, text := range p.paragraphs() {
		if len(text) >= descriptionLength/4 {
			if len(text) > descriptionLength {
				text = text[:wordEnd(text, descriptionLength)] + " …"
			}
			return text
		}
	}
	return ""
}

func languagesOf(pages map[string]int) []api.LanguageCount {
	list := make([]api.LanguageCount, 0, len(pages))
	for _, language := range slices.Sorted(maps.Keys(pages)) {
		list = append(list, api.LanguageCount{Language: language, Pages: pages[language]})
	}
	slices.SortStableFunc(list, func(a, b api.LanguageCount) int { return cmp.Compare(b.Pages, a.Pages) })
	return list[:min(len(list), topLanguages)]
}

// languagePages is how many pages are looked at for the languages of sites: a moment's work.
const languagePages = 1 << 20

// Languages returns the languages of sites, by their newest pages that have one.
func (f *Finder) Languages(domains []crawl.Domain) map[crawl.Domain]string {
	hashes := make([]uint32, len(domains))
	for i, d := range domains {
		hashes[i] = hashOfDomain(d)
	}
	found := f.index.Languages(hashes, languagePages)
	languages := make(map[crawl.Domain]string, len(found))
	for i, d := range domains {
		if language := found[hashes[i]]; language != "" {
			languages[d] = language
		}
	}
	return languages
}
