package wacz

import (
	"slices"
	"strings"
)

// appendKey appends what readers of packages look a URL up by, made by the
// rules of the warcio.js library, which the WACZ readers of the web share:
// everything in lower case; no scheme, user, fragment, or "www." before the
// host; labels of the host reversed; arguments of the query sorted. Unlike the
// keys of other index files, a slash at the end stays: the reader would
// not find a page whose key and URL lie in different blocks of the index. A URL
// that is not http or https is its own key.
//
//	https://www.Example.com:8443/Dir/?b=2&a=1  ->  com,example:8443)/dir/?a=1&b=2
//
// URL is canonical: printable ASCII, default port left out, path never empty.
func appendKey(b []byte, url string) []byte {
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return append(b, url...)
	}
	rest, _, _ = strings.Cut(strings.ToLower(rest), "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	b = appendHost(b, rest[:end])
	b = append(b, ')')
	path, query, _ := strings.Cut(rest[end:], "?")
	if path == "" {
		path = "/"
	}
	b = append(b, path...)
	if query != "" {
		arguments := strings.Split(query, "&")
		slices.Sort(arguments)
		b = append(b, '?')
		b = append(b, strings.Join(arguments, "&")...)
	}
	return b
}

// appendHost appends the reversed labels of an authority, and its port.
func appendHost(b []byte, authority string) []byte {
	host := stripWWW(authority)
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	port := ""
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host, port = host[:colon], host[colon:]
	}
	for {
		dot := strings.LastIndexByte(host, '.')
		b = append(b, host[dot+1:]...)
		if dot < 0 {
			return append(b, port...)
		}
		b = append(b, ',')
		host = host[:dot]
	}
}

// stripWWW removes "www" with any digits and the dot from the beginning.
func stripWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	if rest, ok = strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok {
		return rest
	}
	return host
}
