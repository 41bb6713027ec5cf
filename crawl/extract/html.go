package extract

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxLinks is how many links of a page are kept, the first ones. Pages
	// of more are sitemaps or traps.
	MaxLinks = 10_000
	// maxTitle and maxLanguage bound what is for people to read, in bytes.
	maxTitle    = 200
	maxLanguage = 35
)

// Page is what HTML found.
type Page struct {
	// Links are in page order, each once, without links of the page to
	// itself; none if NoFollow. Their texts share memory.
	Links []Link
	// Title is valid UTF-8 of at most 200 bytes, its blanks folded.
	Title string
	// Language is what the page says it is written in, usually a BCP 47
	// tag such as "en-GB": at most 35 letters, digits, "-" and "_".
	Language string
	// Charset is the encoding that was assumed, by its name in the WHATWG
	// encoding standard; "" if the body was not read.
	Charset string
	// NoIndex, NoFollow and NoArchive are what page or server ask of
	// crawlers in general or of us.
	NoIndex, NoFollow, NoArchive bool
}

// Link is a link of a page.
type Link struct {
	URL crawl.URL
	// NoFollow says that it was marked rel=nofollow wherever it occurs.
	NoFollow bool
}

// HTML reads a page. The body is that of u with content codings (gzip and
// the like) undone; contentType and xRobots are the values of the headers
// Content-Type and X-Robots-Tag. A type that is neither HTML nor XHTML means that the body is
// not read; no type at all means HTML. Nothing of body is kept or changed.
func HTML(u crawl.URL, contentType string, xRobots []string, body []byte) Page {
	var p Page
	for _, value := range xRobots {
		p.obeyHeader(value)
	}
	mediaType, label := parseContentType(contentType)
	if mediaType != "" && mediaType != "text/html" && mediaType != "application/xhtml+xml" {
		return p
	}
	s := scratches.Get().(*scratch)
	defer s.put()
	text, charset := s.decode(body, label)
	p.Charset = charset
	r := reader{page: &p, base: u, scratch: s, scanner: scanner{src: text, xml: mediaType == "application/xhtml+xml"}}
	r.read()
	if !p.NoFollow {
		p.Links = s.refs.resolve(u, r.base)
	}
	return p
}

// scratch is memory that one call after the other uses.
type scratch struct {
	refs    refs
	decoded []byte // the page in UTF-8, if it was not
	value   []byte // an attribute's value
}

// scratches hold no state, only memory.
var scratches = sync.Pool{New: func() any {
	return &scratch{value: make([]byte, 0, 1024)}
}}

// maxScratch bounds what is kept from one call to the next, in bytes.
const maxScratch = 1 << 20

func (s *scratch) put() {
	if cap(s.decoded) <= maxScratch && s.refs.reset() {
		scratches.Put(s)
	}
}

// reader collects what the tags of a page say.
type reader struct {
	scanner
	*scratch
	page    *Page
	base    crawl.URL
	hasBase bool
}

func (r *reader) read() {
	for {
		switch r.next() {
		case elementNone:
			return
		case elementA, elementArea:
			r.link(attrHref, r.relNoFollow())
		case elementFrame, elementIframe:
			r.link(attrSrc, false)
		case elementBase:
			r.readBase()
		case elementHTML:
			if lang, ok := r.attrs.get(attrLang); ok && r.page.Language == "" {
				r.page.Language = language(lang)
			}
		case elementMeta:
			r.readMeta()
		case elementTitle:
			if r.page.Title == "" {
				r.page.Title = title(r.text)
			}
		}
	}
}

// link notes the link an attribute holds.
func (r *reader) link(which attribute, noFollow bool) {
	if raw, ok := r.attrs.get(which); ok {
		r.refs.add(attrText(raw, r.value), noFollow)
	}
}

// readBase reads the first base that has a href; later ones do not count.
func (r *reader) readBase() {
	raw, ok := r.attrs.get(attrHref)
	if !ok || r.hasBase {
		return
	}
	r.hasBase = true
	if base, err := r.base.Resolve(string(attrText(raw, r.value))); err == nil {
		r.base = base
	}
}

// relNoFollow reports whether the rel of a link says nofollow.
func (r *reader) relNoFollow() bool {
	raw, ok := r.attrs.get(attrRel)
	if !ok {
		return false
	}
	for word := range bytes.FieldsSeq(raw) {
		if bytes.EqualFold(word, []byte("nofollow")) {
			return true
		}
	}
	return false
}

func (r *reader) readMeta() {
	content, ok := r.attrs.get(attrContent)
	if !ok {
		return
	}
	name, _ := r.attrs.get(attrName)
	switch strings.ToLower(string(bytes.TrimSpace(name[:min(len(name), 16)]))) {
	case "robots", crawl.Token:
		r.page.obey(string(content))
	}
	pragma, _ := r.attrs.get(attrHTTPEquiv)
	switch strings.ToLower(string(bytes.TrimSpace(pragma[:min(len(pragma), 24)]))) {
	case "refresh":
		r.refs.add(refreshTarget(attrText(content, r.value)), false)
	case "content-language":
		if r.page.Language == "" {
			first, _, _ := bytes.Cut(content, []byte(","))
			r.page.Language = language(first)
		}
	}
}

// title returns the text of a title element, fit for showing.
func title(raw []byte) string {
	raw = raw[:min(len(raw), 16*maxTitle)]
	text := strings.ToValidUTF8(html.UnescapeString(string(raw)), "\uFFFD")
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(text, blank) {
		if b.Len() > 0 {
			word = " " + word
		}
		b.WriteString(word)
		if b.Len() > maxTitle {
			break
		}
	}
	short := b.String()
	if len(short) > maxTitle {
		n := maxTitle
		for !utf8.RuneStart(short[n]) {
			n--
		}
		short = strings.Clone(strings.TrimRight(short[:n], " "))
	}
	return short
}

// blank reports whether a character has no place in a line of text.
func blank(c rune) bool { return c <= ' ' || 0x7f <= c && c <= 0xa0 || c == 0x2028 || c == 0x2029 }

// language returns raw if it may be a language tag, "" if not.
func language(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) > maxLanguage {
		return ""
	}
	for _, c := range raw {
		if !isAlphanumeric(c) && c != '-' && c != '_' {
			return ""
		}
	}
	return string(raw)
}
