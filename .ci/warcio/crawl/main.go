// Command crawl lets a node crawl a few pages on this computer until each has
// come up several times, so that its archive holds records of every kind:
// responses in chunks, in gzip and in Brotli, one that was cut off, revisits of
// both kinds, and pages that ask to be kept out of indexes.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/frontier"
)

const (
	visits = 3 // of each page, at least
	// limit is how long the crawl may take.
	limit = time.Minute
	// large is a body that is cut off.
	large = fetch.DefaultBody + 1<<20
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: crawl HOME")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "crawl:", err)
		os.Exit(1)
	}
}

func run(home string) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s := newSite()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s}
	go server.Serve(ln)
	defer server.Close()
	opts, err := options(home, ln.Addr().String())
	if err != nil {
		return err
	}
	node, err := app.New(opts)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- node.Serve(ctx) }()
	select {
	case <-s.enough:
	case err := <-served:
		return fmt.Errorf("after %v: %w", s.asked, errors.Join(err, ctx.Err()))
	}
	return errors.Join(node.Stop(ctx), <-served, node.Close())
}

func options(home, addr string) (app.Options, error) {
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		return app.Options{}, err
	}
	if err := paths.Create(); err != nil {
		return app.Options{}, err
	}
	hosts, err := fetch.ParseHosts(strings.NewReader(addr + " kinds.test"))
	if err != nil {
		return app.Options{}, err
	}
	seed, err := crawl.ParseURL("http://kinds.test/")
	if err != nil {
		return app.Options{}, err
	}
	again := frontier.Revisit{First: time.Millisecond, Least: time.Millisecond, Most: time.Millisecond}
	o := app.Options{
		Paths: paths, Home: home, Config: config.Defaults(), Seeds: []crawl.URL{seed}, Log: slog.New(slog.DiscardHandler),
		Lab: &app.Lab{Hosts: hosts, Gap: new(time.Duration), NoLimits: true, Revisit: again},
	}
	o.Config.Web.Addr = "127.0.0.1:0"
	return o, nil
}

// page is a page of the site.
type page struct {
	body     string
	coding   string // Content-Encoding
	tag      string // ETag
	robots   string // X-Robots-Tag
	changing bool   // another body each time
	chunked  bool
}

type site struct {
	pages  map[string]page
	enough chan struct{} // closed when every page was asked for often enough

	mu    sync.Mutex
	asked map[string]int
}

func newSite() *site {
	s := &site{enough: make(chan struct{}), asked: make(map[string]int)}
	s.pages = map[string]page{
		"/plain":         {body: text("Plain", 1)},
		"/same":          {body: text("Plain", 1)}, // as another page
		"/changing":      {body: text("Changing", 1), changing: true},
		"/chunked":       {body: text("In chunks", 300), chunked: true},
		"/gzip":          {body: text("In gzip", 300), coding: "gzip"},
		"/gzip/chunked/": {body: text("In gzip and chunks", 300), coding: "gzip", chunked: true},
		"/br":            {body: text("In Brotli", 300), coding: "br"},
		"/tagged":        {body: text("Tagged", 300), coding: "gzip", tag: `"one"`},
		"/tagged/?b&a=2": {body: text("Tagged too", 3), tag: `"two"`, chunked: true},
		"/large":         {body: text("Large", large/len(paragraph))},
		"/large/chunked": {body: text("Large in chunks", large/len(paragraph)), chunked: true},
		"/hidden":        {body: text("Hidden", 1), robots: "noindex"},
		"/hidden/tagged": {body: text("Hidden and tagged", 1), robots: "noindex", tag: `"three"`},
	}
	var links strings.Builder
	for path := range s.pages {
		fmt.Fprintf(&links, "<a href=%q>%s</a>\n", path, path)
	}
	s.pages["/"] = page{body: "<!doctype html><title>Records of every kind</title>" + links.String()}
	return s
}

const paragraph = "<p>A paragraph as good as any other.\n"

func text(title string, paragraphs int) string {
	return "<!doctype html><title>" + title + "</title>" + strings.Repeat(paragraph, paragraphs)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := s.pages[r.URL.RequestURI()]
	if !ok {
		http.NotFound(w, r)
		return
	}
	n := s.count(r.URL.RequestURI())
	h := w.Header()
	if p.tag != "" {
		h.Set("ETag", p.tag)
		if r.Header.Get("If-None-Match") == p.tag {
			w.WriteHeader(http.StatusNotModified) // which says nothing of robots
			return
		}
	}
	if p.robots != "" {
		h.Set("X-Robots-Tag", p.robots)
	}
	body := p.body
	if p.changing {
		body += fmt.Sprint("<p>", n)
	}
	if p.coding != "" {
		h.Set("Content-Encoding", p.coding)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	send(w, encode(body, p.coding), p.chunked)
}

// count counts a request, and says when there were enough.
func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[path]++
	n := s.asked[path]
	if n == visits {
		for path := range s.pages {
			if s.asked[path] < visits {
				return n
			}
		}
		close(s.enough)
	}
	return n
}

func encode(body, coding string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	default:
		return []byte(body)
	}
	io.WriteString(w, body) // to memory
	w.Close()
	return b.Bytes()
}

func send(w http.ResponseWriter, body []byte, chunked bool) {
	if !chunked {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body) // the client may be gone
		return
	}
	half := len(body) / 2
	w.Write(body[:half])
	w.(http.Flusher).Flush()
	w.Write(body[half:])
}
