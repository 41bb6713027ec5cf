package store

import (
	"encoding/binary"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Links are the links of one page to other domains. Without any they have arrived. Of two values the later date
// wins, then the one whose links have arrived, then the larger bytes.
type Links struct {
	Date int64 // when they were stored, Unix seconds
	Urls []Link
}

// LinkOf returns a link as items hold it, cut to its bounds. A date after now becomes now.
func LinkOf(l crawl.Outlink, now int64) Link {
	to := Link{
		Text: l.URL.String(), Depth: l.Depth, Redirects: min(l.Redirects, MaxRedirects),
		Source: min(l.Source, crawl.MaxSource), Priority: l.Priority,
	}
	if l.Priority < crawl.PriorityHigh || l.Priority > crawl.PriorityLow {
		to.Priority = crawl.PriorityNormal
	}
	if !l.Modified.IsZero() {
		to.Modified = max(min(l.Modified.Unix(), now), 0)
	}
	return to
}

// Outlink is the reverse of LinkOf; ok is false if the text is no URL.
func (l Link) Outlink() (o crawl.Outlink, ok bool) {
	u, err := crawl.ParseURL(l.Text)
	o = crawl.Outlink{URL: u, Depth: l.Depth, Redirects: l.Redirects, Source: l.Source, Priority: l.Priority}
	if l.Modified > 0 {
		o.Modified = time.Unix(l.Modified, 0)
	}
	return o, err == nil
}

// size is about what the link takes in a value.
func (l Link) size() int { return len(l.Text) + 11 }

func (l Link) append(b []byte) []byte {
	b = append(appendText(b, l.Text), l.Depth, l.Redirects|l.Source<<4, byte(l.Priority))
	return binary.AppendUvarint(b, uint64(l.Modified))
}

// Encode returns the value of an item. The links must be within their bounds and fit into MaxValue bytes.
func (l Links) Encode() []byte {
	b := binary.AppendUvarint(nil, uint64(l.Date))
	for _, to := range l.Urls {
		b = to.append(b)
	}
	return b
}

// DecodeLinks is the reverse of Links.Encode for bytes from anywhere. The error is ErrValue. Only values that
// Encode could write are read.
func DecodeLinks(b []byte) (l Links, err error) {
	if len(b) > MaxValue {
		return l, invalid("links", len(b))
	}
	r := unpacker{rest: b}
	l.Date = r.date()
	for len(r.rest) > 0 && !r.failed {
		to := Link{Text: r.url(), Depth: r.byte()}
		by := r.byte()
		to.Redirects, to.Source = by&MaxRedirects, by>>4
		to.Priority, to.Modified = crawl.Priority(r.byte()), r.date()
		if to.Text == "" || to.Source > crawl.MaxSource || to.Priority < crawl.PriorityHigh ||
			to.Priority > crawl.PriorityLow {
			r.fail()
		}
		l.Urls = append(l.Urls, to)
	}
	if !r.ok() || l.Date == 0 {
		return Links{}, invalid("links", len(b))
	}
	return l, nil
}

// maxParts bounds the items of one page's links: some 4,000 links.
const maxParts = 16

// LinkItems returns the items that hold links of a page: as many as they need, at most 16. Links that do not
// fit are left out.
func LinkItems(d crawl.Domain, page crawl.URL, date int64, links []Link) []Item {
	var items []Item
	for part := uint8(0); len(links) > 0 && part < maxParts; part++ {
		n, size := 0, binary.MaxVarintLen64
		for n < len(links) && size+links[n].size() <= MaxValue {
			size += links[n].size()
			n++
		}
		items = append(items, Item{Domain: d, Key: LinksKey(page, part), Value: Links{date, links[:n]}.Encode()})
		links = links[n:]
	}
	return items
}
