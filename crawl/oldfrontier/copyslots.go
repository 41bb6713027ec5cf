package frontier

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"
)

// Who has slots of addresses is copied as all that members share. For how long each has its slot is counted by
// every member for itself, so the source says with the last step of the tidying what is left there: a member that does
// not say so has a version that cannot, and then slots count in full.

// partSlotTimes is what is left of slots, in milliseconds, by address and number. It is never wanted,
// but told with tidySlots.
const partSlotTimes copyPart = copyParts

// slotLeftKey names a holder of a slot.
func slotLeftKey(address string, number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(address), number)
}

// giveSlotTimes gives what is left of the slots of the addresses from a key of the bucket of slots on, as far as
// there is room.
func (g *giver) giveSlotTimes(from []byte) []copyGiven {
	n := copyGiven{Part: partSlotTimes}
	if bytes.Compare(from, []byte{slotOf}) < 0 {
		from = []byte{slotOf}
	}
	c := g.b.slots.Cursor()
	for key, value := c.Seek(from); len(key) > 1 && key[0] == slotOf; key, value = c.Next() {
		if (g.room <= 0 || g.reading <= 0) && !bytes.Equal(key, from) {
			n.End = bytes.Clone(key)
			break
		}
		g.reading -= keyBytes + len(key) + len(value)
		var r slotRecord
		if decode.Unmarshal(value, &r) != nil {
			continue
		}
		for _, h := range r.Holders {
			if at, ok := g.b.slotTime(string(key[1:]), h.Number); ok {
				name := slotLeftKey(string(key[1:]), h.Number)
				n.Pairs = append(n.Pairs, copyPair{Key: name, Value: encodeWait(at, g.now)})
				g.room -= pairBytes + len(name) + 8
			}
		}
	}
	return []copyGiven{n}
}

// takeSlotTimes reads what is left of the slots of the addresses from a key on.
func (in *installer) takeSlotTimes(from []byte, a *copyAnswer) error {
	if len(a.Given) == 0 {
		return nil // the source does not say
	}
	n := &a.Given[0]
	if len(a.Given) > 1 || n.Part != partSlotTimes || len(n.End) > 0 && (bytes.Compare(n.End, from) <= 0 || len(n.End) > copyKeyBytes) {
		return fmt.Errorf("%w: part %d from %.100q to %.100q, with the times of slots", ErrCopy, n.Part, from, n.End)
	}
	in.slotsEnd, in.slotsLeft = n.End, make(map[string]time.Duration, len(n.Pairs))
	for _, p := range n.Pairs {
		if len(p.Value) != 8 {
			return fmt.Errorf("%w: time of a slot of %d bytes", ErrCopy, len(p.Value))
		}
		in.slotsLeft[string(p.Key)] = decodeWait(p.Value, 2*maxSlotFor)
	}
	return nil
}

// slotLeft returns how long the clock of a holder is set to who has just come to know of it: what is left at the
// source, and all of it if that is not known.
func (in *installer) slotLeft(address string, h *slotHolder) time.Duration {
	full := h.full()
	if left, ok := in.slotsLeft[string(slotLeftKey(address, h.Number))]; ok {
		return min(full, left)
	}
	return full
}

// hasSlots reports whether anybody may have a slot.
func (in *installer) hasSlots() bool {
	key, _ := in.b.slots.Cursor().Seek([]byte{slotOf})
	return len(key) > 0 && key[0] == slotOf
}
