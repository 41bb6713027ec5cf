// Package surt makes the sort keys of index lines (Sort-friendly URI Reordering Transform).
package surt

import (
	"slices"
	"strings"
)

// Append appends the sort key of an index line, made by the rules of the
// surt library that pywb looks captures up with: everything in lower case; no
// scheme, user, fragment, default port, "www." or "www2."; labels of the host
// reversed; no slash at the end of a path; arguments of the query sorted.
// Session identifiers are kept. A URL that is not http or https is its own key,
// in lower case. The URL must be in ASCII.
//
//	https://www.Example.com:8443/Dir/?b=2&a=1  ->  com,example:8443)/dir?a=1&b=2
func Append(b []byte, url string) []byte {
	url = strings.ToLower(url)
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return append(b, url...)
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	b = appendHost(b, rest[:end], scheme)
	b = append(b, ')')
	path, query, _ := strings.Cut(rest[end:], "?")
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if path == "" {
		path = "/"
	}
	b = append(b, path...)
	if query != "" {
		b = append(b, '?')
		b = append(b, sortArguments(query)...)
	}
	return b
}

// appendHost appends the reversed labels of an authority and its port, unless
// that is the default.
func appendHost(b []byte, authority, scheme string) []byte {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	host, port := authority, ""
	if colon := strings.LastIndexByte(authority, ':'); colon > strings.LastIndexByte(authority, ']') {
		host, port = authority[:colon], authority[colon+1:]
	}
	host = stripWWW(strings.TrimRight(host, "."))
	for {
		dot := strings.LastIndexByte(host, '.')
		b = append(b, host[dot+1:]...)
		if dot < 0 {
			break
		}
		b = append(b, ',')
		host = host[:dot]
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return b
	}
	b = append(b, ':')
	return append(b, port...)
}

// stripWWW removes "www" with any digits and the dot from the beginning.
func stripWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if rest, ok = strings.CutPrefix(rest, "."); ok && rest != "" {
		return rest
	}
	return host
}

// sortArguments sorts by name first, so that a=1 comes before a.b=1.
func sortArguments(query string) string {
	if !strings.Contains(query, "&") {
		return query
	}
	arguments := strings.Split(query, "&")
	slices.SortStableFunc(arguments, func(x, y string) int {
		xn, xv, _ := strings.Cut(x, "=")
		yn, yv, _ := strings.Cut(y, "=")
		if n := strings.Compare(xn, yn); n != 0 {
			return n
		}
		return strings.Compare(xv, yv)
	})
	return strings.Join(arguments, "&")
}
