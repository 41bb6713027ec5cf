//go:build unix

package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// The tests in e2e_*_test.go run the program as its users do, as a process of
// its own, against the practice web, which this process serves: what a crawler
// has asked for is judged by the server, not by the crawler. Tests whose names
// begin with TestLong take minutes; FORAGE_LONG=1 runs them. With -short tests
// are smaller, and what is tested on another way too is left out.
//
// A test has homes, ports and a web of its own, and so runs beside others. Those
// that measure time, need a port again that was free for a moment, or have nodes
// of a swarm miss each other soon, do not: they run one after the other, before
// all others.

// program is the path of the program under test, scratch a directory for what
// all tests share.
var program, scratch string

// TestMain builds the program once, or copies the one that FORAGE_E2E_PROGRAM
// names: a packaged one, one built with the race detector, or one that was built
// for other tests too.
func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	if err := runSideBySide(); err != nil {
		return 0, err
	}
	heedSignals()
	var err error
	if scratch, err = os.MkdirTemp("", "forage-e2e-"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(scratch)
	if err := os.Chmod(scratch, 0o755); err != nil { // some tests run the program as another user
		return 0, err
	}
	if name := os.Getenv("FORAGE_E2E_PROGRAM"); name != "" {
		program, err = copyProgram(name)
	} else {
		program, err = build("forage", ".")
	}
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// copyProgram copies a program to where everybody can run it. It must be called
// before any process is started, which might hold the new file open.
func copyProgram(name string) (path string, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	path = filepath.Join(scratch, "forage")
	return path, os.WriteFile(path, b, 0o755)
}

// runSideBySide has so many tests run at the same time, unless a flag says
// another number. Tests wait for timers and for other processes most of the time,
// so there may be more of them than processors; those of a whole run are larger.
func runSideBySide() error {
	flag.Parse()
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return nil
	}
	return flag.Set("test.parallel", sized("10", "4", "4"))
}

// heedSignals has programs that are started here heed signals that this process
// was told to ignore, as shells tell what they start in the background.
func heedSignals() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// build builds a program and returns its path.
func build(name, dir string) (path string, err error) {
	path = filepath.Join(scratch, name)
	cmd := exec.Command("go", "build", "-o", path, dir)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return path, nil
}

// sized returns how large something is in a quick run (-short), in a whole one,
// and in one that may take minutes.
func sized[T any](quick, whole, long T) T {
	switch {
	case testing.Short():
		return quick
	case os.Getenv("FORAGE_LONG") != "":
		return long
	}
	return whole
}

// thorough skips a test in a quick run: another one tests the same in less time.
func thorough(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left out of a quick run")
	}
}

// long skips a test that takes minutes unless it is wanted.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("FORAGE_LONG") == "" {
		t.Skip("takes minutes; FORAGE_LONG=1 runs it")
	}
}
