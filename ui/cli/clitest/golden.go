// Package clitest is what tests of several packages of the command line need.
package clitest

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forage-net/forage/crawl"
)

var update = flag.Bool("update", false, "write the files in testdata anew")

// Golden compares what was printed with a file in testdata. The version of the program is VERSION there.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.ReplaceAll(got, crawl.Version, "VERSION")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("%s is not what is printed (%v); \"go test -update\" in its package writes it again. Printed was\n%s",
			path, err, got)
	}
}
