package recall

import (
	"crypto/ed25519"
	"encoding/base64"
)

// releaseKeys are the public keys, as "go run ./cmd/recall key" prints them, whose notes this program believes; two at
// most, so that one can take the place of the other. This is the one place where they stand. docs/recall.md says where
// the private ones are. Without any, no note is accepted, asked for or passed on.
var releaseKeys = [...]string{}

// ReleaseKeys returns them.
func ReleaseKeys() (keys []ed25519.PublicKey) {
	for _, text := range releaseKeys {
		if k, err := ParseKey(text); err == nil {
			keys = append(keys, k)
		}
	}
	return keys
}

// KeyText writes a public key as it stands in the program.
func KeyText(k ed25519.PublicKey) string { return base64.RawURLEncoding.EncodeToString(k) }

// ParseKey reads what KeyText writes.
func ParseKey(text string) (ed25519.PublicKey, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, ErrForged
	}
	return raw, nil
}
