package open

import (
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestHasDisplay(t *testing.T) {
	const x0, far = "/tmp/.X11-unix/X0", "far:0"
	for _, c := range []struct {
		goos, env, live string
		want            bool
	}{
		{"linux", "", "", false}, {"freebsd", "", "", false}, {"darwin", "", "", true}, {"windows", "", "", true}, {"darwin", "SSH_CONNECTION=x", "", false},
		{"linux", "DISPLAY=:0", x0, true}, {"linux", "DISPLAY=:0.1", x0, true}, {"linux", "DISPLAY=unix:0", "@" + x0, true}, {"freebsd", "DISPLAY=:0", x0, true},
		{"linux", "DISPLAY=:0", "", false}, {"linux", "DISPLAY=:1", x0, false}, {"linux", "DISPLAY=" + far, "", true}, {"linux", "DISPLAY=nonsense", "", false},
		{"linux", "DISPLAY=:0 SSH_CONNECTION=x", x0, false},
		{"linux", "WAYLAND_DISPLAY=w-0 XDG_RUNTIME_DIR=/run/user/1", "/run/user/1/w-0", true}, {"linux", "WAYLAND_DISPLAY=/w", "/w", true},
		{"linux", "WAYLAND_DISPLAY=w-0 XDG_RUNTIME_DIR=/run/user/1", "", false}, {"linux", "WAYLAND_DISPLAY=/w DISPLAY=:0", x0, true},
	} {
		env := func(name string) string {
			for pair := range strings.FieldsSeq(c.env) {
				if value, found := strings.CutPrefix(pair, name+"="); found {
					return value
				}
			}
			return ""
		}
		live := strings.Fields(c.live)
		if got := hasDisplay(c.goos, env, func(socket string) bool { return slices.Contains(live, socket) }); got != c.want {
			t.Errorf("a display on %s with %q, where %q live: %v, want %v", c.goos, c.env, c.live, got, c.want)
		}
	}
}

// What a desktop that is gone has left behind is no display.
func TestLives(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "X7")
	if lives(socket) {
		t.Error("a socket that there is not lives")
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	if !lives(socket) {
		t.Error("a socket where somebody listens does not live")
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if lives(socket) {
		t.Error("a socket that was left behind lives")
	}
}
