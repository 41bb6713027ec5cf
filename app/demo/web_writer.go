package demo

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/forage-net/forage/app/demo/markup"
	"github.com/forage-net/forage/app/demo/pack"
)

// writer writes one HTML document.
type writer struct {
	markup.Writer
	page   *page // links are relative to it
	site   *site
	random random
	filled int // where the filler of a bulky web begins, 0 if there is none
}

// document returns the HTML of a page in UTF-8.
func (p *page) document() []byte {
	w := p.written()
	if w.filled == 0 {
		return w.B
	}
	return slices.Concat(w.B[:w.filled], p.site.filler(), w.B[w.filled:])
}

// written returns the writer that has written a page, except for the filler.
func (p *page) written() *writer {
	w := newWriter(p)
	w.B = make([]byte, 0, max(8<<10, p.site.web.options.pageRoom()))
	p.write(w)
	return w
}

func newWriter(p *page) *writer {
	// The texts do not depend on the scheme or port, so neither does the seed.
	r := newRandom(p.site.web.options.Seed, p.url())
	return &writer{Writer: markup.Writer{Skin: p.site.spec.skin}, page: p, site: p.site, random: r}
}

// pageRoom is how long pages are expected to become.
func (o *Options) pageRoom() int {
	if o.Bulky {
		return 8 << 10
	}
	return o.PageBytes + 4<<10
}

// to writes a link to a page with its title.
func (w *writer) to(p *page) {
	title := p.title
	if title == "" {
		title = p.site.title
	}
	w.Link(w.href(p), title, "")
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
	w.Raw("<body>\n")
	if w.Skin == markup.Old {
		w.Raw("<TABLE WIDTH=100% BORDER=0><TR><TD VALIGN=top>\n")
		w.navigation()
		w.Raw("<TD VALIGN=top>\n")
	} else {
		w.Raw("<header><nav>\n")
		w.navigation()
		w.Raw("</nav></header>\n<main>\n")
	}
	content()
	w.fill(w.site.web.options.PageBytes)
	if w.Skin == markup.Old {
		w.Raw("</TABLE>\n<HR>\n")
	} else {
		w.Raw("</main>\n<footer>")
	}
	w.Element("p", w.site.title)
	if w.Skin != markup.Old {
		w.Raw("</footer>\n")
	}
	w.Raw("</body>\n</html>\n")
}

func (w *writer) head() {
	l := w.site.lang
	switch w.Skin {
	case markup.Old:
		w.Raw("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<HTML LANG=" + l.Tag + ">\n<HEAD>\n")
	default:
		w.Raw("<!DOCTYPE html>\n<html lang=\"" + l.Tag + "\"")
		if l.RTL {
			w.Raw(` dir="rtl"`)
		}
		w.Raw(">\n<head>\n")
	}
	w.Raw(w.site.spec.charset.Meta())
	w.Element("title", w.page.fullTitle())
	w.Raw("<link rel=\"stylesheet\" href=\"/style.css\">\n<link rel=\"icon\" href=\"/img/icon.png\">\n")
	w.Raw(w.page.head)
	w.Raw("</head>\n")
}

func (w *writer) navigation() {
	s := w.site
	words := s.lang.Words
	w.Open("ul")
	w.Item(func() { w.Link(w.href(s.home), words.Home, "") })
	for _, sec := range s.sections {
		w.Item(func() { w.Link(w.href(sec.lists[0]), sec.name, "") })
	}
	w.Item(func() { w.Link("/about.html", words.About, "") })
	w.Item(func() { w.Link("/contact.html", words.Contact, "") })
	w.Close("ul")
}

// listingWords has pages of 48 kB that are compressed to 9 kB and have 1,700 tags.
const listingWords = 10

// paragraph writes three to five sentences about a subject; content, where not
// nil, stands at the end.
func (w *writer) paragraph(subject string, content func()) {
	w.Open("p")
	// Four steps of one or two do not lead around the ten sentences that a
	// language has at least, so none stands twice.
	at := w.random.below(len(w.site.lang.Sentences))
	for i := range 3 + w.random.below(3) {
		if i > 0 {
			w.Raw(w.site.lang.Gap)
			at += 1 + w.random.below(2)
		}
		w.B = w.site.lang.AppendSentence(w.B, w.random.below, at, subject)
	}
	if content != nil {
		if w.site.lang.RTL {
			w.Raw(" ← ")
		} else {
			w.Raw(" → ")
		}
		content()
	}
	w.Close("p")
}

// fill writes more paragraphs, with a link each, until the document has n
// bytes.
func (w *writer) fill(n int) {
	if o := w.site.web.options; o.Bulky && n == o.PageBytes {
		w.filled = len(w.B)
		return
	}
	for i := 0; len(w.B) < n; i++ {
		p := w.anyArticle(w.site)
		if i%6 == 0 {
			w.Element("h2", p.title)
		}
		w.paragraph(w.subject(), func() { w.to(p) })
		if w.site.web.options.Manual {
			w.listing()
		}
	}
}

// listing writes words that nobody repeats, each in a tag, as listings of programs with colours are.
func (w *writer) listing() {
	w.Open("pre")
	for range listingWords {
		w.Raw(`<span class="`)
		w.Raw([]string{"k", "n", "nf", "o", "p", "s"}[w.random.below(6)])
		w.Raw(`">`)
		w.B = strconv.AppendUint(w.B, w.random.next()>>32, 36)
		w.Raw("</span>")
	}
	w.Close("pre")
}

// filler is text of the length that pages shall have.
func (s *site) filler() []byte {
	s.filling.Do(func() {
		w := newWriter(s.home)
		for len(w.B) < s.web.options.PageBytes {
			w.paragraph(w.subject(), nil)
		}
		s.filled, s.packed = w.B, s.web.encoders.Compress(w.B, pack.Gzip)
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
