package wire

import "github.com/forage-net/forage/crawl"

const (
	// MaxSlotAddress is the longest name of an address, in bytes.
	MaxSlotAddress = 64
	// MaxSlots is the most addresses that one lease has slots of.
	MaxSlots = 16
	// MaxUnslots is the most slots of one message that gives them back, MaxHeldSlots
	// those of one that tells of them.
	MaxUnslots   = 256
	MaxHeldSlots = 512
)

// Slot asks who granted a lease for a slot of an address, or for the one it has
// anew.
type Slot struct {
	_       struct{} `cbor:",toarray"`
	Lease   crawl.LeaseID
	Domain  crawl.Domain
	Address string
}

func (s *Slot) validate() error {
	if s.Lease == 0 {
		return invalid("slot of no lease")
	}
	if err := checkDomain(s.Domain); err != nil {
		return err
	}
	return checkAddress(s.Address)
}

// TakeSlot asks the log of an address for a slot of it, or for one anew. The sender
// owns the domain that is to be visited.
type TakeSlot struct {
	_ struct{} `cbor:",toarray"`
	// Lease names the slot among those of the sender: it is the lease it was first
	// taken for. The domain may keep it for others.
	Lease   crawl.LeaseID
	Domain  crawl.Domain
	Address string
	// Leases is for how many leases' time it is wanted, at least 1.
	Leases uint8
}

func (s *TakeSlot) validate() error {
	if s.Lease == 0 || s.Leases == 0 {
		return invalid("slot %d for %d leases' time", s.Lease, s.Leases)
	}
	if err := checkDomain(s.Domain); err != nil {
		return err
	}
	return checkAddress(s.Address)
}

// SlotAnswer is the answer to Slot and to TakeSlot.
type SlotAnswer struct {
	_ struct{} `cbor:",toarray"`
	// Leases is for how many leases' time the slot is granted, 0 if it is not: then
	// WaitMs says not before when to ask again.
	Leases uint8
	WaitMs int64
	// Wanted says that others want the address too.
	Wanted bool
	// To is the owner of the address, if the receiver is not, "" else.
	To string
}

func (a *SlotAnswer) validate() error {
	if a.To != "" {
		if err := checkPeer(a.To); err != nil {
			return err
		}
	}
	return checkMillis(a.WaitMs)
}

// Wanted tells who has a slot of an address, by way of the log that took it, that
// others want the address: the slot is not to be kept beyond its lease.
type Wanted struct {
	_       struct{}      `cbor:",toarray"`
	Lease   crawl.LeaseID // as in TakeSlot
	Domain  crawl.Domain
	Address string
}

func (w *Wanted) validate() error {
	if w.Lease == 0 {
		return invalid("slot of no lease")
	}
	if err := checkDomain(w.Domain); err != nil {
		return err
	}
	return checkAddress(w.Address)
}

// SlotUse says what came of a slot of an address that a lease had.
type SlotUse struct {
	_       struct{} `cbor:",toarray"`
	Address string
	// GapMs is how long the address is to rest, counted from when this arrives.
	GapMs int64
	// Good is how many answers were neither refusals nor failures, Bad that some
	// were not.
	Good uint16
	Bad  bool
}

func (u *SlotUse) validate() error {
	if err := checkAddress(u.Address); err != nil {
		return err
	}
	return checkMillis(u.GapMs)
}

func checkSlotUses(list []SlotUse) error {
	if len(list) > MaxSlots {
		return invalid("slots of %d addresses", len(list))
	}
	for i := range list {
		if err := list[i].validate(); err != nil {
			return err
		}
	}
	return nil
}

// Unslots gives slots back to the log of their addresses.
type Unslots struct {
	_    struct{} `cbor:",toarray"`
	List []Unslot
}

// Unslot gives one back: Lease is that of TakeSlot.
type Unslot struct {
	_     struct{} `cbor:",toarray"`
	Lease crawl.LeaseID
	Use   SlotUse
}

func (u *Unslots) validate() error {
	if len(u.List) > MaxUnslots {
		return invalid("%d slots given back", len(u.List))
	}
	for i := range u.List {
		if u.List[i].Lease == 0 {
			return invalid("slot of no lease")
		}
		if err := u.List[i].Use.validate(); err != nil {
			return err
		}
	}
	return nil
}

// AskSlots asks a former owner of addresses which slots it has granted of those
// that belong to the sender now.
type AskSlots struct {
	_      struct{} `cbor:",toarray"`
	Owners []byte   // 16 bytes that stand for who owns what, as the sender knows
}

func (a *AskSlots) validate() error { return checkDigest(a.Owners) }

// HeldSlots is the answer to AskSlots, and what who leaves tells unasked.
type HeldSlots struct {
	_ struct{} `cbor:",toarray"`
	// Owners is as the answerer knows: if it differs, the answer is worth nothing
	// before they agree who the members are.
	Owners []byte
	List   []HeldSlot
	// More says that there are others.
	More bool
}

// HeldSlot is a slot of an address that somebody visits, or that still rests.
type HeldSlot struct {
	_       struct{} `cbor:",toarray"`
	Address string
	LeftMs  int64 // at most until it is free
	// Granter took the slot for Lease, as in TakeSlot, and may give it back to the receiver; "" and 0
	// for one that nobody has to give back.
	Granter string
	Lease   crawl.LeaseID
}

func (h *HeldSlots) validate() error {
	if len(h.List) > MaxHeldSlots {
		return invalid("%d slots", len(h.List))
	}
	for i := range h.List {
		if err := checkAddress(h.List[i].Address); err != nil {
			return err
		}
		if err := checkMillis(h.List[i].LeftMs); err != nil {
			return err
		}
		if (h.List[i].Granter == "") != (h.List[i].Lease == 0) {
			return invalid("slot of %q for lease %d", h.List[i].Granter, h.List[i].Lease)
		}
		if h.List[i].Granter != "" {
			if err := checkPeer(h.List[i].Granter); err != nil {
				return err
			}
		}
	}
	return checkDigest(h.Owners)
}

func checkDigest(digest []byte) error {
	if len(digest) != 16 {
		return invalid("digest of %d bytes", len(digest))
	}
	return nil
}

// checkAddress reports whether something can be the name of an address. Who knows how those are
// spelt looks closer.
func checkAddress(s string) error {
	if s == "" || len(s) > MaxSlotAddress {
		return invalid("address of %d bytes", len(s))
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return invalid("address %q", s)
		}
	}
	return nil
}
