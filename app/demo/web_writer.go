package demo

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// skin is the taste of a site's HTML.
type skin uint8

const (
	skinModern skin = iota // HTML5, quoted attributes
	skinOld                // upper case, unquoted attributes, end tags left out, a table for layout
	skinPlain              // single quotes, self-closed tags
)

// writer writes one HTML document.
type writer struct {
	b      []byte
	page   *page // links are relative to it
	site   *site
	random random
	filled int // where the filler of a bulky web begins, 0 if there is none
}

// document returns the HTML of a page in UTF-8.
func (p *page) document() []byte {
	w := p.written()
	if w.filled == 0 {
		return w.b
	}
	return slices.Concat(w.b[:w.filled], p.site.filler(), w.b[w.filled:])
}

// written returns the writer that has written a page, except for the filler.
func (p *page) written() *writer {
	// The texts do not depend on the scheme or port, so neither does the seed.
	w := &writer{page: p, site: p.site, random: newRandom(p.site.web.options.Seed, p.url())}
	w.b = make([]byte, 0, max(8<<10, p.site.web.options.pageRoom()))
	p.write(w)
	return w
}

// pageRoom is how long pages are expected to become.
func (o *Options) pageRoom() int {
	if o.Bulky {
		return 8 << 10
	}
	return o.PageBytes + 4<<10
}

func (w *writer) raw(s string) { w.b = append(w.b, s...) }

// text writes s escaped.
func (w *writer) text(s string) {
	if !strings.ContainsAny(s, "&<>\"") {
		w.b = append(w.b, s...)
		return
	}
	w.raw(escaper.Replace(s))
}

// escaper serves both text and attributes in double quotes.
var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

// element writes an element with text: element("h1", "Bread").
func (w *writer) element(tag, text string) {
	w.open(tag)
	w.text(text)
	w.close(tag)
}

// open writes a start tag in the site's taste.
func (w *writer) open(tag string) {
	if w.site.spec.skin == skinOld {
		tag = strings.ToUpper(tag)
	}
	w.b = append(append(append(w.b, '<'), tag...), '>')
}

// close writes an end tag; the old skin leaves out those that may be left out.
func (w *writer) close(tag string) {
	if w.site.spec.skin == skinOld {
		if tag == "p" || tag == "li" || tag == "tr" || tag == "td" || tag == "th" {
			w.raw("\n")
			return
		}
		tag = strings.ToUpper(tag)
	}
	w.raw("</")
	w.raw(tag)
	w.raw(">\n")
}

// link writes a link in the site's taste; attrs begins with a blank if it is
// not empty.
func (w *writer) link(href, text, attrs string) {
	switch w.site.spec.skin {
	case skinOld:
		w.raw("<A HREF=")
		if strings.ContainsAny(href, " \"'=<>`") || href == "" {
			w.raw(`"`)
			w.raw(href)
			w.raw(`"`)
		} else {
			w.raw(href)
		}
		w.raw(attrs)
	case skinPlain:
		w.raw("<a class='link'")
		w.raw(attrs)
		w.raw(" href='")
		w.raw(strings.ReplaceAll(href, "&", "&amp;"))
		w.raw("'")
	default:
		w.raw(`<a href="`)
		w.text(href)
		w.raw(`"`)
		w.raw(attrs)
	}
	w.raw(">")
	w.text(text)
	w.raw("</a>")
}

// to writes a link to a page with its title.
func (w *writer) to(p *page) {
	title := p.title
	if title == "" {
		title = p.site.title
	}
	w.link(w.href(p), title, "")
}

// href returns one of the ways to refer to a page.
func (w *writer) href(p *page) string {
	if p.host != w.page.host {
		if w.random.below(8) == 0 {
			return "//" + p.host + p.path
		}
		return p.url()
	}
	if w.site.rooted || w.page.rooted {
		return p.path
	}
	switch w.random.below(16) {
	case 0:
		return p.url()
	case 1, 2, 3, 4:
		if ref, ok := relative(w.page.path, p.path); ok {
			return ref
		}
	case 5, 6, 7:
		if w.site.spec.paths == pathUnicode {
			return readable(p.path)
		}
	}
	return p.path
}

// relative returns a reference from one path to another that lies in the same
// directory or beside it.
func relative(from, to string) (string, bool) {
	path, _, _ := strings.Cut(from, "?")
	dir := path[:strings.LastIndexByte(path, '/')+1]
	prefix := ""
	if !strings.HasPrefix(to, dir) {
		dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		prefix = "../"
	}
	rest, ok := strings.CutPrefix(to, dir)
	if !ok || rest == "" || rest[0] == '/' || rest[0] == '?' || strings.Contains(rest, ":") {
		return "", false
	}
	return prefix + rest, true
}

// readable decodes what is not ASCII, as authors write it.
func readable(path string) string {
	decoded, err := url.PathUnescape(path)
	if err != nil || strings.ContainsAny(decoded, " %?#:;,&+'\"") {
		return path
	}
	return decoded
}

