package crawl

import (
	"fmt"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/forage-net/forage/assets/words"
)

// MaxURL is the longest canonical URL the crawl takes, in bytes. Longer ones
// are almost always traps or data; the limit bounds every stored key.
const MaxURL = 2048

var (
	// ErrSyntax is returned for text that is no URL by the WHATWG standard.
	ErrSyntax error = words.New("said.cli.not-a-url", nil)
	// ErrScheme is returned for URLs that are neither http nor https.
	ErrScheme error = words.New("said.cli.scheme-is-not-http", nil)
	// ErrTooLong is returned for URLs longer than MaxURL in canonical form.
	ErrTooLong error = words.New("said.cli.url-is-longer", words.Args{"most": MaxURL})
)

// URL is an absolute http or https URL in canonical form, so that two URLs
// name the same task exactly if they are ==. The form is that of the WHATWG
// URL standard, and beyond it: no fragment, no user name or password, no dot
// at the end of the host, no empty query, percent-encoded octets in upper case,
// those of unreserved characters (RFC 3986 §2.3) decoded, and whatever RFC 3986
// does not allow in path and query encoded, which the standard leaves to the
// author of a link. A host with an empty label ("a..example"), which the standard takes and DNS does not know, is none.
// Parsing the text of a URL gives the same URL. The zero value is no URL.
type URL struct {
	text string
	// Offsets into text; MaxURL fits 16 bits.
	host, domain, hostEnd, path uint16
}

// ParseURL parses an absolute URL. The error is ErrSyntax, ErrScheme or
// ErrTooLong, with the text. ErrScheme says nothing about the rest of the text.
func ParseURL(s string) (URL, error) {
	if u, ok := parseFast(s); ok {
		return u, nil
	}
	if foreignScheme(s) {
		return URL{}, fmt.Errorf("%w: %.200q", ErrScheme, s)
	}
	return parseStandard(nil, s)
}

// Resolve parses ref as a link found on the page u. The errors are those of
// ParseURL.
func (u URL) Resolve(ref string) (URL, error) { return u.resolve(ref, nil) }

// Resolver resolves the links of one page. What it returns shares memory with others of the page, which is cheaper, and
// nothing to keep for long.
type Resolver struct {
	Base  URL
	texts texts
}

// Resolve is as that of a URL.
func (r *Resolver) Resolve(ref string) (URL, error) { return r.Base.resolve(ref, &r.texts) }

func (u URL) resolve(ref string, texts *texts) (URL, error) {
	if v, ok := u.resolveFast(ref, texts); ok {
		return v, nil
	}
	if foreignScheme(ref) {
		return URL{}, fmt.Errorf("%w: %.200q", ErrScheme, ref)
	}
	base, err := standard.Parse(u.text)
	if err != nil {
		return URL{}, fmt.Errorf("%w: %.200q", ErrSyntax, u.text)
	}
	return parseStandard(base, ref)
}

// String returns the canonical text.
func (u URL) String() string { return u.text }

// IsZero reports whether u is the zero value.
func (u URL) IsZero() bool { return u.text == "" }

// Scheme returns "http" or "https".
func (u URL) Scheme() string { return u.text[:max(0, int(u.host)-len("://"))] }

// Host returns the host and, where it is not the scheme's own, the port.
func (u URL) Host() string { return u.text[u.host:u.path] }

// Hostname returns the host without a port; an IPv6 address without brackets.
func (u URL) Hostname() string {
	return strings.TrimSuffix(strings.TrimPrefix(u.text[u.host:u.hostEnd], "["), "]")
}

// Port returns the port, the scheme's own where none is written.
func (u URL) Port() string {
	if u.hostEnd < u.path {
		return u.text[u.hostEnd+1 : u.path]
	}
	if u.Scheme() == "https" {
		return "443"
	}
	return "80"
}

// Origin returns scheme, host and port as "https://host[:port]": what a
// robots.txt is valid for (RFC 9309 §2.3).
func (u URL) Origin() string { return u.text[:u.path] }

// Path returns path and query as they stand in a request line.
func (u URL) Path() string { return u.text[u.path:] }

// Domain returns the registrable domain of the host.
func (u URL) Domain() Domain {
	if u.domain == u.host && u.text[u.host] == '[' {
		return Domain(u.Hostname())
	}
	return Domain(u.text[u.domain:u.hostEnd])
}

