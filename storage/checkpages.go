package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// The layout of a file of bbolt (version 2), in the byte order of the computer
// that wrote it. A page is a header and elements that point behind them:
//
//	page    id uint64, flags uint16, count uint16, overflow uint32
//	meta    magic, version, page size, flags uint32; root, sequence, freelist,
//	        high water mark, transaction, checksum (FNV-1a of all before) uint64
//	branch  position, key size uint32; page uint64
//	leaf    flags, position, key size, value size uint32
//
// Positions count from their element. The value of a leaf element that is a
// bucket begins with root and sequence uint64; with root 0 the bucket's only page
// follows.
const (
	pageHeader    = 16
	branchElement = 16
	leafElement   = 16
	bucketHeader  = 16

	flagBranch   = 0x01
	flagLeaf     = 0x02
	flagFreelist = 0x10
	flagBucket   = 0x01 // of a leaf element

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	noFreelist  = 1<<64 - 1
	metaSum     = 56 // offset of the checksum in a meta

	minPageSize = 1 << 10
	maxPageSize = 1 << 24
	maxLevels   = 64      // of pages and buckets, one in the other
	maxRun      = 1 << 30 // bytes of a page with its overflow: more than any value of ours
)

// walker reads all pages that can be reached.
type walker struct {
	file     io.ReaderAt
	size     int64
	pageSize int64
	end      uint64              // high water mark: the first page that is not in use
	seen     []uint64            // a bit a page
	free     map[uint64]struct{} // pages that the file says are free

	raw   [][]byte // the pages that the walk is in, by level
	path  []string // the buckets that it is in
	keys  int
	notes []error
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))
}

// walk returns ErrDamaged if a page is not as it must be.
func (w *walker) walk(ctx context.Context) error {
	root, freelist, err := w.readMeta()
	if err != nil {
		return err
	}
	w.seen = make([]uint64, w.end/64+1)
	if freelist != noFreelist {
		if err := w.readFreelist(freelist); err != nil {
			return err
		}
	}
	return w.tree(ctx, root, nil, nil, 0)
}

// page is one in memory, its overflow included.
type page struct {
	id    uint64 // of the page, or of the one it is inlined in
	flags uint16
	count int
	raw   []byte
}

// read reads a page that must not have been read before. It is good until the next one of its level is read.
func (w *walker) read(id uint64, level int) (p page, err error) {
	if id < 2 || id >= w.end {
		return p, damaged("page %d is referred to and does not exist", id)
	}
	for len(w.raw) <= level {
		w.raw = append(w.raw, nil)
	}
	raw := slices.Grow(w.raw[level][:0], int(w.pageSize))[:w.pageSize]
	if err := w.readAt(raw, id); err != nil {
		return p, err
	}
	n := binary.NativeEndian
	overflow := uint64(n.Uint32(raw[12:]))
	if n.Uint64(raw) != id || id+overflow >= w.end || int64(overflow+1) > maxRun/w.pageSize {
		return p, damaged("page %d is overwritten", id)
	}
	for i := id; i <= id+overflow; i++ {
		if w.seen[i/64]&(1<<(i%64)) != 0 {
			return p, damaged("page %d is in use twice", i)
		}
		w.seen[i/64] |= 1 << (i % 64)
		if _, is := w.free[i]; is {
			return p, damaged("page %d is in use and counts as free", i)
		}
	}
	if overflow > 0 {
		raw = slices.Grow(raw, int(int64(overflow)*w.pageSize))[:int64(overflow+1)*w.pageSize]
		if err := w.readAt(raw[w.pageSize:], id+1); err != nil {
			return p, err
		}
	}
	w.raw[level] = raw
	return pageOf(id, raw), nil
}

func pageOf(id uint64, raw []byte) page {
	n := binary.NativeEndian
	return page{id: id, flags: n.Uint16(raw[8:]), count: int(n.Uint16(raw[10:])), raw: raw}
}

func (w *walker) readAt(b []byte, id uint64) error {
	_, err := w.file.ReadAt(b, int64(id)*w.pageSize)
	if err == io.EOF {
		return damaged("the file is cut off at page %d", id)
	}
	return err
}

