// Package secret makes random secrets, and digests by which they are known again: what is kept of a secret lets
// nobody in.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
)

// New returns so many random bytes in hexadecimal.
func New(bytes int) string {
	b := make([]byte, bytes)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// Digest is what is kept of a secret.
type Digest [sha256.Size]byte

// Of returns the digest of a secret.
func Of(secret string) Digest { return sha256.Sum256([]byte(secret)) }

// Is reports whether two digests are the same. It takes the same time whatever they are.
func (d Digest) Is(other Digest) bool { return subtle.ConstantTimeCompare(d[:], other[:]) == 1 }

// String returns a digest in hexadecimal, as Parse reads it.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// Parse reads what String wrote.
func Parse(text string) (d Digest, err error) {
	b, err := hex.DecodeString(text)
	if err != nil {
		return d, fmt.Errorf("read digest: %w", err)
	}
	if len(b) != len(d) {
		return d, errors.New("a digest is not of 64 digits")
	}
	return Digest(b), nil
}

// IsHex reports whether a text is of one lower-case hexadecimal digit or more.
func IsHex(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return text != ""
}
