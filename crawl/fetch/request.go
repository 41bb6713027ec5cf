package fetch

import (
	"net/netip"

	"github.com/forage-net/forage/crawl"
)

// DefaultAccept asks for pages and takes what comes.
const DefaultAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,text/*;q=0.8,*/*;q=0.1"

// MaxCookie is how long the cookies of one request may be, in bytes. That is what a line of a head may have.
const MaxCookie = crawl.MaxURL

// acceptEncoding names the codings that programs which replay archives undo: a body in zstd is
// shown by none of them, though we would read it.
const acceptEncoding = "gzip, br"

// Request is one GET request.
type Request struct {
	URL crawl.URL
	// Addr is where to connect, one of Client.Addrs. The guard judges it again.
	Addr netip.AddrPort
	// IfNoneMatch and IfModifiedSince are the validators of an earlier
	// response, "" if there are none. One that cannot stand in a head is not sent.
	IfNoneMatch, IfModifiedSince string
	// Cookie is the field of that name, of at most MaxCookie bytes, "" if there is none.
	Cookie string
	// Accept replaces DefaultAccept where it is not empty and can stand in a head.
	Accept string
	// AnyType asks for the body whatever its type.
	AnyType bool
	// Allowed, if set, is asked right before the request is written, and where a
	// Pacer cuts it into pieces before each of them. If it says no, Get ends as if
	// its context had: connecting, or waiting for the Pacer, may have taken until
	// after a night's suspend, and no timer has noticed.
	Allowed func() bool
	// MaxBody, where positive, replaces Limits.Body; where it is larger, Limits.Text grows with it.
	MaxBody int
}

// bytes returns the request as it is written.
func (r *Request) bytes(userAgent string) []byte {
	accept := r.Accept
	if accept == "" || !fieldSafe(accept) {
		accept = DefaultAccept
	}
	b := make([]byte, 0, 256+len(r.URL.String())+len(userAgent)+len(accept)+len(r.IfNoneMatch)+len(r.IfModifiedSince))
	b = append(b, "GET "...)
	b = append(b, r.URL.Path()...)
	b = append(b, " HTTP/1.1\r\n"...)
	b = appendField(b, "Host", r.URL.Host())
	b = appendField(b, "User-Agent", userAgent)
	b = appendField(b, "Accept", accept)
	b = appendField(b, "Accept-Encoding", acceptEncoding)
	b = appendField(b, "Cookie", r.Cookie)
	b = appendField(b, "If-None-Match", r.IfNoneMatch)
	b = appendField(b, "If-Modified-Since", r.IfModifiedSince)
	return append(b, "\r\n"...)
}

func appendField(b []byte, name, value string) []byte {
	if value == "" || len(value) > crawl.MaxURL || !fieldSafe(value) {
		return b
	}
	b = append(b, name...)
	b = append(b, ": "...)
	b = append(b, value...)
	return append(b, "\r\n"...)
}

// fieldSafe reports whether s can stand in a field without ending it.
func fieldSafe(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' && s[i] != '\t' || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// lineSafe reports whether s can stand in a request line.
func lineSafe(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != ""
}
