//go:build unix

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/demo"
)

// site is a site of a few pages that a test has written itself, and the home
// of a node that crawls it.
type site struct {
	host, home, hosts string
	pages             map[string]string // by path

	asked atomic.Int64 // requests that have arrived

	mu   sync.Mutex
	hits visits
	when int64
	do   func()
}

// newSite serves a site for the length of a test. Without a page
// "/robots.txt" everything is allowed.
func newSite(t *testing.T, host string, pages map[string]string) *site {
	t.Helper()
	s := &site{host: host, home: roomyHome(t), hosts: filepath.Join(t.TempDir(), "hosts"), pages: pages}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	line := strings.TrimPrefix(server.URL, "http://") + " " + host + "\n"
	if err := os.WriteFile(s.hosts, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *site) url(path string) string { return "http://" + s.host + path }

// whenAsked calls fn once, before the n-th request is answered. It must be
// called before the first.
func (s *site) whenAsked(n int64, fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.when, s.do = n, fn
}

// visits returns all requests up to now, in the order in which they began.
func (s *site) visits() visits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(visits(nil), s.hits...)
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	page, ok := s.pages[r.URL.Path]
	status := http.StatusOK
	if !ok {
		status = http.StatusNotFound
	}
	s.mu.Lock()
	if s.asked.Add(1) == s.when {
		s.do()
	}
	at := len(s.hits)
	s.hits = append(s.hits, demo.Hit{URL: s.url(r.URL.Path), Status: status, Start: start, End: start})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if r.URL.Path == "/robots.txt" {
		w.Header().Set("Content-Type", "text/plain")
	}
	w.WriteHeader(status)
	io.WriteString(w, page)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits[at].End = time.Now()
}

// itoa writes a number.
func itoa(n int) string { return fmt.Sprint(n) }
