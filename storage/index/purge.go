package index

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// KeepPlaces removes the pages whose records are no longer in the archive, and leaves nothing of them in any file. records returns where
// in a file there are records. Nothing may be added meanwhile; whenever it is interrupted, a second call goes on.
func (x *Index) KeepPlaces(ctx context.Context, records func(file string) (map[int64]bool, error)) error {
	files := make(map[string]map[int64]bool)
	x.mu.Lock()
	for _, s := range x.segments {
		for _, name := range s.files {
			if files[name] != nil {
				continue
			}
			at, err := records(name)
			if err != nil {
				x.mu.Unlock()
				return fmt.Errorf("look for records of %s: %w", name, err)
			}
			files[name] = at
		}
		dropPlaces(&s.table, s.deleted, files)
	}
	x.mu.Unlock()
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

func dropPlaces(t *table, deleted *roaring.Bitmap, files map[string]map[int64]bool) {
	for doc := range int32(t.n) {
		if p := t.place(doc); !files[p.File][p.Offset] {
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