// MarshalText implements encoding.TextMarshaler.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.text), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It parses, so a URL that
// came from disk or a peer is as canonical as any.
func (u *URL) UnmarshalText(b []byte) error {
	v, err := ParseURL(string(b))
	if err == nil {
		*u = v
	}
	return err
}

// standard reads what browsers read. The library is a little behind the
// standard: "^" in a path is encoded since 2024, and for hosts see toLibraryHost.
var standard = whatwg.NewParser(
	whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^')),
	whatwg.WithPreParseHostFunc(toLibraryHost),
	whatwg.WithPostParseHostFunc(fromLibraryHost),
)

// parseStandard parses ref against base (which may be nil) by the WHATWG
// standard and brings the result into canonical form.
func parseStandard(base *whatwg.Url, ref string) (URL, error) {
	if i := strings.IndexByte(ref, '#'); i >= 0 {
		ref = ref[:i+1] // the mark stays: blanks before it count
	}
	if len(ref) > 4*MaxURL {
		return URL{}, ErrTooLong
	}
	var w *whatwg.Url
	var err error
	if base == nil {
		w, err = standard.Parse(ref)
	} else {
		w, err = base.Parse(ref)
	}
	if err != nil {
		return URL{}, fmt.Errorf("%w: %.200q", ErrSyntax, ref)
	}
	scheme := strings.TrimSuffix(w.Protocol(), ":")
	if scheme != "http" && scheme != "https" {
		return URL{}, fmt.Errorf("%w: %.200q", ErrScheme, ref)
	}
	host, rooted := strings.CutSuffix(w.Hostname(), ".")
	if host == "" || host[0] == '.' || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return URL{}, fmt.Errorf("%w: %.200q has no usable host", ErrSyntax, ref)
	}
	if rooted { // without the dot it may be read as an address
		if host, err = asciiHost(host); err != nil {
			return URL{}, err
		}
	}
	path := normalPercent(w.Pathname())
	if path == "" || path[0] != '/' {
		path = "/" + path
	}
	query := normalPercent(w.Search())
	if query == "?" {
		query = ""
	}
	return assemble(scheme, host, w.Port(), path+query)
}

// assemble joins the canonical parts.
func assemble(scheme, host, port, path string) (URL, error) {
	n := len(scheme) + len("://") + len(host) + len(path)
	if port != "" {
		n += 1 + len(port)
	}
	if n > MaxURL {
		return URL{}, ErrTooLong
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(scheme)
	b.WriteString("://")
	b.WriteString(host)
	if port != "" {
		b.WriteByte(':')
		b.WriteString(port)
	}
	b.WriteString(path)
	u := URL{text: b.String(), host: uint16(len(scheme) + len("://"))}
	u.hostEnd = u.host + uint16(len(host))
	u.path = uint16(n - len(path))
	u.domain = u.host
	if host[0] != '[' {
		u.domain += uint16(domainStart(host))
	}
	return u, nil
}

// normalPercent writes percent-encoded octets in upper case, decodes those of
// unreserved characters, which mean the same either way (RFC 3986 §6.2.2), and
// encodes what has no place in a path or query (RFC 3986 §3.3, §3.4). A stray
// "%" stays, for servers disagree about it. An octet stays encoded where its
// character would make a stray "%" before it the beginning of another.
func normalPercent(s string) string {
	i := 0
	for i < len(s) && isAllowed[s[i]] {
		i++
	}
	if i == len(s) {
		return s
	}
	out := append(make([]byte, 0, len(s)+16), s[:i]...)
	for ; i < len(s); i++ {
		c, octet := s[i], isOctet(s[i:])
		if octet {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			i += 2
		}
		if octet && isUnreserved(c) && !(isHex(c) && endsStray(out)) || !octet && (isAllowed[c] || c == '%') {
			out = append(out, c)
		} else {
			out = append(out, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return string(out)
}

// isAllowed are the bytes that may stand in a path or query for themselves.
var isAllowed = func() (set [256]bool) {
	for c := range 256 {
		set[c] = isUnreserved(byte(c)) || strings.IndexByte("!$&'()*+,;=:@/?", byte(c)) >= 0
	}
	return set
}()

// endsStray reports whether b ends with a "%" that encodes nothing, or with one
// and a hexadecimal digit.
func endsStray(b []byte) bool {
	n := len(b)
	return n > 0 && b[n-1] == '%' || n > 1 && b[n-2] == '%' && isHex(b[n-1])
}
