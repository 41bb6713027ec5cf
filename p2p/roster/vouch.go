package roster

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
)

const (
	// MaxVouches is the most vouches of a record.
	MaxVouches = 7

	// VouchLife is how long a vouch counts. It is longer than it takes to become established: members whose founder
	// vanished on the first day can then renew each other's.
	VouchLife = 14 * 24 * time.Hour

	// vouchContext begins what a voucher signs.
	vouchContext = "forage/vouch/1\x00"

	hour = 3600
)

// Vouch is a member's word that it has dialled another one at an address, met it there and knows of no reason why it
// should not be a member since the hour that its record names (Record.Joined).
type Vouch struct {
	Signer peer.ID    // of an Ed25519 key
	Hour   uint32     // when it was signed, in Unix hours
	IP     netip.Addr // where the member was met
	sig    [sigSize]byte
}

// A vouch is, in bytes: public key of its signer, 32 · hour, uvarint · address, its length, 1, and 4 or 16 · signature
// of what SealVouch is told, 64.

// SealVouch signs that the member of an ID, there since an hour, was met at an address.
func SealVouch(network string, key crypto.PrivKey, member peer.ID, joined uint32, ip netip.Addr, now time.Time) (Vouch, error) {
	id, err := signer(key)
	if err != nil {
		return Vouch{}, err
	}
	v := Vouch{Signer: id, Hour: HourOf(now), IP: ip.Unmap()}
	sig, err := key.Sign(v.message(network, member, joined))
	if err != nil {
		return Vouch{}, fmt.Errorf("sign vouch: %w", err)
	}
	v.sig = [sigSize]byte(sig)
	return v, nil
}

// HourOf returns the Unix hour of a time.
func HourOf(at time.Time) uint32 { return uint32(max(at.Unix(), 0) / hour) }

// Bytes returns the vouch in the form that ReadVouch reads.
func (v Vouch) Bytes() []byte { return v.append(nil) }

// ReadVouch reads a vouch and checks that it is about a member that joined in an hour.
func ReadVouch(network string, raw []byte, member peer.ID, joined uint32) (Vouch, error) {
	c := cursor{rest: raw}
	v, err := decodeVouch(&c)
	if err != nil {
		return Vouch{}, err
	}
	if len(c.rest) > 0 || v.Signer == member || !v.signed(network, member, joined) {
		return Vouch{}, invalid("vouch is not one for %s", member)
	}
	return v, nil
}

func (v Vouch) message(network string, member peer.ID, joined uint32) []byte {
	b := append([]byte(vouchContext), binary.AppendUvarint(nil, uint64(len(network)))...)
	b = append(b, network...)
	b = append(b, member...)
	b = binary.AppendUvarint(b, uint64(joined))
	b = binary.AppendUvarint(b, uint64(v.Hour))
	return append(b, v.IP.AsSlice()...)
}

func (v Vouch) append(b []byte) []byte {
	key, _ := publicKey(v.Signer)
	ip := v.IP.AsSlice()
	b = append(b, key...)
	b = binary.AppendUvarint(b, uint64(v.Hour))
	b = append(append(b, byte(len(ip))), ip...)
	return append(b, v.sig[:]...)
}

func (v Vouch) signed(network string, member peer.ID, joined uint32) bool {
	return verify(v.Signer, v.message(network, member, joined), v.sig[:])
}

func decodeVouch(c *cursor) (Vouch, error) {
	v := Vouch{Signer: peerOf(c.take(keySize))}
	at := c.uvarint()
	ip, ok := netip.AddrFromSlice(c.short(16))
	sig := c.take(sigSize)
	if c.bad || !ok || at > 1<<32-1 || ip.Is4In6() {
		return Vouch{}, invalid("vouch is damaged")
	}
	v.Hour, v.IP, v.sig = uint32(at), ip, [sigSize]byte(sig)
	return v, nil
}

// counts tells whether a vouch of a record has not lapsed and is about an address that the record still names.
func (v *Vouch) counts(ips []netip.Addr, now int64) bool {
	at := int64(v.Hour) * hour
	return at <= now+int64(MaxSkew/time.Second) && at+int64(VouchLife/time.Second) > now && slices.Contains(ips, v.IP)
}

// IPs returns the addresses that a record says its member can be dialled at, each once; those of relays are left out.
func (r *Record) IPs() []netip.Addr {
	var list []netip.Addr
	for _, a := range r.Addrs {
		if ip, ok := addrIP(a); ok && !isRelayed(a) && !slices.Contains(list, ip) {
			list = append(list, ip)
		}
	}
	return list
}

func (r *Record) checkVouches() error {
	if len(r.Vouches) > MaxVouches {
		return invalid("%d vouches", len(r.Vouches))
	}
	for i, v := range r.Vouches {
		same := func(o Vouch) bool { return o.Signer == v.Signer }
		if _, ok := publicKey(v.Signer); !ok || v.Signer == r.Peer || slices.ContainsFunc(r.Vouches[:i], same) {
			return invalid("vouch %d is signed by the member itself or by somebody twice", i)
		}
	}
	return nil
}

func (r *Record) decodeVouches(c *cursor) error {
	joined := c.uvarint()
	n := int(c.byte())
	if c.bad || joined > 1<<32-1 || n > MaxVouches {
		return invalid("record with %d vouches", n)
	}
	r.Joined = uint32(joined)
	for range n {
		v, err := decodeVouch(c)
		if err != nil {
			return err
		}
		r.Vouches = append(r.Vouches, v)
	}
	return nil
}

func (r *Record) verifyVouches(network string) error {
	for _, v := range r.Vouches {
		if !v.signed(network, r.Peer, r.Joined) {
			return invalid("vouch in the record of %s is not signed by %s", r.Peer, v.Signer)
		}
	}
	return nil
}
