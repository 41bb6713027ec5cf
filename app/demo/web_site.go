package demo

import (
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// site is a domain with its pages. It does not change once it is planned, but
// for what its pages keep.
type site struct {
	web      *Web
	index    int // 0 is the start page's
	title    string
	lang     *language
	spec     siteSpec
	hosts    []string // the first is the one that others link to
	port     int
	robots   map[string]robotsFile // by host
	pages    []*page
	byTarget map[string]*page // by host, decoded path, "?" and query
	home     *page
	sections []*section
	articles []*page
	odds     []link // what the home page lists beside the articles

	apex        string // the host that only redirects to the first one; "" if there is none
	softMissing bool   // unknown paths answer 200
	calendar    bool
	sitemap     bool
	rooted      bool // whether all its pages are

	filling        sync.Once
	filled, packed []byte // what fills the pages of a bulky web, and the same compressed
}

// section is a part of a site: list pages and the articles on them.
type section struct {
	name  string
	lists []*page
	on    [][]*page // the articles on each list
}

// link is a link with its text. attrs go into the tag as they are.
type link struct {
	href, text, attrs string
}

// robotsFile is the answer to a request for /robots.txt.
type robotsFile struct {
	text     string
	absent   bool
	location string        // where a redirect leads that is the answer
	delay    time.Duration // that text asks for
}

// pathStyle is how the paths of articles are built.
type pathStyle uint8

const (
	pathNames   pathStyle = iota // /breads/rye-sourdough-third-day.html
	pathSlashes                  // /breads/rye-sourdough-third-day/
	pathQuery                    // /article.php?id=17
	pathNumbers                  // /s1/17.html
	pathUnicode                  // /パン/ライ麦.html, percent-encoded
)

// key returns what byTarget is indexed by. Servers decode the path, so
// spellings that differ in percent-encoding alone are one page.
func key(host, path, query string) string {
	if query == "" {
		return host + path
	}
	return host + path + "?" + query
}

// add adds a page at a canonical path with query. A second one at the same
// path would be a mistake of the plan.
func (s *site) add(host, path, title string, r role, write func(*writer)) *page {
	p := &page{site: s, host: host, path: path, title: title, role: r, write: write}
	raw, query, _ := strings.Cut(path, "?")
	decoded, err := url.PathUnescape(raw)
	if err != nil {
		panic("demo: planned path " + path + ": " + err.Error())
	}
	k := key(host, decoded, query)
	if s.byTarget[k] != nil {
		panic("demo: planned twice: " + k)
	}
	s.byTarget[k] = p
	s.pages = append(s.pages, p)
	return p
}

// sectionPath returns the path of the n-th list page of the i-th section, both
// from 0.
func (s *site) sectionPath(i, n int) string {
	switch s.spec.paths {
	case pathQuery:
		path := "/list.php?section=" + itoa(i+1)
		if n > 0 {
			path += "&page=" + itoa(n+1)
		}
		return path
	case pathSlashes:
		if n > 0 {
			return s.sectionDir(i) + "page/" + itoa(n+1) + "/"
		}
	default:
		if n > 0 {
			return s.sectionDir(i) + "page-" + itoa(n+1) + ".html"
		}
	}
	return s.sectionDir(i)
}

// sectionDir returns the directory of the i-th section with a slash at the end.
func (s *site) sectionDir(i int) string {
	switch s.spec.paths {
	case pathNumbers:
		return "/s" + itoa(i+1) + "/"
	case pathUnicode:
		return "/" + escapeSegment(s.spec.sections[i]) + "/"
	}
	return "/" + slug(s.spec.sections[i]) + "/"
}

// articlePath returns the path of the k-th article, in the i-th section.
func (s *site) articlePath(i, k int, title string) string {
	switch s.spec.paths {
	case pathQuery:
		return "/article.php?id=" + itoa(k+1)
	case pathNumbers:
		return s.sectionDir(i) + itoa(k+1) + ".html"
	case pathUnicode:
		return s.sectionDir(i) + escapeSegment(strings.ReplaceAll(title, " ", "_")) + ".html"
	case pathSlashes:
		return s.sectionDir(i) + slug(title) + "/"
	}
	return s.sectionDir(i) + slug(title) + ".html"
}

// slug writes a title in Latin letters as a path segment: "rye-sourdough".
func slug(title string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(title)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ł':
			b.WriteByte('l')
		case r == 'ı':
			b.WriteByte('i')
		case r == '’' || unicode.Is(unicode.Mn, r):
		default:
			if s := b.String(); s != "" && s[len(s)-1] != '-' {
				b.WriteByte('-')
			}
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}

// escapeSegment percent-encodes all but unreserved characters, as a canonical
// URL has them.
func escapeSegment(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}
