package warc

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// faultKind is how a faultyDisk fails.
type faultKind int

const (
	refuse    faultKind = iota // nothing happens: ENOSPC and EIO in turns
	halfWrite                  // half of what was to be written is; ENOSPC
	afterward                  // it happens, but an error is returned: EIO
)

// lasts is how many operations a fault that does not pass by itself meets.
const lasts = 1 << 30

// faultyDisk is the disk of the system, but for the operations that fail. It
// knows what of it would survive a power loss: of a file what a Sync has
// saved, of a directory the names at its last SyncDir. A Sync that fails drops
// what it should have saved for good, as Linux does.
type faultyDisk struct {
	mu     sync.Mutex
	n      int   // operations so far
	failAt int   // counted from 0
	span   int   // how many fail from there on
	writes []int // which operations were writes
	healed bool
	end    int  // n when it was healed
	failed bool // at least once
	kind   faultKind

	names, kept map[string]*inode
}

type inode struct {
	saved  []byte
	broken bool // a Sync has failed
}

// newFaultyDisk starts with all files in dir saved.
func newFaultyDisk(t testing.TB, dir string) *faultyDisk {
	d := &faultyDisk{names: map[string]*inode{}}
	for name, text := range contents(t, dir) {
		d.names[filepath.Join(dir, name)] = &inode{saved: []byte(text)}
	}
	d.kept = maps.Clone(d.names)
	return d
}

// heal ends the fault.
func (d *faultyDisk) heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.healed {
		d.healed, d.end = true, d.n
	}
}

// works reports whether the fault is over.
func (d *faultyDisk) works() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.healed || d.failed && d.n >= d.failAt+d.span
}

// operations returns how many there were that could fail.
func (d *faultyDisk) operations() int {
	if d.healed {
		return d.end
	}
	return d.n
}

// begin counts an operation and returns the error it ends with.
func (d *faultyDisk) begin() error {
	n := d.n
	d.n++
	if d.healed || n < d.failAt || n >= d.failAt+d.span {
		return nil
	}
	d.failed = true
	if d.kind == afterward || d.kind == refuse && n%2 == 0 {
		return syscall.EIO
	}
	return syscall.ENOSPC
}

// does carries out an operation that happens in full or not at all.
func (d *faultyDisk) does(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	fault := d.begin()
	if fault != nil && d.kind != afterward {
		return fault
	}
	if err := f(); err != nil {
		return err
	}
	return fault
}

func (d *faultyDisk) MkdirAll(path string, perm os.FileMode) error {
	return d.does(func() error { return os.MkdirAll(path, perm) })
}

func (d *faultyDisk) Rename(from, to string) error {
	return d.does(func() error {
		if err := os.Rename(from, to); err != nil {
			return err
		}
		d.names[to] = d.names[from]
		delete(d.names, from)
		return nil
	})
}

func (d *faultyDisk) Remove(path string) error {
	return d.does(func() error {
		delete(d.names, path)
		return os.Remove(path)
	})
}

func (d *faultyDisk) SyncDir(dir string) error {
	return d.does(func() error {
		maps.DeleteFunc(d.kept, func(path string, _ *inode) bool { return filepath.Dir(path) == dir })
		for path, i := range d.names {
			if filepath.Dir(path) == dir {
				d.kept[path] = i
			}
		}
		return nil
	})
}

func (d *faultyDisk) OpenFile(path string, flag int, perm os.FileMode) (diskFile, error) {
	var f *os.File
	err := d.does(func() (err error) {
		if f, err = os.OpenFile(path, flag, perm); err == nil && d.names[path] == nil {
			d.names[path] = new(inode)
		}
		return err
	})
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	return &faultyFile{File: f, disk: d, inode: d.names[path]}, nil
}

func (d *faultyDisk) CreateTemp(pattern string) (diskFile, error) {
	var f *os.File
	err := d.does(func() (err error) { f, err = os.CreateTemp("", pattern); return err })
	if err != nil {
		if f != nil {
			f.Close()
			os.Remove(f.Name())
		}
		return nil, err
	}
	return &faultyFile{File: f, disk: d, inode: new(inode)}, nil
}

// afterPowerLoss writes what has survived to a new directory. With allNames
// all names have, but still not what was in the files.
func (d *faultyDisk) afterPowerLoss(t testing.TB, dir, to string, allNames bool) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	names := d.kept
	if allNames {
		names = d.names
	}
	for path, i := range names {
		name, ok := strings.CutPrefix(path, dir+string(filepath.Separator))
		if !ok {
			continue
		}
		if err := os.WriteFile(filepath.Join(to, name), i.saved, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

type faultyFile struct {
	*os.File
	disk  *faultyDisk
	inode *inode
}

func (f *faultyFile) WriteAt(p []byte, at int64) (int, error) {
	return f.written(p, func(p []byte) (int, error) { return f.File.WriteAt(p, at) })
}

func (f *faultyFile) Write(p []byte) (int, error) { return f.written(p, f.File.Write) }

func (f *faultyFile) written(p []byte, write func([]byte) (int, error)) (n int, err error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.writes = append(f.disk.writes, f.disk.n)
	fault := f.disk.begin()
	switch {
	case fault == nil:
		return write(p)
	case f.disk.kind == halfWrite:
		n, _ = write(p[:len(p)/2])
	case f.disk.kind == afterward:
		n, _ = write(p)
	}
	return n, fault
}

func (f *faultyFile) Truncate(size int64) error {
	return f.disk.does(func() error { return f.File.Truncate(size) })
}

func (f *faultyFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.disk.begin(); err != nil {
		f.inode.broken = true
		return err
	}
	if f.inode.broken {
		return nil // and nothing is saved
	}
	data, err := os.ReadFile(f.Name())
	f.inode.saved = bytes.Clone(data)
	return err
}

// Close closes the file whatever it returns.
func (f *faultyFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	fault := f.disk.begin()
	if err := f.File.Close(); err != nil {
		return err
	}
	return fault
}
