package descriptor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestDescriptor(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadDescriptor = %v, want %v", err, fs.ErrNotExist)
	}
	d := Descriptor{Addr: "127.0.0.1:7707", Token: NewToken(), PID: 12, BootID: NewBootID(),
		Started: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
	if err := Write(dir, d); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(dir); err != nil || got != d {
		t.Errorf("ReadDescriptor = %+v, %v, want %+v", got, err, d)
	}
	path := filepath.Join(dir, "api.json")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("directory holds %v, %v, want the descriptor alone", entries, err)
	}
	if err := Remove(dir, NewBootID()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("another boot removed the descriptor: %v", err)
	}
	for range 2 {
		if err := Remove(dir, d.BootID); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the descriptor is still there: %v", err)
	}
	d.Addr = "192.0.2.1:80"
	if err := Write(dir, d); err == nil {
		t.Error("a descriptor that leads elsewhere was written")
	}
}

func FuzzReadDescriptor(f *testing.F) {
	d := Descriptor{Addr: "[::1]:7707", Token: NewToken(), PID: 12, BootID: "ab"}
	good, _ := json.Marshal(d)
	f.Add(string(good))
	f.Add(strings.Replace(string(good), "[::1]", "evil.example", 1))
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parse([]byte(text))
		if err != nil {
			return
		}
		host, port, err := net.SplitHostPort(d.Addr)
		if err != nil || host != "127.0.0.1" && host != "::1" && host != "localhost" || port == "0" {
			t.Errorf("%q leads to %s", text, d.Addr)
		}
		if strings.ContainsAny(d.Token+d.BootID, "\r\n ") {
			t.Errorf("%q has token %q and boot ID %q", text, d.Token, d.BootID)
		}
		if _, err := http.NewRequest(http.MethodGet, "http://"+d.Addr+"/", nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
