package warc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/forage-net/forage/crawl/words"
	"github.com/forage-net/forage/storage/warc/capture"
	"github.com/forage-net/forage/storage/warc/cdxj"
	"github.com/forage-net/forage/storage/warc/surt"
	"github.com/forage-net/forage/storage/warc/warcfile"
)

const (
	// MaxQuery is the longest query of a search in bytes, MaxWords how many
	// words of it count.
	MaxQuery = 256
	MaxWords = 16
	// MaxFound is the most captures that Search and Lookup return at once.
	MaxFound = 1000
	// DefaultBudget is how long Search and Lookup go on reading. It is little
	// to a crawl that goes on beside it, and enough for a million captures
	// whose indexes are in memory (measured: 0.3 to 0.4 s for 300,000).
	DefaultBudget = 2 * time.Second
)

// Bounds says how far one call goes.
type Bounds struct {
	// Before goes on where the call ended that returned it as next; "" begins
	// with the newest capture.
	Before string
	// Limit is how many captures are returned, 1 to MaxFound.
	Limit int
	// Budget is how long indexes are read; 0 means DefaultBudget.
	Budget time.Duration
}

// Results is what one call found.
type Results struct {
	// Captures are in the order of writing, newest first.
	Captures []Found
	// Next goes on (Bounds.Before); "" if everything was looked at.
	Next string
	// Searched is how many captures were looked at in this call.
	Searched int
}

// Search returns pages whose title or URL contain all words of a query, each as a part of a word too, whatever
// their case and accents. Escapes in URLs are undone for it, and hosts are known by the letters of their
// languages too. A page is a capture that was answered with status 2xx, except for robots.txt; of one URL the
// newest in these results stands for all.
//
// The indexes are read backwards from the newest capture on, by the caller's
// goroutine, in bounded memory; an index that was written without titles by an
// earlier version is searched by URL alone, until Repair makes it again. Errors
// are those of ctx and of reading.
func Search(ctx context.Context, dir, query string, b Bounds) (Results, error) {
	s := searcher{words: wordsOf(query), seen: make(map[string]struct{})}
	if len(s.words) == 0 || len(query) > MaxQuery || len(s.words) > MaxWords {
		return Results{}, nil
	}
	// The longest word is the rarest.
	slices.SortStableFunc(s.words, func(v, w []byte) int { return len(w) - len(v) })
	r, err := backwards(ctx, dir, b, s.match)
	if err != nil {
		return r, fmt.Errorf("search archive: %w", err)
	}
	return r, nil
}

// searcher looks at one index line after the other.
type searcher struct {
	words     [][]byte
	text, url []byte // of the line
	seen      map[string]struct{}
}

func (s *searcher) match(f warcfile.File, line []byte) (Found, bool) {
	url, status, title := subject(line)
	if len(status) == 0 || status[0] != '2' || bytes.HasSuffix(url, []byte("/robots.txt")) {
		return Found{}, false
	}
	s.url = words.AppendUnescaped(s.url[:0], url)
	s.text = words.AppendFolded(s.text[:0], s.url)
	s.text = append(s.text, '\n') // no word goes from one into the other
	s.text = words.AppendFolded(s.text, words.AppendHost(s.url[:0], url))
	s.text = append(s.text, '\n')
	s.text = words.AppendFolded(s.text, title)
	for _, w := range s.words {
		if !bytes.Contains(s.text, w) {
			return Found{}, false
		}
	}
	c, ok := parseFound(f, line)
	if _, twice := s.seen[c.URL]; twice || !ok {
		return Found{}, false
	}
	s.seen[c.URL] = struct{}{}
	return c, true
}

// subject returns the values of url, status and title as they stand in an index
// line: quotes and backslashes still escaped, which is as good for a search.
func subject(line []byte) (url, status, title []byte) {
	return cdxj.Value(&line, `{"url":"`), cdxj.Value(&line, `","status":"`), cdxj.Value(&line, `","title":"`)
}

// Lookup returns captures of a URL, newest first, in the order of writing: of
// all that have the same key in the index, which leaves out scheme, "www." and
// the like. A URL without scheme is one of http.
func Lookup(ctx context.Context, dir, url string, b Bounds) (Results, error) {
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	if len(url) > capture.MaxURL {
		return Results{}, nil
	}
	key := append(surt.Append(nil, string(capture.AppendURL(nil, url))), ' ')
	r, err := backwards(ctx, dir, b, func(f warcfile.File, line []byte) (Found, bool) {
		if !bytes.HasPrefix(line, key) {
			return Found{}, false
		}
		return parseFound(f, line)
	})
	if err != nil {
		return r, fmt.Errorf("look up %s: %w", url, err)
	}
	return r, nil
}

// linesPerLook is how many lines are read between two looks at the clock.
const linesPerLook = 512

// walk is one way backwards through the indexes.
type walk struct {
	bounds  Bounds
	match   func(f warcfile.File, line []byte) (Found, bool)
	end     time.Time
	before  int64 // place in the file the walk begins in; 0 means its end
	lines   int   // read
	results Results
}

// backwards hands index lines to match, newest first, and returns what it took.
func backwards(ctx context.Context, dir string, b Bounds, match func(warcfile.File, []byte) (Found, bool)) (Results, error) {
	files, err := warcfile.List(dir)
	if errors.Is(err, os.ErrNotExist) {
		return Results{}, nil
	}
	if err != nil {
		return Results{}, err
	}
	if b.Budget <= 0 {
		b.Budget = DefaultBudget
	}
	w := walk{bounds: b, match: match, end: time.Now().Add(b.Budget)}
	if b.Before != "" {
		n, offset, ok := warcfile.ParseID(b.Before)
		if !ok {
			return Results{}, ErrNoCapture
		}
		files = slices.DeleteFunc(files, func(f warcfile.File) bool { return f.Compare(n) > 0 })
		if k := len(files); k > 0 && files[k-1].Name == n {
			w.before = offset
		}
	}
	for i := len(files) - 1; i >= 0; i-- {
		more, err := w.file(ctx, files[i])
		if err != nil || !more {
			return w.results, err
		}
		w.before = 0
	}
	return w.results, nil
}

// file goes through one index. It reports whether the walk goes on.
func (w *walk) file(ctx context.Context, f warcfile.File) (more bool, err error) {
	lines, err := cdxj.Backwards(f)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer lines.Close()
	for {
		line, err := lines.Next()
		if err != nil || line == nil {
			return err == nil, err
		}
		w.lines++
		if w.before > 0 && cdxj.Place(line) >= w.before {
			continue
		}
		w.before = 0
		w.results.Searched++
		c, ok := w.match(f, line)
		if ok {
			w.results.Captures = append(w.results.Captures, c)
			if len(w.results.Captures) >= w.bounds.Limit {
				w.results.Next = c.ID
				return false, nil
			}
		}
		if w.lines%linesPerLook != 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if offset := cdxj.Place(line); offset > 0 && !time.Now().Before(w.end) {
			w.results.Next = f.ID(offset)
			return false, nil
		}
	}
}
