// Package warcfile knows the files of an archive: their names, which sort in the order of writing, and the captures in
// them. It reads while somebody else writes: a file that is finished meanwhile is found under its other name.
package warcfile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/storage/warc/capture"
)

// The names of files: prefix and Suffix, with OpenSuffix while a file is being written; that of an index.
const (
	prefix      = "forage"
	Suffix      = ".warc.gz"
	OpenSuffix  = ".open"
	IndexSuffix = ".cdxj"
)

// What is put to such a name.
const (
	DamagedSuffix = ".damaged" // what recovery has set aside
	CutSuffix     = ".cut"     // what repair has moved out of a file or an index
	TempSuffix    = ".tmp"     // a file that gets its name when it is complete
)

// StampLayout is the 14-digit timestamp of file names and index lines.
const StampLayout = "20060102150405"

// Name is the parsed name of an archive file. Its String is what index lines
// and positions call the file, finished or not.
type Name struct {
	Stamp  string // 14 digits
	Serial uint64
	Tag    string // 8 lower-case hex digits, drawn once for a directory
}

// Stem is what the names of a file and of its index begin with.
func (n Name) Stem() string {
	return fmt.Sprintf("%s-%s-%05d-%s", prefix, n.Stamp, n.Serial, n.Tag)
}

func (n Name) String() string { return n.Stem() + Suffix }

// Compare orders names as their files were written.
func (n Name) Compare(m Name) int {
	if c := strings.Compare(n.Stamp, m.Stamp); c != 0 {
		return c
	}
	if n.Serial != m.Serial {
		if n.Serial < m.Serial {
			return -1
		}
		return 1
	}
	return strings.Compare(n.Tag, m.Tag)
}

// Following returns the name for the next file after n: later in order even
// if the clock was set back.
func (n Name) Following(now time.Time) Name {
	next := Name{Stamp: now.UTC().Format(StampLayout), Serial: n.Serial + 1, Tag: n.Tag}
	next.Stamp = max(next.Stamp, n.Stamp)
	return next
}

// ParseName is the reverse of String. It takes exactly what String writes.
func ParseName(s string) (Name, bool) {
	parts := strings.Split(strings.TrimSuffix(s, Suffix), "-")
	if len(parts) != 4 || len(parts[1]) != len(StampLayout) || len(parts[3]) != 8 {
		return Name{}, false
	}
	serial, err := strconv.ParseUint(parts[2], 10, 48)
	if err != nil || !only(parts[1], "0123456789") || !only(parts[3], "0123456789abcdef") {
		return Name{}, false
	}
	n := Name{Stamp: parts[1], Serial: serial, Tag: parts[3]}
	return n, n.String() == s
}

// ID names the capture whose response record is at offset of the file: the name without its ending, and that place.
func (n Name) ID(offset int64) string { return n.Stem() + "." + strconv.FormatInt(offset, 10) }

// ParseID is the reverse of Name.ID. It takes exactly what that writes, so that
// no ID leads out of an archive's directory.
func ParseID(s string) (n Name, offset int64, ok bool) {
	stem, digits, _ := strings.Cut(s, ".")
	if n, ok = ParseName(stem + Suffix); !ok {
		return Name{}, 0, false
	}
	offset, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || offset <= 0 || n.ID(offset) != s {
		return Name{}, 0, false
	}
	return n, offset, true
}

// ID returns the ID of the capture whose response record is at a position, "" if no capture can be there.
func ID(p capture.Position) string {
	n, ok := ParseName(p.File)
	if !ok {
		return ""
	}
	return n.ID(p.RecordOffset)
}

// SetAside reports whether a file of that name is what was moved out of an archive file or an index, or is such a file
// that was not completed.
func SetAside(name string) bool {
	i := max(strings.Index(name, Suffix), strings.Index(name, IndexSuffix))
	if i < 0 || !strings.HasPrefix(name, prefix+"-") {
		return false
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(name[i:], Suffix), IndexSuffix)
	rest = strings.TrimPrefix(rest, OpenSuffix)
	return strings.HasPrefix(rest, CutSuffix) || strings.HasPrefix(rest, DamagedSuffix) || rest == TempSuffix
}

func only(s, set string) bool { return strings.Trim(s, set) == "" }

// File is an archive file found in a directory.
type File struct {
	Name
	Dir string
	// Unfinished says that it is still named as being written.
	Unfinished bool
}

// Path is where the records are.
func (f File) Path() string {
	p := filepath.Join(f.Dir, f.String())
	if f.Unfinished {
		p += OpenSuffix
	}
	return p
}

// Finished is where the records are once the file is finished.
func (f File) Finished() string { return filepath.Join(f.Dir, f.String()) }

// IndexPath is where the index lines are.
func (f File) IndexPath() string { return filepath.Join(f.Dir, f.Stem()+IndexSuffix) }

// List returns the archive files in dir in the order of writing. A file that
// was finished between two looks at the directory appears once.
func List(dir string) ([]File, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, s := range names {
		base, open := strings.CutSuffix(s, OpenSuffix)
		if n, ok := ParseName(base); ok {
			files = append(files, File{Name: n, Dir: dir, Unfinished: open})
		}
	}
	slices.SortFunc(files, func(a, b File) int {
		if c := a.Compare(b.Name); c != 0 || a.Unfinished == b.Unfinished {
			return c
		}
		if a.Unfinished {
			return 1
		}
		return -1
	})
	return slices.CompactFunc(files, func(a, b File) bool { return a.Name == b.Name }), nil
}

// Size returns how large files are together, as far as that can be said.
func Size(files []File) (total int64) {
	for _, f := range files {
		info, err := os.Stat(f.Path())
		if err != nil && f.Unfinished {
			info, err = os.Stat(f.Finished())
		}
		if err == nil {
			total += info.Size()
		}
	}
	return total
}

// Open opens the file for reading, under its other name if it was finished
// meanwhile.
func (f File) Open() (*os.File, error) {
	r, err := os.Open(f.Path())
	if os.IsNotExist(err) && f.Unfinished {
		return os.Open(f.Finished())
	}
	return r, err
}
