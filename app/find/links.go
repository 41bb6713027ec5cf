package find

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/plain"
	"github.com/forage-net/forage/storage/index"
)

// LinksTo returns the links of other sites to an address or, if url is the zero value, to a domain, those seen
// last first.
func (f *Finder) LinksTo(
	ctx context.Context, domain crawl.Domain, url crawl.URL, from, limit int,
) (api.LinksPage, error) {
	page := api.LinksPage{Target: string(domain), Domain: url.IsZero()}
	to := ""
	if !url.IsZero() {
		page.Target, to = url.String(), linkedAddress(url)
	}
	list, err := f.index.Inlinks(ctx, string(domain), to)
	if err != nil {
		return api.LinksPage{}, fmt.Errorf("look up links: %w", err)
	}
	sites := make(map[uint32]bool)
	for _, l := range list {
		sites[l.Domain] = true
	}
	page.Sites, page.Links = len(sites), len(list)
	for i := from; i < len(list) && len(page.List) < limit && ctx.Err() == nil; i++ {
		if l, ok := f.inLink(list[i]); ok {
			page.List = append(page.List, l)
		}
		if page.Next = ""; i+1 < len(list) {
			page.Next = strconv.Itoa(i + 1)
		}
	}
	return page, ctx.Err()
}

// inLink reads the page that has a link; ok is false if it cannot be read any more, or is not to be shown.
func (f *Finder) inLink(l index.Inlink) (link api.InLink, ok bool) {
	r, page, ok := f.describe(index.Hit{Place: l.Place, Domain: l.Domain})
	if !ok {
		return link, false
	}
	page.release()
	return api.InLink{
		From: r.URL, Site: r.Domain, Title: r.Title, Text: plain.Line(l.Text), To: l.To, First: l.First,
		Last: l.Last, Pages: l.Pages, ID: r.ID,
	}, true
}

// Target reads what somebody typed: a domain or an address. The URL is the zero value for a domain.
func Target(s string) (crawl.Domain, crawl.URL, error) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, "/") && !strings.Contains(s, ":") {
		u, err := crawl.ParseURL("http://" + strings.TrimPrefix(s, "www.") + "/")
		if err != nil {
			return "", crawl.URL{}, words.New("said.api.is-neither-a-domain-nor",
				words.Args{"name": strconv.Quote(s)})
		}
		return u.Domain(), crawl.URL{}, nil
	}
	if !strings.Contains(s, "://") {
		s = "http://" + s
	}
	u, err := crawl.ParseURL(s)
	if err != nil {
		return "", crawl.URL{}, words.New("said.api.is-not-a-web-address", words.Args{"name": strconv.Quote(s)})
	}
	return u.Domain(), u, nil
}
