package open

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

func TestAt(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	dir, err := os.Getwd() // as it is without links
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, env, home string }{
		{"x", "", "x"}, {"", "y", "y"}, {"x", "y", "x"}, {filepath.Join(dir, "z"), "", "z"},
	} {
		t.Setenv("FORAGE_HOME", c.env)
		w, err := At(c.flag)
		if want := filepath.Join(dir, c.home); err != nil || w.Home != want || w.StateDir != filepath.Join(want, "state") {
			t.Errorf("--home %q and FORAGE_HOME=%q: %+v, %v", c.flag, c.env, w, err)
		}
		if args := w.args("run"); !slices.Equal(args, []string{"run", "--home", w.Home}) {
			t.Errorf("arguments are %q", args)
		}
	}
	t.Setenv("FORAGE_HOME", "")
	if w, err := At(""); err == nil && (w.Home != "" || len(w.args()) > 0) {
		t.Errorf("without a home: %+v", w)
	}
}

// The program beside ours is taken before one on the way that PATH tells, and none from the working directory.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are told by their names there")
	}
	const name = "forage-test-program"
	dir := t.TempDir()
	program := func(at string) string {
		path := filepath.Join(at, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Chdir(dir)
	program(dir)
	t.Setenv("PATH", ".:"+string(filepath.ListSeparator))
	if path, err := find(name, "FORAGE_TEST_NONE"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("from the working directory came %s, %v", path, err)
	}
	onPath := program(t.TempDir())
	t.Setenv("PATH", filepath.Dir(onPath))
	if path, err := find(name, "FORAGE_TEST_NONE"); err != nil || path != onPath {
		t.Errorf("on PATH: %s, %v, want %s", path, err, onPath)
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		t.Fatal(err)
	}
	near := program(filepath.Dir(self))
	defer os.Remove(near)
	if path, err := find(name, "FORAGE_TEST_NONE"); err != nil || path != near {
		t.Errorf("beside us: %s, %v, want %s", path, err, near)
	}
	t.Setenv("FORAGE_TEST_NONE", onPath)
	if path, err := find(name, "FORAGE_TEST_NONE"); err != nil || path != onPath {
		t.Errorf("named: %s, %v, want %s", path, err, onPath)
	}
}

// A page that there is not, and a node that does not run, are told at once.
func TestWindow_Refuses(t *testing.T) {
	w := Where{StateDir: t.TempDir()}
	if got, err := Window(t.Context(), w, "../x"); err == nil || got.Shown != ShownNothing {
		t.Errorf("a page that there is not: %+v, %v", got, err)
	}
	if got, err := Window(t.Context(), w, "about"); !errors.Is(err, api.ErrNotRunning) || got.Shown != ShownNothing {
		t.Errorf("without a node: %+v, %v", got, err)
	}
	if err := Dashboard(t.Context(), w, ""); !errors.Is(err, api.ErrNotRunning) {
		t.Errorf("the dashboard without a node: %v", err)
	}
}

// A node that ends is told with its code and its words; one that cannot be started, too.
func TestNode_ThatEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a stand-in for the node")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "forage")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho \"forage: $*\" >&2\nexit 6\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w := Where{StateDir: filepath.Join(dir, "state"), Home: dir, Program: program}
	var ended *EndedError
	if started, err := Node(t.Context(), w); started || !errors.As(err, &ended) || ended.Code != 6 ||
		ended.Reason != "run --await-consent --any-port --log "+filepath.Join(dir, "state", NodeLog)+" --home "+dir {
		t.Errorf("Node = %v, %+v", started, err)
	}
	w.Program = filepath.Join(dir, "nowhere")
	if started, err := Node(t.Context(), w); started || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Node = %v, %v", started, err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nsleep 60\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Program = program
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	w.Start = func(cmd *exec.Cmd) error {
		t.Cleanup(func() { cmd.Process.Kill() })
		return cmd.Start()
	}
	if _, err := Node(ctx, w); err == nil {
		t.Error("a node that does not answer is taken for one")
	}
}
