package index

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// KeepPlaces removes the pages whose records are no longer in the archive, and leaves nothing of them in any
// file. records returns where in a file there are records. Nothing may be added meanwhile; whenever it is
// interrupted, a second call goes on.
func (x *Index) KeepPlaces(ctx context.Context, records func(file string) (map[int64]bool, error)) error {
	x.mu.RLock()
	list := slices.Clone(x.segments)
	x.mu.RUnlock()
	for _, s := range list {
		for i, name := range s.files { // one at a time: an archive may be large
			at, err := records(name)
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("look for records of %s: %w", name, err)
			}
			x.mu.Lock()
			dropPlaces(&s.table, s.deleted, uint64(i), at)
			x.mu.Unlock()
		}
	}
	for {
		s := x.holdsDeleted()
		if s == nil {
			return nil
		}
		if err := x.merge(ctx.Err, []*segment{s}, []*roaring.Bitmap{s.deleted.Clone()}); err != nil {
			return fmt.Errorf("rewrite search index: %w", err)
		}
	}
}

// dropPlaces marks the pages of a file, by its number, that have no record there.
func dropPlaces(t *table, deleted *roaring.Bitmap, file uint64, records map[int64]bool) {
	for doc := range int32(t.n) {
		if t.get(columnFile, doc) == file && !records[int64(t.get(columnOffset, doc))] {
			deleted.Add(uint32(doc))
		}
	}
}

// holdsDeleted returns a segment that has deleted pages, nil if there is none.
func (x *Index) holdsDeleted() *segment {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		if !s.deleted.IsEmpty() {
			return s
		}
	}
	return nil
}
