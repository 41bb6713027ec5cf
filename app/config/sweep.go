package config

import (
	"os"
	"path/filepath"
	"time"
)

const (
	// halfFile is the pattern of the names of files that are not written yet.
	halfFile = ".config-*.tmp"
	// halfAge is how old such a file is when nobody writes it any more: its program was killed.
	halfAge = time.Hour
)

// sweep removes what killed programs have left half written in a directory.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read now can be with the next change
	for _, e := range entries {
		if is, err := filepath.Match(halfFile, e.Name()); !is || err != nil {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > halfAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // likewise
		}
	}
}
