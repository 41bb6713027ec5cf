package index

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"os"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/mmap-go"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/index/dictionary"
)

// ErrDamaged says that a file of the index is not what was written. The index can be made again from the archive.
var ErrDamaged = dictionary.ErrDamaged

// The sections of a segment's file, one after the other.
const (
	sectionPostings = iota
	sectionTerms
	sectionLinks
	sectionTargets
	sectionTable
	sectionCount
)

const segmentMagic = "forage index 1\n\n"

// footer ends a segment's file. Behind it stand its length and checksum.
type footer struct {
	Docs  int      `json:"docs"`
	Words int64    `json:"words"`
	Files []string `json:"files"`
	// Ends are where the sections end, Sums their checksums.
	Ends [sectionCount]int64  `json:"ends"`
	Sums [sectionCount]uint32 `json:"sums"`
}

const (
	footerTail = 8
	maxFooter  = 16 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// segment is a part of the index. It never changes, except that pages are marked as deleted.
type segment struct {
	name string
	table
	footer   footer
	sections [sectionCount][]byte
	terms    dictionary.Dictionary
	targets  dictionary.Dictionary
	deleted  *roaring.Bitmap
	// deletions names the file that deleted was read from or written to last, saved is how many pages that has.
	deletions string
	saved     uint64

	data mmap.MMap
}

// openSegment opens a file that a segmentWriter wrote.
func openSegment(path, name string) (*segment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < int64(len(segmentMagic))+footerTail {
		return nil, fmt.Errorf("%w: %s is too short", ErrDamaged, path)
	}
	data, err := mmap.Map(f, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	s := &segment{name: name, data: data, deleted: roaring.New()}
	if err := s.parse(); err != nil {
		data.Unmap()
		return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, path, err)
	}
	return s, nil
}

var errSections = errors.New("its parts do not fit")

// parse reads the footer, and cuts the file into its sections. It does not read those: that would be to read all of it.
func (s *segment) parse() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its dictionary cannot be read: %v", r)
		}
	}()
	data := []byte(s.data)
	if !bytes.HasPrefix(data, []byte(segmentMagic)) {
		return errSections
	}
	tail := data[len(data)-footerTail:]
	size, sum := binary.LittleEndian.Uint32(tail), binary.LittleEndian.Uint32(tail[4:])
	rest := data[:len(data)-footerTail]
	if size > maxFooter || int(size) > len(rest) {
		return errSections
	}
	raw := rest[len(rest)-int(size):]
	if crc32.Checksum(raw, castagnoli) != sum {
		return errors.New("wrong checksum")
	}
	if err := json.Unmarshal(raw, &s.footer); err != nil {
		return err
	}
	begin, end := int64(len(segmentMagic)), int64(len(rest)-int(size))
	for i, e := range s.footer.Ends {
		if e < begin || e > end {
			return errSections
		}
		s.sections[i] = data[begin:e:e]
		begin = e
	}
	return s.index()
}

// index makes sense of the sections.
func (s *segment) index() (err error) {
	s.n, s.files = s.footer.Docs, s.footer.Files
	rest := s.sections[sectionTable]
	if s.n < 0 || s.n > 1<<30 || len(rest) != s.n*rowBytes {
		return errSections
	}
	for i, w := range columnWidths {
		s.columns[i], rest = rest[:s.n*w], rest[s.n*w:]
	}
	s.order = rest
	if s.terms, err = dictionary.Load(s.sections[sectionPostings], s.sections[sectionTerms]); err == nil {
		s.targets, err = dictionary.Load(s.sections[sectionLinks], s.sections[sectionTargets])
	}
	return err
}

// check reads all of the segment, and compares its checksums.
func (s *segment) check() error {
	for i, section := range s.sections {
		if crc32.Checksum(section, castagnoli) != s.footer.Sums[i] {
			return words.Join(": ", ErrDamaged,
				words.New("said.doctor.index-checksum", words.Args{"file": s.name, "part": i}))
		}
	}
	return nil
}

func (s *segment) close() error {
	if s.data == nil {
		return nil
	}
	data := s.data
	s.data = nil
	return data.Unmap()
}

// live is how many pages are not deleted.
func (s *segment) live() int { return s.n - int(s.deleted.GetCardinality()) }

// postings returns the list of a term, nil if it has none.
func (s *segment) postings(term string) (raw []byte) {
	return s.terms.Get([]byte(term))
}

// beginning returns the terms that begin with a prefix.
func (s *segment) beginning(prefix string) iter.Seq[string] { return s.terms.Beginning(prefix) }
