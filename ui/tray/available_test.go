//go:build unix

package tray

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAvailable(t *testing.T) {
	dir, err := os.MkdirTemp("", "a b")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	socket, err := net.Listen("unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "bus"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		goos, address, runtime string
		ok                     bool
		bus                    string
	}{
		{"linux", "", "", false, ""},
		{"linux", "autolaunch:", "", false, ""},
		{"linux", "unix:path=/x", "", true, "unix:path=/x"},
		{"linux", "", dir, true, "unix:path=" + strings.ReplaceAll(filepath.Join(dir, "bus"), " ", "%20")},
		{"freebsd", "unix:path=/x", dir, true, "unix:path=/x"},
		{"linux", "", other, false, ""}, // a file is no bus
		{"linux", "", ".", false, ""},
		{"windows", "", "", true, ""},
		{"darwin", "unix:path=/x", "", false, "unix:path=/x"},
	} {
		env := func(name string) string {
			return map[string]string{"DBUS_SESSION_BUS_ADDRESS": c.address, "XDG_RUNTIME_DIR": c.runtime}[name]
		}
		if ok, why := Available(c.goos, env); ok != c.ok || ok != (why == "") {
			t.Errorf("Available(%s, %q, %q) = %t, %q", c.goos, c.address, c.runtime, ok, why)
		}
		if got := busAddress(env); got != c.bus {
			t.Errorf("busAddress(%q, %q) = %q, want %q", c.address, c.runtime, got, c.bus)
		}
	}
}
