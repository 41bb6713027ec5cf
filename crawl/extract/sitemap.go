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

// sitemapEntry returns the entry of a sitemap; ok is false for a URL that is not absolute.
func sitemapEntry(base crawl.URL, text string) (e SourceEntry, ok bool) {
	u, err := crawl.ParseURL(text)
	if err != nil {
		return SourceEntry{}, false
	}
	return SourceEntry{URL: u, Elsewhere: u.Domain() != base.Domain()}, true
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
			if e, ok := sitemapEntry(base, string(line)); ok && !emit(e) {
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
