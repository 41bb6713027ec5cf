package frontier

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// HeldSlot is a slot of an address that somebody has, or had and that still rests.
type HeldSlot struct {
	Address string
	Left    time.Duration // until it is over, by this member's clocks
	// Granter has it for Lease, "" and 0 if it rests.
	Granter string
	Lease   crawl.LeaseID
}

// maxHeldScan bounds the clocks that HeldSlots looks at.
const maxHeldScan = 1 << 17

// HeldSlots returns at most limit slots of addresses that which says yes to; more says that there may
// be others. What nobody gave back counts as held until the log has ended it.
func (f *Frontier) HeldSlots(limit int, which func(address string) bool) (list []HeldSlot, more bool, err error) {
	now := f.cfg.Now().UnixNano()
	err = f.view(func(b *buckets) error {
		scanned := 0
		c := b.slotTimes.Cursor()
		for key, _ := c.Seek([]byte{slotOrder}); key != nil; key, _ = c.Next() {
			if scanned++; scanned > maxHeldScan {
				more = true
				return nil
			}
			at, address, number := splitSlotOrder(key)
			if address == "" || !which(address) {
				continue
			}
			if len(list) >= limit {
				more = true
				return nil
			}
			r, _, err := b.readSlots(address)
			if err != nil {
				return err
			}
			x := HeldSlot{Address: address, Left: time.Duration(max(at-now, 0))}
			if i := r.numbered(number); i >= 0 && !r.Holders[i].Resting {
				x.Left += f.LeastSlotGap() // who did not give it back may just have made a request
				x.Granter, x.Lease = r.Holders[i].Granter, r.Holders[i].Lease
			}
			list = append(list, x)
		}
		return nil
	})
	return list, more, err
}

// HasSlot reports whether a lease has a slot of an address, which it would renew, or take
// over from one before it.
func (f *Frontier) HasSlot(s Slot) (has bool, err error) {
	err = f.view(func(b *buckets) error {
		r, _, err := b.readSlots(s.Address)
		has = r.live(s.By, s.Granter, s.Lease) >= 0 || slices.ContainsFunc(r.Holders, func(h slotHolder) bool { return h.isBefore(&s) })
		return err
	})
	return has, err
}

// SlotHolders returns who has slots of an address, as far as it was told with them.
func (f *Frontier) SlotHolders(address string) (list []Slot, err error) {
	err = f.view(func(b *buckets) error {
		r, _, err := b.readSlots(address)
		for _, h := range r.Holders {
			if !h.Resting {
				list = append(list, Slot{Address: address, By: h.By, Granter: h.Granter, Lease: h.Lease, Domain: h.Domain, For: h.For})
			}
		}
		return err
	})
	return list, err
}
