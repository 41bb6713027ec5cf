package extract

import (
	"bytes"
	"errors"
	"io"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/tags"
)

// readRoot reads up to the first start tag and says what it is the root of.
func (m *markup) readRoot() (SourceKind, error) {
	tok, err := m.next()
	switch {
	case errors.Is(err, io.EOF):
		return SourceNone, nil
	case err != nil:
		return SourceNone, err
	case tok == tokenEnd || m.long || len(trim(m.text)) > 0:
		return SourceNone, nil
	}
	return rootKind(m.local), nil
}

func rootKind(name []byte) SourceKind {
	switch string(name) {
	case "urlset":
		return SourceSitemap
	case "sitemapindex":
		return SourceIndex
	case "rss", "RDF":
		return SourceRSS
	case "feed":
		return SourceAtom
	}
	return SourceNone
}

// fieldOfFeed knows the elements of all versions of RSS and Atom and those of
// Dublin Core that RSS borrows; no two of them use a name for different things.
func fieldOfFeed(name []byte) field {
	switch string(name) {
	case "item", "entry":
		return fieldEntry
	case "link":
		return fieldURL
	case "guid":
		return fieldGUID
	case "pubDate", "date", "updated", "published", "modified", "issued":
		return fieldDate
	}
	return fieldNone
}

// feedLink returns where a link of Atom leads if that is the entry's page:
// an alternate, which one without a rel is, too (RFC 4287 §4.2.7.2). It is empty if
// it is something else.
func feedLink(attrs tags.Attributes) string {
	rel, _ := attrs.Get(tags.AttrRel)
	if rel = bytes.TrimSpace(rel); len(rel) > 0 && !bytes.EqualFold(rel, []byte("alternate")) {
		return ""
	}
	href, _ := attrs.Get(tags.AttrHref)
	return string(trim(tags.Text(href, nil)))
}

// baseOf returns what links in the element are relative to, if it says so by
// xml:base, else base.
func (e *entries) baseOf(base crawl.URL) crawl.URL {
	if !e.isFeed() {
		return base
	}
	attrs := e.attrs()
	if raw, ok := attrs.Get(tags.AttrXMLBase); ok {
		if u, err := base.Resolve(string(tags.Text(raw, nil))); err == nil {
			return u
		}
	}
	return base
}
