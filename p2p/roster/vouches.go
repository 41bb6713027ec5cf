package roster

import (
	"net/netip"
	"slices"

	"github.com/forage-net/forage/p2p/signed"
)

// MaxVouches is the most vouches of a record.
const MaxVouches = 7

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
		same := func(o signed.Vouch) bool { return o.Signer == v.Signer }
		if _, ok := signed.PublicKey(v.Signer); !ok || v.Signer == r.Peer || slices.ContainsFunc(r.Vouches[:i], same) {
			return invalid("vouch %d is signed by the member itself or by somebody twice", i)
		}
	}
	return nil
}

func (r *Record) decodeVouches(c *signed.Cursor) error {
	joined := c.Uvarint()
	n := int(c.Byte())
	if c.Bad || joined > 1<<32-1 || n > MaxVouches {
		return invalid("record with %d vouches", n)
	}
	r.Joined = uint32(joined)
	for range n {
		v, err := signed.ParseVouch(c)
		if err != nil {
			return err
		}
		r.Vouches = append(r.Vouches, v)
	}
	return nil
}

func (r *Record) verifyVouches(network string) error {
	for _, v := range r.Vouches {
		if !v.By(network, r.Peer, r.Joined) {
			return invalid("vouch in the record of %s is not signed by %s", r.Peer, v.Signer)
		}
	}
	return nil
}
