package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedisct1/go-minisign"
	"golang.org/x/crypto/blake2b"
)

// writeKey writes a key that is not encrypted, and its public half into a root.
func writeKey(t *testing.T, file, root string) {
	t.Helper()
	public, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := []byte("01234567")
	sum := blake2b.Sum256(append(append([]byte("Ed"), id...), secret...))
	raw := append(append(append(append([]byte("Ed\x00\x00B2"), make([]byte, 48)...), id...), secret...), sum[:]...)
	write := func(path string, raw []byte) {
		if err := os.WriteFile(path, []byte("untrusted comment: x\n"+base64.StdEncoding.EncodeToString(raw)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, raw)
	if root != "" {
		if err := os.MkdirAll(filepath.Join(root, "assets"), 0o700); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(root, "assets", "release.pub"), append(append([]byte("Ed"), id...), public...))
	}
}

func TestSignAll(t *testing.T) {
	root, dir, keys := t.TempDir(), t.TempDir(), t.TempDir()
	good, other := filepath.Join(keys, "good"), filepath.Join(keys, "other")
	writeKey(t, good, root)
	writeKey(t, other, "")
	for _, name := range []string{"a.deb", "SHA256SUMS"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := signAll(root, dir, other, "", epoch); err == nil || !strings.Contains(err.Error(), "release.pub") {
		t.Errorf("with a key that no program knows: %v", err)
	}
	if err := signAll(root, dir, good, "", epoch); err != nil {
		t.Fatal(err)
	}
	public, err := minisign.NewPublicKeyFromFile(filepath.Join(root, "assets", "release.pub"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.deb", "SHA256SUMS"} {
		signature, err := minisign.NewSignatureFromFile(filepath.Join(dir, name+".minisig"))
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := public.VerifyFromFile(filepath.Join(dir, name), signature); !ok || err != nil || !strings.Contains(signature.TrustedComment, "timestamp:1790000000\tfile:"+name) {
			t.Errorf("%s: %v, %v, %q", name, ok, err, signature.TrustedComment)
		}
	}
}
