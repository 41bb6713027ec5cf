package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/api/client"
	"github.com/forage-net/forage/ui/open"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		args string
		want options
		bad  string
	}{
		{"", options{}, ""},
		{"--home /x --page settings", options{"/x", "settings"}, ""},
		{"--page=setup", options{"", "setup"}, ""},
		{"--page nonsense", options{}, `no page "nonsense"`},
		{"extra", options{}, `"extra" is not expected`},
		{"--nonsense", options{}, "nonsense"},
	} {
		var said strings.Builder
		got, err := parse(strings.Fields(c.args), &said)
		if (err != nil) != (c.bad != "") || err == nil && got != c.want || !strings.Contains(said.String(), c.bad) {
			t.Errorf("%q: %+v, %v, and says %q", c.args, got, err, said.String())
		}
	}
}

func TestCheckDisplay(t *testing.T) {
	for _, c := range []struct {
		goos, name string
		has        bool
	}{{"linux", "DISPLAY", true}, {"linux", "WAYLAND_DISPLAY", true}, {"linux", "HOME", false}, {"freebsd", "", false}, {"windows", "", true}, {"darwin", "", true}} {
		err := checkDisplay(c.goos, func(name string) string {
			if name == c.name {
				return ":0"
			}
			return ""
		})
		if (err == nil) != c.has {
			t.Errorf("a display on %s with %s: %v, want %v", c.goos, c.name, err, c.has)
		}
	}
}

// Without a display it ends before anything is started.
func TestRun_NoDisplay(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("no variable says whether there is a display")
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	home := t.TempDir()
	var said strings.Builder
	code := run([]string{"--home", home}, &said, func(*client.Client, open.Where, options) error {
		t.Error("a window is shown")
		return nil
	})
	if code != open.ExitNoWindow || !strings.Contains(said.String(), "display") {
		t.Errorf("it ends with %d and says %q", code, said.String())
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("it has made %v, %v", left, err)
	}
}

func TestCodeOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0}, {errors.New("x"), 1}, {fmt.Errorf("look: %w", api.ErrOtherWindow), 4}, {fmt.Errorf("look: %w", errNoFrame), 3},
		{&open.EndedError{Code: 6, Reason: "disk.max"}, 1},
	} {
		var said strings.Builder
		if got := codeOf(&said, c.err); got != c.want || (said.Len() > 0) != (c.want == 1 || c.want == 3) {
			t.Errorf("%v: %d, want %d; it says %q", c.err, got, c.want, said.String())
		}
	}
}

func TestFirstFrame(t *testing.T) {
	for _, when := range []time.Duration{0, firstFrameWithin - 1, firstFrameWithin + 1} {
		synctest.Test(t, func(t *testing.T) {
			late := false
			f := newFirstFrame(func() { late = true })
			defer f.stop()
			time.Sleep(when)
			f.drawn()
			f.drawn()
			time.Sleep(time.Hour)
			synctest.Wait()
			if want := when > firstFrameWithin; late != want {
				t.Errorf("a frame after %v is late: %v", when, late)
			}
			if !f.seen() || !f.wait(t.Context()) {
				t.Error("it is not seen")
			}
		})
	}
	f := newFirstFrame(func() {})
	defer f.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if f.seen() || f.wait(ctx) {
		t.Error("a frame that was not drawn is seen")
	}
}

// Without a session bus none is started for the window.
func TestNoBus(t *testing.T) {
	for _, c := range []struct {
		name, goos, address, dir string
		exists                   bool
		want                     string
	}{
		{"none", "linux", "", "", false, "unix:path=" + os.DevNull},
		{"no socket", "linux", "", "/run/user/1", false, "unix:path=" + os.DevNull},
		{"a socket", "linux", "", "/run/user/1", true, ""},
		{"an address", "linux", "unix:path=/x", "", false, ""},
		{"windows", "windows", "", "", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := map[string]string{busVariable: c.address, "XDG_RUNTIME_DIR": c.dir}
			got := noBus(c.goos, func(name string) string { return env[name] }, func(string) bool { return c.exists })
			if got != c.want {
				t.Errorf("noBus = %q, want %q", got, c.want)
			}
		})
	}
}
