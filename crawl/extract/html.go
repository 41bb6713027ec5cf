package extract

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
	"github.com/forage-net/forage/crawl/words"
)

// MaxLinks is how many links of a page are kept, the first ones. Pages of more
// are sitemaps or traps.
const MaxLinks = 10_000

// Page is what HTML found.
type Page struct {
	// Links are in page order, each once, without links of the page to
	// itself; none if NoFollow. Their texts share memory, and so do their URLs.
	Links []Link
	// Canonical is the address that the page gives as its preferred one
	// (link rel=canonical), the first that is http or https: maybe the page's
	// own, maybe that of another site. The zero value if there is none.
	Canonical crawl.URL
	// Feeds are RSS and Atom feeds of the page, at most MaxFeeds, and
	// Alternates other versions of it, in other languages (hreflang) or for
	// other screens, at most MaxAlternates. Both are in page order, each once, without the page
	// itself; none if NoFollow.
	Feeds, Alternates []crawl.URL
	// Title is valid UTF-8 of at most 200 bytes, its blanks folded.
	Title string
	// Language is what the page says it is written in, usually a BCP 47
	// tag such as "en-GB": at most 35 letters, digits, "-" and "_".
	Language string
	// Charset is the encoding that was assumed, by its name in the WHATWG
	// encoding standard; "" if the body was not read.
	Charset string
	Wishes
}

// Release forgets the links of a page, of which nobody has the list any more: the next page uses its memory. Of a page
// that is not released the list is garbage like any other.
func (p *Page) Release() {
	list := p.Links
	if p.Links = nil; cap(list) == 0 || cap(list) > MaxLinks/8 {
		return
	}
	clear(list)
	list = list[:0]
	linkLists.Put(&list)
}

// Link is a link of a page.
type Link struct {
	URL crawl.URL
	// NoFollow says that it was marked rel=nofollow wherever it occurs.
	NoFollow bool
	// Text is what the page calls it where it does so first, at most maxLabel bytes of UTF-8; only if words
	// were asked for.
	Text string
}

// HTML reads a page. The body is that of u with content codings (gzip and
// the like) undone; contentType and xRobots are the values of the headers
// Content-Type and X-Robots-Tag. A body that is no page (IsPage) is not read. Nothing of body is kept or changed.
func HTML(u crawl.URL, contentType string, xRobots []string, body []byte) Page {
	return HTMLWords(u, contentType, xRobots, body, nil)
}

// HTMLWords is like HTML, and gives the text of the page to a reader of words that has been reset: nil wants none.
func HTMLWords(u crawl.URL, contentType string, xRobots []string, body []byte, text *words.Reader) Page {
	var p Page
	for _, value := range xRobots {
		p.obeyHeader(value)
	}
	if !IsPage(contentType, body) {
		return p
	}
	mediaType, label := charset.ParseContentType(contentType)
	s := scratches.Get().(*scratch)
	defer s.put()
	xml := isXML(mediaType)
	found, late := s.read(p, u, body, label, xml, text)
	if late != "" {
		s.refs.reset()
		if text != nil {
			text.Reset()
			text.Sink.Reset()
		}
		found, _ = s.read(p, u, body, late, xml, text)
	}
	return found
}

// read reads a page of which p is known. If it declares another encoding than
// was assumed, later than that is looked for, late is that and the page is to
// be read once more (HTML standard, "changing the encoding while parsing").
func (s *scratch) read(
	p Page, u crawl.URL, body []byte, label string, xml bool, w *words.Reader,
) (found Page, late string) {
	text, e := s.decode(body, label)
	e.tentative = e.tentative && !xml // in XML a meta element says nothing
	p.Charset = e.name
	s.query.Reset(e.name)
	r := reader{page: &p, base: u, scratch: s, encoding: e, Scanner: tags.Scanner{Src: text, XML: xml}}
	if w != nil {
		r.words = &listener{words: w, refs: &s.refs, legacy: e.legacy, link: -1, buf: s.run[:0]}
		r.Listener = r.words
		defer func() { s.run = r.words.buf }()
	}
	if r.read(); r.late != "" {
		return p, r.late
	}
	if w != nil {
		r.words.end(p.Title)
	}
	if !p.NoFollow {
		p.Links = s.refs.resolve(u, r.base)
	}
	r.resolveHints(u)
	return p, ""
}

// pageEncoding is how a page is read.
type pageEncoding struct {
	name string
	// legacy reads the text if that is not UTF-8 yet.
	legacy *charmap.Charmap
	// tentative says that nobody named the encoding before the page began, so
	// that the page itself still may.
	tentative bool
}

