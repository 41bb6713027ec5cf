package durable

import (
	"errors"
	"io"
	"os"
)

// FS is what files and directories are changed through, so that tests can be the disk that fails (durabletest). What
// is only read is not opened through it.
type FS interface {
	MkdirAll(path string, perm os.FileMode) error
	OpenFile(path string, flag int, perm os.FileMode) (File, error)
	// CreateTemp makes a file for the user alone, as os.CreateTemp does.
	CreateTemp(dir, pattern string) (File, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes names that were given or taken in dir survive a power loss.
	SyncDir(dir string) error
}

// File is a file of an FS.
type File interface {
	io.Reader
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	Chmod(mode os.FileMode) error
	Sync() error
	Truncate(size int64) error
}

// Disk is the FS of the operating system.
type Disk struct{}

// MkdirAll implements FS.
func (Disk) MkdirAll(path string, perm os.FileMode) error { return os.MkdirAll(path, perm) }

// Rename implements FS.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements FS.
func (Disk) Remove(path string) error { return os.Remove(path) }

// SyncDir implements FS.
func (Disk) SyncDir(dir string) error { return SyncDir(dir) }

// OpenFile implements FS.
func (Disk) OpenFile(path string, flag int, perm os.FileMode) (File, error) {
	return file(os.OpenFile(path, flag, perm))
}

// CreateTemp implements FS.
func (Disk) CreateTemp(dir, pattern string) (File, error) { return file(os.CreateTemp(dir, pattern)) }

func file(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

// RemoveIfThere removes a file, if there is one of that name.
func RemoveIfThere(fs FS, path string) error {
	if err := fs.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Size returns the length of an open file in bytes.
func Size(f interface{ Stat() (os.FileInfo, error) }) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
