package index

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

const (
	manifestName    = "manifest.json"
	segmentSuffix   = ".segment"
	deletionsSuffix = ".deleted"
	manifestVersion = 1
	maxManifest     = 1 << 20
)

// manifest says which files are the index.
type manifest struct {
	Version    int             `json:"version"`
	Generation uint64          `json:"generation"`
	Checkpoint Place           `json:"checkpoint"`
	Segments   []manifestEntry `json:"segments"`
}

type manifestEntry struct {
	Name      string `json:"name"`
	Deletions string `json:"deletions,omitempty"`
}

// isOurs reports whether a name is one that this package gives.
func isOurs(name string) bool {
	return strings.Contains(name, segmentSuffix) || strings.HasSuffix(name, deletionsSuffix) ||
		name == manifestName+".new"
}

func readManifest(dir string) (m manifest, err error) {
	f, err := os.Open(filepath.Join(dir, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer f.Close()
	d := json.NewDecoder(io.LimitReader(f, maxManifest))
	if err := d.Decode(&m); err != nil || m.Version != manifestVersion {
		return m, words.Join(": ", ErrDamaged,
			words.New("said.doctor.index-file-unreadable", words.Args{"file": f.Name()}))
	}
	for _, e := range m.Segments {
		for _, name := range []string{e.Name, e.Deletions} {
			if name != "" && (filepath.Base(name) != name || !isOurs(name)) {
				return m, fmt.Errorf("%w: %s names a file of something else", ErrDamaged, f.Name())
			}
		}
	}
	return m, nil
}

// Commit writes what was added, and that all pages of the archive before a place are in the index. If it fails,
// nothing has changed.
func (x *Index) Commit(checkpoint Place) error {
	x.adds.Lock()
	defer x.adds.Unlock()
	if err := x.commit(checkpoint); err != nil {
		return words.New("said.doctor.index-write", words.Args{"error": err})
	}
	return nil
}

func (x *Index) commit(checkpoint Place) error {
	list := slices.Clone(x.segments) // it changes only under adds
	var fresh *segment
	if x.memory.n > int(x.memory.deleted.GetCardinality()) {
		name := x.name(segmentSuffix)
		if err := x.memory.write(x.disk, x.path(name)); err != nil {
			return err
		}
		s, err := openSegment(x.path(name), name)
		if err != nil {
			os.Remove(x.path(name))
			return err
		}
		s.deleted = x.memory.deleted.Clone()
		fresh, list = s, append(list, s)
	}
	if named, err := x.save(list, checkpoint); err != nil {
		if fresh != nil {
			x.drop(fresh, named)
		}
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.segments, x.checkpoint, x.memory = list, checkpoint, newMemory()
	return nil
}

// drop closes a segment that was to become part of the index. Its files stay if a manifest names them.
func (x *Index) drop(s *segment, named bool) {
	s.close()
	if named {
		return
	}
	os.Remove(x.path(s.name))
	if s.deletions != "" {
		os.Remove(x.path(s.deletions))
	}
}

// name returns the name of a file that there is not yet.
func (x *Index) name(suffix string) string {
	x.generation++
	return fmt.Sprintf("%08d%s", x.generation, suffix)
}

// save makes a list of segments the index, with what is deleted of them. If it fails, named says that the
// manifest names them all the same, although that may not survive a power loss.
func (x *Index) save(list []*segment, checkpoint Place) (named bool, err error) {
	m := manifest{Version: manifestVersion, Checkpoint: checkpoint, Segments: make([]manifestEntry, 0, len(list))}
	var old []string
	for _, s := range list {
		if n := s.deleted.GetCardinality(); n != s.saved {
			name := x.name(deletionsSuffix)
			raw, err := s.deleted.ToBytes()
			if err != nil {
				return false, err
			}
			if err := writeFile(x.disk, x.path(name), raw); err != nil {
				return false, err
			}
			old = append(old, s.deletions)
			s.deletions, s.saved = name, n
		}
		m.Segments = append(m.Segments, manifestEntry{s.name, s.deletions})
	}
	m.Generation = x.generation
	raw, err := json.Marshal(m)
	if err != nil {
		return false, err
	}
	if err := writeFile(x.disk, x.path(manifestName+".new"), raw); err != nil {
		return false, err
	}
	if err := x.disk.Rename(x.path(manifestName+".new"), x.path(manifestName)); err != nil {
		os.Remove(x.path(manifestName + ".new"))
		return false, err
	}
	if err := durable.SyncDir(x.dir); err != nil {
		return true, err
	}
	for _, name := range old {
		if name != "" {
			os.Remove(x.path(name)) // else the next start does
		}
	}
	return true, nil
}

const (
	// mergeFrom is how many segments of a size become one.
	mergeFrom = 8
	// firstTier is up to how many pages the smallest size goes; each next one is mergeFrom times as large.
	firstTier = 2000
	// tiers is how many sizes there are; no page gets a number above 1<<31.
	tiers = 8
)

func tier(s *segment) (n int) {
	for live := s.live(); live > firstTier; live /= mergeFrom {
		n++
	}
	return n
}

// due returns the segments that are to be merged, from up to to. Segments of a size wait until there are enough
// of them, however many smaller ones come after them: so each page is written again about once for each size.
func due(list []*segment) (from, to int) {
	for i, s := range list {
		if s.n > 0 && s.live() < s.n/2 {
			return i, i + 1
		}
	}
	for t := range tiers {
		n := 0
		for i := len(list) - 1; i >= 0 && tier(list[i]) <= t; i-- {
			if tier(list[i]) < t {
				continue
			}
			if n++; n == 1 {
				to = i + 1
			}
			from = i
		}
		if n >= mergeFrom {
			return from, to
		}
	}
	return 0, 0
}

// Merge merges segments, if there are enough of a size, and reports whether it did. The pages found are the
// same before and after. pace, if it is not nil, is called between pieces of the work; an error of it ends the
// merge, and nothing has changed then.
func (x *Index) Merge(ctx context.Context, pace func() error) (merged bool, err error) {
	if pace == nil {
		pace = ctx.Err
	}
	x.mu.RLock()
	from, to := due(x.segments)
	list := slices.Clone(x.segments[from:to])
	deleted := make([]*roaring.Bitmap, len(list))
	for i, s := range list {
		deleted[i] = s.deleted.Clone()
	}
	x.mu.RUnlock()
	if len(list) == 0 || x.readOnly {
		return false, nil
	}
	defer func() {
		if r := recover(); r != nil { // a dictionary whose bytes have changed
			merged, err = false, fmt.Errorf("merge search index: %w: %v", ErrDamaged, r)
		}
	}()
	if err := x.merge(pace, list, deleted); err != nil {
		return false, words.New("said.doctor.index-merge", words.Args{"error": err})
	}
	return true, nil
}

// merge writes one segment in place of a list. Pages may be added and deleted meanwhile; one merge goes on at a time.
func (x *Index) merge(pace func() error, list []*segment, deleted []*roaring.Bitmap) error {
	x.adds.Lock()
	name := x.name(segmentSuffix)
	x.adds.Unlock()
	m := newMerger(list, deleted)
	if err := m.write(pace, x.disk, x.path(name)); err != nil {
		return err
	}
	s, err := openSegment(x.path(name), name)
	if err != nil {
		os.Remove(x.path(name))
		return err
	}
	x.adds.Lock()
	defer x.adds.Unlock()
	at := slices.Index(x.segments, list[0])
	if at < 0 {
		x.drop(s, false)
		return errors.New("it was closed meanwhile")
	}
	for i, old := range list {
		late := roaring.AndNot(old.deleted, deleted[i])
		for it := late.Iterator(); it.HasNext(); {
			if doc := m.renamed[i][it.Next()]; doc != deletedNumber {
				s.deleted.Add(uint32(doc))
			}
		}
	}
	all := slices.Replace(slices.Clone(x.segments), at, at+len(list), s)
	if s.n == 0 {
		all = slices.Delete(all, at, at+1)
	}
	if named, err := x.save(all, x.checkpoint); err != nil {
		x.drop(s, named)
		return err
	}
	x.mu.Lock()
	x.segments = all
	for _, old := range list {
		err = errors.Join(err, old.close())
	}
	x.mu.Unlock()
	if s.n == 0 {
		x.drop(s, false)
	}
	for _, old := range list {
		os.Remove(x.path(old.name)) // else the next start does
		if old.deletions != "" {
			os.Remove(x.path(old.deletions))
		}
	}
	return err
}
