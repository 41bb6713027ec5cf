//go:build unix

// Package traytest is a desktop for tests: a session bus of their own, with a place for icons, notifications, and a
// hand that opens menus.
package traytest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

// Patience is how long anything may take before it counts as hung.
const Patience = 30 * time.Second

// Bus is a session bus that nobody else uses.
type Bus struct {
	// Address is what programs find in DBUS_SESSION_BUS_ADDRESS.
	Address string
	cmd     *exec.Cmd
}

// StartBus starts a bus at a path, "" for one of its own. It ends with the test, which is skipped where there is no
// dbus-daemon, unless FORAGE_NEED_DBUS says that there must be.
func StartBus(t *testing.T, path string) *Bus {
	t.Helper()
	if _, err := exec.LookPath("dbus-daemon"); err != nil {
		if os.Getenv("FORAGE_NEED_DBUS") != "" {
			t.Fatalf("there is no dbus-daemon: %v", err)
		}
		t.Skip("NOT TESTED: the tray; there is no dbus-daemon (package dbus)")
	}
	if path == "" {
		path = filepath.Join(shortDir(t), "bus")
	}
	b := &Bus{cmd: exec.Command("dbus-daemon", "--session", "--nofork", "--print-address=1",
		"--address=unix:path="+path)}
	out, err := b.cmd.StdoutPipe()
	if err == nil {
		err = b.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("dbus-daemon tells no address: %v", err)
	}
	b.Address = strings.TrimSpace(line)
	return b
}

// shortDir returns a directory whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Kill ends the bus at once. It may be called again.
func (b *Bus) Kill() {
	b.cmd.Process.Kill()
	b.cmd.Wait()
}

// Freeze has the bus answer nobody any more.
func (b *Bus) Freeze(t *testing.T) {
	t.Helper()
	if err := b.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

// Conn returns a connection that ends with the test.
func (b *Bus) Conn(t *testing.T) *dbus.Conn {
	t.Helper()
	conn, err := dbus.Connect(b.Address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Until asks again and again until the answer is yes. what is to be read after "waited in vain for".
func Until(t *testing.T, what string, yes func() bool) {
	t.Helper()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(Patience); !yes(); <-ticker.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
