//go:build unix

package app

import (
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
	"github.com/forage-net/forage/storage/warc"
)

// TestHelperExport exports in a process that may write no large files.
func TestHelperExport(t *testing.T) {
	home, dir := os.Getenv("FORAGE_TEST_EXPORT_HOME"), os.Getenv("FORAGE_TEST_EXPORT_DIR")
	if home == "" {
		t.Skip("part of TestExportWACZ_FullDisk")
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
	_, err = ExportWACZ(t.Context(), paths, dir, "", exportDate, false)
	if !errors.Is(err, syscall.EFBIG) {
		t.Fatalf("ExportWACZ = %v, want EFBIG", err)
	}
	fmt.Println("refused:", err)
}

// A disk that is full is said with the file, and what to do about it.
func TestExportWACZ_FullDisk(t *testing.T) {
	var captures []warc.Capture
	for n := range 50 {
		c := captureAt(fmt.Sprint("https://a.example/", n), 1, "1")
		c.Response, c.Compressed = append(c.Response, make([]byte, 10_000)...), true
		captures = append(captures, c)
	}
	paths := homeWith(t, captures...)
	dir := filepath.Join(t.TempDir(), "out")
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperExport$", "-test.v")
	home := filepath.Dir(filepath.Dir(paths.WARC()))
	cmd.Env = append(os.Environ(), "FORAGE_TEST_EXPORT_HOME="+home, "FORAGE_TEST_EXPORT_DIR="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"export " + filepath.Join(dir, exportName), "needs about 5", "make room or export to another disk"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the error does not say %q:\n%s", want, out)
		}
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the directory was left, %v", err)
	}
}
