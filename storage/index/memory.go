package index

import (
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

// memory holds the pages that were added since the last commit.
type memory struct {
	table
	terms   map[string]*list
	targets map[string][]source
	linking map[uint32][]uint32 // which domains link to which
	words   int64
	deleted *roaring.Bitmap
	byURL   map[uint64]int32 // the last page of an address
}

func newMemory() *memory {
	return &memory{terms: make(map[string]*list), targets: make(map[string][]source), linking: make(map[uint32][]uint32), deleted: roaring.New(), byURL: make(map[uint64]int32)}
}

func (m *memory) add(d *Doc) {
	doc := int32(m.n)
	m.table.add(d)
	m.words += int64(d.Words)
	for _, t := range d.Terms {
		if t.Text == "" || len(t.Text) > MaxTerm {
			continue
		}
		l := m.terms[t.Text]
		if l == nil {
			l = new(list)
			m.terms[strings.Clone(t.Text)] = l
		}
		l.add(doc, weightOf(t))
	}
	since := uint32(d.Time.Unix())
	for _, link := range d.Links[:min(len(d.Links), MaxLinks)] {
		if strings.ContainsAny(link.Domain, "\x00\x01") || link.Domain == "" {
			continue
		}
		key := targetKey(link.Domain, link.URL)
		if list := m.targets[key]; len(list) > 0 && list[len(list)-1].doc == doc {
			continue
		}
		label := strings.ToValidUTF8(link.Text[:min(len(link.Text), maxLabel)], "")
		m.targets[key] = append(m.targets[key], source{doc, since, label})
		if list := m.linking[link.Hash]; !slices.Contains(list, d.Domain) && len(list) < maxLinking {
			m.linking[link.Hash] = append(list, d.Domain)
		}
	}
	m.byURL[d.URL] = doc
}

// postings returns the list of a term as it would stand in a file, nil if it has none.
func (m *memory) postings(term string) []byte {
	l := m.terms[term]
	if l == nil {
		return nil
	}
	return appendList(nil, l)
}

// write writes all that is held to a file.
func (m *memory) write(path string) error {
	w, err := createSegment(path)
	if err != nil {
		return err
	}
	if err := m.writeTo(w); err != nil {
		w.f.Close()
		return err
	}
	return w.finish()
}

func (m *memory) writeTo(w *segmentWriter) error {
	d, err := w.dictionary()
	if err != nil {
		return err
	}
	var buf []byte
	for _, term := range sortedKeys(m.terms) {
		buf = appendList(buf[:0], m.terms[term])
		if err := d.add([]byte(term), buf); err != nil {
			return err
		}
	}
	if err := d.end(); err != nil {
		return err
	}
	if d, err = w.dictionary(); err != nil {
		return err
	}
	values := make(map[string][]byte, len(m.targets)+len(m.linking))
	for key, list := range m.targets {
		values[key] = appendSources(nil, thin(list, &m.table))
	}
	for domain, list := range m.linking {
		values[linkingKey(domain)] = appendDomains(nil, list)
	}
	for _, key := range sortedKeys(values) {
		if err := d.add([]byte(key), values[key]); err != nil {
			return err
		}
	}
	if err := d.end(); err != nil {
		return err
	}
	m.table.sort()
	w.footer.Words = m.words
	return w.writeTable(&m.table)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
