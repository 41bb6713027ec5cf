package wire

import (
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// MaxBatch is the most links that come to a domain at a time, MaxBatchBytes the most bytes of their URLs.
	MaxBatch      = 4096
	MaxBatchBytes = 1 << 20
	// MaxLinks is the most links of one list.
	MaxLinks = 1 << 14
	// maxModified is the latest date of a page, the end of the year 9999.
	maxModified = 253402300799
)

// Links brings links to the leader of their domain, which pages of one domain had.
type Links struct {
	_     struct{}     `cbor:",toarray"`
	From  crawl.Domain // "" for seeds
	Date  int64        // of the visit, Unix seconds
	Depth uint8        // of most of them
	Links []byte       // by AppendLinks
}

func (l *Links) validate() error {
	if l.Date < 0 || l.Date > maxModified {
		return invalid("date %d", l.Date)
	}
	if l.From == "" {
		return nil
	}
	return checkDomain(l.From)
}

// LinksOf returns links to one domain, at least one, as they go over the wire.
func LinksOf(from crawl.Domain, date int64, links []crawl.Outlink) *Links {
	depth := links[0].Depth
	return &Links{From: from, Date: date, Depth: depth, Links: AppendLinks(nil, depth, links)}
}

// Parse returns the links. The error wraps ErrInvalid.
func (l *Links) Parse() ([]crawl.Outlink, error) {
	return ParseLinks(l.Links, l.Depth, MaxBatch, MaxBatchBytes)
}

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
func AppendLinks(dst []byte, depth uint8, links []crawl.Outlink) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(links)))
	previous := ""
	for _, l := range links {
		flags := flagsOf(&l, depth)
		dst = append(dst, flags)
		for flag, value := range [...]uint8{l.Depth, l.Redirects, uint8(l.Priority), l.Source} {
			if flags&(1<<flag) != 0 {
				dst = append(dst, value)
			}
		}
		if flags&hasModified != 0 {
			dst = binary.AppendVarint(dst, l.Modified.Unix())
		}
		dst = appendText(dst, previous, l.URL.String())
		previous = l.URL.String()
	}
	return dst
}

// flagsOf says which of a link's fields must be written.
func flagsOf(l *crawl.Outlink, depth uint8) (flags byte) {
	for i, differs := range [...]bool{
		l.Depth != depth, l.Redirects != 0, l.Priority != crawl.PriorityNormal, l.Source != 0, !l.Modified.IsZero(),
	} {
		if differs {
			flags |= 1 << i
		}
	}
	return flags
}

// ParseLinks reads a list of links, at most limit and at most maxBytes of URLs
// in all: a few bytes can stand for a long URL. All are in the form that the
// crawl gives them. The error wraps ErrInvalid.
func ParseLinks(raw []byte, depth uint8, limit, maxBytes int) ([]crawl.Outlink, error) {
	r := reader{rest: raw}
	n := r.uvarint()
	if n > uint64(min(limit, MaxLinks)) || n > uint64(len(raw)) {
		return nil, invalid("list of %d links", n)
	}
	links := make([]crawl.Outlink, 0, n)
	previous, total := "", 0
	for range n {
		l := crawl.Outlink{Depth: depth, Priority: crawl.PriorityNormal}
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
		modified := int64(0)
		if flags&hasModified != 0 {
			modified = r.varint()
		}
		text := r.text(previous, crawl.MaxURL)
		total += len(text)
		switch {
		case r.bad, flags > linkFlags, text == "", total > maxBytes, l.Source > crawl.MaxSource, modified < 0,
			modified > maxModified,
			l.Priority < crawl.PriorityHigh, l.Priority > crawl.PriorityLow:
			return nil, invalid("link %d", len(links))
		}
		if modified > 0 {
			l.Modified = time.Unix(modified, 0)
		}
		var err error
		if l.URL, err = crawl.ParseURL(text); err != nil || l.URL.String() != text {
			return nil, invalid("link %.200q", text)
		}
		links, previous = append(links, l), text
	}
	if r.bad || len(r.rest) > 0 {
		return nil, invalid("list of links with %d bytes behind it", len(r.rest))
	}
	return links, nil
}
