package answer

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/words"
)

// maxVouchers is how many other sites are looked at for one sitemap.
const maxVouchers = 16

// more takes what a sitemap has beyond what an outcome takes. The methods of nil take nothing.
type more struct {
	// vouches reports whether a site says that a sitemap speaks for a page of it.
	vouches func(sitemap, page crawl.URL) bool
	asked   map[string]bool // what it said, by origin
	links   []crawl.Outlink
	bytes   int
	words   *words.Counter // counts the words of a page, if it is not nil
}

// vouched reports whether the site of a page, which is not the one of the sitemap, says that the sitemap speaks for it.
func (m *more) vouched(sitemap, page crawl.URL) bool {
	if m == nil || m.vouches == nil {
		return false
	}
	origin := page.Origin()
	is, known := m.asked[origin]
	if !known && len(m.asked) < maxVouchers {
		if m.asked == nil {
			m.asked = make(map[string]bool)
		}
		is = m.vouches(sitemap, page)
		m.asked[origin] = is
	}
	return is
}

// keep takes a link of a sitemap for which the outcome has no room.
func (m *more) keep(l crawl.Outlink) {
	if m == nil || m.bytes+len(l.URL.String()) > maxRest {
		return
	}
	m.bytes += len(l.URL.String())
	m.links = append(m.links, l)
}

// counter returns the counter for the words of a page, nil if they are not wanted.
func (m *more) counter() *words.Counter {
	if m == nil {
		return nil
	}
	return m.words
}

// plainWords counts the words of a text that is not HTML. It returns nil if people do not read such texts, or
// the words are not wanted.
func (m *more) plainWords(isText bool, contentType string, body []byte) *words.Counter {
	c := m.counter()
	if c == nil || !isText {
		return nil
	}
	text, _ := extract.Decode(contentType, body)
	c.Text(words.Body, text)
	c.Break()
	return c
}
