package roster

import (
	"bytes"
	"cmp"
	"crypto/sha256"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/signed"
)

// The first byte of everything this package puts on the wire. A format that an old
// node could not read gets a new kind.
const (
	kindRecord  = 1
	kindOut     = 2
	kindSummary = 3
	kindTrust   = 4 // in the store only
)

// MaxItem is the size of the largest signed item in bytes. It leaves a record room
// for fields of later versions.
const MaxItem = 2 << 10

// minItem is the smallest item: kind, tag, key, sequence, date and signature.
const minItem = 1 + signed.TagSize + signed.KeySize + 1 + 1 + signed.SigSize

// item is a signed item whose form is in order. Whether it is signed is known only
// after verify.
type item struct {
	peer   peer.ID // the member it is about
	seq    uint64
	issued int64
	hash   [sha256.Size]byte // of raw
	raw    []byte

	rec   *Record // nil for an out note
	where places  // of a record

	signers []peer.ID // of an out note
}

// decode reads an item of a network. It allocates in proportion to len(raw), which
// is at most MaxItem, and keeps a copy of it.
func decode(network signed.Tag, raw []byte) (*item, error) {
	if len(raw) < minItem || len(raw) > MaxItem {
		return nil, invalid("item of %d bytes", len(raw))
	}
	if raw[0] != kindRecord && raw[0] != kindOut {
		return nil, invalid("item of kind %d", raw[0])
	}
	if signed.Tag(raw[1:1+signed.TagSize]) != network {
		return nil, ErrForeign
	}
	it := &item{raw: bytes.Clone(raw), hash: sha256.Sum256(raw)}
	var err error
	if raw[0] == kindRecord {
		err = it.decodeRecord()
	} else {
		err = it.decodeOut()
	}
	if err != nil {
		return nil, err
	}
	return it, nil
}

// verify checks the signatures.
func (it *item) verify(network string) error {
	if it.rec == nil {
		return it.verifyOut(network)
	}
	body := len(it.raw) - signed.SigSize
	if !signed.Verify(it.peer, signed.Message(network, it.raw[:body]), it.raw[body:]) {
		return invalid("record of %s is not signed by it", it.peer)
	}
	return it.rec.verifyVouches(network)
}

// newer tells whether the item replaces another of its kind and member. Of two with
// one sequence the smaller hash wins: every node chooses the same.
func (it *item) newer(than *item) bool {
	if than == nil {
		return true
	}
	if c := cmp.Compare(it.seq, than.seq); c != 0 {
		return c > 0
	}
	return bytes.Compare(it.hash[:], than.hash[:]) < 0
}

// public tells whether the record says that its member can be dialled from anywhere.
func (it *item) public(lab bool) bool {
	if lab && it.where.loopback && it.rec.Reach != ReachRelayed {
		return true
	}
	return it.rec.Reach == ReachPublic && it.where.public
}
