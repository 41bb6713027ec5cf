// Package clitest is what tests of several packages of the command line need.
package clitest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	if err != nil {
		t.Errorf("%v; \"go test -update\" in this package writes it. Printed was\n%s", err, got)
	} else if got != string(want) {
		t.Errorf("%s is not what is printed; \"go test -update\" in this package writes it again. %s", path,
			difference(string(want), got))
	}
}

// difference shows the first line in which two texts differ.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	n := 0
	for n < min(len(w), len(g)) && w[n] == g[n] {
		n++
	}
	line := func(lines []string) string {
		if n == len(lines) {
			return "(the end)"
		}
		return strconv.Quote(lines[n])
	}
	return fmt.Sprintf("Line %d is\n%s in the file\n%s as printed", n+1, line(w), line(g))
}
