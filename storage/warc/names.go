package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	prefix     = "forage"
	warcSuffix = ".warc.gz"
	openSuffix = ".open"
	cdxjSuffix = ".cdxj"
	// damagedSuffix marks what recovery has set aside.
	damagedSuffix = ".damaged"
	// tempSuffix marks a file that gets its name when it is complete.
	tempSuffix = ".tmp"
)

// name is the parsed name of an archive file. Its String is what index lines
// and positions call the file, finished or not.
type name struct {
	stamp  string // 14 digits
	serial uint64
	tag    string // 8 lower-case hex digits
}

func (n name) stem() string {
	return fmt.Sprintf("%s-%s-%05d-%s", prefix, n.stamp, n.serial, n.tag)
}

func (n name) String() string { return n.stem() + warcSuffix }

// compare orders names as their files were written.
func (n name) compare(m name) int {
	if c := strings.Compare(n.stamp, m.stamp); c != 0 {
		return c
	}
	if n.serial != m.serial {
		if n.serial < m.serial {
			return -1
		}
		return 1
	}
	return strings.Compare(n.tag, m.tag)
}

// following returns the name for the next file after n: later in order even
// if the clock was set back.
func (n name) following(now time.Time) name {
	next := name{stamp: now.UTC().Format(stampLayout), serial: n.serial + 1, tag: n.tag}
	next.stamp = max(next.stamp, n.stamp)
	return next
}

// parseName is the reverse of String. It takes exactly what String writes.
func parseName(s string) (name, bool) {
	parts := strings.Split(strings.TrimSuffix(s, warcSuffix), "-")
	if len(parts) != 4 || len(parts[1]) != len(stampLayout) || len(parts[3]) != 8 {
		return name{}, false
	}
	serial, err := strconv.ParseUint(parts[2], 10, 48)
	if err != nil || !only(parts[1], "0123456789") || !only(parts[3], "0123456789abcdef") {
		return name{}, false
	}
	n := name{stamp: parts[1], serial: serial, tag: parts[3]}
	return n, n.String() == s
}

func only(s, set string) bool { return strings.Trim(s, set) == "" }

// file is an archive file found in a directory.
type file struct {
	name
	dir  string
	open bool // still named as being written
}

// path is where the records are.
func (f file) path() string {
	p := filepath.Join(f.dir, f.String())
	if f.open {
		p += openSuffix
	}
	return p
}

// finished is where the records are once the file is finished.
func (f file) finished() string { return filepath.Join(f.dir, f.String()) }

// indexPath is where the index lines are.
func (f file) indexPath() string { return filepath.Join(f.dir, f.stem()+cdxjSuffix) }

// list returns the archive files in dir in the order of writing. A file that
// was finished between two looks at the directory appears once.
func list(dir string) ([]file, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, s := range names {
		base, open := strings.CutSuffix(s, openSuffix)
		if n, ok := parseName(base); ok {
			files = append(files, file{name: n, dir: dir, open: open})
		}
	}
	slices.SortFunc(files, func(a, b file) int {
		if c := a.compare(b.name); c != 0 || a.open == b.open {
			return c
		}
		if a.open {
			return 1
		}
		return -1
	})
	return slices.CompactFunc(files, func(a, b file) bool { return a.name == b.name }), nil
}

// sizeOf returns how large files are together, as far as that can be said.
func sizeOf(files []file) (total int64) {
	for _, f := range files {
		info, err := os.Stat(f.path())
		if err != nil && f.open {
			info, err = os.Stat(f.finished())
		}
		if err == nil {
			total += info.Size()
		}
	}
	return total
}

// openFile opens the file for reading, under its other name if it was finished
// meanwhile.
func (f file) openFile() (*os.File, error) {
	r, err := os.Open(f.path())
	if os.IsNotExist(err) && f.open {
		return os.Open(f.finished())
	}
	return r, err
}
