package frontier

import (
	"context"
	"fmt"
	"time"
)

// TakeSlot asks for a slot of an address, or renews the one a lease has, and returns when that is
// committed. What another lease of the same domain has, by the same fetcher and granter, it takes over:
// a domain has one lease at a time. If it is refused, wait says when it is worth asking again: those who are refused are
// told different times, so that they come one after the other. Refusals cost no commit.
//
// Only the member that leads the log may be asked: on others, the error is ErrNotLed. It is
// ErrEntry for what is no valid Slot. The slot is held for at most as long as a lease: what nobody
// gives back blocks its address for no longer.
func (f *Frontier) TakeSlot(ctx context.Context, s Slot) (granted bool, wait time.Duration, err error) {
	s.For = min(s.For, f.cfg.LeaseFor)
	if err := s.validate(); err != nil {
		return false, 0, err
	}
	if !f.log.Leads() {
		return false, 0, ErrNotLed
	}
	look, err := f.lookAtSlots(&s)
	if err != nil {
		return false, 0, err
	}
	if !look.renews {
		if wait := f.desk.heldFor(s.Address, f.cfg.Now()); wait > 0 {
			return false, wait, nil
		}
		if look.taken {
			return false, f.comeBack(&s, look), nil
		}
	}
	entries, err := f.prepare(append(look.over, Entry{Slot: &s}))
	if err != nil {
		return false, 0, err
	}
	applied, err := f.wait(ctx, &proposal{entries: entries, haste: f.slotHaste()}) // as for Release
	if err != nil {
		return false, 0, fmt.Errorf("take a slot of %s: %w", s.Address, err)
	}
	last := applied[len(applied)-1]
	if last.Granted {
		return true, 0, nil
	}
	if look, err = f.lookAtSlots(&s); err != nil {
		return false, 0, err
	}
	if !look.taken { // there is no room for the address, or what was over rests now
		return false, max(last.Wait, f.cfg.commitEvery), nil
	}
	return false, f.comeBack(&s, look), nil
}

// FreeSlot gives back a slot and returns without waiting for the commit. A slot that is not held is
// no error. Gap and Good are cut to their bounds, and a slot that was used rests for the least gap that politeness
// knows; the error is ErrEntry for what is no valid
// Unslot, and ErrNotLed where another member leads the log.
func (f *Frontier) FreeSlot(ctx context.Context, u Unslot) error {
	if u.Gap > 0 || u.Good > 0 || u.Bad {
		u.Gap = max(u.Gap, f.leastGap())
	}
	u.Gap, u.Good, u.Number = min(max(u.Gap, 0), MaxSlotGap), min(u.Good, MaxLeaseTasks), 0
	if err := u.validate(); err != nil {
		return err
	}
	if !f.log.Leads() {
		return ErrNotLed
	}
	if err := f.noteTenure(&u); err != nil {
		return err
	}
	return f.submit(ctx, &proposal{
		entries: []Entry{{Unslot: &u}}, haste: f.slotHaste(),
		done: func([]Applied, error) {},
	})
}

// LapsedSlots returns at most limit slots that are over by this member's clocks, held or resting, and
// when to look again; zero if nothing waits for a time. The member that leads the log
// proposes them (ProposeSoon will do: TakeSlot ends those in its own way).
func (f *Frontier) LapsedSlots(limit int) (over []Unslot, next time.Time, err error) {
	now := f.cfg.Now()
	err = f.view(func(b *buckets) error {
		scanned := 0
		c := b.slotTimes.Cursor()
		for key, _ := c.Seek([]byte{slotOrder}); key != nil; key, _ = c.Next() {
			at, address, number := splitSlotOrder(key)
			if at > now.UnixNano() {
				next = unixTime(at)
				break
			}
			if scanned++; scanned > scanLimit || len(over) >= limit {
				next = now
				return nil
			}
			if over, err = f.addLapsed(b, over, address, number); err != nil {
				return err
			}
		}
		// What is later than any slot lasts: the clock was set back.
		latest := now.Add(maxSlotFor + maxSlotFor/10 + MaxSlotGap).UnixNano()
		for key, _ := c.Last(); key != nil && len(over) < limit; key, _ = c.Prev() {
			at, address, number := splitSlotOrder(key)
			if at <= latest {
				return nil
			}
			if over, err = f.addLapsed(b, over, address, number); err != nil {
				return err
			}
		}
		return nil
	})
	return over, next, err
}

func (f *Frontier) addLapsed(b *buckets, over []Unslot, address string, number uint64) ([]Unslot, error) {
	r, _, err := b.readSlots(address)
	if err != nil {
		return nil, err
	}
	if i := r.numbered(number); i >= 0 {
		over = append(over, f.lapsed(address, &r.Holders[i]))
	}
	return over, nil
}

// lapsed makes the end of what a clock found over. Who did not give a slot back may just have made a
// request.
func (f *Frontier) lapsed(address string, h *slotHolder) Unslot {
	u := Unslot{Address: address, By: h.By, Granter: h.Granter, Lease: h.Lease, Number: h.Number}
	if !h.Resting {
		u.Gap = min(f.leastGap(), MaxSlotGap)
	}
	return u
}

// leastGap is the gap behind a request of which nothing is known.
func (f *Frontier) leastGap() time.Duration { return f.politeness().Gap(0, 0, 0) }

// LeastSlotGap is how long an address rests at least behind a slot that was used.
func (f *Frontier) LeastSlotGap() time.Duration { return min(f.leastGap(), MaxSlotGap) }

// slotLook is what the clocks of this member say of the slots of an address.
type slotLook struct {
	renews bool    // who asks has one, or a lease before it
	taken  bool    // others have all of them, and none is over
	over   []Entry // ends those that are
	slots  int
	// began and ends say of each holder when it began and when it is over at the latest, in Unix
	// nanoseconds; what rests began when it ends.
	began, ends []int64
}

func (f *Frontier) lookAtSlots(s *Slot) (look slotLook, err error) {
	now := f.cfg.Now().UnixNano()
	err = f.view(func(b *buckets) error {
		r, ok, err := b.readSlots(s.Address)
		if err != nil || !ok {
			return err
		}
		look.renews, look.slots = r.live(s.By, s.Granter, s.Lease) >= 0, int(r.Slots)
		look.taken = len(r.Holders) >= int(r.Slots)
		for i := range r.Holders {
			h := &r.Holders[i]
			at, ok := b.slotTime(s.Address, h.Number)
			if !ok { // to be begun by the entry
				look.taken = false
				continue
			}
			if h.isBefore(s) { // its lease is over, or this one had not been granted
				look.renews, look.taken = true, false
				look.over = append(look.over, Entry{Unslot: &Unslot{Address: s.Address, By: h.By, Granter: h.Granter, Lease: h.Lease, Number: h.Number}})
				continue
			}
			if at <= now && i != r.live(s.By, s.Granter, s.Lease) {
				look.taken = false
				u := f.lapsed(s.Address, h)
				look.over = append(look.over, Entry{Unslot: &u})
				continue
			}
			began := at
			if !h.Resting {
				began -= int64(h.full())
			}
			look.began, look.ends = append(look.began, began), append(look.ends, at)
		}
		return nil
	})
	return look, err
}
