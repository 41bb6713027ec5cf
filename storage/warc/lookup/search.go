package lookup

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"unicode"

	phrases "github.com/forage-net/forage/assets/words"
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
)

// Search returns pages whose title or URL contain all words of a query, each as a part of a word too, whatever
// their case and accents. Escapes in URLs are undone for it, and hosts are known by the letters of their
// languages too. A page is a capture that was answered with status 2xx, except for robots.txt; of one URL the
// newest in these results stands for all.
//
// The indexes are read backwards from the newest capture on, by the caller's
// goroutine, in bounded memory; an index that was written without titles by an
// earlier version is searched by URL alone, until a repair makes it again. Errors
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
		return r, phrases.New("said.doctor.search-archive", phrases.Args{"error": err})
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

// URL returns captures of a URL, newest first, in the order of writing: of
// all that have the same key in the index, which leaves out scheme, "www." and
// the like. A URL without scheme is one of http.
func URL(ctx context.Context, dir, url string, b Bounds) (Results, error) {
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
		return r, phrases.New("said.doctor.look-up", phrases.Args{"url": url, "error": err})
	}
	return r, nil
}

// asStored escapes what is escaped in titles of index lines.
var asStored = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// wordsOf returns the folded words of a query, each once, with quotes and
// backslashes escaped as in index lines, and escapes of URLs undone as there.
func wordsOf(query string) [][]byte {
	var list [][]byte
	for _, w := range bytes.FieldsFunc([]byte(strings.ToValidUTF8(query, " ")), unicode.IsSpace) {
		w = words.AppendFolded(nil, words.AppendUnescaped(nil, []byte(asStored.Replace(string(w)))))
		if len(w) > 0 && !slices.ContainsFunc(list, func(other []byte) bool { return bytes.Equal(other, w) }) {
			list = append(list, w)
		}
	}
	return list
}
