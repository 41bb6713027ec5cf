package index

import (
	"bytes"
	"container/heap"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/vellum"

	"github.com/forage-net/forage/storage/durable"
)

// merger makes one segment of several, without what is deleted. It holds four bytes of each page; all else goes from files to a file.
type merger struct {
	from    []*segment
	renamed [][]int32 // the new numbers of their pages, deletedNumber for none
	files   []string
	n       int
	words   int64
	raw     []byte // of mergeTerm, to be used again
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
	err = m.dictionary(pace, w, func(s *segment) (*vellum.FST, []byte) { return s.terms, s.sections[sectionPostings] }, m.mergeTerm)
	if err == nil {
		err = m.dictionary(pace, w, func(s *segment) (*vellum.FST, []byte) { return s.targets, s.sections[sectionLinks] }, m.mergeTarget)
	}
	if err == nil {
		err = m.mergeTable(pace, w)
	}
	return w.finish(err)
}

// dictionary merges a dictionary of all segments: join makes one value of those of a key, or none.
func (m *merger) dictionary(pace func() error, w *segmentWriter, of func(*segment) (*vellum.FST, []byte), join func(b, key []byte, values []part) []byte) error {
	all := new(iterators)
	for i, s := range m.from {
		fst, values := of(s)
		if err := all.open(i, fst, values); err != nil {
			return err
		}
	}
	return w.dictionary(func(d *dictionary) error { return all.mergeInto(d, pace, join) })
}

// mergeInto writes the values of all keys to a dictionary.
func (all *iterators) mergeInto(d *dictionary, pace func() error, join func(b, key []byte, values []part) []byte) (err error) {
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
		if err := d.add(key, buf); err != nil {
			return err
		}
	}
	return nil
}

// part is the value of a key in one of the segments.
type part struct {
	segment int
	value   []byte
}

func (m *merger) mergeTerm(b, _ []byte, parts []part) []byte {
	all := list{raw: m.raw[:0]}
	defer func() { m.raw = all.raw }()
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
	since := make(map[uint32]uint32) // when a site had the link first, also on a page that is gone
	for _, p := range parts {
		s := m.from[p.segment]
		for _, src := range readSources(p.value, s.n) {
			domain := uint32(s.get(columnDomain, src.doc))
			if old, ok := since[domain]; !ok || src.since < old {
				since[domain] = src.since
			}
			if doc := m.renamed[p.segment][src.doc]; doc != deletedNumber {
				all = append(all, source{doc, src.since, domain, src.label})
			}
		}
	}
	all = thin(all)
	if len(all) == 0 {
		return nil
	}
	for i := range all {
		if first, ok := since[all[i].domain]; ok {
			all[i].since = first
			delete(since, all[i].domain) // the first page of the site tells it
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
