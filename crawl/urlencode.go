package crawl

import (
	"strings"
	"unicode/utf8"
)

// encodePath does what plainPath does for a path that may hold octets to be
// encoded or decoded: UTF-8, blanks, lower-case percent-encoding. It leaves to
// the standard whatever takes more than that.
func encodePath(s string) (string, bool) {
	s, _, _ = strings.Cut(s, "#")
	if s == "" || len(s) > MaxURL || s[0] == ' ' || s[len(s)-1] == ' ' || !utf8.ValidString(s) {
		return "", false
	}
	out, query := make([]byte, 0, min(3*len(s), MaxURL)), false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case plainBytes[c] || c == '/':
			out = append(out, c)
		case c == '?':
			query = true
			out = append(out, c)
		case c < ' ' || c == '\\':
			return "", false
		case c == '%':
			if !isOctet(s[i:]) {
				return "", false
			}
			if c = unhex(s[i+1])<<4 | unhex(s[i+2]); c == '.' {
				return "", false
			}
			i += 2
			if isUnreserved(c) {
				out = append(out, c)
			} else {
				out = append(out, '%', upperHex[c>>4], upperHex[c&15])
			}
		case !query && c == '\'':
			out = append(out, c)
		default:
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return plainPath(string(out))
}

// isOctet reports whether s begins with a percent-encoded octet.
func isOctet(s string) bool { return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2]) }

const upperHex = "0123456789ABCDEF"

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '-' || c == '.' || c == '_' || c == '~'
}

// plainPath cuts the fragment and an empty query off a path with query, and
// reports whether no rule of the standard changes what remains.
func plainPath(s string) (string, bool) {
	if i := strings.IndexByte(s, '#'); i >= 0 {
		s = s[:i]
	}
	segment, query := 0, -1 // where the last segment and the query begin
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainBytes[c] {
			continue
		}
		switch c {
		case '?', '/':
			if query >= 0 {
				continue
			}
			if dotSegment(s[segment:i]) {
				return "", false
			}
			if segment = i + 1; c == '?' {
				query = i
			}
		case '\'':
			if query >= 0 {
				return "", false
			}
		case '%':
			if i+2 >= len(s) || !isUpperHex(s[i+1]) || !isUpperHex(s[i+2]) ||
				isUnreserved(unhex(s[i+1])<<4|unhex(s[i+2])) {
				return "", false
			}
			i += 2
		default:
			return "", false
		}
	}
	switch query {
	case -1:
		return s, !dotSegment(s[segment:])
	case len(s) - 1:
		return s[:query], true
	}
	return s, true
}

func dotSegment(s string) bool { return s == "." || s == ".." }

func isUpperHex(c byte) bool { return '0' <= c && c <= '9' || 'A' <= c && c <= 'F' }

// plainBytes are the bytes that stand for themselves in a path and a query.
var plainBytes = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isUnreserved(byte(c)) || strings.IndexByte("!$&()*+,;=:@", byte(c)) >= 0
	}
	return set
}()
