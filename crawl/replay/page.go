package replay

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl"
)

// Page is a page of HTML or XHTML to rewrite.
type Page struct {
	URL crawl.URL
	// XML says that it is XHTML, in which any element may be closed as "<a/>".
	XML bool
	// Text is in UTF-8. It is not changed.
	Text []byte
}

// Parts returns what the page needs, in its style sheets too as far as they
// stand in the page.
func (p Page) Parts() Parts {
	var parts Parts
	p.Rewrite(Places{Part: parts.need})
	return parts
}

// Rewrite returns the page with its addresses changed, in UTF-8.
func (p Page) Rewrite(places Places) []byte {
	r := rewriter{place: place{p.base(), places}, page: p, z: html.NewTokenizer(bytes.NewReader(p.Text))}
	r.out.Grow(len(p.Text) + len(p.Text)/4)
	for {
		kind := r.z.Next()
		r.read += len(r.z.Raw())
		switch kind {
		case html.ErrorToken:
			return r.out.Bytes()
		case html.TextToken:
			r.text()
		case html.StartTagToken, html.SelfClosingTagToken:
			r.startTag(kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			r.endTag()
		case html.DoctypeToken:
			r.doctype()
		}
	}
}

// base returns what addresses in the page are relative to: its first base
// element counts for those before it too.
func (p Page) base() crawl.URL {
	if !bytes.Contains(bytes.ToLower(p.Text), []byte("<base")) {
		return p.URL
	}
	z := html.NewTokenizer(bytes.NewReader(p.Text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return p.URL
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		t := z.Token()
		if i := indexOf(t.Attr, "href"); t.Data == "base" && i >= 0 {
			if u, err := p.URL.Resolve(trim(t.Attr[i].Val)); err == nil {
				return u
			}
			return p.URL
		}
	}
}

func indexOf(attrs []html.Attribute, key string) int {
	return slices.IndexFunc(attrs, func(a html.Attribute) bool { return a.Key == key })
}

// rewriter writes a page as it reads it.
type rewriter struct {
	place
	page Page
	z    *html.Tokenizer
	out  bytes.Buffer
	read int // bytes of the page
	// raw is the element whose text comes next, if that is not markup.
	raw string
	// foreign counts the elements svg and math that are open, as far as their
	// tags say. In them any element may be closed as "<a/>".
	foreign int
}

// fits reports whether so many bytes may be written.
func (r *rewriter) fits(n int) bool { return r.out.Len()+n <= 2*r.read+Slack }

// write writes what stands for the token at hand, or nothing if there is no room.
func (r *rewriter) write(s string) {
	if r.fits(len(s)) {
		r.out.WriteString(s)
	}
}

// doctype copies it: by it a browser knows by which rules the page was made.
func (r *rewriter) doctype() {
	if raw := r.z.Raw(); bytes.HasSuffix(raw, []byte(">")) {
		r.out.WriteString(strings.ReplaceAll(string(raw), "\x00", ""))
	}
}

func (r *rewriter) text() {
	raw := r.raw
	r.raw = ""
	text := string(r.z.Raw())
	switch {
	case raw == "":
		r.write(markText.Replace(text))
	case raw == "style":
		c := css{in: text, place: &r.place, limit: 2*r.read + Slack - r.out.Len()}
		r.write(c.rewrite())
	case raw == "title" || raw == "textarea":
		r.write(markText.Replace(text))
	case asText[raw]:
		r.write(html.EscapeString(text))
	}
}

// markText makes sure that no markup begins in a text, whose entities stay.
var markText = strings.NewReplacer("<", "&lt;", "\x00", "")

func (r *rewriter) startTag(closed bool) {
	t := r.z.Token()
	name := t.Data
	r.raw = ""
	if rawText[name] {
		r.raw = name
	}
	alone := closed && !void[name] && (r.page.XML || rawText[name] && r.foreign > 0)
	if asMarkup[name] || alone {
		r.z.NextIsNotRawText()
		r.raw = ""
	}
	if !closed && (name == "svg" || name == "math") {
		r.foreign++
	}
	end := ">"
	if alone {
		end = "></" + name + ">"
	} else if closed && r.raw == "" {
		end = "/>"
	}
	switch {
	case name == "frame":
		r.frame(t.Attr)
		return
	case embeds[name]:
		r.embedded(name, t.Attr)
		return
	case dropped[name] || name == "meta" && !harmlessMeta(t.Attr):
		return
	case name == "link" && !r.link(&t):
		return
	case asText[name]:
		t.Data, t.Attr, end = "pre", nil, ">"
	}
	r.tag(t, end)
}

// tag writes a start tag with those of its attributes that may stay.
func (r *rewriter) tag(t html.Token, end string) {
	if !plainName(t.Data) {
		return
	}
	var b strings.Builder
	b.WriteString("<" + t.Data)
	for _, a := range t.Attr {
		if value, ok := r.attribute(t, a); ok && plainName(a.Key) {
			b.WriteString(" " + a.Key + `="` + attributeText.Replace(value) + `"`)
		}
	}
	if r.fits(b.Len() + len(end)) {
		r.out.WriteString(b.String() + end)
		return
	}
	r.write("<" + t.Data + end)
}

var attributeText = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "<", "&lt;", ">", "&gt;", "\x00", "")

func (r *rewriter) endTag() {
	name, _ := r.z.TagName()
	r.raw = ""
	switch t := string(name); {
	case (t == "svg" || t == "math") && r.foreign > 0:
		r.foreign--
		r.write("</" + t + ">")
	case dropped[t] || embeds[t] || t == "frame" || t == "meta" || t == "link" || !plainName(t):
	case asText[t]:
		r.write("</pre>")
	default:
		r.write("</" + t + ">")
	}
}

// frame puts a link in the place of a part of a page of frames, which has nothing
// else to show.
func (r *rewriter) frame(attrs []html.Attribute) {
	i := indexOf(attrs, "src")
	if i < 0 {
		return
	}
	if address, ok := r.linkTo(attrs[i].Val); ok {
		r.write(`<p><a href="` + attributeText.Replace(address) + `">` + attributeText.Replace(trim(attrs[i].Val)) +
			`</a></p>`)
	}
}

// embedded notes that something is not shown.
func (r *rewriter) embedded(name string, attrs []html.Attribute) {
	key := "src"
	if name == "object" {
		key = "data"
	}
	if i := indexOf(attrs, key); i >= 0 {
		r.part(attrs[i].Val, Other)
	}
}

// link reports whether a link element stays: one of a style sheet that is there.
func (r *rewriter) link(t *html.Token) bool {
	rel, href := indexOf(t.Attr, "rel"), indexOf(t.Attr, "href")
	if rel < 0 || href < 0 {
		return false
	}
	sheet := false
	for word := range strings.FieldsSeq(strings.ToLower(t.Attr[rel].Val)) {
		if word == "alternate" {
			return false // it is shown only if somebody asks for it
		}
		sheet = sheet || word == "stylesheet"
	}
	if !sheet {
		return false
	}
	address, ok := r.part(t.Attr[href].Val, Style)
	attrs := t.Attr[:0:0]
	for _, key := range []string{"media", "title", "disabled", "id", "class"} {
		if i := indexOf(t.Attr, key); i >= 0 {
			attrs = append(attrs, t.Attr[i])
		}
	}
	t.Attr = append(attrs, html.Attribute{Key: "rel", Val: "stylesheet"}, html.Attribute{Key: "href", Val: address})
	return ok
}

// harmlessMeta reports whether a meta element stays.
func harmlessMeta(attrs []html.Attribute) bool {
	if indexOf(attrs, "http-equiv") >= 0 || indexOf(attrs, "charset") >= 0 {
		return false
	}
	i := indexOf(attrs, "name")
	return i >= 0 && !strings.EqualFold(trim(attrs[i].Val), "referrer")
}

// linkTo returns the address to write for that of a link.
func (r *rewriter) linkTo(ref string) (string, bool) {
	ref = trim(ref)
	ref, fragment, marked := strings.Cut(ref, "#")
	if marked {
		fragment = "#" + (&url.URL{Fragment: unescaped(fragment)}).EscapedFragment()
	}
	if ref == "" {
		return fragment, marked
	}
	u, err := r.base.Resolve(ref)
	switch {
	case err != nil || r.places.Link == "":
		return "", false
	case marked && u == r.page.URL:
		return fragment, true
	}
	return r.places.Link + EscapeLink(u.String()) + fragment, true
}

// unescaped returns a fragment without escapes, as far as they are some.
func unescaped(fragment string) string {
	if text, err := url.PathUnescape(fragment); err == nil {
		return text
	}
	return fragment
}
