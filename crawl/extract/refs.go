package extract

import (
	"bytes"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/extract/charset"
	"github.com/forage-net/forage/crawl/extract/tags"
)

const (
	// maxRefs bounds how many different links are resolved, good or bad.
	// Twice the links that are kept leaves room for bad ones and for
	// several spellings of one.
	maxRefs = 2 * MaxLinks
)

// refs are the links of a page as written, in page order and without repeats.
// They wait for the end of the page, since a base may come after them.
type refs struct {
	text  []byte
	spans []ref
	seen  index
	// labels are the texts of links, one after the other.
	labels []byte
}

// ref is text[from:to], and labels[labelFrom:labelTo] is what a page calls it.
type ref struct {
	from, to           uint32
	labelFrom, labelTo uint32
	noFollow           bool
}

// add notes a link unless it cannot be one we follow. It returns its place among the links, -1 if it has none.
func (r *refs) add(link []byte, noFollow bool) (at int) {
	link = bytes.TrimFunc(link, func(c rune) bool { return c <= ' ' })
	if otherScheme(link) {
		return -1
	}
	if i := bytes.IndexByte(link, '#'); i == 0 || i > 0 && link[i-1] > ' ' {
		link = link[:i] // it leads to the same page whatever the fragment
	}
	if len(link) > charset.MaxLink {
		return -1
	}
	h := maphash.Bytes(r.seen.hash(), link)
	slot, found := r.seen.find(h, func(i int) bool {
		s := r.spans[i]
		return bytes.Equal(r.text[s.from:s.to], link)
	})
	switch {
	case found:
		s := &r.spans[*slot-1]
		s.noFollow = s.noFollow && noFollow
		return int(*slot - 1)
	case len(r.spans) < maxRefs:
		from := len(r.text)
		r.text = append(r.text, link...)
		r.spans = append(r.spans, ref{from: uint32(from), to: uint32(len(r.text)), noFollow: noFollow})
		*slot = uint32(len(r.spans))
		r.seen.grow(len(r.spans), func(i int) uint64 {
			s := r.spans[i]
			return maphash.Bytes(r.seen.hash(), r.text[s.from:s.to])
		})
		return len(r.spans) - 1
	}
	return -1
}

// label notes what a link is called, unless it has a name already.
func (r *refs) label(at int, text []byte) {
	if s := &r.spans[at]; s.labelFrom == s.labelTo {
		s.labelFrom = uint32(len(r.labels))
		r.labels = append(r.labels, text...)
		s.labelTo = uint32(len(r.labels))
	}
}

// otherScheme reports whether a link plainly is for something else than
// http: mailto, javascript, data and so on.
func otherScheme(link []byte) bool {
	if len(link) == 0 || !tags.IsLetter(link[0]) {
		return false
	}
	for i, c := range link {
		switch {
		case c == ':':
			return !bytes.EqualFold(link[:i], []byte("http")) && !bytes.EqualFold(link[:i], []byte("https"))
		case !tags.IsAlphanumeric(c) && c != '+' && c != '-' && c != '.':
			return false
		}
	}
	return false
}

// maxForeignHosts is how many links of a page may name a host in other characters than those of ASCII: each
// takes as long as thirty others.
const maxForeignHosts = 1024

// namesForeignHost reports whether a link names a host with characters that IDNA has to look at.
func namesForeignHost(link string) bool {
	if i := strings.IndexByte(link, ':'); i == len("http") || i == len("https") {
		link = link[i+1:]
	}
	if len(link) < len("//") || !isSlash(link[0]) || !isSlash(link[1]) {
		return false
	}
	host := strings.TrimLeft(link, `/\`)
	if end := strings.IndexAny(host, `/\?#`); end >= 0 {
		host = host[:end]
	}
	return strings.ContainsFunc(host, func(c rune) bool { return c >= utf8.RuneSelf || c == '%' })
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// linkLists hold no links, only memory for them.
var linkLists = sync.Pool{New: func() any { return new([]Link) }}

// resolve returns the links of page in canonical form.
func (r *refs) resolve(page, base crawl.URL) []Link {
	if len(r.spans) == 0 {
		return nil
	}
	text, labels := string(r.text), string(r.labels) // once for all links
	links := slices.Grow(*linkLists.Get().(*[]Link), min(len(r.spans), MaxLinks))
	resolver := crawl.Resolver{Base: base}
	r.seen.clear()
	foreign := 0
	for _, s := range r.spans {
		if namesForeignHost(text[s.from:s.to]) {
			if foreign++; foreign > maxForeignHosts {
				continue
			}
		}
		u, err := resolver.Resolve(text[s.from:s.to])
		if err != nil || u == page {
			continue
		}
		h := maphash.String(r.seen.hash(), u.String())
		slot, found := r.seen.find(h, func(i int) bool { return links[i].URL == u })
		switch {
		case found:
			l := &links[*slot-1]
			l.NoFollow = l.NoFollow && s.noFollow
			if l.Text == "" {
				l.Text = labels[s.labelFrom:s.labelTo]
			}
		case len(links) < MaxLinks:
			links = append(links, Link{URL: u, NoFollow: s.noFollow, Text: labels[s.labelFrom:s.labelTo]})
			*slot = uint32(len(links))
			// It has grown for as many already.
		}
	}
	return links
}

// reset empties r for the next page. It reports false if r grew too large to
// be kept.
func (r *refs) reset() bool {
	if cap(r.text) > maxScratch || cap(r.spans) > MaxLinks || cap(r.labels) > maxScratch {
		return false
	}
	r.text, r.spans, r.labels = r.text[:0], r.spans[:0], r.labels[:0]
	r.seen.clear()
	return true
}

// index finds elements of a list by their hash. It keeps their positions
// alone, and no string alive.
type index struct {
	seed  maphash.Seed
	slots []uint32 // position + 1, 0 if free; a power of two of them
}

const firstSlots = 512

// hash returns what to hash elements with.
func (x *index) hash() maphash.Seed {
	if x.slots == nil {
		x.seed, x.slots = maphash.MakeSeed(), make([]uint32, firstSlots)
	}
	return x.seed
}

// find returns the slot of the element of that hash for which same is true,
// or else the free slot that it belongs in. Hash has been called before.
func (x *index) find(hash uint64, same func(i int) bool) (slot *uint32, found bool) {
	mask := uint64(len(x.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		switch i := x.slots[at]; {
		case i == 0:
			return &x.slots[at], false
		case same(int(i - 1)):
			return &x.slots[at], true
		}
	}
}

// grow doubles the slots if n elements fill more than half of them.
func (x *index) grow(n int, hashOf func(i int) uint64) {
	if 2*n <= len(x.slots) {
		return
	}
	x.slots = make([]uint32, 2*len(x.slots))
	none := func(int) bool { return false }
	for i := range n {
		slot, _ := x.find(hashOf(i), none)
		*slot = uint32(i + 1)
	}
}

// clear forgets all elements.
func (x *index) clear() { clear(x.slots) }
