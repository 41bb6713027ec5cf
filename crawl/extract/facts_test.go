package extract

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/forage-net/forage/crawl/extract/tags"
)

// facts collects what a page says, as a sorted set of "kind=value".
type facts struct {
	list        []string
	base, title bool
}

func (f *facts) add(kind, value string) { f.list = append(f.list, kind+"="+value) }

func (f *facts) addBase(href string) {
	if !f.base {
		f.base = true
		f.add("base", href)
	}
}

func (f *facts) addTitle(raw string) {
	if s := title([]byte(html.EscapeString(raw))); s != "" && !f.title {
		f.title = true
		f.add("title", s)
	}
}

// addMeta takes get for the attributes.
func (f *facts) addMeta(get func(string) (string, bool)) {
	content, ok := get("content")
	if !ok {
		return
	}
	if name, _ := get("name"); strings.EqualFold(strings.TrimSpace(name), "robots") {
		f.add("robots", content)
	}
	if pragma, _ := get("http-equiv"); strings.EqualFold(strings.TrimSpace(pragma), "refresh") {
		f.add("refresh", string(refreshTarget([]byte(content))))
	}
}

func (f *facts) addLink(get func(string) (string, bool)) {
	if href, ok := get("href"); ok {
		rel, _ := get("rel")
		kind, _ := get("type")
		lang, _ := get("hreflang")
		f.add("link", strings.Join([]string{rel, kind, lang, href}, " | "))
	}
}

// leadingAttributes are those with which an element leads elsewhere.
var leadingAttributes = map[string][]string{
	"a": {"href"}, "area": {"href"}, "embed": {"src"}, "frame": {"src", "longdesc"}, "iframe": {"src", "longdesc"}, "img": {"longdesc"}, "object": {"data"}, "quote": {"cite"},
}

func (f *facts) addLeads(name string, get func(string) (string, bool)) {
	for _, key := range leadingAttributes[name] {
		if value, ok := get(key); ok {
			f.add(name, value)
		}
	}
}

func (f *facts) sorted() []string {
	slices.Sort(f.list)
	return slices.Compact(f.list)
}

func factsByScanner(src []byte) []string {
	var f facts
	s := tags.Scanner{Src: src}
	get := func(name string) (string, bool) {
		raw, ok := s.Attrs.Get(tags.Attribute(slices.Index(attributeNames[:], name)))
		return normalNewlines(tags.Text(raw, nil), raw), ok
	}
	for e := s.Next(); e != tags.ElementNone; e = s.Next() {
		if s.Templates > 0 && !leads(e) {
			continue
		}
		switch e {
		case tags.ElementA, tags.ElementArea, tags.ElementEmbed, tags.ElementFrame, tags.ElementIframe, tags.ElementImg, tags.ElementObject, tags.ElementQuote:
			f.addLeads(elementNames[e], get)
		case tags.ElementBase:
			if href, ok := get("href"); ok {
				f.addBase(href)
			}
		case tags.ElementLink:
			f.addLink(get)
		case tags.ElementMeta:
			f.addMeta(get)
		case tags.ElementTitle:
			f.addTitle(html.UnescapeString(string(s.Text)))
		}
	}
	return f.sorted()
}

// seenByParser returns the same by the parser of x/net/html, with the
// decisions of the package comment.
func seenByParser(t *testing.T, src []byte) []string {
	t.Helper()
	root, err := html.ParseWithOptions(bytes.NewReader(src), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatalf("parse %.200q: %v", src, err)
	}
	var f facts
	f.walk(root, false)
	return f.sorted()
}

// walk adds what n and its children say. What a template holds leads
// somewhere, but says nothing about the page.
func (f *facts) walk(n *html.Node, template bool) {
	if n.Type == html.ElementNode {
		f.element(n, template)
	}
	template = template || n.Type == html.ElementNode && n.Data == "template" && n.Namespace == ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		f.walk(c, template)
	}
}

func (f *facts) element(n *html.Node, template bool) {
	get := func(name string) (string, bool) {
		for _, a := range n.Attr {
			if a.Key == name && a.Namespace == "" {
				return a.Val, true
			}
		}
		return "", false
	}
	if n.Namespace != "" {
		if n.Data != "a" {
			return
		}
		href, ok := get("href")
		for _, a := range n.Attr {
			if !ok && a.Namespace == "xlink" && a.Key == "href" {
				href, ok = a.Val, true
			}
		}
		if ok {
			f.add("a", href)
		}
		return
	}
	f.addLeads(kindOfTag(n.Data), get)
	if template {
		return
	}
	switch n.Data {
	case "base":
		if href, ok := get("href"); ok {
			f.addBase(href)
		}
	case "link":
		f.addLink(get)
	case "meta":
		f.addMeta(get)
	case "title":
		text := ""
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			text += c.Data
		}
		f.addTitle(text)
	}
}
