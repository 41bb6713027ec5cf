package signed

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// idPrefix is what the ID of an Ed25519 key begins with: an identity multihash of
// 36 bytes, which hold a protobuf of key type 1 with 32 bytes of key.
const idPrefix = "\x00\x24\x08\x01\x12\x20"

// signingContext begins everything that is signed here, so that a signature made for
// another purpose with the same key is none of ours.
const signingContext = "forage/roster/1\x00"

// Sizes in bytes: of a public key, of a signature, and of a Tag.
const (
	KeySize = ed25519.PublicKeySize
	SigSize = ed25519.SignatureSize
	TagSize = 4
)

// ErrInvalid is returned for bytes that no honest node of this version sends: malformed, out of range, or not signed by
// whom they name.
var ErrInvalid = errors.New("not as signed items are")

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// Tag marks the items of a network. It keeps networks apart before a signature is
// looked at; what binds an item to its network is the signature, which covers the
// whole name.
type Tag [TagSize]byte

// TagOf returns the tag of a network.
func TagOf(network string) Tag {
	sum := sha256.Sum256(append([]byte(signingContext), network...))
	return Tag(sum[:TagSize])
}

// Message returns the bytes that are signed for an item in a network.
func Message(network string, body []byte) []byte {
	msg := make([]byte, 0, len(signingContext)+binary.MaxVarintLen64+len(network)+len(body))
	msg = append(msg, signingContext...)
	msg = binary.AppendUvarint(msg, uint64(len(network)))
	msg = append(msg, network...)
	return append(msg, body...)
}

// Sign returns the signature of an item in a network.
func Sign(network string, key crypto.PrivKey, body []byte) ([]byte, error) {
	sig, err := key.Sign(Message(network, body))
	if err != nil {
		return nil, fmt.Errorf("sign roster item: %w", err)
	}
	return sig, nil
}

// Signer returns the peer a private key belongs to. Only Ed25519 keys sign here.
func Signer(key crypto.PrivKey) (peer.ID, error) {
	if key.Type() != crypto.Ed25519 {
		return "", invalid("key of type %s", key.Type())
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("take peer ID from key: %w", err)
	}
	return id, nil
}

// Verify tells whether a peer signed the message.
func Verify(id peer.ID, msg, sig []byte) bool {
	key, ok := PublicKey(id)
	return ok && len(sig) == SigSize && ed25519.Verify(key, msg, sig)
}

// PublicKey returns the Ed25519 key that is the peer's ID.
func PublicKey(id peer.ID) (ed25519.PublicKey, bool) {
	if len(id) != len(idPrefix)+KeySize || id[:len(idPrefix)] != idPrefix {
		return nil, false
	}
	return ed25519.PublicKey(id[len(idPrefix):]), true
}

// PeerOf returns the ID of an Ed25519 key.
func PeerOf(key []byte) peer.ID { return peer.ID(idPrefix + string(key)) }
