package certificate

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOwn(t *testing.T) {
	dir := t.TempDir()
	c, err := Own(dir)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Own(dir)
	if err != nil || again.Fingerprint() != c.Fingerprint() {
		t.Errorf("read again it is %v, %v, want the same", again, err)
	}
	if !regexp.MustCompile(`^([0-9A-F]{2}:){31}[0-9A-F]{2}$`).MatchString(c.Fingerprint()) {
		t.Errorf("the fingerprint is %s", c.Fingerprint())
	}
	if info, err := os.Stat(filepath.Join(dir, fileName)); err != nil || runtime.GOOS != "windows" &&
		info.Mode() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
	// Who trusts it can talk to this computer by each of its names.
	roots := x509.NewCertPool()
	roots.AddCert(c.current().Leaf)
	for _, name := range ownNames() {
		ours, theirs := net.Pipe()
		server := tls.Server(theirs, c.Config())
		done := make(chan error, 1)
		go func() { done <- server.Handshake() }()
		client := tls.Client(ours, &tls.Config{RootCAs: roots, ServerName: name})
		if err := client.Handshake(); err != nil {
			t.Errorf("as %s: %v", name, err)
		} else if state := client.ConnectionState(); state.Version < tls.VersionTLS12 {
			t.Errorf("as %s: TLS %x", name, state.Version)
		}
		ours.Close()
		<-done
	}
}

func TestOwn_IsRenewed(t *testing.T) {
	file := filepath.Join(t.TempDir(), fileName)
	h := newHand()
	names := []string{"nas", "nas.local", "192.168.7.2"}
	serial := func() string {
		t.Helper()
		c, err := own(file, h.now(), names)
		if err != nil {
			t.Fatal(err)
		}
		if !serves(c.Leaf, h.now(), names) {
			t.Errorf("at %v for %v: %v to %v for %v", h.now(), names, c.Leaf.NotBefore, c.Leaf.NotAfter,
				c.Leaf.DNSNames)
		}
		return c.Leaf.SerialNumber.String()
	}
	last := serial()
	for _, c := range []struct {
		what    string
		change  func()
		renewed bool
	}{
		{"at once", func() {}, false},
		{"eleven months later", func() { h.move(life - renewBefore) }, false},
		{"a moment after", func() { h.move(time.Second) }, true},
		{"at another address", func() { names = []string{"nas", "nas.local", "192.168.7.3"} }, false},
		{"by another name", func() { names = []string{"box", "box.local"} }, true},
		{"with the clock set back", func() { h.move(-life) }, true},
		{"with a damaged file", func() { os.WriteFile(file, []byte("-----BEGIN CERTIFICATE-----\n"), 0o600) }, true},
		{"with an empty file", func() { os.WriteFile(file, nil, 0o600) }, true},
	} {
		c.change()
		now := serial()
		if (now != last) != c.renewed {
			t.Errorf("%s: renewed %v, want %v", c.what, now != last, c.renewed)
		}
		last = now
	}
	if _, err := own(t.TempDir(), h.now(), names); err == nil {
		t.Error("a directory is a certificate")
	}
}

// A certificate that somebody else renews is taken up without a new start, and one that is no good is not.
func TestLoad(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	h := newHand()
	write := func(name string) {
		t.Helper()
		data, err := generate(h.now(), []string{name})
		if err != nil {
			t.Fatal(err)
		}
		i := strings.Index(string(data), "-----BEGIN PRIVATE")
		for file, part := range map[string][]byte{certFile: data[:i], keyFile: data[i:]} {
			if err := os.WriteFile(file, part, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := Load(certFile, keyFile); err == nil || !strings.Contains(err.Error(), certFile) {
		t.Errorf("without files: %v", err)
	}
	write("first.example")
	c, err := newOf(func() (*tls.Certificate, error) { return loadPair(certFile, keyFile) }, h.now)
	if err != nil {
		t.Fatal(err)
	}
	shows := func(want string) {
		t.Helper()
		if got := c.current().Leaf.DNSNames; !slices.Equal(got, []string{want}) {
			t.Errorf("it is for %v, want %s", got, want)
		}
	}
	write("second.example")
	shows("first.example")
	h.move(lookEvery)
	shows("second.example")
	if err := os.WriteFile(certFile, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.move(lookEvery)
	shows("second.example")
	write("third.example")
	h.move(-time.Hour) // the clock was set back
	shows("third.example")
	if _, err := Load(keyFile, certFile); err == nil {
		t.Error("a key is a certificate")
	}
}

// hand is a clock moved by hand.
type hand struct{ at time.Time }

func newHand() *hand { return &hand{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (h *hand) now() time.Time { return h.at }

func (h *hand) move(d time.Duration) { h.at = h.at.Add(d) }
