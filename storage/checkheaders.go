package storage

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/forage-net/forage/assets/words"
)

// meta is what is needed of a header.
type meta struct{ root, freelist, end, txid uint64 }

// readMeta chooses the newer of the two headers that are whole, as bbolt does.
func (w *walker) readMeta() (root, freelist uint64, err error) {
	first, size, ok := w.metaAt(0)
	for at := int64(minPageSize); !ok && at <= maxPageSize && at < w.size; at *= 2 {
		// The first header is damaged; the second is on the second page,
		// whatever its size.
		if _, n, found := w.metaAt(at); found && n == at {
			size = n
			break
		}
	}
	if size == 0 {
		return 0, 0, damaged("both of its headers are unreadable")
	}
	w.pageSize = size
	second, _, both := w.metaAt(size)
	m := first
	if both && (!ok || second.txid > first.txid) {
		m = second
	}
	if !ok || !both {
		w.notes = append(w.notes, words.New("said.doctor.one-header-is-damaged", nil))
	}
	w.end = m.end
	if m.end < 3 || m.end > uint64(w.size/size) {
		return 0, 0, damaged("the file is cut off: %d bytes of %d are there", w.size, saturate(m.end, size))
	}
	return m.root, m.freelist, nil
}

func saturate(pages uint64, size int64) int64 {
	const most = 1 << 62
	if pages > most/uint64(size) {
		return most
	}
	return int64(pages) * size
}

// metaAt reads the header at an offset.
func (w *walker) metaAt(at int64) (m meta, pageSize int64, ok bool) {
	raw := make([]byte, pageHeader+metaSum+8)
	if _, err := w.file.ReadAt(raw, at); err != nil {
		return m, 0, false
	}
	b, n := raw[pageHeader:], binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(b[:metaSum])
	pageSize = int64(n.Uint32(b[8:]))
	ok = n.Uint32(b) == boltMagic && n.Uint32(b[4:]) == boltVersion && n.Uint64(b[metaSum:]) == sum.Sum64() &&
		pageSize >= minPageSize && pageSize <= maxPageSize && pageSize&(pageSize-1) == 0
	return meta{root: n.Uint64(b[16:]), freelist: n.Uint64(b[32:]), end: n.Uint64(b[40:]), txid: n.Uint64(b[48:])},
		pageSize, ok
}

// readFreelist reads the list of free pages that other programs may have left.
func (w *walker) readFreelist(id uint64) error {
	p, err := w.read(id, 0)
	if err != nil {
		return err
	}
	if p.flags != flagFreelist {
		return damaged("page %d is not the list of free pages", id)
	}
	list, count := p.raw[pageHeader:], p.count
	if count == 0xffff {
		n := binary.NativeEndian.Uint64(list)
		list = list[8:]
		if n > uint64(len(list)/8) {
			return damaged("the list of free pages is too long")
		}
		count = int(n)
	}
	if count > len(list)/8 {
		return damaged("the list of free pages is too long")
	}
	w.free = make(map[uint64]struct{}, count)
	for i := range count {
		w.free[binary.NativeEndian.Uint64(list[8*i:])] = struct{}{}
	}
	return nil
}
