package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// fileSystem is what files are written through, so that tests can be the disk
// that fails.
type fileSystem interface {
	// CreateTemp makes a new file for the user alone.
	CreateTemp(dir, pattern string) (diskFile, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncDir makes a rename in dir survive a power loss.
	SyncDir(dir string) error
}

// diskFile is a file being written.
type diskFile interface {
	Name() string
	WriteString(s string) (int, error)
	Sync() error
	Close() error
}

// replaceFile writes a file that is there in full or not at all, also after a
// power loss, for the user alone. If it fails, the file is as it was, or as it
// should be where only the last step failed. A symbolic link stays one: people
// keep their settings elsewhere.
func replaceFile(path, text string) error { return replaceFileOn(disk{}, path, text) }

func replaceFileOn(fs fileSystem, path, text string) error {
	return replaceFileUnless(fs, path, text, func() bool { return false })
}

// replaceFileUnless does nothing if the file is found to have changed when all is ready, and returns errChanged.
func replaceFileUnless(fs fileSystem, path, text string, changed func() bool) error {
	path = target(path)
	sweep(filepath.Dir(path))
	if err := writeAndRename(fs, path, text, changed); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	return nil
}

// maxLinks is how many symbolic links one path leads through at most.
const maxLinks = 40

// target returns where the symbolic link at a path leads, the path itself if there is none. What it leads to need not exist yet.
func target(path string) string {
	for range maxLinks {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir := filepath.Dir(path)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real // ".." leads up from there
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}

func writeAndRename(fs fileSystem, path, text string, changed func() bool) error {
	f, err := fs.CreateTemp(filepath.Dir(path), halfFile)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && changed() {
		err = errChanged
	}
	if err == nil {
		err = fs.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, fs.Remove(f.Name()))
	}
	return fs.SyncDir(filepath.Dir(path))
}

// disk is the fileSystem of the operating system.
type disk struct{}

func (disk) CreateTemp(dir, pattern string) (diskFile, error) {
	f, err := os.CreateTemp(dir, pattern) // 0600
	if err != nil {
		return nil, err // not a nil *os.File in an interface
	}
	return f, nil
}

func (disk) Rename(from, to string) error { return os.Rename(from, to) }
func (disk) Remove(path string) error     { return os.Remove(path) }

// SyncDir does nothing on Windows, which logs changes of names by itself and
// has no such call.
func (disk) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
