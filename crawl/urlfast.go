package crawl

import "strings"

// Nearly all links are plain: lower-case host, path without dots or blanks.
// For those the standard's result can be read off the text, at a twentieth of
// the cost. Whatever is not plainly plain goes the long way; a fuzz target
// holds both to the same answer.

// parseFast parses an absolute URL that is already in canonical form except for
// a fragment, an empty path or query, and octets that must be percent-encoded.
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
	head := len(s) - len(rest) + end
	path, ok := plainPath(rest[end:])
	encoded := false
	if !ok {
		path, ok = encodePath(rest[end:])
		encoded = true
	}
	if !ok || head+max(len(path), 1) > MaxURL {
		return URL{}, false
	}
	u := URL{host: uint16(len(scheme) + len("://")), hostEnd: uint16(head), path: uint16(head)}
	u.domain = u.host + uint16(domainStart(host))
	switch {
	case path == "" || path[0] != '/':
		if head+1+len(path) > MaxURL {
			return URL{}, false
		}
		u.text = s[:head] + "/" + path
	case encoded:
		u.text = s[:head] + path
	default:
		u.text = s[:head+len(path)]
	}
	return u, true
}

// resolveFast resolves a plain link against u. The text of what it returns is in texts, if it is nowhere else.
func (u URL) resolveFast(ref string, texts *texts) (URL, bool) {
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
		if strings.HasPrefix(ref, "/") || ref == "." || ref == ".." || strings.HasPrefix(ref, ".?") ||
			strings.HasPrefix(ref, "..?") {
			return URL{}, false
		}
		if strings.Contains(dir, "//") {
			return URL{}, false
		}
	}
	path, ok := plainPath(ref)
	if !ok {
		path, ok = encodePath(ref)
	}
	if !ok || int(u.path)+len(dir)+len(path) > MaxURL {
		return URL{}, false
	}
	v := u
	v.text = texts.join(u.text[:u.path], dir, path)
	return v, true
}

// texts is memory for the texts of many URLs; nil gives each memory of its own.
type texts struct{ strings.Builder }

// textsStep is how many bytes of texts share memory: all of it stays as long as one of them.
const textsStep = 1 << 10

// join returns the text that the parts make together.
func (t *texts) join(a, b, c string) string {
	if t == nil {
		return a + b + c
	}
	n := len(a) + len(b) + len(c)
	if t.Cap()-t.Len() < n {
		t.Reset()
		t.Grow(max(n, textsStep))
	}
	from := t.Len()
	t.WriteString(a)
	t.WriteString(b)
	t.WriteString(c)
	return t.String()[from:]
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
		if n == 0 || n > 63 {
			return false
		}
		if i == len(host) {
			return dots > 0 && 'a' <= host[label] && host[label] <= 'z'
		}
		label, dots = i+1, dots+1
	}
	return false
}

// foreignScheme reports whether s plainly begins with a scheme that is not ours.
func foreignScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case c == ':':
			return i > 0 && !strings.EqualFold(s[:i], "http") && !strings.EqualFold(s[:i], "https")
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return false
}
