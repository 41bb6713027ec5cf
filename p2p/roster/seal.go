package roster

import (
	"encoding/binary"

	"github.com/libp2p/go-libp2p/core/crypto"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/signed"
)

// A sealed record is, in bytes:
//
//	kind, 1 · tag, 4 · public key, 32 · sequence, uvarint · issued, uvarint
//	capacity, 1 · reach in the upper half and state in the lower, 1 · seats, uvarint
//	place · version, each its length, 1, and its text
//	number of addresses, 1, and each its length, 1, and its bytes
//	joined, uvarint · number of vouches, 1, and each as signed.Vouch says
//	fields of later versions, which this one skips
//	signature of all that, 64

// Seal signs a record for a network. An empty r.Peer is taken from the key;
// another peer's is refused, as is any field out of range, with ErrInvalid.
func Seal(network string, key crypto.PrivKey, r Record) ([]byte, error) {
	id, err := signed.Signer(key)
	if err != nil {
		return nil, err
	}
	if r.Peer != "" && r.Peer != id {
		return nil, invalid("key of %s for the record of %s", id, r.Peer)
	}
	r.Peer = id
	if err := r.check(); err != nil {
		return nil, err
	}
	body := r.append(nil, signed.TagOf(network))
	sig, err := signed.Sign(network, key, body)
	if err != nil {
		return nil, err
	}
	return append(body, sig...), nil
}

// Open returns the record in a sealed item of a network, its signature checked and
// its dates not. Errors are ErrInvalid and ErrForeign.
func Open(network string, raw []byte) (Record, error) {
	it, err := decode(signed.TagOf(network), raw)
	if err != nil {
		return Record{}, err
	}
	if it.rec == nil {
		return Record{}, invalid("out note where a record should be")
	}
	if err := it.verify(network); err != nil {
		return Record{}, err
	}
	return *it.rec, nil
}

// append encodes the record without its signature.
func (r *Record) append(b []byte, network signed.Tag) []byte {
	key, _ := signed.PublicKey(r.Peer)
	b = append(b, kindRecord)
	b = append(b, network[:]...)
	b = append(b, key...)
	b = binary.AppendUvarint(b, r.Seq)
	b = binary.AppendUvarint(b, uint64(r.Issued))
	b = append(b, r.Capacity, byte(r.Reach)<<4|byte(r.State))
	b = binary.AppendUvarint(b, uint64(r.Seats))
	b = append(append(b, byte(len(r.Place))), r.Place...)
	b = append(append(b, byte(len(r.Version))), r.Version...)
	b = append(b, byte(len(r.Addrs)))
	for _, a := range r.Addrs {
		enc := a.Bytes()
		b = append(append(b, byte(len(enc))), enc...)
	}
	b = binary.AppendUvarint(b, uint64(r.Joined))
	b = append(b, byte(len(r.Vouches)))
	for _, v := range r.Vouches {
		b = v.Append(b)
	}
	return b
}

func (it *item) decodeRecord() error {
	c := signed.Cursor{Rest: it.raw[1+signed.TagSize : len(it.raw)-signed.SigSize]}
	r := &Record{Peer: signed.PeerOf(c.Take(signed.KeySize))}
	r.Seq = c.Uvarint()
	issued := c.Uvarint()
	r.Capacity = c.Byte()
	both := c.Byte()
	r.Reach, r.State = Reach(both>>4), State(both&15)
	seats := c.Uvarint()
	r.Place = string(c.Short(MaxPlace))
	r.Version = string(c.Short(MaxVersion))
	if seats > 1<<16-1 {
		return invalid("%d seats", seats)
	}
	r.Issued, r.Seats = int64(issued), uint16(seats) // a date that overflows is negative
	if err := r.decodeAddrs(&c); err != nil {
		return err
	}
	if err := r.decodeVouches(&c); err != nil {
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	it.peer, it.seq, it.issued = r.Peer, r.Seq, r.Issued
	it.rec, it.where = r, placesOf(r.Addrs)
	it.where.ips, it.where.net = r.IPs(), r.Net()
	return nil
}

func (r *Record) decodeAddrs(c *signed.Cursor) error {
	n := int(c.Byte())
	if n > MaxAddrs {
		return invalid("%d addresses", n)
	}
	for range n {
		enc := c.Short(MaxAddr)
		if c.Bad {
			break
		}
		a, err := ma.NewMultiaddrBytes(enc)
		if err != nil {
			return invalid("address: %v", err)
		}
		r.Addrs = append(r.Addrs, a)
	}
	if c.Bad {
		return invalid("record is cut short")
	}
	return nil
}
