package posting

import (
	"encoding/binary"
	"slices"
)

const (
	// MaxLabel bounds a label in bytes.
	MaxLabel = 80
	// MaxDomains is how many domains are noted that link to a domain.
	MaxDomains = 1000
	// keptOfSite is how many pages of one site are kept that have the same link: the first one and the last ones. Menus
	// and footers repeat it on all of them.
	keptOfSite = 3
	// maxSources bounds the pages that are kept of one target in a segment.
	maxSources = 10_000
)

// Source is a page that has a link.
type Source struct {
	Doc    int32
	Since  uint32 // when the link was seen first, in seconds since 1970
	Domain uint32 // of the page; it does not stand with the link in a file
	Label  string
}

// AppendSources appends pages in ascending order.
func AppendSources(b []byte, list []Source) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	before := int32(-1)
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(s.Doc-before))
		b = binary.LittleEndian.AppendUint32(b, s.Since)
		b = binary.AppendUvarint(b, uint64(len(s.Label)))
		b = append(b, s.Label...)
		before = s.Doc
	}
	return b
}

// ReadSources returns what AppendSources wrote, of pages below docs; it ends where that is damaged.
func ReadSources(b []byte, docs int) (list []Source) {
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return nil
	}
	b = b[k:]
	doc := int64(-1)
	for range min(n, maxSources) {
		gap, k := binary.Uvarint(b)
		if k <= 0 || len(b) < k+4 || gap > uint64(docs) {
			break
		}
		doc += int64(gap)
		since := binary.LittleEndian.Uint32(b[k:])
		b = b[k+4:]
		size, k := binary.Uvarint(b)
		if k <= 0 || size > MaxLabel || int(size) > len(b)-k || doc < 0 || doc >= int64(docs) {
			break
		}
		list = append(list, Source{Doc: int32(doc), Since: since, Label: string(b[k : k+int(size)])})
		b = b[k+int(size):]
	}
	return list
}

// Thin leaves out pages of sites that repeat a link.
func Thin(list []Source) []Source {
	count := make(map[uint32]int)
	for _, s := range list {
		count[s.Domain]++
	}
	seen := make(map[uint32]int, len(count))
	kept := list[:0]
	for _, s := range list {
		seen[s.Domain]++
		if n := seen[s.Domain]; n == 1 || n > count[s.Domain]-(keptOfSite-1) {
			kept = append(kept, s)
		}
	}
	return kept[:min(len(kept), maxSources)]
}

// AppendDomains appends the hashes of domains, sorted, each once.
func AppendDomains(b []byte, list []uint32) []byte {
	slices.Sort(list)
	list = slices.Compact(list)
	list = list[:min(len(list), MaxDomains)]
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, d := range list {
		b = binary.LittleEndian.AppendUint32(b, d)
	}
	return b
}

// ReadDomains returns what AppendDomains wrote; it ends where that is damaged.
func ReadDomains(b []byte) (list []uint32) {
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return nil
	}
	b = b[k:]
	for range min(n, MaxDomains) {
		if len(b) < 4 {
			break
		}
		list = append(list, binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	return list
}
