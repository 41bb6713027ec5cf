package signed

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
	// VouchLife is how long a vouch counts. It is longer than it takes to become established: members whose founder
	// vanished on the first day can then renew each other's.
	VouchLife = 14 * 24 * time.Hour

	// vouchContext begins what a voucher signs.
	vouchContext = "forage/vouch/1\x00"

	// Hour is one, in seconds.
	Hour = 3600

	// MaxSkew is how far in the future what is signed may be dated: the difference of clocks that is put up with.
	MaxSkew = 10 * time.Minute
)

// Vouch is a member's word that it has dialled another one at an address, met it there and knows of no reason why it
// should not be a member since the hour that its record names (roster.Record.Joined).
type Vouch struct {
	Signer peer.ID    // of an Ed25519 key
	Hour   uint32     // when it was signed, in Unix hours
	IP     netip.Addr // where the member was met
	sig    [SigSize]byte
}

// A vouch is, in bytes: public key of its signer, 32 · hour, uvarint · address, its length, 1, and 4 or 16 · signature
// of what SealVouch is told, 64.

// SealVouch signs that the member of an ID, there since an hour, was met at an address.
func SealVouch(
	network string, key crypto.PrivKey, member peer.ID, joined uint32, ip netip.Addr, now time.Time,
) (Vouch, error) {
	id, err := Signer(key)
	if err != nil {
		return Vouch{}, err
	}
	v := Vouch{Signer: id, Hour: HourOf(now), IP: ip.Unmap()}
	sig, err := key.Sign(v.message(network, member, joined))
	if err != nil {
		return Vouch{}, fmt.Errorf("sign vouch: %w", err)
	}
	v.sig = [SigSize]byte(sig)
	return v, nil
}

// HourOf returns the Unix hour of a time.
func HourOf(at time.Time) uint32 { return uint32(max(at.Unix(), 0) / Hour) }

// Bytes returns the vouch in the form that ReadVouch reads.
func (v Vouch) Bytes() []byte { return v.Append(nil) }

// ReadVouch reads a vouch and checks that it is about a member that joined in an hour.
func ReadVouch(network string, raw []byte, member peer.ID, joined uint32) (Vouch, error) {
	c := Cursor{Rest: raw}
	v, err := ParseVouch(&c)
	if err != nil {
		return Vouch{}, err
	}
	if len(c.Rest) > 0 || v.Signer == member || !v.By(network, member, joined) {
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

// Append appends the vouch in the form that ParseVouch reads.
func (v Vouch) Append(b []byte) []byte {
	key, _ := PublicKey(v.Signer)
	ip := v.IP.AsSlice()
	b = append(b, key...)
	b = binary.AppendUvarint(b, uint64(v.Hour))
	b = append(append(b, byte(len(ip))), ip...)
	return append(b, v.sig[:]...)
}

// By tells whether the vouch is signed, and is about a member that joined in an hour.
func (v Vouch) By(network string, member peer.ID, joined uint32) bool {
	return Verify(v.Signer, v.message(network, member, joined), v.sig[:])
}

// ParseVouch reads a vouch. Its signature is not checked.
func ParseVouch(c *Cursor) (Vouch, error) {
	v := Vouch{Signer: PeerOf(c.Take(KeySize))}
	at := c.Uvarint()
	ip, ok := netip.AddrFromSlice(c.Short(16))
	sig := c.Take(SigSize)
	if c.Bad || !ok || at > 1<<32-1 || ip.Is4In6() {
		return Vouch{}, invalid("vouch is damaged")
	}
	v.Hour, v.IP, v.sig = uint32(at), ip, [SigSize]byte(sig)
	return v, nil
}

// Counts tells whether a vouch has not lapsed at a time, Unix seconds, and is about one of these addresses.
func (v *Vouch) Counts(ips []netip.Addr, now int64) bool {
	at := int64(v.Hour) * Hour
	return at <= now+int64(MaxSkew/time.Second) && at+int64(VouchLife/time.Second) > now && slices.Contains(ips, v.IP)
}
