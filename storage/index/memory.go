package index

import (
	"iter"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/index/posting"
)

// memory holds the pages that were added since the last commit.
type memory struct {
	table
	terms   map[string]*posting.List
	targets map[string][]posting.Source
	linking map[uint32][]uint32 // which domains link to which
	words   int64
	bytes   int // about how much all of it takes
	deleted *roaring.Bitmap
	byURL   map[uint64]int32 // the last page of an address
}

const (
	// termBytes, postingBytes, targetBytes and sourceBytes are about what each takes in memory beside its text.
	termBytes    = 230
	postingBytes = 4
	targetBytes  = 100
	sourceBytes  = 2*40 + posting.MaxLabel/2
)

func newMemory() *memory {
	return &memory{terms: make(map[string]*posting.List), targets: make(map[string][]posting.Source),
		linking: make(map[uint32][]uint32), deleted: roaring.New(), byURL: make(map[uint64]int32)}
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
			l = new(posting.List)
			m.terms[strings.Clone(t.Text)] = l
			m.bytes += termBytes + len(t.Text)
		}
		l.Add(doc, posting.WeightOf(t.Times, uint8(t.Marks)))
	}
	m.bytes += len(d.Terms)*postingBytes + rowBytes + termBytes
	m.addLinks(doc, d)
	m.byURL[d.URL] = doc
}

func (m *memory) addLinks(doc int32, d *Doc) {
	since := uint32(d.Time.Unix())
	for _, link := range d.Links[:min(len(d.Links), MaxLinks)] {
		if strings.ContainsAny(link.Domain, "\x00\x01") || link.Domain == "" {
			continue
		}
		key := targetKey(link.Domain, link.URL)
		list := m.targets[key]
		if len(list) > 0 && list[len(list)-1].Doc == doc {
			continue
		}
		if len(list) == 0 {
			m.bytes += targetBytes + len(key)
		}
		m.bytes += sourceBytes
		label := strings.ToValidUTF8(link.Text[:min(len(link.Text), posting.MaxLabel)], "")
		m.targets[key] = append(list, posting.Source{Doc: doc, Since: since, Domain: d.Domain, Label: label})
		if list := m.linking[link.Hash]; !slices.Contains(list, d.Domain) && len(list) < posting.MaxDomains {
			m.linking[link.Hash] = append(list, d.Domain)
		}
	}
}

// postings returns the list of a term as it would stand in a file, nil if it has none.
func (m *memory) postings(term string) []byte {
	l := m.terms[term]
	if l == nil {
		return nil
	}
	return l.Append(nil)
}

func (m *memory) beginning(prefix string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for term := range m.terms {
			if strings.HasPrefix(term, prefix) && !yield(term) {
				return
			}
		}
	}
}

// write writes all that is held to a file.
func (m *memory) write(to durable.FS, path string) error {
	w, err := createSegment(to, path)
	if err != nil {
		return err
	}
	return w.finish(m.writeTo(w))
}

func (m *memory) writeTo(w *segmentWriter) error {
	terms := sortedKeys(m.terms)
	err := w.dictionary(func(d *dictionaryWriter) error {
		var buf []byte
		for _, term := range terms {
			buf = m.terms[term].Append(buf[:0])
			if err := d.add([]byte(term), buf); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	values := make(map[string][]byte, len(m.targets)+len(m.linking))
	for key, list := range m.targets {
		values[key] = posting.AppendSources(nil, posting.Thin(slices.Clone(list)))
	}
	for domain, list := range m.linking {
		values[linkingKey(domain)] = posting.AppendDomains(nil, slices.Clone(list))
	}
	err = w.dictionary(func(d *dictionaryWriter) error {
		for _, key := range sortedKeys(values) {
			if err := d.add([]byte(key), values[key]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
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
