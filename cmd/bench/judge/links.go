package main

import (
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// pageLinks returns the links of an HTML document served at base, absolute and
// without fragments, in document order, repeats included. Links of a page
// that asks robots not to follow, and links that are no http URLs, are left
// out. The document must be UTF-8.
func pageLinks(doc io.Reader, base *url.URL) ([]*url.URL, error) {
	// Without scripting a browser shows what is in noscript.
	root, err := html.ParseWithOptions(doc, html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	var refs []string
	var nofollow, based bool
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.Data {
		case "a", "area":
			refs = appendAttr(refs, n, "href")
		case "frame", "iframe":
			refs = appendAttr(refs, n, "src")
		case "base":
			if href, ok := attr(n, "href"); ok && !based {
				based = true
				if u, ok := resolve(base, href); ok {
					base = u
				}
			}
		case "meta":
			refs = append(refs, refreshTarget(n)...)
			nofollow = nofollow || asksNoFollow(n)
		}
	}
	if nofollow {
		return nil, nil
	}
	links := make([]*url.URL, 0, len(refs))
	for _, ref := range refs {
		if u, ok := resolve(base, ref); ok {
			links = append(links, u)
		}
	}
	return links, nil
}

func attr(n *html.Node, key string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == key && a.Namespace == "" {
			return a.Val, true
		}
	}
	return "", false
}

func appendAttr(refs []string, n *html.Node, key string) []string {
	if ref, ok := attr(n, key); ok {
		return append(refs, ref)
	}
	return refs
}

// asksNoFollow reports whether a meta element is a robots directive against
// following links.
func asksNoFollow(n *html.Node) bool {
	if name, _ := attr(n, "name"); !strings.EqualFold(strings.TrimSpace(name), "robots") {
		return false
	}
	content, _ := attr(n, "content")
	for word := range strings.SplitSeq(strings.ToLower(content), ",") {
		if word = strings.TrimSpace(word); word == "nofollow" || word == "none" {
			return true
		}
	}
	return false
}

// refreshTarget returns the URL of a meta refresh, if it is one that names one.
func refreshTarget(n *html.Node) []string {
	if kind, _ := attr(n, "http-equiv"); !strings.EqualFold(kind, "refresh") {
		return nil
	}
	content, _ := attr(n, "content")
	at := strings.IndexAny(content, ";,")
	if at < 0 {
		return nil
	}
	target := strings.TrimSpace(content[at+1:])
	if len(target) >= 3 && strings.EqualFold(target[:3], "url") {
		if rest := strings.TrimSpace(target[3:]); strings.HasPrefix(rest, "=") {
			target = strings.TrimSpace(rest[1:])
		}
	}
	if target != "" && (target[0] == '\'' || target[0] == '"') {
		target, _, _ = strings.Cut(target[1:], target[:1])
	}
	if target == "" {
		return nil
	}
	return []string{target}
}

// resolve resolves a link as a browser does, as far as net/url can be brought
// to: blanks around and line breaks within are dropped, backslashes are
// slashes, what a URL cannot hold is percent-encoded.
func resolve(base *url.URL, ref string) (*url.URL, bool) {
	ref = strings.Trim(ref, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f"+
		"\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	ref = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(ref)
	ref, _, _ = strings.Cut(ref, "#")
	path, query, hasQuery := strings.Cut(ref, "?")
	path = strings.ReplaceAll(path, `\`, "/")
	ref = encodeOdd(path)
	if hasQuery {
		ref += "?" + encodeOdd(query)
	}
	if first, _, _ := strings.Cut(ref, "/"); strings.Contains(first, ":") && !hasScheme(first) {
		ref = "./" + ref // a colon in the first segment of a path
	}
	u, err := url.Parse(ref)
	if err != nil {
		return nil, false
	}
	u = base.ResolveReference(u)
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, false
	}
	u.Host = strings.ToLower(u.Host)
	u.User, u.ForceQuery = nil, false
	return u, true
}

// hasScheme reports whether s begins with a scheme and a colon.
func hasScheme(s string) bool {
	scheme, _, _ := strings.Cut(s, ":")
	for i := range len(scheme) {
		c := scheme[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !('0' <= scheme[i] && scheme[i] <= '9') && strings.IndexByte("+-.", scheme[i]) < 0) {
			return false
		}
	}
	return scheme != ""
}

// encodeOdd percent-encodes what net/url would refuse: a % that begins no
// octet, controls and blanks, and all that is not ASCII.
func encodeOdd(s string) string {
	const upper = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		lone := c == '%' && !(i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]))
		if lone || c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>`{}", c) >= 0 {
			b.WriteString(string([]byte{'%', upper[c>>4], upper[c&15]}))
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
