package index

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Links to other sites stand under their targets: under "domain 0 URL" the pages that link to an address, and under "1 hash of a domain"
// the domains that link to that at all.

const (
	maxLabel = 80
	// maxLinking is how many domains are noted that link to a domain.
	maxLinking = 1000
	// keptOfSite is how many pages of one site are kept that have the same link: the first one and the last ones. Menus
	// and footers repeat it on all of them.
	keptOfSite = 3
	// maxSources bounds the pages that are kept of one target in a segment.
	maxSources = 10_000
)

func targetKey(domain, url string) string { return domain + "\x00" + url }

func linkingKey(domain uint32) string {
	return string(binary.BigEndian.AppendUint32([]byte{1}, domain))
}

// source is a page that has a link.
type source struct {
	doc    int32
	since  uint32 // when the link was seen first, in seconds since 1970
	domain uint32 // of the page; it does not stand with the link in a file
	label  string
}

// appendSources appends pages in ascending order.
func appendSources(b []byte, list []source) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	before := int32(-1)
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(s.doc-before))
		b = binary.LittleEndian.AppendUint32(b, s.since)
		b = binary.AppendUvarint(b, uint64(len(s.label)))
		b = append(b, s.label...)
		before = s.doc
	}
	return b
}

// readSources returns what appendSources wrote, of pages below docs; it ends where that is damaged.
func readSources(b []byte, docs int) (list []source) {
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
		if k <= 0 || size > maxLabel || int(size) > len(b)-k || doc < 0 || doc >= int64(docs) {
			break
		}
		list = append(list, source{doc: int32(doc), since: since, label: string(b[k : k+int(size)])})
		b = b[k+int(size):]
	}
	return list
}

// thin leaves out pages of sites that repeat a link.
func thin(list []source) []source {
	count := make(map[uint32]int)
	for _, s := range list {
		count[s.domain]++
	}
	seen := make(map[uint32]int, len(count))
	kept := list[:0]
	for _, s := range list {
		seen[s.domain]++
		if n := seen[s.domain]; n == 1 || n > count[s.domain]-(keptOfSite-1) {
			kept = append(kept, s)
		}
	}
	return kept[:min(len(kept), maxSources)]
}

// appendDomains appends the hashes of domains, sorted, each once.
func appendDomains(b []byte, list []uint32) []byte {
	slices.Sort(list)
	list = slices.Compact(list)
	list = list[:min(len(list), maxLinking)]
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, d := range list {
		b = binary.LittleEndian.AppendUint32(b, d)
	}
	return b
}

func readDomains(b []byte) (list []uint32) {
	n, k := binary.Uvarint(b)
	if k <= 0 {
		return nil
	}
	b = b[k:]
	for range min(n, maxLinking) {
		if len(b) < 4 {
			break
		}
		list = append(list, binary.LittleEndian.Uint32(b))
		b = b[4:]
	}
	return list
}

// splitTarget takes a key apart; linking says that it is that of a domain.
func splitTarget(key []byte) (domain, url string, linking, ok bool) {
	if len(key) > 0 && key[0] == 1 {
		return "", "", true, true
	}
	domain, url, ok = strings.Cut(string(key), "\x00")
	return domain, url, false, ok
}
