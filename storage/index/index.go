package index

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/durable"
)

// ErrFull is returned by Add when so many pages are in memory that a Commit must come first.
var ErrFull = errors.New("the search index has to be written before more pages are added")

// Index is an index in a directory of its own. Its methods are safe for concurrent use.
type Index struct {
	dir      string
	readOnly bool
	disk     durable.FS

	// adds admits one writer at a time. mu guards the fields below; it is free while a segment is written, so
	// that searches go on.
	adds sync.Mutex
	mu   sync.RWMutex

	segments   []*segment // the oldest first
	memory     *memory
	checkpoint Place
	generation uint64
}

// Open opens the index in a directory, and makes it if there is none. An error that is ErrDamaged says that it
// has to be made again: Remove, then Open. Nothing is written if readOnly, nor can anything be added then.
func Open(dir string, readOnly bool) (*Index, error) {
	x := &Index{dir: dir, readOnly: readOnly, disk: durable.Disk{}, memory: newMemory()}
	if !readOnly {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("make search index: %w", err)
		}
	}
	m, err := readManifest(dir)
	if err == nil {
		err = x.load(m)
	}
	if err == nil && !readOnly {
		err = x.tidy()
	}
	if err != nil {
		x.Close()
		return nil, words.New("said.doctor.index-open", words.Args{"error": err})
	}
	return x, nil
}

// Remove deletes the index in a directory.
func Remove(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return words.New("said.doctor.index-remove", words.Args{"error": err})
	}
	return nil
}

func (x *Index) load(m manifest) error {
	x.checkpoint, x.generation = m.Checkpoint, m.Generation
	for _, e := range m.Segments {
		s, err := openSegment(x.path(e.Name), e.Name)
		if errors.Is(err, os.ErrNotExist) {
			return words.Join(": ", ErrDamaged, words.New("said.doctor.index-file-missing", words.Args{"file": e.Name}))
		}
		if err != nil {
			return err
		}
		x.segments = append(x.segments, s)
		if e.Deletions == "" {
			continue
		}
		if s.deletions = e.Deletions; readDeletions(x.path(e.Deletions), s) != nil {
			return words.Join(": ", ErrDamaged,
				words.New("said.doctor.index-file-unreadable", words.Args{"file": e.Deletions}))
		}
	}
	return nil
}

func readDeletions(path string, s *segment) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := s.deleted.UnmarshalBinary(raw); err != nil {
		return err
	}
	s.saved = s.deleted.GetCardinality()
	if s.saved > 0 && s.deleted.Maximum() >= uint32(s.n) {
		return ErrDamaged
	}
	return nil
}

// tidy removes files that a crash left, and those of segments that were merged.
func (x *Index) tidy() error {
	entries, err := os.ReadDir(x.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		used := name == manifestName || slices.ContainsFunc(x.segments,
			func(s *segment) bool { return s.name == name || s.deletions == name })
		if !used && isOurs(name) {
			if err := os.Remove(filepath.Join(x.dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *Index) path(name string) string { return filepath.Join(x.dir, name) }

// Close closes the index. What was added since the last Commit is lost.
func (x *Index) Close() error {
	x.adds.Lock()
	defer x.adds.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	var err error
	for _, s := range x.segments {
		err = errors.Join(err, s.close())
	}
	x.segments, x.memory = nil, newMemory()
	return err
}

// Checkpoint returns the place in the archive before which all pages are in the index, as of the last Commit.
func (x *Index) Checkpoint() Place {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.checkpoint
}

// Waiting returns how many pages are in memory, to be written by the next Commit.
func (x *Index) Waiting() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.memory.n
}

// Due reports whether a Commit should come soon: so many pages are in memory, or they take half of what they may.
func (x *Index) Due(pages int) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.memory.n >= pages || x.memory.bytes >= MaxMemoryBytes/2
}

// Stats are the sizes of an index.
type Stats struct {
	Pages    int
	Segments int
	Bytes    int64 // on disk
}

// Stats returns the size of the index.
func (x *Index) Stats() (st Stats) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		st.Pages += s.live()
		st.Bytes += int64(len(s.data))
	}
	st.Segments = len(x.segments)
	st.Pages += x.memory.n - int(x.memory.deleted.GetCardinality())
	return st
}

