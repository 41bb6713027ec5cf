//go:build unix

package export

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage/warc/capture"
)

// TestHelperExport exports in a process that may write no large files.
func TestHelperExport(t *testing.T) {
	home, dir := os.Getenv("FORAGE_TEST_EXPORT_HOME"), os.Getenv("FORAGE_TEST_EXPORT_DIR")
	if home == "" {
		t.Skip("part of TestExports_FullDisk and TestExportWACZ_FullDisk")
	}
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 100_000, Max: 100_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	switch format := os.Getenv("FORAGE_TEST_EXPORT_FORMAT"); format {
	case "wacz":
		_, err = AsWACZ(t.Context(), paths, dir, "", exportDate, false)
	case "pages":
		_, err = AsPages(t.Context(), paths, filepath.Join(dir, "pages.jsonl"), false)
	case "graph":
		_, err = AsGraph(t.Context(), paths, dir, false)
	}
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("the export ended with %v, want EFBIG", err)
	}
	fmt.Println("refused:", err)
}

// exportToFullDisk exports in a process of its own and returns what it prints.
func exportToFullDisk(t *testing.T, paths config.Paths, format, dir string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperExport$", "-test.v")
	home := filepath.Dir(filepath.Dir(paths.WARC()))
	cmd.Env = append(os.Environ(), "FORAGE_TEST_EXPORT_HOME="+home, "FORAGE_TEST_EXPORT_DIR="+dir, "FORAGE_TEST_EXPORT_FORMAT="+format)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// A disk that is full is said with the file, and nothing is left there.
func TestExports_FullDisk(t *testing.T) {
	var captures []capture.Capture
	for n := range 400 {
		var to []string
		for m := range 50 {
			to = append(to, fmt.Sprintf("https://%x.example/", sha256.Sum256(fmt.Append(nil, n, m)))[:40]+".example/")
		}
		captures = append(captures, linking(fmt.Sprintf("https://a.example/%d", n), to...))
	}
	paths := homeWith(t, captures...)
	for format, file := range map[string]string{"pages": "pages.jsonl", "graph": ""} {
		dir := t.TempDir()
		out := exportToFullDisk(t, paths, format, dir)
		if want := "refused: export " + filepath.Join(dir, file); !strings.Contains(out, want) {
			t.Errorf("%s: the error does not say %q:\n%s", format, want, out)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("%s: left behind: %v, %v", format, entries, err)
		}
	}
}

// A disk that is full is said with the file, and what to do about it.
func TestExportWACZ_FullDisk(t *testing.T) {
	var captures []capture.Capture
	for n := range 50 {
		c := captureAt(fmt.Sprint("https://a.example/", n), 1, "1")
		c.Response, c.Compressed = append(c.Response, make([]byte, 10_000)...), true
		captures = append(captures, c)
	}
	paths := homeWith(t, captures...)
	dir := filepath.Join(t.TempDir(), "out")
	out := exportToFullDisk(t, paths, "wacz", dir)
	for _, want := range []string{"export " + filepath.Join(dir, exportName), "needs about 5", "make room or export to another disk"} {
		if !strings.Contains(out, want) {
			t.Errorf("the error does not say %q:\n%s", want, out)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was left, %v", err)
	}
}
