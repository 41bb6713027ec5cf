//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// Whoever reads the log of a node may end: journald, tee, a terminal. The node goes on, and ends in order.
func TestLogReader_EndsAlone(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "home")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "run", "--home", home, "--accept", "--lab", "--no-limits", "--api", "127.0.0.1:0", "--no-tray", "--seeds", "http://nowhere.test/")
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), write, write
	p := startWith(t, cmd)
	write.Close()
	until(t, "the node to be up", func() bool { return isUp(home) })
	read.Close()
	for range 3 { // each says something
		run(t, home, "pause")
		run(t, home, "resume")
	}
	if !isUp(home) {
		t.Error("the node is gone")
	}
	p.signal(syscall.SIGTERM)
	p.succeed()
}
