package index

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// rowsPerPace is how many rows are written between two calls of pace.
const rowsPerPace = 1 << 14

// mergeTable writes the table of all pages, one column after the other.
func (m *merger) mergeTable(pace func() error, w *segmentWriter) error {
	for c := range columnCount {
		if err := m.mergeColumn(pace, w, c); err != nil {
			return err
		}
	}
	if err := m.mergeOrder(pace, w); err != nil {
		return err
	}
	w.end()
	w.footer.Docs, w.footer.Files, w.footer.Words = m.n, m.files, m.words
	return w.err
}

func (m *merger) mergeColumn(pace func() error, w *segmentWriter, column int) error {
	width := columnWidths[column]
	var b []byte
	for i, s := range m.from {
		files := m.filesOf(column, s)
		for doc, number := range m.renamed[i] {
			if number != deletedNumber {
				v := s.get(column, int32(doc))
				if v < uint64(len(files)) {
					v = files[v]
				}
				b = appendValue(b, width, v)
			}
			if doc%rowsPerPace == rowsPerPace-1 || doc == s.n-1 {
				w.Write(b)
				b = b[:0]
				if err := pace(); err != nil {
					return err
				}
			}
		}
	}
	return w.err
}

// filesOf returns the new numbers of the files of a segment, none for a column of something else.
func (m *merger) filesOf(column int, s *segment) (numbers []uint64) {
	if column != columnFile {
		return nil
	}
	for _, name := range s.files {
		n := slices.Index(m.files, name)
		if n < 0 {
			n = len(m.files)
			m.files = append(m.files, name)
		}
		numbers = append(numbers, uint64(n))
	}
	return numbers
}

// mergeOrder merges the orders of all segments.
func (m *merger) mergeOrder(pace func() error, w *segmentWriter) error {
	heads := make([]orderHead, len(m.from))
	for i, s := range m.from {
		heads[i] = orderHead{table: &s.table, renamed: m.renamed[i], at: -1}
		heads[i].next()
	}
	var b []byte
	for n := range m.n {
		least := 0
		for i := range heads {
			if heads[i].before(&heads[least]) {
				least = i
			}
		}
		h := &heads[least]
		if h.at == h.table.n {
			return fmt.Errorf("%w: its pages have no order", ErrDamaged)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(h.number))
		h.next()
		if n%rowsPerPace == rowsPerPace-1 || n == m.n-1 {
			w.Write(b)
			b = b[:0]
			if err := pace(); err != nil {
				return err
			}
		}
	}
	return w.err
}

// orderHead goes through the pages of a segment in their order by address, past those that are deleted.
type orderHead struct {
	table   *table
	renamed []int32
	at      int // in the order; the number of pages at the end
	url     uint64
	number  int32
}

func (h *orderHead) next() {
	for h.at++; h.at < h.table.n; h.at++ {
		doc := binary.LittleEndian.Uint32(h.table.order[4*h.at:])
		if uint64(doc) >= uint64(len(h.renamed)) {
			h.at = h.table.n // damaged
			return
		}
		if h.number = h.renamed[doc]; h.number != deletedNumber {
			h.url = h.table.get(columnURL, int32(doc))
			return
		}
	}
}

func (h *orderHead) before(other *orderHead) bool {
	switch {
	case h.at == h.table.n:
		return false
	case other.at == other.table.n || h.url != other.url:
		return other.at == other.table.n || h.url < other.url
	}
	return h.number < other.number
}
