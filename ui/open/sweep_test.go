package open

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What a killed program has left is removed by the next, what another one writes now is not.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[odd]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{".forage-1.tmp": 2 * time.Hour, ".forage-2.tmp": 0, "forage.log": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", 200)), 0o600); err != nil {
			t.Fatal(err)
		}
		if then := time.Now().Add(-age); os.Chtimes(path, then, then) != nil {
			t.Fatal("no times")
		}
	}
	l, err := openLog(filepath.Join(dir, "forage.log"), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := writePrivate(filepath.Join(dir, "x.html"), "x"); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{".forage-2.tmp", "forage.log", "forage.log" + oldLog, "x.html"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v; want %q", left, err, want)
	}
}

// A program that cannot write why it ends has a reason all the same, if that is what is wrong.
func TestEnd_WhereNothingCanBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLog(filepath.Join(dir, NodeLog))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &program{log: l}
	if err := p.end(1).(*EndedError); err.Reason != "" {
		t.Errorf("where all can be written the reason is %q", err.Reason)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("a file that is open cannot be removed here:", err)
	}
	if err := p.end(1).(*EndedError); !strings.Contains(err.Reason, dir) {
		t.Errorf("where nothing can be written the reason is %q", err.Reason)
	}
}
