package cli

import (
	"strings"
	"sync"

	"github.com/forage-net/forage/app/demo"
)

// demoTally counts what the practice web was asked for: what the nodes say of
// themselves does not count. It is safe for concurrent use.
type demoTally struct {
	mu       sync.Mutex
	missing  map[string]bool // pages that are to be fetched
	pages    int
	final    map[string]bool // URLs that need not be asked for again
	twice    int             // requests for those
	requests int
}

func newDemoTally() *demoTally {
	return &demoTally{missing: make(map[string]bool), final: make(map[string]bool)}
}

// expect says which pages are to be fetched. It is called before the first is.
func (t *demoTally) expect(urls []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pages = len(urls)
	for _, u := range urls {
		t.missing[u] = true
	}
}

// add takes note of an answer. Each node reads every robots.txt for itself, and
// a site that failed may be asked again.
func (t *demoTally) add(h demo.Hit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	if strings.HasSuffix(h.URL, "/robots.txt") {
		return
	}
	if t.final[h.URL] {
		t.twice++
	}
	if h.Status < 400 || h.Status == 404 || h.Status == 410 {
		t.final[h.URL] = true
	}
	if h.Status == 200 {
		delete(t.missing, h.URL)
	}
}

// wanted returns how many pages are to be fetched, fetched how many of them were.
func (t *demoTally) wanted() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pages
}

func (t *demoTally) fetched() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pages - len(t.missing)
}

// asked returns how many requests were made, and how many for what had been
// answered.
func (t *demoTally) asked() (requests, twice int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests, t.twice
}
