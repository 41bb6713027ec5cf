// Package identity keeps what a node is known by from one run to the next: its key, its port, and the secret of
// its private network, each in a small file for the user alone. A file that is damaged or open to others is
// refused with an error that says what to do, but for the port, which is chosen again.
//
// Two calls for one file must not run at the same time.
package identity

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/libp2p/go-libp2p/core/crypto"
)

var (
	// ErrKeyDamaged is in the error of LoadOrCreateKey for a file that holds
	// no usable key.
	ErrKeyDamaged = errors.New("identity key is damaged")
	// ErrKeyExposed is in the error of LoadOrCreateKey for a file that other
	// users of the computer may read.
	ErrKeyExposed = errors.New("identity key is open to other users")
)

// LoadOrCreateKey returns the Ed25519 key in the file at path, which it makes
// if there is none. A file that is damaged or, on Unix, open to other users is
// refused with an error that says what to do: who else has the key can speak
// for this node, and a new key makes it a stranger to its partners, so neither
// happens without the user.
func LoadOrCreateKey(path string) (crypto.PrivKey, error) {
	data, err := readSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("read identity key: %w", err)
	}
	if err := checkPrivate(path); err != nil {
		return nil, fmt.Errorf("read identity key: %w", err)
	}
	key, err := parseKey(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w; restore it from a backup, or delete it to start as a new peer", path, err)
	}
	return key, nil
}

func createKey(path string) (crypto.PrivKey, error) {
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make identity key: %w", err)
	}
	data, err := crypto.MarshalPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make identity key: %w", err)
	}
	if err := writePrivate(path, data); err != nil {
		return nil, fmt.Errorf("save identity key: %w", err)
	}
	return key, nil
}

// parseKey reads a key in libp2p's encoding. Public and private half must
// belong together, which libp2p does not check: any damaged bit shows.
func parseKey(data []byte) (crypto.PrivKey, error) {
	key, err := crypto.UnmarshalPrivateKey(data)
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", ErrKeyDamaged, err)
	}
	raw, err := key.Raw()
	if err != nil || key.Type() != crypto.Ed25519 || len(raw) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("%w (not an Ed25519 key)", ErrKeyDamaged)
	}
	if !bytes.Equal(raw, ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])) {
		return nil, fmt.Errorf("%w (its halves do not match)", ErrKeyDamaged)
	}
	if again, err := crypto.MarshalPrivateKey(key); err != nil || !bytes.Equal(again, data) {
		return nil, fmt.Errorf("%w (more than a key in the file)", ErrKeyDamaged)
	}
	return key, nil
}
