package extract

import (
	"bytes"
	"slices"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
)

const (
	// MaxFeeds is how many feeds of a page are kept, the first ones.
	MaxFeeds = 8
	// MaxAlternates is how many versions of a page, most of them in other
	// languages, are kept, the first ones: there are about 180 languages with their own
	// two-letter code.
	MaxAlternates = 200
	// maxHints bounds how many links of the head of one kind are resolved, good
	// or bad.
	maxHints = 2 * MaxAlternates
)

// relation is what a link of the head leads to.
type relation uint8

const (
	relCanonical relation = iota
	relFeed
	relAlternate
	relCount
)

// hints are the links of the head as written. They wait for the end of the
// page, since a base may come after them.
type hints [relCount][]string

// relations are what one link is, as a set.
type relations struct{ canonical, feed, alternate, follow bool }

// relationsOf reads the relation types of a link element or of a Link header
// and the media type given with them.
func relationsOf(rel, mediaType []byte) (is relations) {
	for word := range bytes.FieldsSeq(rel) {
		var low [len("terms-of-service")]byte
		if len(word) > len(low) {
			continue
		}
		for i, c := range word {
			low[i] = tags.Lower(c)
		}
		switch string(low[:len(word)]) {
		case "canonical":
			is.canonical = true
		case "alternate":
			is.alternate = true
		case "stylesheet", "nofollow":
			return relations{}
		case "next", "prev", "previous", "first", "last", "up", // of a series (HTML standard §4.6.6.17, RFC 8288)
			// HTML 4.01 §6.12 and 3.2
			"start", "begin", "end", "top", "home", "contents", "toc", "index", "chapter", "section", "subsection",
			"appendix", "glossary", "copyright",
			"author", "help", "license", "privacy-policy", "terms-of-service", "bookmark": // HTML standard §4.6.6
			is.follow = true
		}
	}
	if !is.alternate && !is.follow {
		return is
	}
	kind, _, _ := bytes.Cut(mediaType, []byte(";"))
	kind = bytes.TrimSpace(kind)
	is.feed = is.alternate && (bytes.EqualFold(kind, []byte("application/rss+xml")) ||
		bytes.EqualFold(kind, []byte("application/atom+xml")))
	if len(kind) > 0 && !bytes.EqualFold(kind, []byte("text/html")) &&
		!bytes.EqualFold(kind, []byte("application/xhtml+xml")) {
		is.alternate, is.follow = false, false
	}
	return is
}

// isText reports whether a media type may be that of text; none may.
func isText(mediaType []byte) bool {
	mediaType = bytes.TrimSpace(mediaType)
	const text = "text/"
	return len(mediaType) == 0 || len(mediaType) > len(text) && bytes.EqualFold(mediaType[:len(text)], []byte(text)) ||
		bytes.EqualFold(mediaType, []byte("application/xhtml+xml"))
}

// readLink notes a link element that leads to a page: the page's preferred
// address, a feed of it, another version, or a neighbour in a series.
func (r *reader) readLink() {
	rel, ok := r.Attrs.Get(tags.AttrRel)
	if !ok {
		return
	}
	mediaType, _ := r.Attrs.Get(tags.AttrType)
	is := relationsOf(rel, mediaType)
	if is.canonical {
		r.hint(relCanonical)
	}
	if is.feed {
		r.hint(relFeed)
	}
	if is.alternate {
		r.hint(relAlternate)
	}
	if is.follow {
		r.link(tags.AttrHref, false)
	}
}

func (r *reader) hint(to relation) {
	if href, ok := r.ref(tags.AttrHref); ok && len(href) <= charset.MaxLink && len(r.hints[to]) < maxHints {
		r.hints[to] = append(r.hints[to], string(href))
	}
}

// resolveHints puts the links of the head into the page.
func (r *reader) resolveHints(page crawl.URL) {
	for _, href := range r.hints[relCanonical] {
		if u, err := r.base.Resolve(href); err == nil {
			r.page.Canonical = u
			break
		}
	}
	if !r.page.NoFollow {
		r.page.Feeds = r.resolveAll(r.hints[relFeed], page, MaxFeeds)
		r.page.Alternates = r.resolveAll(r.hints[relAlternate], page, MaxAlternates)
	}
}

// resolveAll returns up to limit URLs other than page, each once.
func (r *reader) resolveAll(hrefs []string, page crawl.URL, limit int) (list []crawl.URL) {
	for _, href := range hrefs {
		if len(list) == limit {
			break
		}
		if u, err := r.base.Resolve(href); err == nil && u != page && !slices.Contains(list, u) {
			list = append(list, u)
		}
	}
	return list
}
