package scope

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
)

// PatternError says what is wrong with a pattern, in words for the person who
// wrote it.
type PatternError struct {
	// Text is the pattern as it was written.
	Text string
	// Reason says what is wrong, to be read after Text.
	Reason *words.Message
}

// Error returns for example `"a b" is neither a domain (example.org) nor a
// host with a path (example.org/docs/*)`.
func (e *PatternError) Error() string { return e.In(words.English) }

// In says the same in a language.
func (e *PatternError) In(lang string) string {
	return fmt.Sprintf("%.200q %s", e.Text, e.Reason.In(lang))
}

var notPattern = words.New("said.settings.is-neither-a-domain-example-org", nil)

// pageAddress says that a pattern is the address of a page.
func pageAddress(u crawl.URL) *words.Message {
	return words.New("said.settings.is-the-address-of", words.Args{"domain": u.Domain()})
}

// pattern is a host, or with below one and all hosts below it, and the path its
// URLs begin with; "" for every path.
type pattern struct {
	host  string
	below bool
	path  string
}

// parsePattern reads a domain ("example.org", also "*.example.org") or a host
// with a path ("www.example.org/docs/*"). The result is canonical like a URL,
// so that it can be compared with one. The error is a *PatternError.
func parsePattern(text string) (pattern, error) {
	text = strings.TrimSpace(text)
	host, path, _ := strings.Cut(text, "/")
	bare, below := strings.CutPrefix(host, "*.")
	if bare == "" || strings.ContainsAny(bare, `@?#\%*`) || strings.ContainsFunc(text, isBlank) ||
		strings.Contains(text, "://") {
		return pattern{}, &PatternError{text, notPattern}
	}
	// The end is open, and says so: a query mark at the end would be lost.
	u, err := crawl.ParseURL("http://" + bare + "/" + strings.TrimRight(path, "*") + "*")
	if err != nil || strings.Contains(path, "#") {
		return pattern{}, &PatternError{text, notPattern}
	}
	if path = strings.TrimRight(u.Path(), "*"); path == "/" {
		return pattern{host: u.Host(), below: true}, nil
	}
	return pattern{host: u.Host(), below: below, path: path}, nil
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }

// String returns the pattern as a person would write it.
func (p pattern) String() string {
	if p.below && p.path != "" {
		return "*." + p.host + p.path
	}
	return p.host + p.path
}

// matches reports whether u is at the host, or below it, and begins with the path.
func (p pattern) matches(u crawl.URL) bool {
	host := u.Host()
	if host != p.host && !(p.below && strings.HasSuffix(host, p.host) && host[len(host)-len(p.host)-1] == '.') {
		return false
	}
	return matchPath(p.path, u.Path())
}

// matchPath reports whether path begins with pattern, in which "*" stands for
// anything.
func matchPath(pattern, path string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !strings.HasPrefix(path, first) {
		return false
	}
	path = path[len(first):]
	for more {
		var part string
		part, rest, more = strings.Cut(rest, "*")
		i := strings.Index(path, part)
		if i < 0 {
			return false
		}
		path = path[i+len(part):]
	}
	return true
}
