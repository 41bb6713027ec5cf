package frontier

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
)

// Thousands of domains may share one server, and each of them has its own lease.
// So who works a lease needs a slot of the address too, from the log that owns the
// address: a new address has one slot, which is earned eightfold by good answers of
// many domains, and lost again by bad ones. A slot is held by one lease for a while
// and rests for a gap behind it. Who holds what is in the log; when a slot lapses and when
// its rest is over is counted by each member for itself, and the one that leads the log
// proposes it.

const (
	// MaxSlots is the most slots an address has. Doubled, a host of many sites is
	// asked by twice as many crawlers at once; halved, such a host takes twice as long.
	MaxSlots = 8
	// MaxSlotGap bounds how long a slot rests.
	MaxSlotGap = 2 * time.Minute
	// MaxGranter is the longest name of a granter, in bytes.
	MaxGranter = 200

	// slotGood and slotDomains are how many good answers, and of how many domains,
	// an address needs for each slot it has before it gets another.
	slotGood    = 64
	slotDomains = 4
	// maxSlotFor bounds how long a slot is held before it is to be renewed.
	maxSlotFor = time.Hour
	// maxSlotAddress is the longest name of an address, in bytes.
	maxSlotAddress = 64
	// maxSlotAddresses bounds the addresses a log knows: at some 150 bytes each,
	// 15 MB.
	maxSlotAddresses = 100_000
)

// Slot asks for a slot of an address. The same lease asking again renews what it
// has.
type Slot struct {
	// Address stands for a server: an IPv4 address, an IPv6 prefix of 64 bits, or in a
	// lab an address and port.
	Address string `cbor:"1,keyasint"`
	// By is the peer that works the lease, "" for this node.
	By string `cbor:"2,keyasint,omitempty"`
	// Granter granted the lease, "" for this node.
	Granter string        `cbor:"3,keyasint,omitempty"`
	Lease   crawl.LeaseID `cbor:"4,keyasint"`
	Domain  crawl.Domain  `cbor:"5,keyasint"`
	// For is how long it is held at most.
	For time.Duration `cbor:"6,keyasint"`
}

// Unslot ends what a Slot began; a slot that is over already is no error.
type Unslot struct {
	Address string        `cbor:"1,keyasint"`
	By      string        `cbor:"2,keyasint,omitempty"`
	Granter string        `cbor:"3,keyasint,omitempty"`
	Lease   crawl.LeaseID `cbor:"4,keyasint,omitempty"`
	// Gap is how long the slot rests before another may have it, at most MaxSlotGap.
	Gap time.Duration `cbor:"5,keyasint,omitempty"`
	// Good is how many answers were worth something, at most MaxLeaseTasks.
	Good uint32 `cbor:"6,keyasint,omitempty"`
	// Bad says that the server refused or failed.
	Bad bool `cbor:"7,keyasint,omitempty"`
	// Number, if not 0, is what LapsedSlots found over: a slot that was renewed since has
	// another one. Then the lease is not looked at.
	Number uint64 `cbor:"8,keyasint,omitempty"`
}

// ValidAddress reports whether s names an address as Slot.Address wants it. Each server has
// one name: what is spelt otherwise is not valid.
func ValidAddress(s string) bool {
	if len(s) > maxSlotAddress {
		return false
	}
	if a, err := netip.ParseAddr(s); err == nil {
		return a.Is4() && a.String() == s
	}
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Addr().Is6() && !p.Addr().Is4In6() && p.Bits() == 64 && p.Masked().String() == s
	}
	a, err := netip.ParseAddrPort(s)
	return err == nil && a.Addr().Zone() == "" && !a.Addr().Is4In6() && a.Port() != 0 && a.String() == s
}

func checkAddress(s string) error {
	if !ValidAddress(s) {
		return fmt.Errorf("%w: address %.100q", ErrEntry, s)
	}
	return nil
}

func checkGranter(s string) error {
	if len(s) > MaxGranter {
		return fmt.Errorf("%w: name of a granter of %d bytes", ErrEntry, len(s))
	}
	return nil
}

func (s *Slot) validate() error {
	if s.For <= 0 || s.For > maxSlotFor || s.Lease == 0 {
		return fmt.Errorf("%w: slot for %v, lease %d", ErrEntry, s.For, s.Lease)
	}
	return errors.Join(checkAddress(s.Address), checkPeer(s.By), checkGranter(s.Granter), checkDomain(s.Domain))
}

func (u *Unslot) validate() error {
	if u.Gap < 0 || u.Gap > MaxSlotGap || u.Good > MaxLeaseTasks || u.Lease == 0 && u.Number == 0 {
		return fmt.Errorf("%w: end of a slot of lease %d with %d answers and a gap of %v", ErrEntry, u.Lease, u.Good, u.Gap)
	}
	return errors.Join(checkAddress(u.Address), checkPeer(u.By), checkGranter(u.Granter))
}
