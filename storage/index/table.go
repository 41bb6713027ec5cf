package index

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
)

// table is what an index knows of pages beside their words: a column each, so that a look at one column of a million
// pages is a look at few bytes. Columns are little-endian, as they stand in a file.
type table struct {
	n int
	// columns in the order of columnWidths.
	columns [columnCount][]byte
	// order is the pages by the hash of their address.
	order []byte
	files []string
}

const (
	columnDomain = iota
	columnTime   // seconds since 1970
	columnLanguage
	columnLength
	columnFile // in files
	columnOffset
	columnBytes
	columnURL
	columnContent
	columnCount
)

var columnWidths = [columnCount]int{4, 4, 2, 1, 2, 6, 4, 8, 8}

// rowBytes is what a page takes in the table, with its place in order.
const rowBytes = 4 + 4 + 2 + 1 + 2 + 6 + 4 + 8 + 8 + 4

// get returns a value; doc is below n.
func (t *table) get(column int, doc int32) uint64 {
	w := columnWidths[column]
	b := t.columns[column][int(doc)*w:]
	switch w {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	case 6:
		return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32
	}
	return binary.LittleEndian.Uint64(b)
}

func appendValue(b []byte, width int, v uint64) []byte {
	for range width {
		b = append(b, byte(v))
		v >>= 8
	}
	return b
}

// add adds a page.
func (t *table) add(d *Doc) {
	file := slices.Index(t.files, d.File)
	if file < 0 {
		file = len(t.files)
		t.files = append(t.files, d.File)
	}
	t.addRow([columnCount]uint64{
		uint64(d.Domain), uint64(d.Time.Unix()), uint64(packLanguage(d.Language)), uint64(packLength(d.Words)),
		uint64(file),
		uint64(d.Offset), uint64(d.Bytes), d.URL, d.Content,
	})
}

func (t *table) addRow(row [columnCount]uint64) {
	for i, v := range row {
		t.columns[i] = appendValue(t.columns[i], columnWidths[i], v)
	}
	t.n++
}

// sort makes order.
func (t *table) sort() {
	docs := make([]int32, t.n)
	for i := range docs {
		docs[i] = int32(i)
	}
	slices.SortFunc(docs, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.get(columnURL, a), t.get(columnURL, b)), cmp.Compare(a, b))
	})
	t.order = make([]byte, 0, 4*t.n)
	for _, d := range docs {
		t.order = appendValue(t.order, 4, uint64(d))
	}
}

// withURL calls fn for the pages whose address has a hash, until it returns false.
func (t *table) withURL(url uint64, fn func(doc int32) bool) {
	at := func(i int) int32 { return int32(binary.LittleEndian.Uint32(t.order[4*i:])) }
	lo, hi := 0, t.n
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if d := at(mid); d < 0 || int(d) >= t.n {
			return // damaged
		} else if t.get(columnURL, d) < url {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < t.n; lo++ {
		if d := at(lo); d < 0 || int(d) >= t.n || t.get(columnURL, d) != url || !fn(d) {
			return
		}
	}
}

func (t *table) place(doc int32) Place {
	p := Place{Offset: int64(t.get(columnOffset, doc))}
	if f := t.get(columnFile, doc); f < uint64(len(t.files)) {
		p.File = t.files[f]
	}
	return p
}

func (t *table) time(doc int32) time.Time { return time.Unix(int64(t.get(columnTime, doc)), 0).UTC() }

// packLanguage puts a tag of up to three letters into 15 bits, 0 for what is none.
func packLanguage(tag string) (v uint16) {
	if len(tag) < 2 || len(tag) > 3 {
		return 0
	}
	for _, c := range []byte(tag) {
		if c < 'a' || c > 'z' {
			return 0
		}
		v = v<<5 | uint16(c-'a'+1)
	}
	return v
}

func unpackLanguage(v uint16) string {
	var b []byte
	for ; v > 0; v >>= 5 {
		b = append(b, byte(v&31)+'a'-1)
	}
	slices.Reverse(b)
	return string(b)
}

// packLength keeps a number of words to an eighth: eight steps for each doubling.
func packLength(n int) uint8 {
	v := uint(max(n, 0)) + 8
	e := bits.Len(v) - 4 // v is at least 8
	return uint8(min(e<<3|int(v>>e)&7, 255))
}

func unpackLength(p uint8) int { return int(uint(8|p&7)<<(p>>3)) - 8 }
