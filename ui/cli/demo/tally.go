package demo

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/assets/words"
)

// tally counts what the practice web was asked for: what the nodes say of
// themselves does not count. It is safe for concurrent use.
type tally struct {
	mu       sync.Mutex
	missing  map[string]bool // pages that are to be fetched
	pages    int
	final    map[string]bool // URLs that need not be asked for again
	twice    int             // requests for those
	requests int
	earlier  *os.File // a line for each page that was fetched, of earlier runs too; nil keeps none
}

func newDemoTally() *tally {
	return &tally{missing: make(map[string]bool), final: make(map[string]bool)}
}

// expect says which pages are to be fetched. It is called before the first is.
func (t *tally) expect(urls []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pages = len(urls)
	for _, u := range urls {
		t.missing[u] = true
	}
}

// keep remembers the pages that were fetched in the file at path, so that a
// demo that goes on in its home knows what an earlier run had. Call it between
// expect and the first add, and close afterwards.
func (t *tally) keep(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return words.New("said.cli.open-the-list-of-pages", words.Args{"error": err})
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.earlier = file
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		delete(t.missing, lines.Text())
	}
	if err := lines.Err(); err != nil {
		return words.New("said.cli.read-the-list-of-pages", words.Args{"error": err})
	}
	return nil
}

func (t *tally) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.earlier != nil {
		t.earlier.Close()
		t.earlier = nil
	}
}

// add takes note of an answer. Each node reads every robots.txt for itself, and
// a site that failed may be asked again.
func (t *tally) add(h demo.Hit) {
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
	if h.Status == 200 && t.missing[h.URL] {
		delete(t.missing, h.URL)
		if t.earlier != nil {
			fmt.Fprintln(t.earlier, h.URL)
		}
	}
}

// wanted returns how many pages are to be fetched, fetched how many of them were.
func (t *tally) wanted() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pages
}

func (t *tally) fetched() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pages - len(t.missing)
}

// asked returns how many requests were made, and how many for what had been
// answered.
func (t *tally) asked() (requests, twice int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests, t.twice
}