// scratch is memory that one call after the other uses.
type scratch struct {
	refs    refs
	decoded []byte // the page in UTF-8, if it was not
	value   []byte // an attribute's value
	plain   []byte // the same in UTF-8, before its references are resolved
	run     []byte // a piece of the page's text
	query   charset.QueryEncoder
}

// scratches hold no state, only memory.
var scratches = sync.Pool{New: func() any {
	return &scratch{value: make([]byte, 0, 1024), plain: make([]byte, 0, 1024)}
}}

// maxScratch bounds what is kept from one call to the next, in bytes.
const maxScratch = 1 << 20

func (s *scratch) put() {
	if cap(s.decoded) <= maxScratch && s.refs.reset() {
		scratches.Put(s)
	}
}

// decode returns a page in UTF-8 (invalid sequences may remain in what was
// UTF-8 before) and its encoding: by byte order mark, else by the label from
// the header, else as declared in the page (encoding sniffing of the HTML
// standard), else UTF-16 if it plainly is, else UTF-8 if it is valid. The text
// is body itself where nothing has to be changed.
//
// A text of which bytes below 0x80 are ASCII and all others one character each
// is not changed either: legacy is then how to read it.
func (s *scratch) decode(body []byte, label string) (text []byte, e pageEncoding) {
	body, e.name = charset.SniffMark(body)
	if e.name == "" {
		_, e.name = charset.Lookup(label)
	}
	if e.name == "" {
		e.name = declared(body[:min(len(body), charset.Prescan)])
	}
	if e.name == "" {
		e.name = charset.Guess(body)
		e.tentative = charset.LikeASCII(e.name) // or else no declaration could be read
	}
	if e.name == charset.UTF8 || charset.LikeASCII(e.name) && charset.IsASCII(body) {
		return body, e
	}
	found, _ := charset.Lookup(e.name)
	if legacy, ok := found.(*charmap.Charmap); ok {
		e.legacy = legacy
		return body, e
	}
	return s.transcode(body, found), e
}

// transcode returns body in UTF-8: three times as long at most.
func (s *scratch) transcode(body []byte, e encoding.Encoding) []byte {
	// Decoders write U+FFFD for what they cannot read, and do not fail.
	text, _, _ := transform.Append(e.NewDecoder(), s.decoded[:0], body)
	s.decoded = text
	return text
}

// reader collects what the tags of a page say.
type reader struct {
	tags.Scanner
	*scratch
	words   *listener // nil if no words are wanted
	page    *Page
	base    crawl.URL
	hasBase bool
	hints   hints
	// encoding is what the text is read in, late another one that the page
	// declares.
	encoding pageEncoding
	late     string
}

func (r *reader) read() {
	for {
		e := r.Next()
		if e == tags.ElementNone {
			return
		}
		if r.Templates > 0 && !leads(e) {
			continue // says nothing about this document
		}
		switch e {
		case tags.ElementA, tags.ElementArea:
			at := r.link(tags.AttrHref, r.relNoFollow())
			if r.words != nil {
				r.words.link = at
			}
		case tags.ElementFrame, tags.ElementIframe:
			r.link(tags.AttrSrc, false)
			r.link(tags.AttrLongdesc, false)
		case tags.ElementImg:
			r.link(tags.AttrLongdesc, false)
		case tags.ElementQuote:
			r.link(tags.AttrCite, false)
		case tags.ElementEmbed:
			r.embedded(tags.AttrSrc)
		case tags.ElementObject:
			r.embedded(tags.AttrData)
		case tags.ElementBase:
			r.readBase()
		case tags.ElementHTML:
			if lang, ok := r.Attrs.Get(tags.AttrLang); ok && r.page.Language == "" {
				r.page.Language = language(lang)
			}
		case tags.ElementLink:
			r.readLink()
		case tags.ElementMeta:
			if r.encoding.tentative && r.redeclared() {
				return
			}
			r.readMeta()
		case tags.ElementTitle:
			if r.page.Title == "" {
				r.page.Title = title(r.utf8(r.Text[:min(len(r.Text), 16*maxTitle)]))
			}
		}
	}
}

// leads reports whether an element leads visitors elsewhere.
func leads(e tags.Element) bool {
	switch e {
	case tags.ElementA, tags.ElementArea, tags.ElementEmbed, tags.ElementFrame, tags.ElementIframe, tags.ElementImg,
		tags.ElementObject, tags.ElementQuote:
		return true
	}
	return false
}

