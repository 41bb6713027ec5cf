package config

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// A change of settings removes what killed programs have left, and nothing else.
func TestReplaceFile_RemovesHalves(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-2 * halfAge)
	for name, old := range map[string]bool{".config-1.tmp": true, ".config-2.tmp": false, "config-3.tmp": true, "config.toml": true} {
		path := filepath.Join(dir, name)
		err := os.WriteFile(path, []byte("x"), 0o600)
		if err == nil && old {
			err = os.Chtimes(path, long, long)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := replaceFile(filepath.Join(dir, "config.toml"), "y"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".config-2.tmp", "config-3.tmp", "config.toml"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v; want %q", left, err, want)
	}
}
