package open

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// displayWait is how long a display may take to let us in; one that takes longer is busy, and there.
const displayWait = time.Second

// HasDisplay reports whether what is opened here can be seen by who started this program.
func HasDisplay() bool { return hasDisplay(runtime.GOOS, os.Getenv, lives) }

// hasDisplay is HasDisplay for an environment; lives tells of a socket of this computer whether somebody listens there.
// A variable outlives its desktop in what was started from there, as in a terminal that was detached.
func hasDisplay(goos string, env func(string) string, lives func(socket string) bool) bool {
	if env("SSH_CONNECTION") != "" {
		return false
	}
	if goos == "windows" || goos == "darwin" {
		return true
	}
	if name := env("WAYLAND_DISPLAY"); name != "" {
		if !filepath.IsAbs(name) {
			name = filepath.Join(env("XDG_RUNTIME_DIR"), name)
		}
		if lives(name) {
			return true
		}
	}
	return hasX11(env("DISPLAY"), lives)
}

// hasX11 is hasDisplay for a display of X11. One of another computer is taken to be there.
func hasX11(name string, lives func(socket string) bool) bool {
	host, number, found := strings.Cut(name, ":")
	if !found || host != "" && host != "unix" {
		return found
	}
	number, _, _ = strings.Cut(number, ".") // of a screen
	socket := "/tmp/.X11-unix/X" + number
	return lives(socket) || lives("@"+socket)
}

// lives reports whether somebody listens at a socket, or whether that cannot be told.
func lives(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, displayWait)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED)
	}
	conn.Close()
	return true
}
