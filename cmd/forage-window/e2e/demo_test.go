//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/forage-net/forage/ui/open"
)

// The demo in a terminal of a desktop shows icon and window at work on its practice web, and ends from the icon.
func TestDemo_ShowsTrayAndWindow(t *testing.T) {
	l := newLab(t)
	l.node = &process{cmd: exec.Command(filepath.Join(programs, "forage"), "demo", "--home", l.home), ended: make(chan struct{})}
	l.node.cmd.Env, l.node.cmd.Stdout, l.node.cmd.Stderr = l.env, terminal(t), &l.node.out
	browsed := len(l.browsed())
	if err := l.node.start(); err != nil {
		t.Fatal(err)
	}
	icon := l.icon()
	await(t, "the icon shows that it works", func() bool { return icon.says("Working.") })
	await(t, "the window is drawn", func() bool {
		if n := len(l.browsed()); n > browsed { // on a busy computer its first frame came too late
			browsed = n
			icon.click("Open Forage")
		}
		_, err := os.Stat(l.mapFile())
		return err == nil
	})
	w := l.appeared()
	w.see("Overview")
	w.see("Last: ") // the latest page of a site of the practice web
	icon.click("Quit")
	<-l.node.ended
	if code := l.node.exit(); code != 0 {
		t.Errorf("the demo ended with %d", code)
	}
	w.see("Stopped.")
	w.close()
	if log, err := os.ReadFile(filepath.Join(l.home, "1", "state", open.WindowLog)); err == nil {
		l.inOrder(string(log))
	}
}

// terminal is one that nobody looks at.
func terminal(t *testing.T) *os.File {
	t.Helper()
	other, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { other.Close() })
	if err := unix.IoctlSetPointerInt(int(other.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(other.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	go func() { // until the terminal is closed
		for buf := make([]byte, 4096); ; {
			if _, err := other.Read(buf); err != nil {
				return
			}
		}
	}()
	return tty
}
