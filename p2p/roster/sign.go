package roster

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
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

const (
	keySize = ed25519.PublicKeySize
	sigSize = ed25519.SignatureSize
	tagSize = 4
)

// tag marks the items of a network. It keeps networks apart before a signature is
// looked at; what binds an item to its network is the signature, which covers the
// whole name.
type tag [tagSize]byte

func tagOf(network string) tag {
	sum := sha256.Sum256(append([]byte(signingContext), network...))
	return tag(sum[:tagSize])
}

// message returns the bytes that are signed for an item in a network.
func message(network string, body []byte) []byte {
	msg := make([]byte, 0, len(signingContext)+binary.MaxVarintLen64+len(network)+len(body))
	msg = append(msg, signingContext...)
	msg = binary.AppendUvarint(msg, uint64(len(network)))
	msg = append(msg, network...)
	return append(msg, body...)
}

// sign returns the signature of an item in a network.
func sign(network string, key crypto.PrivKey, body []byte) ([]byte, error) {
	sig, err := key.Sign(message(network, body))
	if err != nil {
		return nil, fmt.Errorf("sign roster item: %w", err)
	}
	return sig, nil
}

// signer returns the peer a private key belongs to. Only Ed25519 keys sign here.
func signer(key crypto.PrivKey) (peer.ID, error) {
	if key.Type() != crypto.Ed25519 {
		return "", invalid("key of type %s", key.Type())
	}
	id, err := peer.IDFromPrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("take peer ID from key: %w", err)
	}
	return id, nil
}

// verify tells whether a peer signed the message.
func verify(id peer.ID, msg, sig []byte) bool {
	key, ok := publicKey(id)
	return ok && len(sig) == sigSize && ed25519.Verify(key, msg, sig)
}

// publicKey returns the Ed25519 key that is the peer's ID.
func publicKey(id peer.ID) (ed25519.PublicKey, bool) {
	if len(id) != len(idPrefix)+keySize || id[:len(idPrefix)] != idPrefix {
		return nil, false
	}
	return ed25519.PublicKey(id[len(idPrefix):]), true
}

// peerOf returns the ID of an Ed25519 key.
func peerOf(key []byte) peer.ID { return peer.ID(idPrefix + string(key)) }
