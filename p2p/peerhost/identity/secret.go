package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"github.com/forage-net/forage/assets/words"
)

// ErrSecret is in the error of LoadSecret for a file that holds no secret.
var ErrSecret error = words.New("said.cli.secret-is-damaged", nil)

// Secret is what the members of a private network share, and nobody else knows. It shows in no log, no
// message and no JSON: Text alone writes it out. The zero value is that of a public network.
type Secret struct{ key [secretSize]byte }

// secretSize is the length of a secret in bytes, which libp2p's private networks prescribe.
const secretSize = 32

// NewSecret draws a secret.
func NewSecret() Secret {
	var s Secret
	rand.Read(s.key[:]) // it never fails
	return s
}

// IsZero reports whether there is no secret, as in a public network.
func (s Secret) IsZero() bool { return s == Secret{} }

// PSK returns the secret as libp2p wants that of a private network. It is the caller's.
func (s Secret) PSK() []byte { return s.key[:] }

// Text returns the secret as it stands in invites and in its file.
func (s Secret) Text() string { return base64.RawURLEncoding.EncodeToString(s.key[:]) }

// ParseSecret reads what Text returns. The error holds nothing of it.
func ParseSecret(text string) (s Secret, err error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != secretSize {
		return Secret{}, ErrSecret
	}
	copy(s.key[:], raw)
	if s.IsZero() {
		return Secret{}, ErrSecret
	}
	return s, nil
}

// Format implements fmt.Formatter for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, "(secret)") }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue("(secret)") }

// MarshalText implements encoding.TextMarshaler.
func (s Secret) MarshalText() ([]byte, error) { return []byte("(secret)"), nil }

// Network returns the name of the private network that has a name and this secret: two that only have the name in
// common are different networks, in all that names one. It tells nothing of the secret.
func (s Secret) Network(name string) string {
	if s.IsZero() {
		return name
	}
	sum := sha256.Sum256(append([]byte("forage private network\x00"), s.key[:]...))
	return name + "." + hex.EncodeToString(sum[:6])
}

// LoadSecret returns the secret in the file at path. The error is fs.ErrNotExist if there is none,
// ErrKeyExposed if others than the user may read it.
func LoadSecret(path string) (Secret, error) {
	text, err := readSmall(path)
	if err != nil {
		return Secret{}, words.New("said.cli.read-the-secret", words.Args{"error": err})
	}
	if err := checkPrivate(path); err != nil {
		return Secret{}, words.New("said.cli.read-the-secret", words.Args{"error": err})
	}
	s, err := ParseSecret(string(text))
	if err != nil {
		return s, words.New("said.cli.take-join-again", words.Args{"path": path, "error": err})
	}
	return s, nil
}

// LoadOrCreateSecret is LoadSecret, and draws a secret if there is no file.
func LoadOrCreateSecret(path string) (Secret, error) {
	s, err := LoadSecret(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s = NewSecret()
	return s, s.Save(path)
}

// Save replaces the file at path, which is for the user alone.
func (s Secret) Save(path string) error {
	if err := writePrivate(path, []byte(s.Text())); err != nil {
		return fmt.Errorf("save the secret of the private network: %w", err)
	}
	return nil
}
