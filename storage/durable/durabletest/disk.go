// Package durabletest has a disk that fails, and knows what of it would survive a power loss.
package durabletest

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/forage-net/forage/storage/durable"
)

// Kind is how a Disk fails.
type Kind int

const (
	Refuse    Kind = iota // nothing happens: ENOSPC and EIO in turns
	HalfWrite             // half of what was to be written is; ENOSPC
	Afterward             // it happens, but an error is returned: EIO
)

// Lasts is the Span of a fault that does not pass by itself.
const Lasts = 1 << 30

// Disk is the disk of the system, except for the operations that fail. It
// knows what of it would survive a power loss: of a file what a Sync has
// saved, of a directory the names at its last SyncDir. A Sync that fails drops
// what it should have saved for good, as Linux does.
type Disk struct {
	mu     sync.Mutex
	n      int   // operations so far
	FailAt int   // the first operation that fails, counted from 0
	Span   int   // how many fail from there on
	Kind   Kind  // how they fail
	Writes []int // which operations were writes
	healed bool
	end    int  // n when it was healed
	failed bool // at least once

	names, kept map[string]*inode
}

type inode struct {
	saved  []byte
	broken bool // a Sync has failed
}

// New starts with all files in dir saved.
func New(dir string) (*Disk, error) {
	d := &Disk{names: map[string]*inode{}}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d.names[path] = &inode{saved: text}
	}
	d.kept = maps.Clone(d.names)
	return d, err
}

// Heal ends the fault.
func (d *Disk) Heal() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.healed {
		d.healed, d.end = true, d.n
	}
}

// Works reports whether the fault is over.
func (d *Disk) Works() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.healed || d.failed && d.n >= d.FailAt+d.Span
}

// Failed reports whether any operation did.
func (d *Disk) Failed() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Operations returns how many there were that could fail.
func (d *Disk) Operations() int {
	if d.healed {
		return d.end
	}
	return d.n
}

// begin counts an operation and returns the error it ends with.
func (d *Disk) begin() error {
	n := d.n
	d.n++
	if d.healed || n < d.FailAt || n >= d.FailAt+d.Span {
		return nil
	}
	d.failed = true
	if d.Kind == Afterward || d.Kind == Refuse && n%2 == 0 {
		return syscall.EIO
	}
	return syscall.ENOSPC
}

// does carries out an operation that happens in full or not at all.
func (d *Disk) does(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	fault := d.begin()
	if fault != nil && d.Kind != Afterward {
		return fault
	}
	if err := f(); err != nil {
		return err
	}
	return fault
}

// MkdirAll implements durable.FS.
func (d *Disk) MkdirAll(path string, perm os.FileMode) error {
	return d.does(func() error { return os.MkdirAll(path, perm) })
}

// Rename implements durable.FS.
func (d *Disk) Rename(from, to string) error {
	return d.does(func() error {
		if err := os.Rename(from, to); err != nil {
			return err
		}
		d.names[to] = d.names[from]
		delete(d.names, from)
		return nil
	})
}

// Remove implements durable.FS.
func (d *Disk) Remove(path string) error {
	return d.does(func() error {
		delete(d.names, path)
		return os.Remove(path)
	})
}

// SyncDir implements durable.FS.
func (d *Disk) SyncDir(dir string) error {
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

// OpenFile implements durable.FS.
func (d *Disk) OpenFile(path string, flag int, perm os.FileMode) (durable.File, error) {
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
	return &file{File: f, disk: d, inode: d.names[path]}, nil
}

// CreateTemp implements durable.FS.
func (d *Disk) CreateTemp(dir, pattern string) (durable.File, error) {
	var f *os.File
	err := d.does(func() (err error) {
		if f, err = os.CreateTemp(dir, pattern); err == nil {
			d.names[f.Name()] = new(inode)
		}
		return err
	})
	if err != nil {
		if f != nil {
			f.Close()
			os.Remove(f.Name())
		}
		return nil, err
	}
	return &file{File: f, disk: d, inode: d.names[f.Name()]}, nil
}

// AfterPowerLoss writes what has survived of dir to a new directory. With allNames
// all names have, but still not what was in the files.
func (d *Disk) AfterPowerLoss(dir, to string, allNames bool) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
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
			return err
		}
	}
	return nil
}

type file struct {
	*os.File
	disk  *Disk
	inode *inode
}

func (f *file) WriteAt(p []byte, at int64) (int, error) {
	return f.written(p, func(p []byte) (int, error) { return f.File.WriteAt(p, at) })
}

func (f *file) Write(p []byte) (int, error) { return f.written(p, f.File.Write) }

func (f *file) written(p []byte, write func([]byte) (int, error)) (n int, err error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.Writes = append(f.disk.Writes, f.disk.n)
	fault := f.disk.begin()
	switch {
	case fault == nil:
		return write(p)
	case f.disk.Kind == HalfWrite:
		n, _ = write(p[:len(p)/2])
	case f.disk.Kind == Afterward:
		n, _ = write(p)
	}
	return n, fault
}

func (f *file) Truncate(size int64) error {
	return f.disk.does(func() error { return f.File.Truncate(size) })
}

func (f *file) Sync() error {
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
func (f *file) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	fault := f.disk.begin()
	if err := f.File.Close(); err != nil {
		return err
	}
	return fault
}
