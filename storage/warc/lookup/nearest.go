package lookup

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/surt"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

// MaxNearest is the most URLs that Nearest looks for at once.
const MaxNearest = 1000

// Near says which captures Nearest looks for.
type Near struct {
	// Time is what they are to be near to.
	Time time.Time
	// Bodies asks for captures that were answered with status 2xx and have a
	// body of their own: in place of a revisit comes the capture with the same
	// payload.
	Bodies bool
	// Budget is how long indexes are read; 0 means DefaultBudget.
	Budget time.Duration
}

// Nearest returns for each of many URLs the capture that is nearest to a time,
// in one walk through the indexes. A capture of exactly this URL comes before
// one that differs in scheme, "www." and the like (URL). URLs without a
// capture are not in the result. whole is false if time ran out before
// everything was looked at. URLs beyond MaxNearest are not looked for.
//
// The indexes are read as by Search. The walk ends early once no older capture
// can be nearer.
func Nearest(ctx context.Context, dir string, urls []string, n Near) (found map[string]Found, whole bool, err error) {
	s := nearest{near: n, wanted: map[string][]string{}, best: map[string]Found{}, originals: map[[20]byte]Found{},
		settled: map[string]bool{}}
	for _, url := range urls[:min(len(urls), MaxNearest)] {
		s.want(url)
	}
	s.open = len(s.best)
	if s.open == 0 {
		return nil, true, nil
	}
	r, err := backwards(ctx, dir, Bounds{Limit: 1, Budget: n.Budget}, s.match)
	if err != nil {
		return nil, false, fmt.Errorf("look up %d addresses: %w", len(s.best), err)
	}
	return s.results(), r.Next == "" || s.open == 0, nil
}

// nearest looks at one index line after the other.
type nearest struct {
	near   Near
	wanted map[string][]string // URLs by their key in the index
	best   map[string]Found    // by URL; the zero value where there is none yet
	// originals are the captures whose payload revisits among the best stand
	// for; the zero value for one that is still looked for.
	originals map[[20]byte]Found
	settled   map[string]bool // URLs for which no older capture can be better
	open      int             // how many URLs and originals an older capture may still be for
}

func (s *nearest) want(url string) {
	if _, twice := s.best[url]; twice || len(url) > capture.MaxURL {
		return
	}
	key := string(surt.Append(nil, string(capture.AppendURL(nil, url))))
	s.wanted[key] = append(s.wanted[key], url)
	s.best[url] = Found{}
}

// match ends the walk by taking a line: what is found is kept here.
func (s *nearest) match(f warcfile.File, line []byte) (Found, bool) {
	key, _, _ := bytes.Cut(line, []byte(" "))
	urls := s.wanted[string(key)]
	if len(urls) == 0 && !s.mayBeOriginal(line) {
		return Found{}, false
	}
	c, ok := parseFound(f, line)
	if !ok || s.near.Bodies && c.Status/100 != 2 {
		return Found{}, false
	}
	if was, wanted := s.originals[c.Digest]; wanted && was.ID == "" && !c.Revisit {
		s.originals[c.Digest] = c
		s.open--
	}
	for _, url := range urls {
		s.consider(url, c)
	}
	return c, s.open == 0
}

// mayBeOriginal reports whether a line names a payload that is looked for.
func (s *nearest) mayBeOriginal(line []byte) bool {
	if len(s.originals) == 0 {
		return false
	}
	var c Found
	digest := cdxj.Value(&line, `","digest":"`)
	if digest == nil || !c.setDigest(digest) {
		return false
	}
	was, wanted := s.originals[c.Digest]
	return wanted && was.ID == ""
}

// consider takes a capture of a URL if it is the best so far.
func (s *nearest) consider(url string, c Found) {
	was := s.best[url]
	if was.ID == "" || s.better(url, c, was) {
		s.best[url] = c
		if _, known := s.originals[c.Digest]; s.near.Bodies && c.Revisit && !known {
			s.originals[c.Digest] = Found{}
			s.open++
		}
	}
	// Captures come from new to old: those after the first that is exact and no
	// later than the time are farther away.
	if c.URL == url && !c.Date.After(s.near.Time) && !s.settled[url] {
		s.settled[url] = true
		s.open--
	}
}

func (s *nearest) better(url string, c, was Found) bool {
	if exact, wasExact := c.URL == url, was.URL == url; exact != wasExact {
		return exact
	}
	return c.Date.Sub(s.near.Time).Abs() < was.Date.Sub(s.near.Time).Abs()
}

func (s *nearest) results() map[string]Found {
	for url, c := range s.best {
		if c.Revisit && s.near.Bodies {
			c = s.originals[c.Digest]
		}
		if c.ID == "" {
			delete(s.best, url)
			continue
		}
		s.best[url] = c
	}
	return s.best
}
