package wire

import (
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Link is an outlink on the wire. Its URL is canonical, as far as the sender
// is to be believed.
type Link struct {
	URL       string // at most crawl.MaxURL bytes
	Depth     uint8
	Redirects uint8
	Priority  crawl.Priority
	Source    uint8 // at most crawl.MaxSource
	Modified  int64 // Unix seconds, 0 if unknown
}

// LinkOf returns an outlink as it goes over the wire.
func LinkOf(l crawl.Outlink) Link {
	w := Link{URL: l.URL.String(), Depth: l.Depth, Redirects: l.Redirects, Priority: l.Priority, Source: l.Source}
	if !l.Modified.IsZero() {
		w.Modified = l.Modified.Unix()
	}
	return w
}

// Outlink is the reverse of LinkOf; ok is false if the URL is not in the form
// the crawl gives it.
func (l Link) Outlink() (o crawl.Outlink, ok bool) {
	u, err := crawl.ParseURL(l.URL)
	if err != nil || u.String() != l.URL {
		return o, false
	}
	o = crawl.Outlink{URL: u, Depth: l.Depth, Redirects: l.Redirects, Priority: l.Priority, Source: l.Source}
	if l.Modified != 0 {
		o.Modified = time.Unix(l.Modified, 0)
	}
	return o, true
}

const (
	// MaxLinks is the most links of one list.
	MaxLinks = 1 << 14
	// maxModified is the latest date of a page, the end of the year 9999.
	maxModified = 253402300799
)

// Which of a link's fields differ from those of most.
const (
	hasDepth = 1 << iota
	hasRedirects
	hasPriority
	hasSource
	hasModified
	linkFlags = 1<<iota - 1
)

// AppendLinks appends a list of links: each as what it has in common with the
// one before, what is different, and, where it is not of the given depth and
// of normal priority, what it is. URLs of one page begin alike.
func AppendLinks(dst []byte, depth uint8, links []Link) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(links)))
	previous := ""
	for _, l := range links {
		flags := l.flags(depth)
		dst = append(dst, flags)
		for flag, value := range [...]uint8{l.Depth, l.Redirects, uint8(l.Priority), l.Source} {
			if flags&(1<<flag) != 0 {
				dst = append(dst, value)
			}
		}
		if flags&hasModified != 0 {
			dst = binary.AppendVarint(dst, l.Modified)
		}
		dst = appendText(dst, previous, l.URL)
		previous = l.URL
	}
	return dst
}

// flags says which of a link's fields must be written.
func (l *Link) flags(depth uint8) (flags byte) {
	for i, differs := range [...]bool{
		l.Depth != depth, l.Redirects != 0, l.Priority != crawl.PriorityNormal, l.Source != 0, l.Modified != 0,
	} {
		if differs {
			flags |= 1 << i
		}
	}
	return flags
}

// ParseLinks reads a list of links, at most limit and at most maxBytes of URLs
// in all: a few bytes can stand for a long URL. The error wraps ErrInvalid.
func ParseLinks(raw []byte, depth uint8, limit, maxBytes int) ([]Link, error) {
	r := reader{rest: raw}
	n := r.uvarint()
	if n > uint64(min(limit, MaxLinks)) || n > uint64(len(raw)) {
		return nil, invalid("list of %d links", n)
	}
	links := make([]Link, 0, n)
	previous, total := "", 0
	for range n {
		l := Link{Depth: depth, Priority: crawl.PriorityNormal}
		flags := r.byte()
		if flags&hasDepth != 0 {
			l.Depth = r.byte()
		}
		if flags&hasRedirects != 0 {
			l.Redirects = r.byte()
		}
		if flags&hasPriority != 0 {
			l.Priority = crawl.Priority(r.byte())
		}
		if flags&hasSource != 0 {
			l.Source = r.byte()
		}
		if flags&hasModified != 0 {
			l.Modified = r.varint()
		}
		l.URL = r.text(previous, crawl.MaxURL)
		total += len(l.URL)
		switch {
		case r.bad, flags > linkFlags, l.URL == "", total > maxBytes, l.Source > crawl.MaxSource, l.Modified < 0,
			l.Modified > maxModified,
			l.Priority < crawl.PriorityHigh, l.Priority > crawl.PriorityLow:
			return nil, invalid("link %d", len(links))
		}
		links, previous = append(links, l), l.URL
	}
	if r.bad || len(r.rest) > 0 {
		return nil, invalid("list of links with %d bytes behind it", len(r.rest))
	}
	return links, nil
}
