package demo

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/forage-net/forage/app/demo/pack"
)

func TestWeb_Codings(t *testing.T) {
	w := startWeb(t, Options{Pages: 600})
	c := client(t, w)
	seen := make(map[string]int)
	for _, s := range w.sites[1:] {
		url := s.articles[0].url()
		_, plainBody := get(t, c, url, "Accept-Encoding", "identity")
		resp, body := get(t, c, url, "Accept-Encoding", "br;q=1.0, gzip")
		coding := resp.Header.Get("Content-Encoding")
		seen[coding]++
		switch coding {
		case "gzip":
			z, err := gzip.NewReader(strings.NewReader(string(body)))
			if err != nil {
				t.Fatal(err)
			}
			body, err = io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
		case "br":
			var err error
			if body, err = io.ReadAll(brotli.NewReader(strings.NewReader(string(body)))); err != nil {
				t.Fatal(err)
			}
		}
		if string(body) != string(plainBody) {
			t.Errorf("%s: %s is not what it is without", url, coding)
		}
		if resp, _ := get(t, c, url, "Accept-Encoding", "br;q=0, gzip; q=0"); resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: encoded though refused", url)
		}
		if resp.TransferEncoding != nil {
			seen["chunked"]++
		}
	}
	if seen["gzip"] != 20 || seen["br"] == 0 || seen[""] == 0 || seen["chunked"] == 0 {
		t.Errorf("codings and framings: %v, want gzip 20 and some of the others", seen)
	}
}

func TestWeb_Revalidates(t *testing.T) {
	w := startWeb(t, Options{Pages: 600})
	c := client(t, w)
	for _, s := range w.sites[1:] {
		url := s.articles[0].url()
		resp, _ := get(t, c, url)
		tag, modified := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
		if tag == "" && modified == "" {
			t.Errorf("%s has no validator", url)
		}
		headers := []string{"If-None-Match", tag}
		if tag == "" {
			headers = []string{"If-Modified-Since", modified}
		}
		if resp, body := get(t, c, url, headers...); resp.StatusCode != http.StatusNotModified || len(body) != 0 {
			t.Errorf("%s with %q: %d, want 304", url, headers, resp.StatusCode)
		}
		if resp, _ := get(t, c, url, "If-None-Match", `"other"`, "If-Modified-Since", modified); resp.StatusCode != http.StatusOK {
			t.Errorf("%s with another tag: %d, want 200", url, resp.StatusCode)
		}
		if resp, _ := get(t, c, url, "If-Modified-Since", "Tue, 01 Jan 2008 00:00:00 GMT"); resp.StatusCode != http.StatusOK {
			t.Errorf("%s since 2008: %d, want 200", url, resp.StatusCode)
		}
	}
}