// attr returns what an attribute of the tag means, in UTF-8, and whether it is
// there. The text is good until the next call.
func (r *reader) attr(which tags.Attribute) (text []byte, ok bool) {
	raw, ok := r.Attrs.Get(which)
	if !ok {
		return nil, false
	}
	return tags.Text(r.utf8(raw), r.value), true
}

// utf8 returns a piece of the text in UTF-8. It is good until the next call.
func (r *reader) utf8(raw []byte) []byte {
	if r.encoding.legacy == nil || charset.IsASCII(raw) {
		return raw
	}
	r.plain = r.plain[:0]
	for _, c := range raw {
		r.plain = utf8.AppendRune(r.plain, charset.DecodeByte(r.encoding.legacy, c))
	}
	return r.plain
}

// ref returns the link an attribute holds, as it is to be resolved, and whether
// it is there. The text is good until the next call.
func (r *reader) ref(which tags.Attribute) (text []byte, ok bool) {
	text, ok = r.attr(which)
	return r.query.Encode(text), ok
}

// link notes the link an attribute holds, and returns its place as refs.add does.
func (r *reader) link(which tags.Attribute, noFollow bool) (at int) {
	if href, ok := r.ref(which); ok {
		return r.refs.add(href, noFollow)
	}
	return -1
}

// embedded notes what an element holds within the page, unless its type says
// that it is no text.
func (r *reader) embedded(which tags.Attribute) {
	mediaType, _ := r.Attrs.Get(tags.AttrType)
	if isText(mediaType) {
		r.link(which, false)
	}
}

// readBase reads the first base that has a href; later ones do not count.
func (r *reader) readBase() {
	href, ok := r.ref(tags.AttrHref)
	if !ok || r.hasBase {
		return
	}
	r.hasBase = true
	if base, err := r.base.Resolve(string(href)); err == nil {
		r.base = base
	}
}

// relNoFollow reports whether the rel of a link says nofollow.
func (r *reader) relNoFollow() bool {
	raw, ok := r.Attrs.Get(tags.AttrRel)
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

// redeclared reports whether a meta element declares another encoding than the
// page is read in. The first that declares any decides.
func (r *reader) redeclared() bool {
	name := declaredBy(&r.Attrs)
	if name == "" {
		return false
	}
	r.encoding.tentative = false
	if name != r.encoding.name {
		r.late = name
	}
	return r.late != ""
}

func (r *reader) readMeta() {
	if _, ok := r.Attrs.Get(tags.AttrContent); !ok {
		return
	}
	name, _ := r.attr(tags.AttrName)
	switch strings.ToLower(string(bytes.TrimSpace(name[:min(len(name), 24)]))) {
	case "robots", crawl.Token:
		content, _ := r.attr(tags.AttrContent)
		r.page.obey(string(content))
	case "tdm-reservation":
		content, _ := r.attr(tags.AttrContent)
		r.page.Reservation = max(r.page.Reservation, ParseReservation(string(content)))
	}
	pragma, _ := r.attr(tags.AttrHTTPEquiv)
	switch strings.ToLower(string(bytes.TrimSpace(pragma[:min(len(pragma), 24)]))) {
	case "refresh":
		content, _ := r.attr(tags.AttrContent)
		r.refs.add(r.query.Encode(refreshTarget(content)), false)
	case "content-language":
		if r.page.Language == "" {
			content, _ := r.attr(tags.AttrContent)
			first, _, _ := bytes.Cut(content, []byte(","))
			r.page.Language = language(first)
		}
	}
}

// Asked returns the wishes of an answer without reading it any further: those of its
// X-Robots-Tag and, whatever its status, those of its body, if that is a page. A body of another type that
// begins as pages do is someone's page under a wrong name: in doubt a wish counts.
func Asked(contentType string, xRobots []string, body []byte) Wishes {
	var p Page
	for _, value := range xRobots {
		p.obeyHeader(value)
	}
	if len(body) == 0 || !IsPage(contentType, body) && !beginsAsPage(body) {
		return p.Wishes
	}
	mediaType, label := charset.ParseContentType(contentType)
	s := scratches.Get().(*scratch)
	defer s.put()
	text, e := s.decode(body, label)
	e.tentative = false // wishes are ASCII: another encoding changes none
	r := reader{page: &p, encoding: e, scratch: s, Scanner: tags.Scanner{Src: text, XML: isXML(mediaType)}}
	r.read()
	return p.Wishes
}
