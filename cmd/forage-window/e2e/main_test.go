//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for what must come; a busy machine may need it.
const patience = 30 * time.Second

var (
	programs string   // the directory of both programs
	screen0  *display // where tests take place, one after another; nil where there is none
	missing  error    // why there is none
)

// TestMain builds both programs and opens a desktop for the tests. FORAGE_E2E_PROGRAMS names a directory with programs
// that are there already, the window built with the tag "windowmap".
func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runTests(m *testing.M) (int, error) {
	if missing = lacks(); missing != nil {
		if os.Getenv("FORAGE_NEED_DESKTOP") != "" {
			return 0, missing
		}
		fmt.Fprintln(os.Stderr, "tests on a desktop are left out:", missing)
		return m.Run(), nil
	}
	dir, err := os.MkdirTemp("", "forage-window-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	if programs, err = build(dir); err != nil {
		return 0, err
	}
	if screen0, err = openDisplay(true); err != nil {
		return 0, err
	}
	defer screen0.close()
	return m.Run(), nil
}

// lacks says what these tests need and is not here.
func lacks() error {
	var names []string
	for _, name := range []string{"Xvfb", "dbus-daemon", "openbox", "xfce4-panel", "xdotool"} {
		if _, err := exec.LookPath(name); err != nil {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("%s: install what .ci/needs desktop names", strings.Join(names, ", "))
	}
	if os.Getenv("FORAGE_E2E_PROGRAMS") != "" {
		return nil
	}
	if out, err := exec.Command("pkg-config", "--exists", "--print-errors", "gl", "x11", "xcursor", "xrandr", "xinerama", "xi", "xxf86vm", "xkbcommon", "wayland-client").CombinedOutput(); err != nil {
		return fmt.Errorf("OpenGL's headers: install what .ci/needs window names: %w\n%s", err, out)
	}
	if _, err := exec.LookPath("cc"); err != nil {
		return errors.New("a C compiler")
	}
	return nil
}

func build(dir string) (string, error) {
	if name := os.Getenv("FORAGE_E2E_PROGRAMS"); name != "" {
		return filepath.Abs(name)
	}
	for _, b := range [][]string{{"CGO_ENABLED=0", "./cmd/forage"}, {"CGO_ENABLED=1", "-tags", "windowmap", "./cmd/forage-window"}} {
		cmd := exec.Command("go", append([]string{"build", "-o", dir + "/"}, b[1:]...)...)
		cmd.Dir, cmd.Env = "../../..", append(os.Environ(), b[0])
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("build %s: %w\n%s", b[len(b)-1], err, out)
		}
	}
	return dir, nil
}

// onDesktop skips a test where there is no desktop.
func onDesktop(t *testing.T) *display {
	t.Helper()
	if screen0 == nil {
		t.Skip("not here: ", missing)
	}
	return screen0
}

// await waits for what must come.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come true that %s", what)
		}
	}
}
