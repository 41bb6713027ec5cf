package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
)

// pageKey names a page as the server understands the request, so that spellings of one
// path that differ in percent-encoding alone are one page.
type pageKey struct {
	host   string
	target string // decoded path, and the decoded query behind a ? where there is one
}

func (k pageKey) String() string { return "http://" + k.host + k.target }

// keyOf returns the key of a request for target on host.
func keyOf(host, target string) pageKey {
	path, query, _ := strings.Cut(target, "?")
	key := pageKey{host: host, target: decodePercent(path)}
	if query != "" {
		key.target += "?" + decodePercent(query)
	}
	return key
}

// truth is what a right crawl finds.
type truth struct {
	pages  map[pageKey]bool // HTML pages that may be reached and fetched
	barred map[pageKey]bool // linked pages that robots.txt forbids
}

// maxPages bounds the search: more means that the web is not the finite one
// this program is for.
const maxPages = 1_000_000

// findTruth follows the links from w.start, breadth first, wave by wave. It
// also reads the robots files of the sites.
func findTruth(ctx context.Context, w web) (truth, error) {
	for host, s := range w.sites {
		a, err := s.get("/robots.txt")
		if err != nil {
			return truth{}, err
		}
		if a.status != 200 {
			continue
		}
		text, err := os.ReadFile(a.file)
		if err != nil {
			return truth{}, fmt.Errorf("robots.txt of %s: %w", host, err)
		}
		s.robots = parseRobots(string(text))
	}
	start, err := url.Parse(w.start)
	if err != nil {
		return truth{}, err
	}
	t := truth{pages: make(map[pageKey]bool), barred: make(map[pageKey]bool)}
	seen := map[pageKey]bool{keyOf(start.Host, start.RequestURI()): true}
	for wave := []*url.URL{start}; len(wave) > 0; {
		found, err := readWave(ctx, w, wave)
		if err != nil {
			return truth{}, err
		}
		for i, f := range found {
			if f.html {
				t.pages[keyOf(wave[i].Host, wave[i].RequestURI())] = true
			}
		}
		wave = nil
		for _, f := range found {
			for _, u := range f.links {
				key := keyOf(u.Host, u.RequestURI())
				s := w.sites[u.Host]
				if s == nil || u.Scheme != "http" || seen[key] {
					continue
				}
				seen[key] = true
				if s.robots.allows(u.RequestURI()) {
					wave = append(wave, u)
				} else {
					t.barred[key] = true
				}
			}
		}
		if len(seen) > maxPages {
			return truth{}, errors.New("the web has too many pages")
		}
	}
	return t, nil
}

// finding is what one URL turned out to be.
type finding struct {
	html  bool
	links []*url.URL
	err   error
}

// readWave reads the pages of one wave, as many at a time as there are
// processors.
func readWave(ctx context.Context, w web, wave []*url.URL) ([]finding, error) {
	found := make([]finding, len(wave))
	work := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range work {
				found[i] = read(w, wave[i])
			}
		})
	}
	for i := range wave {
		if ctx.Err() != nil {
			break
		}
		work <- i
	}
	close(work)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, f := range found {
		if f.err != nil {
			return nil, fmt.Errorf("read %s: %w", wave[i], f.err)
		}
	}
	return found, nil
}

// maxDocument is the most of one document that is read, in bytes.
const maxDocument = 64 << 20

// read fetches one URL from the files.
func read(w web, u *url.URL) finding {
	a, err := w.sites[u.Host].get(u.RequestURI())
	switch {
	case err != nil:
		return finding{err: err}
	case a.status == 301:
		target, ok := resolve(u, a.location)
		if !ok {
			return finding{}
		}
		return finding{links: []*url.URL{target}}
	case a.status != 200 || !a.html:
		return finding{}
	}
	f, err := os.Open(a.file)
	if err != nil {
		return finding{err: err}
	}
	defer f.Close()
	links, err := pageLinks(bufio.NewReaderSize(io.LimitReader(f, maxDocument), 1<<16), u)
	return finding{html: true, links: links, err: err}
}