func TestWeb_Answers(t *testing.T) {
	w := startWeb(t, Options{Pages: 600})
	c := client(t, w)
	for _, a := range []struct {
		url           string
		status        int
		header, value string
	}{
		{"http://corner-bakery.test/old/recipes.html", 301, "Location", "/old/recipes-2019.html"},
		{"http://corner-bakery.test/go/neighbour", 302, "Location", "http://astronomy-club.test/"},
		{"http://corner-bakery.test/nothing", 404, "Content-Type", "text/html; charset=utf-8"},
		{"http://corner-bakery.test/%63af%c3%a9.html", 200, "", ""},
		{"http://bicycle-kitchen.test/missing.html", 404, "", ""},
		{"http://bicycle-kitchen.test/withdrawn.html", 410, "", ""},
		{"http://bicycle-kitchen.test/broken.html", 500, "", ""},
		{"http://bicycle-kitchen.test/broken.html", 500, "", ""},
		{"http://bicycle-kitchen.test/busy.html", 503, "Retry-After", "1"},
		{"http://bicycle-kitchen.test/busy.html", 200, "", ""},
		{"http://bicycle-kitchen.test/stumbles.html", 500, "", ""},
		{"http://bicycle-kitchen.test/stumbles.html", 200, "", ""},
		{"http://bicycle-kitchen.test/whatever", 200, "", ""},
		{"http://old-harbour.test/robots.txt", 404, "", ""},
		{"http://old-harbour.test/notes/header.html", 200, "X-Robots-Tag", "noindex, nofollow"},
		{"http://railway-museum.test/robots.txt", 301, "Location", "/policies/robots.txt"},
		{"http://railway-museum.test/policies/robots.txt", 200, "Content-Type", "text/plain; charset=utf-8"},
		{"http://kaffeeroesterei.test/x?y", 301, "Location", "http://www.kaffeeroesterei.test/x?y"},
		{"http://valley-beekeepers.test/sitemap.xml", 200, "Content-Type", "application/xml"},
		{"http://chalu.test/files/leaflet.pdf", 200, "Content-Type", "application/pdf"},
		{"http://chalu.test/img/7.png", 200, "Content-Type", "image/png"},
		{"http://chalu.test/style.css", 200, "Content-Type", "text/css; charset=utf-8"},
		{"http://recetas.test/about.html", 200, "Content-Type", "text/html; charset=windows-1252"},
		{"http://astronomy-club.test/calendar/9999/12/", 200, "", ""},
		{"http://astronomy-club.test/calendar/2026/1/", 404, "", ""},
		{"http://astronomy-club.test/calendar/2025/12/", 404, "", ""},
		{"http://start.test/nothing", 404, "", ""},
	} {
		resp, _ := get(t, c, a.url)
		if resp.StatusCode != a.status || a.header != "" && resp.Header.Get(a.header) != a.value {
			t.Errorf("%s: %d, %s %q, want %d, %q", a.url, resp.StatusCode, a.header, resp.Header.Get(a.header), a.status, a.value)
		}
	}
	for _, u := range w.Forbidden() {
		if resp, _ := get(t, c, u); resp.StatusCode != http.StatusOK {
			t.Errorf("%s, forbidden: %d, want 200 so that it is noticed", u, resp.StatusCode)
		}
	}
}

func TestWeb_OtherRequests(t *testing.T) {
	w := startWeb(t, Options{Pages: 600})
	c := client(t, w)
	for _, r := range []struct {
		method, host string
		status       int
	}{
		{http.MethodPost, "chalu.test", http.StatusMethodNotAllowed},
		{http.MethodHead, "chalu.test", http.StatusOK},
		{http.MethodGet, "CHALU.test:80", http.StatusOK},
		{http.MethodGet, "shufa.test", http.StatusMisdirectedRequest},
	} {
		req, err := http.NewRequestWithContext(t.Context(), r.method, "http://chalu.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = r.host
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != r.status {
			t.Errorf("%s for %s: %d, want %d", r.method, r.host, resp.StatusCode, r.status)
		}
	}
}

func TestWeb_LogAndServed(t *testing.T) {
	var mu sync.Mutex
	var logged []Hit
	w := startWeb(t, Options{Sites: 2, Pages: 100, Log: func(h Hit) {
		mu.Lock()
		defer mu.Unlock()
		logged = append(logged, h)
	}})
	c := client(t, w)
	before := time.Now()
	get(t, c, w.StartURL())
	get(t, c, "http://corner-bakery.test/none?x=%C3%A9")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	served := w.Served()
	if len(served) != 2 || !slices.Equal(served, logged) {
		t.Fatalf("served %v, logged %v", served, logged)
	}
	if h := served[1]; h.URL != "http://corner-bakery.test/none?x=%C3%A9" || h.Status != 404 || h.Start.Before(before) || h.End.Before(h.Start) {
		t.Errorf("hit %+v", h)
	}
	if _, err := c.Get(w.StartURL()); err == nil {
		t.Error("the web answers after Close")
	}
}

func TestWeb_Hit(t *testing.T) {
	const latency = 20 * time.Millisecond
	w := startWeb(t, Options{Sites: 3, Pages: 140, Latency: latency})
	c := client(t, w)
	for _, url := range []string{w.StartURL(), "http://corner-bakery.test/about.html", "http://astronomy-club.test/", "http://old-harbour.test/"} {
		_, body := get(t, c, url, "User-Agent", "somebody", "Accept-Encoding", "gzip")
		// The hit is recorded when the client has its answer already.
		for len(w.Served()) == 0 || w.Served()[len(w.Served())-1].URL != url {
			runtime.Gosched()
		}
		h := w.Served()[len(w.Served())-1]
		if h.Method != "GET" || h.Agent != "somebody" || h.Client == "" || !strings.HasPrefix(h.Type, "text/html") || h.Bytes != int64(len(body)) {
			t.Errorf("hit %+v, want GET by somebody of %d bytes of HTML", h, len(body))
		}
		if took := h.End.Sub(h.Start); took < latency {
			t.Errorf("%s took %s, want %s at least", url, took, latency)
		}
	}
}

// A client that reads a part of an answer and leaves: when it did is not known, so the
// gap after it must not count from when the server noticed. The connection is a pipe,
// since the buffers of a socket may hold the whole answer.
func TestWeb_HitOfAnAnswerThatIsLeft(t *testing.T) {
	hits := make(chan Hit, 1)
	w := startWeb(t, Options{Log: func(h Hit) { hits <- h }})
	var huge *page
	for _, s := range w.sites {
		for _, p := range s.pages {
			if p.path == "/everything.html" && s.coding() == pack.None {
				huge = p
			}
		}
	}
	client, server := net.Pipe()
	listener := &pipeListener{conns: make(chan net.Conn, 1)}
	listener.conns <- server
	serving := &http.Server{Handler: huge.site}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = serving.Serve(listener)
	}()
	if _, err := fmt.Fprintf(client, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", huge.path, huge.host); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(client, make([]byte, 64<<10)); err != nil {
		t.Fatal(err)
	}
	client.Close()
	if h := <-hits; h.URL != huge.url() || h.Status != 200 || h.Bytes >= 3<<20 || !h.End.Equal(h.Start) {
		t.Errorf("hit %+v, want one of %s that ended when it began", h, huge.url())
	}
	serving.Close()
	<-done
}

