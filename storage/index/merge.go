package index

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"
	"os"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum"
)

// merger makes one segment of several, without what is deleted.
type merger struct {
	from    []*segment
	renamed [][]int32 // the new numbers of their pages, deletedNumber for none
	table   table
	words   int64
}

// newMerger begins a merge of segments; deleted are their deleted pages, which do not change.
func newMerger(from []*segment, deleted []*roaring.Bitmap) *merger {
	m := &merger{from: from}
	for i, s := range from {
		m.renamed = append(m.renamed, m.rows(s, deleted[i]))
		m.words += s.footer.Words
	}
	m.table.sort()
	return m
}

// rows takes over the pages of a segment.
func (m *merger) rows(s *segment, deleted *roaring.Bitmap) []int32 {
	files := make([]int, len(s.files))
	for i, name := range s.files {
		files[i] = m.file(name)
	}
	numbers := make([]int32, s.n)
	for doc := range int32(s.n) {
		if deleted.Contains(uint32(doc)) {
			numbers[doc] = deletedNumber
			continue
		}
		var row [columnCount]uint64
		for c := range row {
			row[c] = s.get(c, doc)
		}
		if f := row[columnFile]; f < uint64(len(files)) {
			row[columnFile] = uint64(files[f])
		}
		numbers[doc] = int32(m.table.n)
		m.table.addRow(row)
	}
	return numbers
}

func (m *merger) file(name string) int {
	for i, f := range m.table.files {
		if f == name {
			return i
		}
	}
	m.table.files = append(m.table.files, name)
	return len(m.table.files) - 1
}

// write writes the segment.
func (m *merger) write(pace func() error, path string) error {
	w, err := createSegment(path)
	if err != nil {
		return err
	}
	err = m.dictionary(pace, w, func(s *segment) (*vellum.FST, []byte) { return s.terms, s.sections[sectionPostings] }, m.mergeTerm)
	if err == nil {
		err = m.dictionary(pace, w, func(s *segment) (*vellum.FST, []byte) { return s.targets, s.sections[sectionLinks] }, m.mergeTarget)
	}
	if err == nil {
		w.footer.Words = m.words
		err = w.writeTable(&m.table)
	}
	if err != nil {
		w.f.Close()
		os.Remove(path)
		return err
	}
	return w.finish()
}

// dictionary merges a dictionary of all segments: join makes one value of those of a key, or none.
func (m *merger) dictionary(pace func() error, w *segmentWriter, of func(*segment) (*vellum.FST, []byte), join func(b, key []byte, values []part) []byte) error {
	out, err := w.dictionary()
	if err != nil {
		return err
	}
	defer out.drop()
	all := new(iterators)
	for i, s := range m.from {
		fst, values := of(s)
		if err := all.open(i, fst, values); err != nil {
			return err
		}
	}
	var buf, key []byte
	var parts []part
	for n := 0; all.Len() > 0; n++ {
		if n%1024 == 1023 {
			if err := pace(); err != nil {
				return err
			}
		}
		key = append(key[:0], (*all)[0].key...)
		if parts, err = all.take(key, parts[:0]); err != nil {
			return err
		}
		if buf = join(buf[:0], key, parts); len(buf) == 0 {
			continue
		}
		if err := out.add(key, buf); err != nil {
			return err
		}
	}
	return out.end()
}

// part is the value of a key in one of the segments.
type part struct {
	segment int
	value   []byte
}

func (m *merger) mergeTerm(b, _ []byte, parts []part) []byte {
	var all list
	for _, p := range parts {
		numbers := m.renamed[p.segment]
		for c := openList(p.value); c.next(); {
			if int(c.doc) >= len(numbers) || c.doc < 0 {
				break
			}
			if doc := numbers[c.doc]; doc != deletedNumber {
				all.add(doc, c.w)
			}
		}
	}
	if all.n == 0 {
		return nil
	}
	return appendList(b, &all)
}

func (m *merger) mergeTarget(b, key []byte, parts []part) []byte {
	if _, _, linking, ok := splitTarget(key); !ok {
		return nil
	} else if linking {
		var all []uint32
		for _, p := range parts {
			all = append(all, readDomains(p.value)...)
		}
		return appendDomains(b, all)
	}
	var all []source
	since := make(map[uint64]uint32) // when a site had the link first, also on a page that is gone
	for _, p := range parts {
		s := m.from[p.segment]
		for _, src := range readSources(p.value, s.n) {
			domain := s.get(columnDomain, src.doc)
			if old, ok := since[domain]; !ok || src.since < old {
				since[domain] = src.since
			}
			if doc := m.renamed[p.segment][src.doc]; doc != deletedNumber {
				all = append(all, source{doc, src.since, src.label})
			}
		}
	}
	all = thin(all, &m.table)
	if len(all) == 0 {
		return nil
	}
	for i := range all {
		domain := m.table.get(columnDomain, all[i].doc)
		if first, ok := since[domain]; ok {
			all[i].since = first
			delete(since, domain) // the first page of the site tells it
		}
	}
	return appendSources(b, all)
}

// iterators are those of the dictionaries that are merged, the least key first.
type iterators []*iterator

type iterator struct {
	segment int
	it      *vellum.FSTIterator
	key     []byte
	values  []byte
	at      uint64
}

func (all *iterators) open(segment int, fst *vellum.FST, values []byte) error {
	if fst == nil {
		return nil
	}
	it, err := fst.Iterator(nil, nil)
	if errors.Is(err, vellum.ErrIteratorDone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	i := &iterator{segment: segment, it: it, values: values}
	i.key, i.at = it.Current()
	heap.Push(all, i)
	return nil
}

// take appends the values of a key, which is the least, and passes it.
func (all *iterators) take(key []byte, parts []part) ([]part, error) {
	for all.Len() > 0 && bytes.Equal((*all)[0].key, key) {
		i := (*all)[0]
		if i.at > uint64(len(i.values)) {
			return nil, fmt.Errorf("%w: a value is beyond its end", ErrDamaged)
		}
		parts = append(parts, part{i.segment, i.values[i.at:]})
		switch err := i.it.Next(); {
		case err == nil:
			i.key, i.at = i.it.Current()
			heap.Fix(all, 0)
		case errors.Is(err, vellum.ErrIteratorDone):
			heap.Pop(all)
		default:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	return parts, nil
}

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (all iterators) Len() int { return len(all) }

func (all iterators) Less(i, j int) bool {
	c := bytes.Compare(all[i].key, all[j].key)
	return c < 0 || c == 0 && all[i].segment < all[j].segment
}

func (all iterators) Swap(i, j int) { all[i], all[j] = all[j], all[i] }

func (all *iterators) Push(x any) { *all = append(*all, x.(*iterator)) }

func (all *iterators) Pop() any {
	n := len(*all) - 1
	x := (*all)[n]
	*all = (*all)[:n]
	return x
}
