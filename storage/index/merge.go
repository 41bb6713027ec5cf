package index

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/index/dictionary"
	"github.com/forage-net/forage/storage/index/posting"
)

// deletedNumber is the new number of a page that is deleted.
const deletedNumber = -1

// merger makes one segment of several, without what is deleted. It holds four bytes of each page; all else goes
// from files to a file.
type merger struct {
	from    []*segment
	renamed [][]int32 // the new numbers of their pages, deletedNumber for none
	files   []string
	n       int
	words   int64
	list    posting.List // of mergeTerm, to be used again
}

// newMerger begins a merge of segments; deleted are their deleted pages, which do not change.
func newMerger(from []*segment, deleted []*roaring.Bitmap) *merger {
	m := &merger{from: from}
	for i, s := range from {
		numbers := make([]int32, s.n)
		for doc := range numbers {
			if deleted[i].Contains(uint32(doc)) {
				numbers[doc] = deletedNumber
				continue
			}
			numbers[doc] = int32(m.n)
			m.n++
			m.words += int64(unpackLength(s.columns[columnLength][doc]))
		}
		m.renamed = append(m.renamed, numbers)
	}
	return m
}

// write writes the segment.
func (m *merger) write(pace func() error, to durable.FS, path string) error {
	w, err := createSegment(to, path)
	if err != nil {
		return err
	}
	err = m.dictionary(pace, w, func(s *segment) dictionary.Dictionary { return s.terms }, m.mergeTerm)
	if err == nil {
		err = m.dictionary(pace, w, func(s *segment) dictionary.Dictionary { return s.targets }, m.mergeTarget)
	}
	if err == nil {
		err = m.mergeTable(pace, w)
	}
	return w.finish(err)
}

// dictionary merges a dictionary of all segments: join makes one value of those of a key, or none.
func (m *merger) dictionary(
	pace func() error, w *segmentWriter, of func(*segment) dictionary.Dictionary, join dictionary.Join,
) error {
	all := make([]dictionary.Dictionary, 0, len(m.from))
	for _, s := range m.from {
		all = append(all, of(s))
	}
	return w.dictionary(func(d *dictionaryWriter) error { return dictionary.Merge(all, pace, join, d.add) })
}

func (m *merger) mergeTerm(b, _ []byte, parts []dictionary.Part) []byte {
	m.list.Reset()
	for _, p := range parts {
		numbers := m.renamed[p.From]
		for c := posting.Open(p.Value); c.Next(); {
			if int(c.Doc) >= len(numbers) || c.Doc < 0 {
				break
			}
			if doc := numbers[c.Doc]; doc != deletedNumber {
				m.list.Add(doc, c.Weight)
			}
		}
	}
	if m.list.Len() == 0 {
		return nil
	}
	return m.list.Append(b)
}

func (m *merger) mergeTarget(b, key []byte, parts []dictionary.Part) []byte {
	if _, _, linking, ok := splitTarget(key); !ok {
		return nil
	} else if linking {
		var all []uint32
		for _, p := range parts {
			all = append(all, posting.ReadDomains(p.Value)...)
		}
		return posting.AppendDomains(b, all)
	}
	var all []posting.Source
	since := make(map[uint32]uint32) // when a site had the link first, also on a page that is gone
	for _, p := range parts {
		s := m.from[p.From]
		for _, src := range posting.ReadSources(p.Value, s.n) {
			domain := uint32(s.get(columnDomain, src.Doc))
			if old, ok := since[domain]; !ok || src.Since < old {
				since[domain] = src.Since
			}
			if doc := m.renamed[p.From][src.Doc]; doc != deletedNumber {
				all = append(all, posting.Source{Doc: doc, Since: src.Since, Domain: domain, Label: src.Label})
			}
		}
	}
	all = posting.Thin(all)
	if len(all) == 0 {
		return nil
	}
	for i := range all {
		if first, ok := since[all[i].Domain]; ok {
			all[i].Since = first
			delete(since, all[i].Domain) // the first page of the site tells it
		}
	}
	return posting.AppendSources(b, all)
}
