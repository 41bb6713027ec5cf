package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultyDisk is the disk of the system, but for the operation failAt. It knows
// what would be there after a power loss: of a file what a Sync has saved, of
// the names those at the last SyncDir.
type faultyDisk struct {
	n, failAt int
	// happens says that the operation is carried out, and half of a write, but
	// fails all the same.
	happens bool
	err     error

	saved map[string]string // by the name the file has now
	kept  map[string]string // with the names that were saved
}

// does carries out an operation.
func (d *faultyDisk) does(f func() error) error {
	d.n++
	if d.n-1 != d.failAt {
		return f()
	}
	if d.happens {
		if err := f(); err != nil {
			return err
		}
	}
	return d.err
}

func (d *faultyDisk) CreateTemp(dir, pattern string) (diskFile, error) {
	var f *os.File
	err := d.does(func() (err error) { f, err = os.CreateTemp(dir, pattern); return err })
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	d.saved[f.Name()] = ""
	return &faultyFile{f, d}, nil
}

func (d *faultyDisk) Rename(from, to string) error {
	return d.does(func() error {
		d.saved[to] = d.saved[from]
		delete(d.saved, from)
		return os.Rename(from, to)
	})
}

func (d *faultyDisk) Remove(path string) error {
	return d.does(func() error {
		delete(d.saved, path)
		return os.Remove(path)
	})
}

func (d *faultyDisk) SyncDir(dir string) error {
	return d.does(func() error {
		d.kept = map[string]string{}
		for path, text := range d.saved {
			d.kept[path] = text
		}
		return nil
	})
}

type faultyFile struct {
	*os.File
	disk *faultyDisk
}

func (f *faultyFile) WriteString(s string) (n int, err error) {
	err = f.disk.does(func() error {
		if f.disk.n-1 == f.disk.failAt {
			s = s[:len(s)/2]
		}
		n, err = f.File.WriteString(s)
		return err
	})
	return n, err
}

func (f *faultyFile) Sync() error {
	return f.disk.does(func() error {
		text, err := os.ReadFile(f.Name())
		f.disk.saved[f.Name()] = string(text)
		return err
	})
}

func (f *faultyFile) Close() error {
	err := f.disk.does(func() error { return nil })
	return errors.Join(err, f.File.Close())
}

func TestSetAll_LeavesOldOrNewWhateverFails(t *testing.T) {
	const old = "# mine\n[disk]\nmax = \"1 GB\" # enough\n"
	when := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	changes := map[string]func(fs fileSystem, path string) error{
		"setting": func(fs fileSystem, path string) error {
			return setAllOn(fs, path, assignment{"disk.max", "2 GB"})
		},
		"consent": func(fs fileSystem, path string) error {
			return setAllOn(fs, path, assignment{"consent.version", "1"}, assignment{"consent.time", when.Format(time.RFC3339)})
		},
		"symbolic link": func(fs fileSystem, path string) error {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(path, link); err != nil {
				return err
			}
			return setAllOn(fs, link, assignment{"disk.max", "2 GB"})
		},
		"default": func(fs fileSystem, path string) error { return replaceFileOn(fs, path, defaultFile()) },
	}
	for what, change := range changes {
		for _, before := range []string{old, ""} {
			path := filepath.Join(t.TempDir(), "config.toml")
			writeIf(t, path, before)
			sound := newFaultyDisk(path, before)
			sound.failAt = -1
			if err := change(sound, path); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			after, err := os.ReadFile(path)
			if err != nil || sound.kept[path] != string(after) || string(after) == before {
				t.Fatalf("%s: what is saved is %q, want %q, %v", what, sound.kept[path], after, err)
			}
			for n := range sound.n {
				for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
					for _, happens := range []bool{false, true} {
						name := fmt.Sprintf("%s, operation %d, %v, carried out %t", what, n, fault, happens)
						path := filepath.Join(t.TempDir(), "config.toml")
						writeIf(t, path, before)
						d := newFaultyDisk(path, before)
						d.failAt, d.err, d.happens = n, fault, happens
						if err := change(d, path); !errors.Is(err, fault) {
							t.Errorf("%s: returned %v, want %v", name, err, fault)
						}
						now, err := os.ReadFile(path)
						if err != nil && (before != "" || !os.IsNotExist(err)) {
							t.Errorf("%s: %v", name, err)
						}
						for when, got := range map[string]string{"now": string(now), "after a power loss": d.kept[path], "after one that kept the names": d.saved[path]} {
							if got != before && got != string(after) {
								t.Errorf("%s: %s the file is\n%s", name, when, got)
							}
						}
						if err := change(disk{}, path); err != nil {
							t.Errorf("%s: once the fault is gone: %v", name, err)
						}
						if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, after) {
							t.Errorf("%s: then the file is\n%s%v", name, now, err)
						}
						left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp"))
						if err != nil || len(left) > 0 && !happens {
							t.Errorf("%s: %v is left, %v", name, left, err)
						}
					}
				}
			}
		}
	}
}

func newFaultyDisk(path, before string) *faultyDisk {
	d := &faultyDisk{saved: map[string]string{}, kept: map[string]string{}}
	if before != "" {
		d.saved[path], d.kept[path] = before, before
	}
	return d
}

func writeIf(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSet_WithoutADirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "config.toml")
	if err := Set(path, "disk.max", "2 GB"); err == nil || !strings.HasPrefix(err.Error(), "write settings: ") {
		t.Errorf("Set returned %v, want that it could not write", err)
	}
}
