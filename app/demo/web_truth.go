package demo

import (
	"bufio"
	"io"
	"slices"
)

// Expected returns the URLs, canonical and sorted, of all HTML pages that can
// be reached from StartURL by links a crawler may follow, apart from the
// Endless ones: those a right crawler gets with status 200 exactly once.
func (w *Web) Expected() []string { return w.urls(roleExpected) }

// Forbidden returns the URLs, canonical and sorted, that a right crawler never
// requests: what robots.txt forbids, what only pages link to that ask robots
// not to follow, and what is no link but in a comment or a script, or wrongly
// resolved. (Images and style sheets are never requested either; their
// paths begin with "/img/" and "/style".)
func (w *Web) Forbidden() []string { return w.urls(roleForbidden) }

func (w *Web) urls(r role) []string {
	var urls []string
	for _, s := range w.sites {
		for _, p := range s.pages {
			if p.role == r {
				urls = append(urls, p.url())
			}
		}
	}
	slices.Sort(urls)
	return urls
}

// Endless returns what the URLs of the endless calendar begin with, "" if this
// web has none. Its first month is one link from the home page of its site,
// which is one from the start page; each month links to the next, up to
// December 9999. A crawl that follows at most d links from the start page finds
// d-1 of them at most.
func (w *Web) Endless() string {
	for _, s := range w.sites {
		if s.calendar {
			return "http://" + s.hosts[0] + calendarPath
		}
	}
	return ""
}

// WriteTruth writes what a right crawl from StartURL does with each URL, one
// line a URL of two fields with a tab between:
//
//	expected  http://a.test/x    is fetched once
//	forbidden http://a.test/y    is never requested
//	optional  http://a.test/z*   may be requested
//	robots    http://a.test/r    is a robots.txt, for every fetcher to read
//	delay     http://a.test/ 1s  asks for so long between requests (a third field)
//
// A * at the end stands for any text, and an exact line counts for more than
// one with a *. Whatever is not named is linked nowhere.
func (w *Web) WriteTruth(out io.Writer) error {
	b := bufio.NewWriter(out)
	for _, s := range w.sites {
		s.writeTruth(b)
	}
	return b.Flush()
}
