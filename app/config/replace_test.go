package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/forage-net/forage/storage/durable"
	"github.com/forage-net/forage/storage/durable/durabletest"
)

func TestSetAll_LeavesOldOrNewWhateverFails(t *testing.T) {
	const old = "# mine\n[disk]\nmax = \"1 GB\" # enough\n"
	when := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	changes := map[string]func(fs durable.FS, path string) error{
		"setting": func(fs durable.FS, path string) error {
			return setAll(fs, path, map[string]string{"disk.max": "2 GB"})
		},
		"consent": func(fs durable.FS, path string) error {
			return setAll(fs, path, map[string]string{"consent.version": "1",
				"consent.time": when.Format(time.RFC3339)})
		},
		"symbolic link": func(fs durable.FS, path string) error {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(path, link); err != nil {
				return err
			}
			return setAll(fs, link, map[string]string{"disk.max": "2 GB"})
		},
		"default": func(fs durable.FS, path string) error { return replaceFile(fs, path, defaultFile(), nil) },
	}
	for what, change := range changes {
		for _, before := range []string{old, ""} {
			path := filepath.Join(t.TempDir(), "config.toml")
			writeIf(t, path, before)
			sound := faulty(t, path)
			if err := change(sound, path); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			after, err := os.ReadFile(path)
			if saved := survivor(t, sound, path, false); err != nil || saved != string(after) || saved == before {
				t.Fatalf("%s: what is saved is %q, want %q, %v", what, saved, after, err)
			}
			for n := range sound.Operations() {
				for _, kind := range []durabletest.Kind{durabletest.Refuse, durabletest.HalfWrite,
					durabletest.Afterward} {
					if kind == durabletest.HalfWrite && !slices.Contains(sound.Writes, n) {
						continue
					}
					name := fmt.Sprintf("%s, operation %d, fault %d", what, n, kind)
					path := filepath.Join(t.TempDir(), "config.toml")
					writeIf(t, path, before)
					d := faulty(t, path)
					d.FailAt, d.Span, d.Kind = n, 1, kind
					if err := change(d, path); !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EIO) {
						t.Errorf("%s: returned %v", name, err)
					}
					now, err := os.ReadFile(path)
					if err != nil && (before != "" || !os.IsNotExist(err)) {
						t.Errorf("%s: %v", name, err)
					}
					for when, got := range map[string]string{"now": string(now),
						"after a power loss":            survivor(t, d, path, false),
						"after one that kept the names": survivor(t, d, path, true)} {
						if got != before && got != string(after) {
							t.Errorf("%s: %s the file is\n%s", name, when, got)
						}
					}
					if err := change(durable.Disk{}, path); err != nil {
						t.Errorf("%s: once the fault is gone: %v", name, err)
					}
					if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, after) {
						t.Errorf("%s: then the file is\n%s%v", name, now, err)
					}
					left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp"))
					if err != nil || len(left) > 0 && kind != durabletest.Afterward {
						t.Errorf("%s: %v is left, %v", name, left, err)
					}
				}
			}
		}
	}
}

func faulty(t *testing.T, path string) *durabletest.Disk {
	t.Helper()
	d, err := durabletest.New(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// survivor is what a file holds after a power loss, "" if it is not there.
func survivor(t *testing.T, d *durabletest.Disk, path string, allNames bool) string {
	t.Helper()
	to := t.TempDir()
	if err := d.AfterPowerLoss(filepath.Dir(path), to, allNames); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(to, filepath.Base(path)))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
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
