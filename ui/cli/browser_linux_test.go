package cli

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func TestHasDisplay(t *testing.T) {
	for _, c := range []struct {
		goos, env string
		want      bool
	}{
		{"linux", "", false}, {"linux", "DISPLAY=:0", true}, {"linux", "WAYLAND_DISPLAY=wayland-0", true}, {"freebsd", "", false},
		{"linux", "DISPLAY=:0 SSH_CONNECTION=x", false}, {"darwin", "", true}, {"darwin", "SSH_CONNECTION=x", false}, {"windows", "", true},
	} {
		env := func(name string) string {
			for pair := range strings.FieldsSeq(c.env) {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value
				}
			}
			return ""
		}
		if got := hasDisplay(c.goos, env); got != c.want {
			t.Errorf("a display on %s with %q: %v, want %v", c.goos, c.env, got, c.want)
		}
	}
}

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
	if runtime.GOOS == "windows" {
		t.Skip("there are no snaps")
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
	if err := openLink(context.Background(), dir, link); err != errNoDisplay {
		t.Errorf("openLink without a display = %v", err)
	}
	t.Setenv("DISPLAY", ":7")
	if err := openLink(context.Background(), dir, link); err != nil {
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
