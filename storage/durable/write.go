package durable

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

const (
	// Temporary is the pattern of the names of files that are not written yet. A process that is killed leaves some.
	Temporary = ".forage-*.tmp"
	// leftAge is how old such a file is when nobody writes it any more.
	leftAge = time.Hour
)

// Write replaces a file in one step: whoever opens it finds the old text or the new one, whole, also after a power
// loss. It is for the user alone.
func Write(path string, data []byte) error { return Change{}.Write(path, data) }

// Change says how a file is replaced.
type Change struct {
	FS   FS          // nil for Disk
	Mode os.FileMode // of the file; 0 is for the user alone
	// Fleeting says that nobody needs the file after a power loss. It is not synced then.
	Fleeting bool
	// May, if set, is called when all is ready. After an error the file stays as it was.
	May func() error
}

// Write replaces a file in one step. Where only the last of its steps failed the new text may be there all the same. It
// removes what killed processes have left in the directory.
func (c Change) Write(path string, data []byte) error {
	if c.FS == nil {
		c.FS = Disk{}
	}
	dir := filepath.Dir(path)
	sweep(dir)
	f, err := c.FS.CreateTemp(dir, Temporary)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && c.Mode != 0 {
		err = f.Chmod(c.Mode)
	}
	return c.finish(f, path, err)
}

// Rename gives a file that was written under a temporary name its own, in place of another one if there is one, so
// that it is there whole or not at all. It closes the file, and removes it if that fails.
func Rename(fs FS, f File, path string) error { return Change{FS: fs}.finish(f, path, nil) }

// finish puts a file in place, unless err is what went wrong before.
func (c Change) finish(f File, path string, err error) error {
	if err == nil && !c.Fleeting {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil && c.May != nil {
		err = c.May()
	}
	if err == nil {
		err = c.FS.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, c.FS.Remove(f.Name()))
	}
	if c.Fleeting {
		return nil
	}
	return c.FS.SyncDir(filepath.Dir(path))
}

// sweep removes what killed processes have left half written in a directory.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read now can be with the next change
	for _, e := range entries {
		if is, err := filepath.Match(Temporary, e.Name()); !is || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > leftAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // likewise
		}
	}
}
