package warc

import (
	"io"
	"os"

	"github.com/forage-net/forage/storage/durable"
)

// fileSystem is what the package changes files and directories through, so
// that tests can be the disk that fails. What is only read is not opened
// through it.
type fileSystem interface {
	MkdirAll(path string, perm os.FileMode) error
	OpenFile(path string, flag int, perm os.FileMode) (diskFile, error)
	// CreateTemp makes a scratch file where the system keeps them.
	CreateTemp(pattern string) (diskFile, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes names that were given or taken in dir survive a power loss.
	SyncDir(dir string) error
}

// diskFile is a file of a fileSystem.
type diskFile interface {
	io.Reader
	io.Writer
	io.WriterAt
	io.Seeker
	io.Closer
	Name() string
	Stat() (os.FileInfo, error)
	Sync() error
	Truncate(size int64) error
}

// disk is the fileSystem of the operating system.
type disk struct{}

func (disk) MkdirAll(path string, perm os.FileMode) error { return os.MkdirAll(path, perm) }
func (disk) Rename(from, to string) error                 { return os.Rename(from, to) }
func (disk) Remove(path string) error                     { return os.Remove(path) }
func (disk) SyncDir(dir string) error                     { return durable.SyncDir(dir) }

func (disk) OpenFile(path string, flag int, perm os.FileMode) (diskFile, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (disk) CreateTemp(pattern string) (diskFile, error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return nil, err
	}
	return f, nil
}
