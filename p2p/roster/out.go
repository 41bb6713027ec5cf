package roster

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

// MaxSigners is the most signers of an out note, a majority of a group of nine.
const MaxSigners = 5

// Out ends the records of a member that vanished, up to a sequence number.
type Out struct {
	Victim peer.ID
	Seq    uint64 // of the record it ends
	Issued int64  // Unix seconds
}

// A sealed out note is, in bytes:
//
//	kind, 1 · tag, 4 · public key of the victim, 32 · sequence, uvarint · issued, uvarint
//	for each signer its public key, 32, and its signature of the line above, 64

const signatureSize = signed.KeySize + signed.SigSize

// SealOut signs an out note for a network. Its issuer is its first signer. The
// victim cannot sign its own.
func SealOut(network string, key crypto.PrivKey, o Out) ([]byte, error) {
	victim, ok := signed.PublicKey(o.Victim)
	if !ok {
		return nil, invalid("victim's ID of %d bytes holds no Ed25519 key", len(o.Victim))
	}
	if err := checkStamp(o.Seq, o.Issued); err != nil {
		return nil, err
	}
	mark := signed.TagOf(network)
	body := append([]byte{kindOut}, mark[:]...)
	body = append(body, victim...)
	body = binary.AppendUvarint(body, o.Seq)
	body = binary.AppendUvarint(body, uint64(o.Issued))
	return addSigner(network, key, o.Victim, body, body)
}

// Countersign returns the note with one signature more. The caller has made sure
// that it agrees; here only form and signatures are checked. A key that has signed
// already changes nothing.
func Countersign(network string, raw []byte, key crypto.PrivKey) ([]byte, error) {
	it, err := openOut(network, raw)
	if err != nil {
		return nil, err
	}
	id, err := signed.Signer(key)
	if err != nil {
		return nil, err
	}
	if slices.Contains(it.signers, id) {
		return it.raw, nil
	}
	if len(it.signers) == MaxSigners {
		return nil, invalid("out note has %d signers already", MaxSigners)
	}
	return addSigner(network, key, it.peer, it.outBody(), it.raw)
}

// MergeOut adds to a note the signatures of other copies of it, up to MaxSigners: the
// issuer's way of joining answers of countersigners it asked at the same time.
// Every copy must be about the same victim, sequence and time.
func MergeOut(network string, raw []byte, copies ...[]byte) ([]byte, error) {
	it, err := openOut(network, raw)
	if err != nil {
		return nil, err
	}
	merged, signers := it.raw, it.signers
	for _, c := range copies {
		other, err := openOut(network, c)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(other.outBody(), it.outBody()) {
			return nil, invalid("out notes differ in what they say")
		}
		rest := other.raw[len(other.outBody()):]
		for i, id := range other.signers {
			if len(signers) < MaxSigners && !slices.Contains(signers, id) {
				signers = append(signers, id)
				merged = append(merged, rest[i*signatureSize:(i+1)*signatureSize]...)
			}
		}
	}
	return merged, nil
}

// OpenOut returns the note in a sealed item of a network and who signed it, the
// issuer first. The signatures are checked; dates, and whether the signers are
// entitled, are not.
func OpenOut(network string, raw []byte) (Out, []peer.ID, error) {
	it, err := openOut(network, raw)
	if err != nil {
		return Out{}, nil, err
	}
	return Out{Victim: it.peer, Seq: it.seq, Issued: it.issued}, it.signers, nil
}

// ReadOut is OpenOut without the signatures being checked, which costs most.
func ReadOut(network string, raw []byte) (Out, []peer.ID, error) {
	it, err := decode(signed.TagOf(network), raw)
	if err != nil {
		return Out{}, nil, err
	}
	if it.rec != nil {
		return Out{}, nil, invalid("record where an out note should be")
	}
	return Out{Victim: it.peer, Seq: it.seq, Issued: it.issued}, it.signers, nil
}

func openOut(network string, raw []byte) (*item, error) {
	it, err := decode(signed.TagOf(network), raw)
	if err != nil {
		return nil, err
	}
	if it.rec != nil {
		return nil, invalid("record where an out note should be")
	}
	return it, it.verify(network)
}

func addSigner(network string, key crypto.PrivKey, victim peer.ID, body, raw []byte) ([]byte, error) {
	id, err := signed.Signer(key)
	if err != nil {
		return nil, err
	}
	if id == victim {
		return nil, invalid("out note signed by its victim")
	}
	sig, err := signed.Sign(network, key, body)
	if err != nil {
		return nil, err
	}
	pub, _ := signed.PublicKey(id)
	return slices.Concat(raw, pub, sig), nil
}

func (it *item) decodeOut() error {
	c := signed.Cursor{Rest: it.raw[1+signed.TagSize:]}
	it.peer = signed.PeerOf(c.Take(signed.KeySize))
	it.seq = c.Uvarint()
	issued := c.Uvarint()
	if c.Bad {
		return invalid("out note is cut short")
	}
	it.issued = int64(issued) // a date that overflows is negative
	if err := checkStamp(it.seq, it.issued); err != nil {
		return err
	}
	n := len(c.Rest) / signatureSize
	if n == 0 || n > MaxSigners || len(c.Rest)%signatureSize != 0 {
		return invalid("out note with %d bytes of signatures", len(c.Rest))
	}
	for range n {
		id := signed.PeerOf(c.Take(signed.KeySize))
		c.Take(signed.SigSize)
		if id == it.peer || slices.Contains(it.signers, id) {
			return invalid("out note signed twice by one peer or by its victim")
		}
		it.signers = append(it.signers, id)
	}
	return nil
}

// outBody returns what the signers signed.
func (it *item) outBody() []byte {
	n := len(it.raw) - len(it.signers)*signatureSize
	return it.raw[:n:n]
}

func (it *item) verifyOut(network string) error {
	body := it.outBody()
	msg, rest := signed.Message(network, body), it.raw[len(body):]
	for _, id := range it.signers {
		if !signed.Verify(id, msg, rest[signed.KeySize:signatureSize]) {
			return invalid("out note about %s is not signed by %s", it.peer, id)
		}
		rest = rest[signatureSize:]
	}
	return nil
}
