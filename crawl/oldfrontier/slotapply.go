package frontier

import (
	"slices"
	"time"
)

const (
	// slotIdleFor is how long an address that nobody visits keeps a slot.
	slotIdleFor = 24 * time.Hour
	// slotPrune bounds how many addresses one entry looks at for that.
	slotPrune = 4
	// slotsFullWait is how long nobody need ask if there is no room for another address.
	slotsFullWait = time.Minute
)

// slot grants or renews a slot. It is refused, without an error, while others have all of
// the address.
func (m *machine) slot(s *Slot) (Applied, error) {
	r, known, err := m.b.readSlots(s.Address)
	if err != nil {
		return Applied{}, err
	}
	head, err := m.b.readSlotHead()
	if err != nil {
		return Applied{}, err
	}
	if !known {
		if ok, err := m.beginSlots(&head); err != nil || !ok {
			return Applied{Wait: slotsFullWait}, err
		}
		r.Slots = 1
	}
	i := r.live(s.By, s.Granter, s.Lease)
	switch {
	case i >= 0:
		if err := m.b.dropSlotTime(s.Address, r.Holders[i].Number); err != nil {
			return Applied{}, err
		}
	case len(r.Holders) < int(r.Slots):
		if known && len(r.Holders) == 0 {
			if err := m.b.slots.Delete(slotIdleKey(r.Idle, s.Address)); err != nil {
				return Applied{}, err
			}
		}
		i = len(r.Holders)
		r.Holders = append(r.Holders, slotHolder{})
	default:
		wait, err := m.slotWait(s.Address, &r)
		return Applied{Wait: wait}, err
	}
	head.Number++
	r.Holders[i] = slotHolder{By: s.By, Granter: s.Granter, Lease: s.Lease, Domain: s.Domain, For: s.For, Number: head.Number}
	if err := m.countSlot(s.Address, &r.Holders[i]); err != nil {
		return Applied{}, err
	}
	if err := m.putSlots(s.Address, &r, &head); err != nil {
		return Applied{}, err
	}
	return Applied{Granted: true}, m.pruneSlots()
}

// beginSlots makes room for another address: the one that nobody has visited for longest goes. It
// is false if all are being visited.
func (m *machine) beginSlots(head *slotHead) (bool, error) {
	head.Addresses++
	if head.Addresses <= maxSlotAddresses {
		return true, nil
	}
	_, address, ok := m.b.firstIdle()
	if !ok {
		return false, nil
	}
	head.Addresses--
	return true, m.forgetSlots(address)
}

// firstIdle returns the address that nobody has visited for longest.
func (b *buckets) firstIdle() (at int64, address string, ok bool) {
	key, _ := b.slots.Cursor().Seek([]byte{slotIdle})
	if len(key) < 1+8 || key[0] != slotIdle {
		return 0, "", false
	}
	at, name := splitDueKey(key[1:])
	return at, string(name), true
}

// forgetSlots drops what is known of an address that nobody visits.
func (m *machine) forgetSlots(address string) error {
	r, ok, err := m.b.readSlots(address)
	if err != nil || !ok {
		return err
	}
	if err := m.b.slots.Delete(slotIdleKey(r.Idle, address)); err != nil {
		return err
	}
	return m.b.slots.Delete(slotKey(address))
}

// pruneSlots takes a slot from addresses that nobody has visited for long, and forgets those that
// had but one. It goes by when entries were proposed, so that all members do the same.
func (m *machine) pruneSlots() error {
	for range slotPrune {
		at, address, ok := m.b.firstIdle()
		if !ok || at > m.meta.At-int64(slotIdleFor) {
			return nil
		}
		r, _, err := m.b.readSlots(address)
		if err != nil {
			return err
		}
		if err := m.forgetSlots(address); err != nil {
			return err
		}
		head, err := m.b.readSlotHead()
		if err != nil {
			return err
		}
		if r.Slots <= 1 {
			head.Addresses--
			if err := putRecord(m.b.slots, keySlots, &head); err != nil {
				return err
			}
			continue
		}
		r.Slots--
		r.Good, r.Domains = 0, nil
		if err := m.putIdle(address, &r, &head); err != nil {
			return err
		}
	}
	return nil
}

// putSlots writes the record of an address that somebody visits.
func (m *machine) putSlots(address string, r *slotRecord, head *slotHead) error {
	r.Idle = 0
	if err := putRecord(m.b.slots, slotKey(address), r); err != nil {
		return err
	}
	return putRecord(m.b.slots, keySlots, head)
}

// putIdle writes the record of an address that nobody visits from now on.
func (m *machine) putIdle(address string, r *slotRecord, head *slotHead) error {
	r.Idle = max(m.meta.At, 0)
	if err := m.b.slots.Put(slotIdleKey(r.Idle, address), []byte{}); err != nil {
		return err
	}
	if err := putRecord(m.b.slots, slotKey(address), r); err != nil {
		return err
	}
	return putRecord(m.b.slots, keySlots, head)
}

// unslot ends what a lease has of an address: it rests, or others may have it.
func (m *machine) unslot(u *Unslot) error {
	r, ok, err := m.b.readSlots(u.Address)
	if err != nil || !ok {
		return err
	}
	i := r.live(u.By, u.Granter, u.Lease)
	if u.Number != 0 {
		i = r.numbered(u.Number)
	}
	if i < 0 {
		return nil
	}
	head, err := m.b.readSlotHead()
	if err != nil {
		return err
	}
	h := &r.Holders[i]
	if err := m.b.dropSlotTime(u.Address, h.Number); err != nil {
		return err
	}
	if u.Number == 0 {
		r.answered(h.Domain, u.Good, u.Bad)
	}
	if u.Gap > 0 && !h.Resting {
		head.Number++
		h.Resting, h.For, h.Number = true, u.Gap, head.Number
		if err := m.countSlot(u.Address, h); err != nil {
			return err
		}
	} else {
		r.Holders = slices.Delete(r.Holders, i, i+1)
	}
	if len(r.Holders) > 0 {
		return m.putSlots(u.Address, &r, &head)
	}
	if err := m.putIdle(u.Address, &r, &head); err != nil {
		return err
	}
	return m.pruneSlots()
}

// countSlot sets the clock of a holder.
func (m *machine) countSlot(address string, h *slotHolder) error {
	return m.b.setSlotTime(address, h.Number, m.now+int64(h.full()))
}

// slotWait returns when, by this member's clocks, one slot more than now is free. A clock that this
// member has not begun, it begins.
func (m *machine) slotWait(address string, r *slotRecord) (time.Duration, error) {
	times := make([]int64, len(r.Holders))
	for i := range r.Holders {
		h := &r.Holders[i]
		at, ok := m.b.slotTime(address, h.Number)
		if !ok {
			if err := m.countSlot(address, h); err != nil {
				return 0, err
			}
			at = m.now + int64(h.full())
		}
		times[i] = at
	}
	return time.Duration(max(r.nthFree(times)-m.now, 0)), nil
}

// nthFree returns when a slot is free for one holder more, given when what each holder has is over.
// It sorts what it is given.
func (r *slotRecord) nthFree(times []int64) int64 {
	if len(times) < int(r.Slots) {
		return 0
	}
	slices.Sort(times)
	return times[len(times)-int(r.Slots)]
}