// frame writes a document with the site's head, navigation and foot around
// what content writes, and fills it up to the length that pages shall have.
func (w *writer) frame(content func()) {
	w.head()
	w.raw("<body>\n")
	if w.site.spec.skin == skinOld {
		w.raw("<TABLE WIDTH=100% BORDER=0><TR><TD VALIGN=top>\n")
		w.navigation()
		w.raw("<TD VALIGN=top>\n")
	} else {
		w.raw("<header><nav>\n")
		w.navigation()
		w.raw("</nav></header>\n<main>\n")
	}
	content()
	w.fill(w.site.web.options.PageBytes)
	if w.site.spec.skin == skinOld {
		w.raw("</TABLE>\n<HR>\n")
	} else {
		w.raw("</main>\n<footer>")
	}
	w.element("p", w.site.title)
	if w.site.spec.skin != skinOld {
		w.raw("</footer>\n")
	}
	w.raw("</body>\n</html>\n")
}

func (w *writer) head() {
	l := w.site.lang
	switch w.site.spec.skin {
	case skinOld:
		w.raw("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML LANG=" + l.tag + ">\n<HEAD>\n")
	default:
		w.raw("<!DOCTYPE html>\n<html lang=\"" + l.tag + "\"")
		if l.rtl {
			w.raw(` dir="rtl"`)
		}
		w.raw(">\n<head>\n")
	}
	w.raw(w.site.spec.charset.meta())
	w.element("title", w.page.fullTitle())
	w.raw("<link rel=\"stylesheet\" href=\"/style.css\">\n<link rel=\"icon\" href=\"/img/icon.png\">\n")
	w.raw(w.page.head)
	w.raw("</head>\n")
}

func (w *writer) navigation() {
	s := w.site
	words := s.lang.words
	w.open("ul")
	w.item(func() { w.link(w.href(s.home), words.home, "") })
	for _, sec := range s.sections {
		w.item(func() { w.link(w.href(sec.lists[0]), sec.name, "") })
	}
	w.item(func() { w.link("/about.html", words.about, "") })
	w.item(func() { w.link("/contact.html", words.contact, "") })
	w.close("ul")
}

func (w *writer) item(content func()) {
	w.open("li")
	content()
	w.close("li")
}

// listingWords has pages of 48 kB that are compressed to 9 kB and have 1,700 tags.
const listingWords = 10

// paragraph writes three to five sentences about a subject; content, where not
// nil, stands at the end.
func (w *writer) paragraph(subject string, content func()) {
	w.open("p")
	// Four steps of one or two do not lead around the ten sentences that a
	// language has at least, so none stands twice.
	at := w.random.below(len(w.site.lang.sentences))
	for i := range 3 + w.random.below(3) {
		if i > 0 {
			w.raw(w.site.lang.gap)
			at += 1 + w.random.below(2)
		}
		w.b = w.site.lang.appendSentence(w.b, &w.random, at, subject)
	}
	if content != nil {
		if w.site.lang.rtl {
			w.raw(" ← ")
		} else {
			w.raw(" → ")
		}
		content()
	}
	w.close("p")
}

// fill writes more paragraphs, with a link each, until the document has n
// bytes.
func (w *writer) fill(n int) {
	if o := w.site.web.options; o.Bulky && n == o.PageBytes {
		w.filled = len(w.b)
		return
	}
	for i := 0; len(w.b) < n; i++ {
		p := w.anyArticle(w.site)
		if i%6 == 0 {
			w.element("h2", p.title)
		}
		w.paragraph(w.subject(), func() { w.to(p) })
		if w.site.web.options.Manual {
			w.listing()
		}
	}
}

// listing writes words that nobody repeats, each in a tag, as listings of programs with colours are.
func (w *writer) listing() {
	w.open("pre")
	for range listingWords {
		w.raw(`<span class="`)
		w.raw([]string{"k", "n", "nf", "o", "p", "s"}[w.random.below(6)])
		w.raw(`">`)
		w.b = strconv.AppendUint(w.b, w.random.next()>>32, 36)
		w.raw("</span>")
	}
	w.close("pre")
}

// filler is text of the length that pages shall have.
func (s *site) filler() []byte {
	s.filling.Do(func() {
		w := &writer{page: s.home, site: s, random: newRandom(s.web.options.Seed, s.home.url())}
		for len(w.b) < s.web.options.PageBytes {
			w.paragraph(w.subject(), nil)
		}
		s.filled, s.packed = w.b, s.web.encoders.compress(w.b, codingGzip)
	})
	return s.filled
}

// subject returns one of the site's subjects.
func (w *writer) subject() string {
	subjects := w.site.spec.subjects
	if len(subjects) == 0 {
		return w.site.title
	}
	return subjects[w.random.below(len(subjects))]
}

// anyArticle returns one of the articles of a site, or its home page.
func (w *writer) anyArticle(s *site) *page {
	if len(s.articles) == 0 {
		return s.home
	}
	return s.articles[w.random.below(len(s.articles))]
}

// anySite returns another site of the web, if there is one.
func (w *writer) anySite() *site {
	sites := w.site.web.sites[1:]
	s := sites[w.random.below(len(sites))]
	if s == w.site {
		s = sites[s.index%len(sites)] // the one after it
	}
	return s
}
