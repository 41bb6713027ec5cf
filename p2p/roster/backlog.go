package roster

import (
	"encoding/binary"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

// kindBacklog marks what a member says of its work, which is no part of the roster.
const kindBacklog = 4

// backlogSize is the size of a sealed Backlog: kind, tag, key, domains, date and signature.
const backlogSize = 1 + tagSize + keySize + 4 + 8 + sigSize

// Backlog says that domains of a member wait and nobody asks for them.
type Backlog struct {
	Peer    peer.ID
	Domains uint32
	Issued  time.Time // to the second
}

// IsBacklog reports whether an item is meant to be a Backlog, not a part of the roster.
func IsBacklog(raw []byte) bool { return len(raw) > 0 && raw[0] == kindBacklog }

// SealBacklog returns what the owner of the key says of its work, signed.
func SealBacklog(network string, key crypto.PrivKey, domains uint32, issued time.Time) ([]byte, error) {
	id, err := signer(key)
	if err != nil {
		return nil, err
	}
	t := tagOf(network)
	body := append([]byte{kindBacklog}, t[:]...)
	body = append(body, id[len(idPrefix):]...)
	body = binary.BigEndian.AppendUint32(body, domains)
	body = binary.BigEndian.AppendUint64(body, uint64(issued.Unix()))
	sig, err := sign(network, key, body)
	if err != nil {
		return nil, err
	}
	return append(body, sig...), nil
}

// OpenBacklog reads a Backlog of a network and checks that its member signed it. Errors are
// ErrInvalid and ErrForeign.
func OpenBacklog(network string, raw []byte) (Backlog, error) {
	if len(raw) != backlogSize || !IsBacklog(raw) {
		return Backlog{}, invalid("backlog of %d bytes", len(raw))
	}
	if tag(raw[1:1+tagSize]) != tagOf(network) {
		return Backlog{}, ErrForeign
	}
	rest := raw[1+tagSize:]
	b := Backlog{
		Peer:    peerOf(rest[:keySize]),
		Domains: binary.BigEndian.Uint32(rest[keySize:]),
		Issued:  time.Unix(int64(binary.BigEndian.Uint64(rest[keySize+4:])), 0),
	}
	body := len(raw) - sigSize
	if b.Domains == 0 || !verify(b.Peer, message(network, raw[:body]), raw[body:]) {
		return Backlog{}, invalid("backlog of %s is not signed by it", b.Peer)
	}
	return b, nil
}
