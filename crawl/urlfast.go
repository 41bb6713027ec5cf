package crawl

import "strings"

// Nearly all links are plain: lower-case host, path without dots or blanks.
// For those the standard's result can be read off the text, at a twentieth of
// the cost. Whatever is not plainly plain goes the long way; a fuzz target
// holds both to the same answer.

// parseFast parses an absolute URL that is already in canonical form but for
// a fragment and an empty path or query.
func parseFast(s string) (URL, bool) {
	scheme := ""
	switch {
	case strings.HasPrefix(s, "https://"):
		scheme = "https"
	case strings.HasPrefix(s, "http://"):
		scheme = "http"
	default:
		return URL{}, false
	}
	rest := s[len(scheme)+len("://"):]
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if !plainHost(host) {
		return URL{}, false
	}
	path, ok := plainPath(rest[end:])
	if !ok || len(scheme)+len("://")+len(host)+max(len(path), 1) > MaxURL {
		return URL{}, false
	}
	head := len(s) - len(rest) + end
	u := URL{host: uint16(len(scheme) + len("://")), hostEnd: uint16(head), path: uint16(head)}
	u.domain = u.host + uint16(domainStart(host))
	if path == "" || path[0] != '/' {
		u.text = s[:head] + "/" + path
	} else {
		u.text = s[:head+len(path)]
	}
	return u, true
}

// resolveFast resolves a plain link against u.
func (u URL) resolveFast(ref string) (URL, bool) {
	if u.text == "" {
		return URL{}, false
	}
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i]
	}
	switch {
	case ref == "":
		return u, true
	case strings.HasPrefix(ref, "http"):
		if i := strings.IndexByte(ref, ':'); i == 4 || i == 5 {
			return parseFast(ref)
		}
	case strings.HasPrefix(ref, "//"):
		return parseFast(u.text[:u.host-2] + ref)
	}
	dir := "" // the part of the base path the link is relative to
	switch ref[0] {
	case '/':
	case '?':
		dir, _, _ = strings.Cut(u.Path(), "?")
	default:
		dir, _, _ = strings.Cut(u.Path(), "?")
		dir = dir[:strings.LastIndexByte(dir, '/')+1]
		for {
			if strings.HasPrefix(ref, "../") {
				ref = ref[len("../"):]
				if i := strings.LastIndexByte(dir[:len(dir)-1], '/'); i >= 0 {
					dir = dir[:i+1]
				}
			} else if strings.HasPrefix(ref, "./") {
				ref = ref[len("./"):]
			} else {
				break
			}
		}
		if first, _, _ := strings.Cut(ref, "/"); strings.Contains(first, ":") {
			return URL{}, false // may be a scheme
		}
		if strings.HasPrefix(ref, "/") || ref == "." || ref == ".." || strings.HasPrefix(ref, ".?") || strings.HasPrefix(ref, "..?") {
			return URL{}, false
		}
		if strings.Contains(dir, "//") {
			return URL{}, false
		}
	}
	path, ok := plainPath(ref)
	if !ok || int(u.path)+len(dir)+len(path) > MaxURL {
		return URL{}, false
	}
	v := u
	v.text = u.text[:u.path] + dir + path
	return v, true
}

// plainHost reports whether host is a lower-case ASCII name of two labels or more that
// no rule of the standard changes: no port, no user, no IDNA, no number last.
func plainHost(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	label, dots := 0, 0 // where the label starts, and how many came before
	for i := 0; i <= len(host); i++ {
		if i < len(host) && host[i] != '.' {
			if c := host[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
				return false
			}
			continue
		}
		n := i - label
		if n == 0 || n > 63 || host[label] == '-' || host[i-1] == '-' || n >= 4 && host[label+2:label+4] == "--" {
			return false
		}
		if i == len(host) {
			return dots > 0 && 'a' <= host[label] && host[label] <= 'z'
		}
		label, dots = i+1, dots+1
	}
	return false
}

// plainPath cuts the fragment and an empty query off a path with query, and
// reports whether no rule of the standard changes what remains.
func plainPath(s string) (string, bool) {
	segment, query := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plainBytes[c] {
			continue
		}
		switch c {
		case '#':
			return strings.TrimSuffix(s[:i], "?"), query || !dotSegment(s[segment:i])
		case '?':
			if !query {
				if dotSegment(s[segment:i]) {
					return "", false
				}
				query = true
			} else if i == len(s)-1 {
				return "", false // "??" keeps its second mark; let the standard say
			}
		case '/':
			if !query {
				if dotSegment(s[segment:i]) {
					return "", false
				}
				segment = i + 1
			}
		case '\'':
			if query {
				return "", false
			}
		case '%':
			if i+2 >= len(s) || !isUpperHex(s[i+1]) || !isUpperHex(s[i+2]) || isUnreserved(unhex(s[i+1])<<4|unhex(s[i+2])) {
				return "", false
			}
			i += 2
		default:
			return "", false
		}
	}
	if !query && dotSegment(s[segment:]) {
		return "", false
	}
	return strings.TrimSuffix(s, "?"), true
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
