package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A write removes what killed programs have left, and nothing else.
func TestWrite_RemovesHalves(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * leftAge)
	for name, old := range map[string]bool{".forage-1.tmp": true, ".forage-2.tmp": false, "forage-3.tmp": true, "file": true} {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, []byte("x"), 0o600)
		if err == nil && old {
			err = os.Chtimes(path, long, long)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := Write(filepath.Join(dir, "file"), []byte("y")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".forage-2.tmp", "file", "forage-3.tmp"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v; want %q", left, err, want)
	}
}
