package api

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
	if set, err := HasPassword(dir); set || err != nil {
		t.Errorf("HasPassword before = %v, %v", set, err)
	}
	for _, bad := range []string{"", "too short", strings.Repeat("x", MaxPassword+1), "ninechars", "password123",
		"Qwertyuiop", "1q2w3e4r5t", "1234567890", "MANCHESTER "} {
		if err := SetPassword(dir, bad); err == nil {
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
		if err := SetPassword(dir, bad); !errors.Is(err, errCommon) {
			t.Errorf("%q: %v, want %v", bad, err, errCommon)
		}
	}
	if err := SetPassword(dir, "zehn Zeich"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, passwordName)
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	if set, err := HasPassword(dir); !set || err != nil {
		t.Errorf("HasPassword = %v, %v", set, err)
	}
	p := newPasswords(file)
	slow := p.id()
	if err := setPassword(dir, "zehn Zeich", 1, minKiB); err != nil { // what follows need not be slow
		t.Fatal(err)
	}
	first, err := p.check(t.Context(), "zehn Zeich")
	if err != nil || first == "" || first != p.id() || slow == "" || slow == first {
		t.Errorf("the password is %q, %v, want %q, and before %q", first, err, p.id(), slow)
	}
	if id, err := p.check(t.Context(), "zehn Zeicg"); err != nil || id != "" {
		t.Errorf("a wrong one is %q, %v", id, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	p.busy <- struct{}{}
	if id, err := p.check(gone, "zehn Zeich"); !errors.Is(err, context.Canceled) || id != "" {
		t.Errorf("who has left is %q, %v", id, err)
	}
	<-p.busy
	if err := setPassword(dir, "zehn Zeich", 1, minKiB); err != nil {
		t.Fatal(err)
	}
	if second := p.id(); second == first || second == "" {
		t.Errorf("the same password set again is %q, before %q", second, first)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := p.check(t.Context(), "zehn Zeich"); err != nil || id != "" || p.id() != "" {
		t.Errorf("with a damaged file: %q, %v, want nobody let in", id, err)
	}
	if set, err := HasPassword(dir); set || err == nil || !strings.Contains(err.Error(), "forage password") {
		t.Errorf("HasPassword of a damaged file = %v, %v", set, err)
	}
}

func FuzzReadPassword(f *testing.F) {
	dir := f.TempDir()
	if err := setPassword(dir, goodPassword, 1, minKiB); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, passwordName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(strings.Replace(string(good), "4096", "4294967295", 1)))
	f.Add([]byte(`{"version":1,"passes":1,"kib":8192}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePassword(data)
		if err != nil {
			return
		}
		if len(p.salt) != saltSize || len(p.hash) != hashSize || p.passes > 16 || p.kib > 256<<10 ||
			p.kib < minKiB || p.id == "" {
			t.Errorf("%s is %+v", data, p)
		}
	})
}
