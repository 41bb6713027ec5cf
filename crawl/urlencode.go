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
