package extract

import (
	"bytes"
	"slices"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxFeeds is how many feeds of a page are kept, the first ones.
	MaxFeeds = 8
	// MaxAlternates is how many versions of a page in other languages are
	// kept, the first ones: there are about 180 languages with their own
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

// readLink notes a link element that names the page's preferred address, a
// feed of it or the page in another language.
func (r *reader) readLink() {
	rel, _ := r.attrs.get(attrRel)
	var canonical, alternate bool
	for word := range bytes.FieldsSeq(rel) {
		switch {
		case bytes.EqualFold(word, []byte("canonical")):
			canonical = true
		case bytes.EqualFold(word, []byte("alternate")):
			alternate = true
		case bytes.EqualFold(word, []byte("stylesheet")), bytes.EqualFold(word, []byte("nofollow")):
			return
		}
	}
	if canonical {
		r.hint(relCanonical)
	}
	if !alternate {
		return
	}
	mediaType, _ := r.attrs.get(attrType)
	mediaType, _, _ = bytes.Cut(mediaType, []byte(";"))
	_, translated := r.attrs.get(attrHreflang)
	switch kind := bytes.TrimSpace(mediaType); {
	case bytes.EqualFold(kind, []byte("application/rss+xml")), bytes.EqualFold(kind, []byte("application/atom+xml")):
		r.hint(relFeed)
	case translated && (len(kind) == 0 || bytes.EqualFold(kind, []byte("text/html")) || bytes.EqualFold(kind, []byte("application/xhtml+xml"))):
		r.hint(relAlternate)
	}
}

func (r *reader) hint(to relation) {
	if href, ok := r.ref(attrHref); ok && len(href) <= maxRef && len(r.hints[to]) < maxHints {
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