// pipeListener accepts the connections that it is given.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	conn, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Net: "pipe"} }

func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if !hold(ctx, 0) || !hold(ctx, 900*time.Millisecond) {
			t.Error("the client is gone before its time")
		}
		if hold(ctx, time.Minute) {
			t.Error("an answer was held for a client that is gone")
		}
	})
}

func TestHits_KeepsTheLast(t *testing.T) {
	var w Web
	for i := range maxHits + 3 {
		w.hits.add(Hit{Status: i})
	}
	served := w.Served()
	if len(served) != maxHits || served[0].Status != 3 || served[maxHits-1].Status != maxHits+2 {
		t.Errorf("%d hits from %d to %d", len(served), served[0].Status, served[len(served)-1].Status)
	}
}

func TestWeb_Duplicates(t *testing.T) {
	w := startWeb(t, Options{Pages: 600})
	c := client(t, w)
	bodies := make(map[string]bool)
	for _, s := range w.sites {
		if s.spec.name != "slow-letterpress.test" {
			continue
		}
		for _, u := range []string{s.articles[0].url(), "http://slow-letterpress.test/copy/1.html", "http://slow-letterpress.test/mirror.php?article=1"} {
			_, body := get(t, c, u)
			bodies[string(body)] = true
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different texts under three URLs, want 1", len(bodies))
	}
}

func FuzzSite_ServeHTTP(f *testing.F) {
	w, err := newWeb(Options{Pages: 600})
	if err != nil {
		f.Fatal(err)
	}
	f.Add("corner-bakery.test:80", "/about.html?x#y", "gzip;q=0,br", "\"x\"")
	f.Add("astronomy-club.test", "/calendar/2030/07/", "gzip", "W/*")
	f.Add("bicycle-kitchen.test", "/../%zz", "", "")
	f.Add("railway-museum.test", "", "", "*")
	f.Fuzz(func(t *testing.T, host, target, accept, none string) {
		path, query, _ := strings.Cut(target, "?")
		for _, s := range w.sites {
			r := &http.Request{
				Method: http.MethodGet, Host: host, RequestURI: target, URL: &url.URL{Path: path, RawQuery: query},
				Header: http.Header{"Accept-Encoding": {accept}, "If-None-Match": {none}},
			}
			recorder := httptest.NewRecorder()
			s.ServeHTTP(recorder, r.WithContext(t.Context()))
			if recorder.Code < 200 || recorder.Code > 503 {
				t.Errorf("%q %q: %d", host, target, recorder.Code)
			}
		}
	})
}
