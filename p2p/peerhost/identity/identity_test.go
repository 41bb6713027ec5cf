package identity

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestLoadOrCreateKey_KeepsTheKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "identity.key")
	made, err := LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadOrCreateKey(path)
	if err != nil || !made.Equals(again) {
		t.Errorf("second LoadOrCreateKey = another key or %v, want the same", err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("directory holds %v (%v), want the key alone", left, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, c := range []struct {
		path string
		want os.FileMode
	}{{path, 0o600}, {filepath.Dir(path), 0o700}} {
		if fi, err := os.Stat(c.path); err != nil || fi.Mode().Perm() != c.want {
			t.Errorf("mode of %s = %v, %v, want %v", c.path, fi.Mode(), err, c.want)
		}
	}
}

func TestLoadOrCreateKey_RefusesExposedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits")
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o602, 0o601} {
		path := filepath.Join(t.TempDir(), "identity.key")
		if _, err := LoadOrCreateKey(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		_, err := LoadOrCreateKey(path)
		if !errors.Is(err, ErrKeyExposed) || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %v: LoadOrCreateKey = %v, want ErrKeyExposed and what to do", mode, err)
		}
	}
}

func TestLoadOrCreateKey_RefusesDamagedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "identity.key")
	if _, err := LoadOrCreateKey(path); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := map[string][]byte{
		"empty": {}, "text": []byte("secret"), "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
		"huge": bytes.Repeat(good, 1000), "zeros": make([]byte, len(good)),
	}
	for i := range good {
		flipped := bytes.Clone(good)
		flipped[i] ^= 1 << (i % 8)
		damaged["bit of byte "+string(rune('0'+i/10))+string(rune('0'+i%10))] = flipped
	}
	for name, data := range damaged {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadOrCreateKey(path)
		if !errors.Is(err, ErrKeyDamaged) || !strings.Contains(err.Error(), "delete it") {
			t.Errorf("%s: LoadOrCreateKey = %v, want ErrKeyDamaged and what to do", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
			t.Errorf("%s: the file was touched", name)
		}
	}
}

func TestLoadOrCreateKey_SaysWhyItCannotSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadOrCreateKey(filepath.Join(file, "identity.key")); err == nil {
		t.Error("LoadOrCreateKey below a file = nil error")
	}
}

func FuzzParseKey(f *testing.F) {
	path := filepath.Join(f.TempDir(), "identity.key")
	if _, err := LoadOrCreateKey(path); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte{8, 1, 18, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		key, err := parseKey(data)
		if (key == nil) == (err == nil) {
			t.Errorf("parseKey = %v, %v", key, err)
		}
	})
}
