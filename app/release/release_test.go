package release

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedisct1/go-minisign"

	"github.com/forage-net/forage/assets"
)

// newKey returns a key that is not encrypted.
func newKey(t *testing.T) minisign.PrivateKey {
	t.Helper()
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k := minisign.PrivateKey{SignatureAlgorithm: [2]byte{'E', 'd'}, ChecksumAlgorithm: [2]byte{'B', '2'}}
	rand.Read(k.KeyId[:])
	copy(k.SecretKey[:], secret)
	return k
}

// sign writes a file and its signature.
func sign(t *testing.T, k minisign.PrivateKey, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	signature, err := k.SignFile(path, minisign.SignOptions{Hashed: true})
	if err == nil {
		err = os.WriteFile(path+suffix, signature.Encode(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	good, other := newKey(t), newKey(t)
	sign(t, good, at("good"), "a release")
	sign(t, good, at("changed"), "a release")
	sign(t, other, at("foreign"), "a release")
	sign(t, good, at("swapped"), "an old release")
	sign(t, good, at("comment"), "a release")
	for name, change := range map[string]func(string) string{
		"changed": nil,
		"comment": func(s string) string { return strings.Replace(s, "file:comment", "file:another", 1) },
		"garbage": func(string) string { return "x" },
	} {
		if name == "changed" {
			os.WriteFile(at(name), []byte("a releasf"), 0o600)
			continue
		}
		text, _ := os.ReadFile(at(name) + suffix)
		os.WriteFile(at(name), []byte("a release"), 0o600)
		os.WriteFile(at(name)+suffix, []byte(change(string(text))), 0o600)
	}
	text, _ := os.ReadFile(at("good") + suffix)
	os.WriteFile(at("swapped")+suffix, text, 0o600)
	os.WriteFile(at("unsigned"), []byte("a release"), 0o600)
	os.WriteFile(at("large")+suffix, make([]byte, maxSignature+1), 0o600)
	os.WriteFile(at("large"), nil, 0o600)

	server := httptest.NewTLSServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	key := good.PublicKey()
	for name, want := range map[string]string{
		"good": "", "changed": "do not install it", "foreign": "do not install it", "swapped": "do not install it", "comment": "do not install it",
		"garbage": "is not a signature", "unsigned": ErrUnsigned.Error(), "large": "is larger than", "missing": "o such file|no signature",
	} {
		for _, place := range []string{at(name), server.URL + "/" + name} {
			comment, err := checkBy(t.Context(), key, server.Client(), place)
			if want == "" {
				if err != nil || !strings.Contains(comment, "file:good") {
					t.Errorf("%s: %q, %v", place, comment, err)
				}
				continue
			}
			right := false
			for part := range strings.SplitSeq(want, "|") {
				right = right || err != nil && strings.Contains(err.Error(), part)
			}
			if !right || comment != "" {
				t.Errorf("%s: %q, %v, want %s", place, comment, err, want)
			}
		}
	}
	for _, place := range []string{"http://forage.example/x", "ftp://forage.example/x", "file:///etc/passwd"} {
		if _, err := checkBy(t.Context(), key, server.Client(), place); err == nil || !strings.Contains(err.Error(), "https") {
			t.Errorf("%s: %v", place, err)
		}
	}
}

// The key in the program is one, if there is any, and does not vouch for what others signed.
func TestCheck_ByTheKeyOfTheProgram(t *testing.T) {
	want := ErrNoKey
	if assets.ReleaseKey() != "" {
		if want = ErrWrong; !isKey(assets.ReleaseKey()) {
			t.Fatal("assets/release.pub holds no key")
		}
	}
	path := filepath.Join(t.TempDir(), "x")
	sign(t, newKey(t), path, "a release")
	if _, err := Check(t.Context(), path); !errors.Is(err, want) {
		t.Errorf("Check of what others signed: %v", err)
	}
}

func isKey(text string) bool {
	_, err := minisign.DecodePublicKey(text)
	return err == nil
}
