package frontier

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage/bloom"
)

// The bucket of slots holds the head, slotOf <address>: who has the slots of an address,
// and slotIdle <time ‖ address>: the addresses of which nobody has one, in the order of
// their last use.
const (
	slotIdle = 'i'
	slotOf   = 's'
)

var keySlots = []byte("n")

// slotHead counts for all addresses.
type slotHead struct {
	Addresses uint64 `cbor:"1,keyasint"`
	Number    uint64 `cbor:"2,keyasint"` // the last given to a holder
}

// slotRecord is what the log knows of an address.
type slotRecord struct {
	Slots   uint8        `cbor:"1,keyasint"` // 1 to MaxSlots
	Holders []slotHolder `cbor:"2,keyasint,omitempty"`
	// Good and Domains are what came since a slot was last earned or lost: good answers,
	// and the hashes of domains that gave some.
	Good    uint32 `cbor:"3,keyasint,omitempty"`
	Domains []byte `cbor:"4,keyasint,omitempty"`
	// Idle is when the last holder went, by metaRecord.At; of no meaning while there is one.
	Idle int64 `cbor:"5,keyasint,omitempty"`
}

// slotHolder is a lease that has a slot, or one that had it, for whose sake it rests.
type slotHolder struct {
	_       struct{} `cbor:",toarray"`
	By      string
	Granter string
	Lease   crawl.LeaseID
	Domain  crawl.Domain
	For     time.Duration // how long it is held, or rests
	Number  uint64        // another one each time the clock is set
	Resting bool
}

// slotHash is the length of the hash of a domain in a slotRecord.
const slotHash = 4

// live returns the index of a lease that has a slot, -1 if it has none.
func (r *slotRecord) live(by, granter string, id crawl.LeaseID) int {
	return slices.IndexFunc(r.Holders, func(h slotHolder) bool {
		return !h.Resting && h.By == by && h.Granter == granter && h.Lease == id
	})
}

// isBefore reports whether a slot is that of another lease of the same domain.
func (h *slotHolder) isBefore(s *Slot) bool {
	return !h.Resting && h.By == s.By && h.Granter == s.Granter && h.Domain == s.Domain && h.Lease != s.Lease
}

// numbered returns the index of the holder with a number, -1 if there is none.
func (r *slotRecord) numbered(n uint64) int {
	return slices.IndexFunc(r.Holders, func(h slotHolder) bool { return h.Number == n })
}

// answered notes how a server answered a lease.
func (r *slotRecord) answered(d crawl.Domain, good uint32, bad bool) {
	if bad {
		r.Slots = max(r.Slots, 2) - 1
		r.Good, r.Domains = 0, nil
		return
	}
	if good == 0 || r.Slots >= MaxSlots {
		return
	}
	r.Good = min(r.Good+good, slotGood*MaxSlots)
	r.addDomain(d)
	if r.Good >= slotGood*uint32(r.Slots) && len(r.Domains) >= slotHash*slotDomains*int(r.Slots) {
		r.Slots++
		r.Good, r.Domains = 0, nil
	}
}

// addDomain remembers a domain, as long as more of them matter.
func (r *slotRecord) addDomain(d crawl.Domain) {
	if len(r.Domains) >= slotHash*slotDomains*int(r.Slots) {
		return
	}
	hash := bloom.HashOf(string(d))
	for known := range slices.Chunk(r.Domains, slotHash) {
		if string(known) == string(hash[:slotHash]) {
			return
		}
	}
	r.Domains = append(r.Domains, hash[:slotHash]...)
}

// full reports how long the clock of a holder is set to. Members count what is held a tenth longer
// than its holder may.
func (h *slotHolder) full() time.Duration {
	if h.Resting {
		return h.For
	}
	return h.For + h.For/10
}

// valid reports whether entries can have made a record like this.
func (r *slotRecord) valid() bool {
	if r.Slots < 1 || r.Slots > MaxSlots || len(r.Holders) > MaxSlots || r.Good > slotGood*MaxSlots || r.Idle < 0 ||
		len(r.Domains)%slotHash != 0 || len(r.Domains) > slotHash*slotDomains*MaxSlots {
		return false
	}
	for i, h := range r.Holders {
		if !h.valid() || r.numbered(h.Number) != i {
			return false
		}
	}
	return true
}

func (h *slotHolder) valid() bool {
	if h.Number == 0 || h.Number >= maxNumber || h.For <= 0 || len(h.By) > MaxPeer || len(h.Granter) > MaxGranter {
		return false
	}
	if h.Resting {
		return h.For <= MaxSlotGap
	}
	return h.For <= maxSlotFor && h.Lease != 0 && validDomain(h.Domain)
}

func slotKey(address string) []byte { return append([]byte{slotOf}, address...) }

func slotIdleKey(at int64, address string) []byte {
	return append([]byte{slotIdle}, dueKey(at, []byte(address))...)
}

func (b *buckets) readSlotHead() (h slotHead, err error) {
	_, err = getRecord(b.slots, keySlots, &h)
	return h, err
}

// readSlots returns what is known of an address; ok is false if that is nothing.
func (b *buckets) readSlots(address string) (r slotRecord, ok bool, err error) {
	ok, err = getRecord(b.slots, slotKey(address), &r)
	return r, ok, err
}

// The bucket of times of slots is each member's own: slotClock <address ‖ number> is when
// what a holder has is over, slotOrder <time ‖ address ‖ number> the same in order of time.
const (
	slotClock = 'c'
	slotOrder = 'o'
)

func slotClockKey(address string, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte{slotClock}, address...), number)
}

func slotOrderKey(at int64, address string, number uint64) []byte {
	return binary.BigEndian.AppendUint64(append([]byte{slotOrder}, dueKey(at, []byte(address))...), number)
}

// splitSlotOrder returns the parts of a key of slotOrder; of one that is none the
// address is empty.
func splitSlotOrder(key []byte) (at int64, address string, number uint64) {
	if len(key) < 1+8+8 || key[0] != slotOrder {
		return 0, "", 0
	}
	n := len(key) - 8
	at, name := splitDueKey(key[1:n])
	return at, string(name), binary.BigEndian.Uint64(key[n:])
}

// slotTime returns when what a holder has is over.
func (b *buckets) slotTime(address string, number uint64) (at int64, ok bool) {
	raw := b.slotTimes.Get(slotClockKey(address, number))
	if len(raw) != 8 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(raw)), true
}

// setSlotTime sets a clock that is not set yet.
func (b *buckets) setSlotTime(address string, number uint64, at int64) error {
	at = max(at, 0)
	if err := b.slotTimes.Put(slotClockKey(address, number), binary.BigEndian.AppendUint64(nil, uint64(at))); err != nil {
		return err
	}
	return b.slotTimes.Put(slotOrderKey(at, address, number), []byte{})
}

func (b *buckets) dropSlotTime(address string, number uint64) error {
	at, ok := b.slotTime(address, number)
	if !ok {
		return nil
	}
	if err := b.slotTimes.Delete(slotOrderKey(at, address, number)); err != nil {
		return err
	}
	return b.slotTimes.Delete(slotClockKey(address, number))
}
