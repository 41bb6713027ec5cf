//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The first "forage" opens the window, the second brings it to the front again.
func TestOpen_OneWindowOnly(t *testing.T) {
	l := newLab(t)
	l.crawl()
	if out := l.forage(); !strings.Contains(out, "The Forage window is open") {
		t.Errorf("forage says %q", out)
	}
	w := l.appeared()
	visible := func() bool {
		out, _ := w.do("xdotool", "search", "--onlyvisible", "--class", "forage")
		return strings.Contains(out, w.id)
	}
	await(t, "the window is put away", func() bool { // a window manager that has only begun with it does not hear that
		w.mustDo("xdotool", "windowminimize", w.id)
		return !visible()
	})
	l.forage()
	await(t, "the window is in front again", visible)
	if pids := l.windows(); len(pids) != 1 || pids[0] != w.pid {
		t.Errorf("windows %v, the first is %d", pids, w.pid)
	}
	if p, err := l.launchWindow(); err != nil {
		t.Error(err)
	} else if <-p.ended; p.exit() != 4 {
		t.Errorf("a second window ends with %d, want 4:\n%s", p.exit(), p.out.String())
	}
	l.judged()
}

// A window that is closed leaves nothing behind, and the node goes on.
func TestOpen_ClosedIsGone(t *testing.T) {
	l := newLab(t)
	l.crawl()
	w := l.window()
	w.see("Overview")
	w.close()
	if <-w.p.ended; w.p.exit() != 0 {
		t.Errorf("the window ended with %d:\n%s", w.p.exit(), w.p.out.String())
	}
	l.works()
	l.judged()
}

// What a window leaves behind in its user's directories is what the guide says.
func TestOpen_LeavesWhatTheGuideSays(t *testing.T) {
	l := newLab(t)
	l.crawl()
	l.window().close()
	guide, err := os.ReadFile("../../../docs/guide.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"config": "~/.config", "cache": "~/.cache", "share": "~/.local/share", "state": "~/.local/state"} {
		found, _ := filepath.Glob(filepath.Join(l.dir, name, "*"))
		fyne, _ := filepath.Glob(filepath.Join(l.dir, name, "fyne", "*"))
		for _, path := range append(found, fyne...) {
			switch path := strings.TrimPrefix(path, filepath.Join(l.dir, name)); path {
			case "/fyne", "/xfce4", "/openbox", "/dconf", "/fontconfig": // a directory that was looked into; others' files
			default:
				if !strings.Contains(string(guide), dir+path) {
					t.Errorf("%s%s is left, and the guide does not say so", dir, path)
				}
			}
		}
	}
}

// Where there is no OpenGL the dashboard is opened instead; where there is no panel the node says so and goes on.
func TestOpen_WithoutOpenGL(t *testing.T) {
	onDesktop(t)
	bare, err := openDisplay(false, "-extension", "GLX")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bare.close)
	l := newLabOn(t, bare)
	l.crawlWithTray()
	await(t, "the node says that there is no tray", func() bool { return strings.Contains(l.node.out.String(), "No tray here") })
	p, err := launch(l.env, filepath.Join(programs, "forage-window"), "--home", l.home)
	if err != nil {
		t.Fatal(err)
	}
	if <-p.ended; p.exit() != 3 || p.out.String() == "" {
		t.Errorf("the window ends with %d, want 3, and says %q", p.exit(), p.out.String())
	}
	begun := time.Now()
	out := l.forage()
	t.Logf("after %.1f s forage says: %s", time.Since(begun).Seconds(), out)
	if !strings.Contains(out, "The dashboard opens in your browser") || len(bare.browsed()) == 0 {
		t.Errorf("the browser got %q, and forage says %q", bare.browsed(), out)
	}
	l.works()
	l.judged()
}
