package password

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPassword(t *testing.T) {
	dir := t.TempDir()
	if set, err := IsSet(dir); set || err != nil {
		t.Errorf("IsSet before = %v, %v", set, err)
	}
	for _, bad := range []string{"", "too short", strings.Repeat("x", Max+1), "ninechars", "password123",
		"Qwertyuiop", "1q2w3e4r5t", "1234567890", "MANCHESTER "} {
		if err := Set(dir, bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{
		"Password2026!", "dragon 1234", "liverpool12", "FORAGE-2026", host + "1234567890",
		strings.ToUpper(host) + "!!!!!!!!!!",
		"aaaaaaaaaa", "xyz7xyz7xyz7", "Hans Hans Hans", "abcdefghij", "9876543210", "7890123456", "aabbccddee",
		"1234554321",
	} {
		if err := Set(dir, bad); !errors.Is(err, errCommon) {
			t.Errorf("%q: %v, want %v", bad, err, errCommon)
		}
	}
	if err := Set(dir, "zehn Zeich"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, fileName)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if set, err := IsSet(dir); !set || err != nil {
		t.Errorf("IsSet = %v, %v", set, err)
	}
	p := Open(dir)
	slow := p.ID()
	if err := SetAt(dir, "zehn Zeich", 1, minKiB); err != nil { // what follows need not be slow
		t.Fatal(err)
	}
	first, err := p.Check(t.Context(), "zehn Zeich")
	if err != nil || first == "" || first != p.ID() || slow == "" || slow == first {
		t.Errorf("the password is %q, %v, want %q, and before %q", first, err, p.ID(), slow)
	}
	if id, err := p.Check(t.Context(), "zehn Zeicg"); err != nil || id != "" {
		t.Errorf("a wrong one is %q, %v", id, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	p.busy <- struct{}{}
	if id, err := p.Check(gone, "zehn Zeich"); !errors.Is(err, context.Canceled) || id != "" {
		t.Errorf("who has left is %q, %v", id, err)
	}
	<-p.busy
	if err := SetAt(dir, "zehn Zeich", 1, minKiB); err != nil {
		t.Fatal(err)
	}
	if second := p.ID(); second == first || second == "" {
		t.Errorf("the same password set again is %q, before %q", second, first)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := p.Check(t.Context(), "zehn Zeich"); err != nil || id != "" || p.ID() != "" {
		t.Errorf("with a damaged file: %q, %v, want nobody let in", id, err)
	}
	if set, err := IsSet(dir); set || err == nil || !strings.Contains(err.Error(), "forage password") {
		t.Errorf("IsSet of a damaged file = %v, %v", set, err)
	}
}

func FuzzReadPassword(f *testing.F) {
	dir := f.TempDir()
	if err := SetAt(dir, "correct horse battery staple", 1, minKiB); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, fileName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(strings.Replace(string(good), "4096", "4294967295", 1)))
	f.Add([]byte(`{"version":1,"passes":1,"kib":8192}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parse(data)
		if err != nil {
			return
		}
		if len(p.salt) != saltSize || len(p.hash) != hashSize || p.passes > 16 || p.kib > 256<<10 ||
			p.kib < minKiB || p.id == "" {
			t.Errorf("%s is %+v", data, p)
		}
	})
}