// Check reads all of the index. The error is ErrDamaged for the first file that is not what was written.
func (x *Index) Check() error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		if err := s.check(); err != nil {
			return err
		}
	}
	return nil
}

// Add adds a page, in place of earlier pages of its address. It does nothing, and reports false, if the page is
// there already, or a later one of its address.
func (x *Index) Add(d *Doc) (added bool, err error) {
	x.adds.Lock()
	defer x.adds.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.readOnly {
		return false, errors.New("the search index is open for reading only")
	}
	if x.memory.n >= MaxMemory || x.memory.bytes >= MaxMemoryBytes {
		return false, ErrFull
	}
	later := false
	x.eachOf(d.URL, func(t *table, doc int32, _ *roaring.Bitmap) {
		if t.place(doc) == d.Place || t.time(doc).After(d.Time) {
			later = true
		}
	})
	if later {
		return false, nil
	}
	x.remove(d.URL, d.Time)
	x.memory.add(d)
	return true, nil
}

// Has reports whether a page is in the index, or a later one of its address.
func (x *Index) Has(url uint64, at Place, fetched time.Time) (has bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.eachOf(url, func(t *table, doc int32, _ *roaring.Bitmap) {
		has = has || t.place(doc) == at || t.time(doc).After(fetched)
	})
	return has
}

// Of returns the page of an address, fetched at a time if that is not zero.
func (x *Index) Of(url uint64, fetched time.Time) (h Hit, ok bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	x.eachOf(url, func(t *table, doc int32, _ *roaring.Bitmap) {
		if fetched.IsZero() || t.time(doc).Unix() == fetched.Unix() {
			h, ok = hitOf(t, doc, 0), true
		}
	})
	return h, ok
}

// RemovePage removes what was fetched of an address up to a time.
func (x *Index) RemovePage(url uint64, until time.Time) {
	x.adds.Lock()
	defer x.adds.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.remove(url, until)
}

func (x *Index) remove(url uint64, until time.Time) {
	x.eachOf(url, func(t *table, doc int32, deleted *roaring.Bitmap) {
		if !t.time(doc).After(until) {
			deleted.Add(uint32(doc))
		}
	})
}

// eachOf calls fn for the pages of an address that are not deleted.
func (x *Index) eachOf(url uint64, fn func(t *table, doc int32, deleted *roaring.Bitmap)) {
	if doc, ok := x.memory.byURL[url]; ok && !x.memory.deleted.Contains(uint32(doc)) {
		fn(&x.memory.table, doc, x.memory.deleted)
	}
	for _, s := range x.segments {
		s.withURL(url, func(doc int32) bool {
			if !s.deleted.Contains(uint32(doc)) {
				fn(&s.table, doc, s.deleted)
			}
			return true
		})
	}
}

// KeepFiles removes the pages whose files are no longer in the archive, and returns how many those were.
func (x *Index) KeepFiles(there func(file string) bool) (removed int) {
	x.adds.Lock()
	defer x.adds.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range x.segments {
		removed += dropFiles(&s.table, s.deleted, there)
	}
	return removed + dropFiles(&x.memory.table, x.memory.deleted, there)
}

func dropFiles(t *table, deleted *roaring.Bitmap, there func(file string) bool) (n int) {
	gone := make([]bool, len(t.files))
	some := false
	for i, name := range t.files {
		gone[i] = !there(name)
		some = some || gone[i]
	}
	if !some {
		return 0
	}
	for doc := range int32(t.n) {
		if f := t.get(columnFile, doc); f < uint64(len(gone)) && gone[f] && deleted.CheckedAdd(uint32(doc)) {
			n++
		}
	}
	return n
}
