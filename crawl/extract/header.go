package extract

import (
	"slices"
	"strings"

	"github.com/forage-net/forage/crawl"
)

// maxHeaderLinks bounds how many links of headers are resolved, good or bad.
const maxHeaderLinks = 200

// AddHeaders adds what headers of the answer say: refresh and link are the
// values of Refresh, which browsers read as they do that of a meta element (HTML
// standard §7.4.2.5, "shared declarative refresh steps"), and of Link (RFC 8288).
// Their targets are relative to u, the URL of the answer, whatever base the page
// has. The canonical address in the page wins. A page of another type
// than HTML has these links alone.
func (p *Page) AddHeaders(u crawl.URL, refresh, link []string) {
	if len(refresh) == 0 && len(link) == 0 {
		return
	}
	for _, value := range refresh[:min(len(refresh), maxHeaderLinks)] {
		p.addLink(u, string(refreshTarget([]byte(value))))
	}
	left := maxHeaderLinks
	for _, value := range link {
		readLinkHeader(value, func(l headerLink) bool {
			if is := l.relations(u); is != (relations{}) {
				p.addHeaderLink(u, l.target, is)
				left--
			}
			return left > 0
		})
		if left == 0 {
			return
		}
	}
}

func (p *Page) addHeaderLink(u crawl.URL, target string, is relations) {
	if is.follow {
		p.addLink(u, target)
	}
	v, err := u.Resolve(target)
	if err != nil {
		return
	}
	if is.canonical && p.Canonical.IsZero() {
		p.Canonical = v
	}
	if v == u || p.NoFollow {
		return
	}
	if is.feed && len(p.Feeds) < MaxFeeds && !slices.Contains(p.Feeds, v) {
		p.Feeds = append(p.Feeds, v)
	}
	if is.alternate && len(p.Alternates) < MaxAlternates && !slices.Contains(p.Alternates, v) {
		p.Alternates = append(p.Alternates, v)
	}
}

// addLink adds a link that is followed.
func (p *Page) addLink(u crawl.URL, target string) {
	if p.NoFollow || otherScheme([]byte(target)) {
		return
	}
	v, err := u.Resolve(target)
	if err != nil || v == u {
		return
	}
	if i := slices.IndexFunc(p.Links, func(l Link) bool { return l.URL == v }); i >= 0 {
		p.Links[i].NoFollow = false
	} else if len(p.Links) < MaxLinks {
		p.Links = append(p.Links, Link{URL: v})
	}
}

// headerLink is a link of a Link header.
type headerLink struct {
	target string
	// The parameters that matter, nil where there is none: anchor is what the
	// link is from.
	rel, mediaType, anchor *string
}

// isOf reports whether the link is from the answer at u as a whole, not from a
// part of it or from something else (RFC 8288 §3.2).
func (l *headerLink) isOf(u crawl.URL) bool {
	if l.anchor == nil {
		return true
	}
	v, err := u.Resolve(*l.anchor)
	return err == nil && v == u && !strings.Contains(*l.anchor, "#")
}

// relations returns what the link is of the answer at u.
func (l *headerLink) relations(u crawl.URL) relations {
	if l.rel == nil || !l.isOf(u) {
		return relations{}
	}
	mediaType := ""
	if l.mediaType != nil {
		mediaType = *l.mediaType
	}
	return relationsOf([]byte(*l.rel), []byte(mediaType))
}

// set notes a parameter; the first of a name counts (RFC 8288 §3.3, §3.4.1).
func (l *headerLink) set(name, value string) {
	var which **string
	switch strings.ToLower(name) {
	case "rel":
		which = &l.rel
	case "type":
		which = &l.mediaType
	case "anchor":
		which = &l.anchor
	default:
		return
	}
	if *which == nil {
		*which = &value
	}
}

// readLinkHeader calls emit for the links of one value of Link until it returns
// false (RFC 8288, appendix B.2). Text that is no link is passed over up to the next
// comma outside quotes.
func readLinkHeader(value string, emit func(headerLink) bool) {
	for value != "" {
		value = strings.TrimLeft(value, " \t,")
		if !strings.HasPrefix(value, "<") {
			value = pastComma(value)
			continue
		}
		target, rest, ok := strings.Cut(value[1:], ">")
		if !ok {
			return
		}
		l := headerLink{target: strings.TrimSpace(target)}
		value = l.readParams(rest)
		if !emit(l) {
			return
		}
	}
}

// readParams reads the parameters of a link (RFC 8288, appendix B.3) and
// returns what comes behind it.
func (l *headerLink) readParams(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			return pastComma(s)
		}
		s = strings.TrimLeft(s[1:], " \t")
		end := strings.IndexAny(s, " \t=;,")
		if end < 0 {
			end = len(s)
		}
		name, value := s[:end], ""
		s = strings.TrimLeft(s[end:], " \t")
		if strings.HasPrefix(s, "=") {
			value, s = paramValue(strings.TrimLeft(s[1:], " \t"))
		}
		l.set(name, value)
	}
}

// paramValue reads a token or a quoted string (RFC 9110 §5.6.4).
func paramValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimRight(s[:end], " \t"), s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), "" // without an end
}

// pastComma returns the text after the next comma outside quotes.
func pastComma(s string) string {
	quoted := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == '\\' && quoted:
			i++
		case s[i] == ',' && !quoted:
			return s[i+1:]
		}
	}
	return ""
}
