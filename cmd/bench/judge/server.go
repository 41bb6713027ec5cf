package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// web is the sites by host name, and where a crawl begins.
type web struct {
	sites map[string]*site
	start string
}

// site is one virtual host: a document root and files of other places.
type site struct {
	root   string
	alias  map[string]string // request path to file
	robots rules
}

// testWeb describes the nine sites and the start page as the test web's
// script sets them up.
func testWeb(docs, www string) web {
	w := web{sites: make(map[string]*site), start: "http://start.test/"}
	for label, root := range map[string]string{
		"python":     "doc/python3.11/html",
		"django":     "doc/python-django-doc/html",
		"postgresql": "doc/postgresql-doc-15/html",
		"sqlite":     "doc/sqlite3",
		"git":        "doc/git-doc",
		"sympy":      "doc/python-sympy-doc/html",
		"flask":      "doc/python-flask-doc/html",
		"nodejs":     "doc/nodejs/api",
		"policy":     "doc/debian-policy",
	} {
		w.sites[label+".test"] = &site{
			root: filepath.Join(docs, "usr/share", root),
			alias: map[string]string{
				"/robots.txt":  filepath.Join(www, label+".robots.txt"),
				"/sitemap.xml": filepath.Join(www, label+".sitemap.xml"),
			},
		}
	}
	w.sites["start.test"] = &site{root: filepath.Join(www, "start")}
	return w
}

// knows implements law.
func (w web) knows(host string) bool { return w.sites[host] != nil }

// forbids implements law.
func (w web) forbids(host, target string) bool { return !w.sites[host].robots.allows(target) }

// isRobots implements law.
func (w web) isRobots(_, target string) bool { return target == "/robots.txt" }

// delay implements law.
func (w web) delay(host string) time.Duration { return w.sites[host].robots.delay }

// names implements law: a sitemap may lead to what no link does.
func (w web) names(_, _ string) bool { return true }

// answer is what the server says to a GET.
type answer struct {
	status   int
	html     bool
	file     string // of a 200
	location string // of a 301: path and query
}

// get answers as nginx does with static files, an index of index.html, no
// listings and merged slashes. target is path and query as requested.
func (s *site) get(target string) (answer, error) {
	path, query, hasQuery := strings.Cut(target, "?")
	decoded := cleanPath(decodePercent(path))
	if strings.IndexByte(decoded, 0) >= 0 {
		return answer{status: 400}, nil
	}
	if file, ok := s.alias[decoded]; ok {
		return statFile(file, decoded)
	}
	file := filepath.Join(s.root, filepath.FromSlash(decoded))
	if strings.HasSuffix(decoded, "/") {
		a, err := statFile(filepath.Join(file, "index.html"), "index.html")
		if a.status == 301 { // index.html is a directory
			a = answer{status: 404}
		}
		if info, statErr := os.Stat(file); a.status == 404 && statErr == nil && info.IsDir() {
			a.status = 403
		}
		return a, err
	}
	a, err := statFile(file, decoded)
	if a.status == 301 {
		a.location = (&url.URL{Path: decoded + "/"}).EscapedPath()
		if hasQuery {
			a.location += "?" + query
		}
	}
	return a, err
}

// statFile answers for a file by its name: 301 stands for a directory.
func statFile(file, name string) (answer, error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
		return answer{status: 404}, nil
	case err != nil:
		return answer{}, fmt.Errorf("serve %s: %w", name, err)
	case info.IsDir():
		return answer{status: 301}, nil
	case !info.Mode().IsRegular():
		return answer{status: 404}, nil
	}
	return answer{status: 200, html: isHTMLName(name), file: file}, nil
}

// isHTMLName reports whether nginx's table of types calls a name text/html.
func isHTMLName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".html", ".htm", ".shtml":
		return true
	}
	return false
}

// cleanPath merges slashes and resolves dot segments, keeping a slash at the
// end.
func cleanPath(p string) string {
	var segments []string
	for s := range strings.SplitSeq(p, "/") {
		switch s {
		case "", ".":
		case "..":
			segments = segments[:max(0, len(segments)-1)]
		default:
			segments = append(segments, s)
		}
	}
	clean := "/" + strings.Join(segments, "/")
	last := p[strings.LastIndexByte(p, '/')+1:]
	if len(segments) > 0 && (last == "" || last == "." || last == "..") {
		clean += "/"
	}
	return clean
}

// decodePercent decodes percent-encoded octets and leaves a lone % as it is.
func decodePercent(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			b.WriteByte(unhex(s[i+1])<<4 | unhex(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
