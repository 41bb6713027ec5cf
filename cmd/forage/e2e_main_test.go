//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The tests in e2e_*_test.go run the program as its users do, as a process of
// its own, against the practice web, which this process serves: what a crawler
// has asked for is judged by the server, not by the crawler. Tests whose names
// begin with TestLong take minutes; FORAGE_LONG=1 runs them.

// program is the path of the program under test.
var program string

// TestMain builds the program once, or takes the one that FORAGE_E2E_PROGRAM
// names: a packaged one, or one built with the race detector.
func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	if name := os.Getenv("FORAGE_E2E_PROGRAM"); name != "" {
		var err error
		if program, err = filepath.Abs(name); err != nil {
			return 0, err
		}
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "forage-e2e-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "forage")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return m.Run(), nil
}

// long skips a test that takes minutes unless it is wanted.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("takes minutes; FORAGE_LONG=1 runs it")
	}
}
