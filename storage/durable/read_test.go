package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadSmall(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("seven B"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := ReadSmall(file, 7); err != nil || string(data) != "seven B" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadSmall(file, 6); err == nil {
		t.Error("a file above the bound is read")
	}
	if _, err := ReadSmall(dir, 6); err == nil {
		t.Error("a directory is read")
	}
	if _, err := ReadSmall(filepath.Join(dir, "none"), 6); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
