package demo

import (
	"bufio"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/forage-net/forage/app/demo/language"
	"github.com/forage-net/forage/app/demo/markup"
)

// site is a domain with its pages. It does not change once it is planned, but
// for what its pages keep.
type site struct {
	web      *Web
	index    int // 0 is the start page's
	title    string
	lang     *language.Language
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

// Link is a link with its text. attrs go into the tag as they are.
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

// siteSpec describes a site: what it is called, what it writes about and how
// its server behaves.
type siteSpec struct {
	name, title, lang  string
	sections, subjects []string
	paths              pathStyle
	skin               markup.Skin
	charset            markup.Charset
	subdomains         bool // www., blog. and the bare domain on one server
	features           []feature
}

func list(items ...string) []string { return items }

// planFixed adds what every site has, and the features.
func (s *site) planFixed() {
	host := s.hosts[0]
	words := s.lang.Words
	s.home = s.add(host, "/", "", roleExpected, writeHome)
	s.add(host, "/about.html", words.About, roleExpected, writeAbout)
	s.add(host, "/contact.html", words.Contact, roleExpected, writeContact)
	for _, f := range s.web.files {
		p := s.add(host, f.Path, "", roleOther, nil)
		p.file, p.fileType = f.Data, f.Type
	}
	for _, add := range s.spec.features {
		add(s)
	}
	if _, ok := s.robots[host]; !ok {
		robotsUsual(s)
	}
}

// planArticles adds n pages: articles, and the lists that lead to them.
func (s *site) planArticles(n int) {
	titles := make(map[string]int)
	for i, name := range s.spec.sections {
		share := n / sectionCount
		if i < n%sectionCount {
			share++
		}
		sec := &section{name: name}
		lists := (share + perList) / (perList + 1)
		articles := share - lists
		for l := range lists {
			title := name
			if l > 0 {
				title += " (" + s.lang.Words.Page + " " + itoa(l+1) + ")"
			}
			p := s.add(s.hosts[0], s.sectionPath(i, l), title, roleExpected, writeList(sec, l))
			sec.lists = append(sec.lists, p)
			sec.on = append(sec.on, s.addArticles(i, articles*(l+1)/lists-articles*l/lists, titles))
		}
		s.sections = append(s.sections, sec)
	}
}

// addArticles adds n articles to the i-th section.
func (s *site) addArticles(i, n int, titles map[string]int) []*page {
	added := make([]*page, 0, n)
	for range n {
		k := len(s.articles)
		title := s.lang.Title(s.spec.subjects, k)
		path := s.articlePath(i, k, title)
		// Two titles of a section may have one slug.
		if titles[path]++; titles[path] > 1 {
			path = s.articlePath(i, k, title+" "+itoa(titles[path]))
		}
		p := s.add(s.hosts[0], path, title, roleExpected, writeArticle(i, k))
		s.articles = append(s.articles, p)
		added = append(added, p)
	}
	return added
}

func (s *site) writeTruth(b *bufio.Writer) {
	// Errors of a bufio.Writer come back from Flush.
	line := func(kind, url string) { _, _ = fmt.Fprintf(b, "%s\t%s\n", kind, url) }
	for _, host := range s.hosts {
		origin := "http://" + host
		line("robots", origin+"/robots.txt")
		if host == s.apex {
			line("optional", origin+"/*")
			continue
		}
		line("forbidden", origin+"/img/*")
		line("forbidden", origin+"/style.css")
		if location := s.robots[host].location; location != "" {
			line("robots", origin+location)
		}
		if delay := s.robots[host].delay; delay > 0 {
			line("delay", origin+"/\t"+delay.String())
		}
	}
	if s.sitemap {
		line("optional", "http://"+s.hosts[0]+"/sitemap.xml")
	}
	if s.calendar {
		line("optional", "http://"+s.hosts[0]+calendarPath+"*")
	}
	for _, p := range s.pages {
		line(p.role.String(), p.url())
	}
}
