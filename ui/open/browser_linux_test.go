package open

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestFileURL(t *testing.T) {
	for _, c := range []struct{ goos, path, want string }{
		{"linux", "/home/a b/état/x?.html", "file:///home/a%20b/%C3%A9tat/x%3F.html"},
		{"windows", `C:\Users\a b\x.html`, "file:///C:/Users/a%20b/x.html"},
	} {
		if got := fileURL(c.goos, c.path); got != c.want {
			t.Errorf("fileURL(%s) = %s, want %s", c.path, got, c.want)
		}
	}
}

func TestOpenerDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	snap := filepath.Join(home, "snap", "firefox", "common")
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	for browser, want := range map[string]string{
		"firefox_firefox.desktop": snap, "firefox.desktop": "/state", "": "/state", "chromium_chromium.desktop": "/state", "../x_y": "/state", "_": "/state",
	} {
		if got := openerDir("/state", browser); got != want {
			t.Errorf("openerDir for %q = %s, want %s", browser, got, want)
		}
	}
}

// The link is not in the arguments of a program, where every user of the computer can read it, but in a
// file that only this user can read.
func TestOpenLink(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a stand-in for xdg-open")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\necho \"$@\" > "+pipe+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", "")
	const link = "http://127.0.0.1:7707/#key=5ec7e7&x"
	if err := Link(context.Background(), Where{StateDir: dir}, link); err != ErrNoDisplay {
		t.Errorf("Link without a display = %v", err)
	}
	t.Setenv("DISPLAY", "another-computer:7")
	if err := Link(context.Background(), Where{StateDir: dir}, link); err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(pipe)
	page := filepath.Join(dir, openerName)
	if err != nil || string(args) != "file://"+page+"\n" {
		t.Errorf("xdg-open was given %q, %v", args, err)
	}
	info, err := os.Stat(page)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the page has mode %v, %v, want 0600", info.Mode(), err)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), `content="0; url=http://127.0.0.1:7707/#key=5ec7e7&amp;x"`) {
		t.Errorf("the page is %s, %v", text, err)
	}
}

// Whatever is started to show a page is started as the launcher of the node does, so that none of it has the low priority of the node.
func TestLink_StartsAllByTheLauncher(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"xdg-open": "#!/bin/sh\n", "xdg-settings": "#!/bin/sh\necho firefox_firefox.desktop\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	snap := filepath.Join(dir, "snap", "firefox", "common")
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", dir)
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("DISPLAY", "another-computer:7")
	var started []string
	w := Where{StateDir: dir, Start: func(cmd *exec.Cmd) error {
		started = append(started, filepath.Base(cmd.Path))
		return cmd.Start()
	}}
	if err := Link(context.Background(), w, "http://127.0.0.1:7707/"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(started, " "); got != "xdg-settings xdg-open" {
		t.Errorf("the launcher started %q", got)
	}
	if _, err := os.Stat(filepath.Join(snap, openerName)); err != nil {
		t.Errorf("what xdg-settings said was not heard: %v", err)
	}
}

// Pages that browsers were given are erased wherever those can read.
func TestEraseLogs_ErasesPages(t *testing.T) {
	home, state := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	snap := filepath.Join(home, "snap", "firefox", "common")
	if err := os.MkdirAll(snap, 0o700); err != nil {
		t.Fatal(err)
	}
	var pages []string
	for _, dir := range []string{snap, state} {
		for _, name := range []string{openerName, troubleName} {
			pages = append(pages, filepath.Join(dir, name))
		}
	}
	for _, path := range append(pages, filepath.Join(snap, "bookmarks.html")) {
		if err := writePrivate(path, "x"); err != nil {
			t.Fatal(err)
		}
	}
	if err := EraseLogs(state); err != nil {
		t.Fatal(err)
	}
	for _, path := range pages {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(snap, "bookmarks.html")); err != nil {
		t.Errorf("what is not ours: %v", err)
	}
}

// What opens pages says that there is no browser, and so is the user told.
func TestLink_NoBrowser(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"xdg-open": "#!/bin/sh\nexit 3\n", "xdg-settings": "#!/bin/sh\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", dir)
	t.Setenv("PATH", dir+":/bin:/usr/bin")
	t.Setenv("SSH_CONNECTION", "")
	t.Setenv("DISPLAY", "another-computer:7")
	err := Link(context.Background(), Where{StateDir: dir}, "http://127.0.0.1:7707/")
	if !errors.Is(err, errNoBrowser) {
		t.Errorf("Link = %v, want %v", err, errNoBrowser)
	}
}
