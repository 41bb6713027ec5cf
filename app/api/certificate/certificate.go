// Package certificate is what the dashboard shows to other computers of the local network: a certificate that a
// node makes for itself, or one that its user gives it. It stays up to date while the node runs.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/forage-net/forage/storage/durable"
)

const (
	fileName = "web-tls.pem"
	// life is how long a certificate of our own lasts, and renewBefore how long before its end
	// there is a new one.
	life        = 365 * 24 * time.Hour
	renewBefore = 30 * 24 * time.Hour
	// maxPEM bounds a file with certificates or a key, in bytes.
	maxPEM = 256 << 10
	// lookEvery is how often it is looked whether a certificate is due, or was replaced.
	lookEvery = time.Minute
)

// Certificate is what a server shows to other computers. It stays up to date while the node runs.
type Certificate struct {
	load func() (*tls.Certificate, error)
	now  func() time.Time

	mu     sync.Mutex
	cert   *tls.Certificate
	looked time.Time
}

// Own reads the certificate that a node made for itself from its state directory, or makes one,
// for the names and addresses that this computer has now.
func Own(stateDir string) (*Certificate, error) {
	file := filepath.Join(stateDir, fileName)
	return newOf(func() (*tls.Certificate, error) { return own(file, time.Now(), ownNames()) }, time.Now)
}

// Load reads a certificate with its chain, and its key, from files in PEM.
func Load(certFile, keyFile string) (*Certificate, error) {
	return newOf(func() (*tls.Certificate, error) { return loadPair(certFile, keyFile) }, time.Now)
}

func newOf(load func() (*tls.Certificate, error), now func() time.Time) (*Certificate, error) {
	cert, err := load()
	if err != nil {
		return nil, fmt.Errorf("certificate of the dashboard: %w", err)
	}
	return &Certificate{load: load, now: now, cert: cert, looked: now()}, nil
}

// Config returns how a server speaks TLS with it.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current(), nil },
	}
}

// Fingerprint returns the SHA-256 of the certificate as browsers show it.
func (c *Certificate) Fingerprint() string {
	sum := sha256.Sum256(c.current().Certificate[0])
	return strings.ReplaceAll(fmt.Sprintf("% X", sum), " ", ":")
}

// current returns the certificate, read again now and then. One that cannot be read leaves the one before.
func (c *Certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.now(); at.Sub(c.looked) >= lookEvery || at.Before(c.looked) {
		c.looked = at
		if cert, err := c.load(); err == nil {
			c.cert = cert
		}
	}
	return c.cert
}

func loadPair(certFile, keyFile string) (*tls.Certificate, error) {
	cert, err := durable.ReadSmall(certFile, maxPEM)
	if err != nil {
		return nil, err
	}
	key, err := durable.ReadSmall(keyFile, maxPEM)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s with %s: %w", certFile, keyFile, err)
	}
	return &pair, nil
}

// own returns the certificate in a file if it still serves, else a new one, which it puts there.
func own(file string, now time.Time, names []string) (*tls.Certificate, error) {
	data, err := durable.ReadSmall(file, maxPEM)
	if err == nil {
		if pair, err := tls.X509KeyPair(data, data); err == nil && serves(pair.Leaf, now, names) {
			return &pair, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if data, err = generate(now, names); err != nil {
		return nil, err
	}
	if err := (durable.Change{Fleeting: true}).Write(file, data); err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(data, data)
	return &pair, err
}

// serves reports whether a certificate is valid for all names, and for a while. Addresses come and go, and
// with each new certificate browsers would ask their users again, so they do not count.
func serves(leaf *x509.Certificate, now time.Time, names []string) bool {
	if leaf == nil || now.Before(leaf.NotBefore) || now.After(leaf.NotAfter.Add(-renewBefore)) {
		return false
	}
	for _, name := range names {
		if net.ParseIP(name) == nil && leaf.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}

// generate returns a certificate and its key in PEM.
func generate(now time.Time, names []string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "forage on " + names[0]},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(life), // an hour for clocks that are behind
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})...), nil
}

// ownNames returns by what others call this computer: its name, and its private addresses.
func ownNames() []string {
	var names []string
	if name, err := os.Hostname(); err == nil {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if short, _, _ := strings.Cut(name, "."); isName(name) && isName(short) {
			if names = []string{name, short + ".local"}; short != name {
				names = append(names, short)
			}
		}
	}
	names = append(names, "localhost", "127.0.0.1")
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return names
	}
	for _, one := range addrs {
		if p, err := netip.ParsePrefix(one.String()); err == nil && p.Addr().IsPrivate() && len(names) < 40 {
			names = append(names, p.Addr().String())
		}
	}
	return names
}

// isName reports whether a certificate can name it.
func isName(s string) bool {
	return s != "" && len(s) <= 253 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-.") == ""
}
