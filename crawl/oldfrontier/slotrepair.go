package frontier

import (
	"context"
	"encoding/binary"
	"time"
)

// slotMendFor is how long an address rests of which it is not known any more who visits it.
const slotMendFor = MaxSlotGap

// checkSlots makes the records of addresses agree with each other and with the clocks. An
// address whose record is damaged rests for a while.
func (r *repairer) checkSlots(ctx context.Context) error {
	found, last := uint64(0), uint64(0)
	err := r.sweep(ctx, r.b.slots, damagedSlot, func(key, raw []byte) error {
		if string(key) == string(keySlots) {
			return nil
		}
		address := string(key[1:])
		switch {
		case key[0] == slotOf && ValidAddress(address):
			found++
			rec, ok := mendSlots(raw)
			for _, h := range rec.Holders {
				last = max(last, h.Number)
			}
			if !ok {
				r.found[damagedSlot]++
				return r.putRecord(r.b.slots, key, &rec)
			}
			if order := slotIdleKey(rec.Idle, address); len(rec.Holders) == 0 && r.b.slots.Get(order) == nil {
				r.found[wrongSlot]++
				r.put(r.b.slots, order, []byte{})
			}
			return nil
		case key[0] == slotIdle:
			at, name := splitDueKey(key[1:])
			if rec, ok := r.slotsOf(string(name)); ok && len(rec.Holders) == 0 && rec.Idle == at {
				return nil
			}
		}
		r.found[wrongSlot]++
		r.delete(r.b.slots, key)
		return nil
	})
	if err != nil {
		return err
	}
	return r.checkSlotHead(found, last)
}

// mendSlots returns the record of an address; ok is false if it had to be made
// anew.
func mendSlots(raw []byte) (rec slotRecord, ok bool) {
	if raw != nil && decode.Unmarshal(raw, &rec) == nil && rec.valid() {
		return rec, true
	}
	return slotRecord{Slots: 1, Holders: []slotHolder{{For: slotMendFor, Number: numberLeap, Resting: true}}}, false
}

// slotsOf returns the record of an address as it will be; ok is false if there is none.
func (r *repairer) slotsOf(address string) (rec slotRecord, ok bool) {
	raw := r.b.slots.Get(slotKey(address))
	if raw == nil || !ValidAddress(address) {
		return rec, false
	}
	rec, _ = mendSlots(raw)
	return rec, true
}

func (r *repairer) checkSlotHead(found, last uint64) error {
	raw := r.b.slots.Get(keySlots)
	if raw == nil && found == 0 {
		return nil
	}
	var head slotHead
	if raw == nil || decode.Unmarshal(raw, &head) != nil || head.Number >= maxNumber {
		r.found[damagedSlot]++
		head.Number = last + numberLeap
	} else if head.Addresses == found && head.Number >= last {
		return nil
	} else {
		r.found[wrongSlot]++
	}
	head.Addresses, head.Number = found, max(head.Number, last)
	return r.putRecord(r.b.slots, keySlots, &head)
}

// checkSlotTimes gives each holder its clock. One that is lost begins anew.
func (r *repairer) checkSlotTimes(ctx context.Context) error {
	err := r.sweep(ctx, r.b.slotTimes, wrongSlot, func(key, _ []byte) error {
		if key[0] == slotOrder {
			at, address, number := splitSlotOrder(key)
			if clock, ok := r.slotTime(address, number); ok && clock == at && r.hasSlot(address, number) {
				return nil
			}
		} else if n := len(key) - 8; key[0] == slotClock && n > 0 {
			address, number := string(key[1:n]), binary.BigEndian.Uint64(key[n:])
			if _, ok := r.slotTime(address, number); ok && r.hasSlot(address, number) {
				return nil
			}
		}
		r.found[wrongSlot]++
		r.delete(r.b.slotTimes, key)
		return nil
	})
	if err != nil {
		return err
	}
	return r.sweep(ctx, r.b.slots, uncounted, func(key, _ []byte) error {
		rec, ok := r.slotsOf(string(key[1:]))
		if !ok || key[0] != slotOf {
			return nil
		}
		for i := range rec.Holders {
			r.mendSlotTime(string(key[1:]), &rec.Holders[i])
		}
		return nil
	})
}

func (r *repairer) mendSlotTime(address string, h *slotHolder) {
	at, ok := r.slotTime(address, h.Number)
	if !ok {
		at = max(r.now, 0) + int64(h.full())
		r.put(r.b.slotTimes, slotClockKey(address, h.Number), binary.BigEndian.AppendUint64(nil, uint64(at)))
	}
	if order := slotOrderKey(at, address, h.Number); !ok || r.b.slotTimes.Get(order) == nil {
		r.found[wrongSlot]++
		r.put(r.b.slotTimes, order, []byte{})
	}
}

// slotTime is as of buckets, but passes over times that nobody has set.
func (r *repairer) slotTime(address string, number uint64) (at int64, ok bool) {
	at, ok = r.b.slotTime(address, number)
	return at, ok && at >= 0 && at <= r.now+int64(maxSlotFor+maxSlotFor/10+MaxSlotGap+time.Hour)
}

func (r *repairer) hasSlot(address string, number uint64) bool {
	rec, ok := r.slotsOf(address)
	return ok && rec.numbered(number) >= 0
}
