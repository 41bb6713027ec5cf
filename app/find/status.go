package find

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage/index"
)

// ErrAhead says that an index goes further than its archive, of which the end was lost. It has to be made again.
var ErrAhead error = words.New("said.doctor.index-is-ahead", nil)

const (
	// typicalPage is what a page takes in the archive as long as there are none to measure, in bytes.
	typicalPage = 15_000
	// leastPage is less than any page takes: if the mean is below it, most pages lie behind the trail's place.
	leastPage = 500
)

// Status says how an index stands.
type Status struct {
	index.Stats
	// Waiting is about how many pages of the archive are not in the index yet; see Finder.Waiting.
	Waiting int
	// Behind says that pages of the archive are not in the index yet, Full that it takes what it may, On that
	// it is wanted.
	Behind, Full, On bool
}

// Status returns how the index stands.
func (f *Finder) Status() Status {
	_, _, behind := f.trail.toRead()
	return Status{Stats: f.index.Stats(), Waiting: f.Waiting(), Behind: behind, Full: f.full.Load(),
		On: f.cfg.Settings().On}
}

// Waiting estimates how many pages of the archive are not in the index yet. It takes it that a page takes as
// many bytes there as those before it, with everything that is no page and with pages that were replaced later.
func (f *Finder) Waiting() int {
	from, to, ok := f.trail.gap()
	if !ok {
		return 0
	}
	files := filesOf(f.cfg.Archive)
	left := bytesBetween(files, from, to)
	each := int64(typicalPage)
	if pages := int64(f.index.Stats().Pages); pages > 0 {
		mean := (bytesBetween(files, index.Place{}, index.Place{}) - left) / pages
		if mean >= leastPage {
			each = mean
		}
	}
	return rounded(int((left + each/2) / each))
}

// rounded leaves the first two digits of a number as they are: more would say more than is known.
func rounded(n int) int {
	unit := 1
	for n/unit >= 100 {
		unit *= 10
	}
	return n / unit * unit
}

// archiveFile is a file of an archive, without the ending of one that is being written.
type archiveFile struct {
	name string
	size int64
}

// filesOf returns the files of an archive in order; what cannot be looked at is left out.
func filesOf(dir string) (files []archiveFile) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".open")
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(name, ".warc.gz") {
			files = append(files, archiveFile{name, info.Size()})
		}
	}
	return files
}

// bytesBetween returns how much of an archive lies between two places. The zero Place is its beginning, or its end.
func bytesBetween(files []archiveFile, from, to index.Place) (n int64) {
	for _, f := range files {
		begin, end := int64(0), f.size
		if f.name == from.File {
			begin = from.Offset
		}
		if f.name == to.File {
			end = min(end, to.Offset)
		}
		if f.name >= from.File && (to.File == "" || f.name <= to.File) {
			n += max(end-begin, 0)
		}
	}
	return n
}

// Examination is what a look at an index found.
type Examination struct {
	Status
	// Gone counts the pages in the index whose files are no longer in the archive. They are left out when a
	// node starts.
	Gone int
	// Fault says why the index has to be made again, nil if it is whole: it is index.ErrDamaged or ErrAhead.
	Fault error
}

// Examine looks at an index without changing it; with all, it reads every byte of it. The error is
// os.ErrNotExist if there is none. A node that runs may write meanwhile.
func Examine(cfg Config, all bool) (x Examination, err error) {
	if _, err := os.Stat(cfg.Index); err != nil {
		return x, words.New("said.doctor.index-examine", words.Args{"error": err})
	}
	cfg.ReadOnly = true
	f, err := openBeside(cfg)
	if errors.Is(err, index.ErrDamaged) {
		x.Fault = err
		return x, nil
	}
	if err != nil {
		return x, err
	}
	defer f.Close()
	x.Status = f.Status()
	x.Full = x.Bytes >= f.cfg.Settings().MaxBytes
	x.Gone = f.index.KeepFiles(f.there) // in memory alone
	if at := f.index.Checkpoint(); isAhead(filesOf(cfg.Archive), at) {
		x.Fault = ErrAhead
	}
	if all && x.Fault == nil {
		x.Fault = f.index.Check()
	}
	return x, nil
}

// openTries is how often opening is tried while a node may be writing: a merge removes files that the manifest
// named a moment ago.
const openTries = 5

func openBeside(cfg Config) (f *Finder, err error) {
	for range openTries {
		if f, err = Open(cfg); !errors.Is(err, index.ErrDamaged) {
			break
		}
	}
	return f, err
}

// isAhead reports whether an archive ends before a place in it. If it has no such file, it may have been
// removed on purpose.
func isAhead(files []archiveFile, at index.Place) bool {
	return slices.ContainsFunc(files, func(f archiveFile) bool { return f.name == at.File && f.size < at.Offset })
}
