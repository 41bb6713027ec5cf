package extract

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/forage-net/forage/crawl"
)

// fieldOfSitemap knows the elements by their names alone: sitemaps come with
// all kinds of namespaces.
func fieldOfSitemap(name []byte) field {
	switch string(name) {
	case "url", "sitemap":
		return fieldEntry
	case "loc":
		return fieldURL
	case "lastmod":
		return fieldDate
	}
	return fieldNone
}

// sitemapURL returns the URL of a sitemap's entry: an absolute one of the same
// registrable domain.
func sitemapURL(base crawl.URL, text string) (crawl.URL, bool) {
	u, err := crawl.ParseURL(text)
	return u, err == nil && u.Domain() == base.Domain()
}

// readTextSitemap reads a sitemap that has a URL in every line. Lines that
// are something else are passed over.
func readTextSitemap(base crawl.URL, r *bufio.Reader, emit func(SourceEntry) bool) error {
	for count := 0; ; {
		line, err := readLine(r)
		if line = trim(line); isWebURL(line) {
			if count++; count > MaxEntries {
				return ErrLimit
			}
			if u, ok := sitemapURL(base, string(line)); ok && !emit(SourceEntry{URL: u}) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns a line, empty if it is longer than the reader's buffer. It is
// good until the next one.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	for err == bufio.ErrBufferFull {
		_, err = r.ReadSlice('\n')
	}
	return nil, err
}

// isWebURL reports whether a text begins as an http or https URL does.
func isWebURL(text []byte) bool {
	scheme, _, ok := bytes.Cut(text[:min(len(text), len("https://"))], []byte("://"))
	return ok && (bytes.EqualFold(scheme, []byte("http")) || bytes.EqualFold(scheme, []byte("https")))
}

// trim takes the blanks off a text.
func trim(text []byte) []byte {
	return bytes.TrimFunc(text, func(c rune) bool { return c <= ' ' || c == 0xa0 || c == 0xfeff })
}