// tree walks through the pages below one. Keys are at least from and less than
// to; nil is no bound.
func (w *walker) tree(ctx context.Context, id uint64, from, to []byte, level int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if level > maxLevels {
		return damaged("its pages are nested too deeply")
	}
	p, err := w.read(id, level)
	if err != nil {
		return err
	}
	switch p.flags {
	case flagBranch:
		return w.branch(ctx, p, from, to, level)
	case flagLeaf:
		return w.leaf(ctx, p, from, to, level)
	}
	return damaged("page %d is of no known kind", id)
}

func (w *walker) branch(ctx context.Context, p page, from, to []byte, level int) error {
	if p.count == 0 {
		return damaged("page %d is empty", p.id)
	}
	keys := make([][]byte, p.count)
	for i := range keys {
		e, ok := p.element(i)
		if !ok {
			return damaged("page %d is overwritten", p.id)
		}
		n := binary.NativeEndian
		if keys[i], ok = p.slice(i, n.Uint32(e), n.Uint32(e[4:])); !ok ||
			i > 0 && bytes.Compare(keys[i-1], keys[i]) >= 0 {
			return damaged("the keys of page %d are out of order", p.id)
		}
	}
	if !within(keys[0], from, to) || !within(keys[p.count-1], from, to) {
		return damaged("the keys of page %d are out of order", p.id)
	}
	for i, key := range keys {
		e, _ := p.element(i)
		next := to
		if i+1 < p.count {
			next = keys[i+1]
		}
		if err := w.tree(ctx, binary.NativeEndian.Uint64(e[8:]), key, next, level+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) leaf(ctx context.Context, p page, from, to []byte, level int) error {
	last := from
	for i := range p.count {
		e, ok := p.element(i)
		if !ok {
			return damaged("page %d is overwritten", p.id)
		}
		n := binary.NativeEndian
		flags, at, size, length := n.Uint32(e), n.Uint32(e[4:]), n.Uint32(e[8:]), n.Uint32(e[12:])
		key, ok := p.slice(i, at, size)
		if !ok || flags > flagBucket || !within(key, last, to) || i > 0 && bytes.Equal(key, last) {
			return damaged("the keys of page %d are out of order", p.id)
		}
		if uint64(at)+uint64(size) > 1<<32-1 {
			return damaged("page %d is overwritten", p.id)
		}
		value, ok := p.slice(i, at+size, length)
		if !ok {
			return damaged("the values of page %d are overwritten", p.id)
		}
		last = key
		w.keys++
		if flags != flagBucket {
			if w.inBuckets() {
				return damaged("page %d has a value %.40q where a part of the store should be", p.id, key)
			}
			continue
		}
		w.path = append(w.path, string(key))
		if err := w.bucket(ctx, p.id, value, level+1); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
	}
	return nil
}

// inBuckets reports whether the walk is where the tree of schema.go has nothing
// but buckets.
func (w *walker) inBuckets() bool {
	return len(w.path) == 0
}

// bucket walks through a bucket, whose pages may be in its value.
func (w *walker) bucket(ctx context.Context, id uint64, value []byte, level int) error {
	if len(value) < bucketHeader {
		return damaged("page %d holds a broken bucket", id)
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.tree(ctx, root, nil, nil, level)
	}
	if level > maxLevels || len(value) < bucketHeader+pageHeader {
		return damaged("page %d holds a broken bucket", id)
	}
	p := pageOf(id, value[bucketHeader:])
	if p.flags != flagLeaf {
		return damaged("page %d holds a broken bucket", id)
	}
	return w.leaf(ctx, p, nil, nil, level)
}

func within(key, from, to []byte) bool {
	return len(key) > 0 && bytes.Compare(key, from) >= 0 && (to == nil || bytes.Compare(key, to) < 0)
}

// element returns the i-th element; all are of one length.
func (p page) element(i int) ([]byte, bool) {
	at := pageHeader + i*leafElement
	if at+leafElement > len(p.raw) {
		return nil, false
	}
	return p.raw[at : at+leafElement], true
}

// slice returns bytes that an element points to.
func (p page) slice(i int, at, length uint32) ([]byte, bool) {
	from := int64(pageHeader+i*leafElement) + int64(at)
	to := from + int64(length)
	if from < int64(pageHeader+p.count*leafElement) || to > int64(len(p.raw)) {
		return nil, false
	}
	return p.raw[from:to:to], true
}
