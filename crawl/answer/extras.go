package answer

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract"
	"github.com/forage-net/forage/crawl/words"
)

// maxVouchers is how many other sites are looked at for one sitemap.
const maxVouchers = 16

// Extras are what Read does beyond the outcome. The methods of nil do nothing.
type Extras struct {
	// Words counts the words of a page, if it is not nil.
	Words *words.Counter
	// Vouches, if set, reports whether the site of a page says that a sitemap of another speaks for it. The page is
	// taken then.
	Vouches func(sitemap, page crawl.URL) bool
	// Rest are the links of a sitemap that the outcome has no room for: up to 16 MiB of URLs. Read sets it.
	Rest []crawl.Outlink

	asked map[string]bool // what Vouches said, by origin
	bytes int             // of Rest
}

// vouched reports whether the site of a page, which is not the one of the sitemap, says that the sitemap speaks for it.
func (x *Extras) vouched(sitemap, page crawl.URL) bool {
	if x == nil || x.Vouches == nil {
		return false
	}
	origin := page.Origin()
	is, known := x.asked[origin]
	if !known && len(x.asked) < maxVouchers {
		if x.asked == nil {
			x.asked = make(map[string]bool)
		}
		is = x.Vouches(sitemap, page)
		x.asked[origin] = is
	}
	return is
}

// keep takes a link of a sitemap for which the outcome has no room.
func (x *Extras) keep(l crawl.Outlink) {
	if x == nil || x.bytes+len(l.URL.String()) > maxRest {
		return
	}
	x.bytes += len(l.URL.String())
	x.Rest = append(x.Rest, l)
}

// counter returns the counter for the words of a page, nil if they are not wanted.
func (x *Extras) counter() *words.Counter {
	if x == nil {
		return nil
	}
	return x.Words
}

// plainWords counts the words of a text that is not HTML. It returns nil if people do not read such texts, or
// the words are not wanted.
func (x *Extras) plainWords(isText bool, contentType string, body []byte) *words.Counter {
	c := x.counter()
	if c == nil || !isText {
		return nil
	}
	text, _ := extract.Decode(contentType, body)
	c.Text(words.Body, text)
	c.Break()
	return c
}
