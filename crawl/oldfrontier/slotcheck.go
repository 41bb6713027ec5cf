package frontier

// slots finds fault with what does not agree of who has slots: an address counted
// wrongly, one that nobody visits without its place in the order of last use, or a holder
// without a clock.
func (c *checker) slots() {
	head, err := c.b.readSlotHead()
	if err != nil {
		c.fault("slots: %v", err)
	}
	found, held := uint64(0), 0
	c.b.slots.ForEach(func(key, _ []byte) error {
		switch address := string(key[1:]); {
		case key[0] == slotOf && ValidAddress(address):
			found++
			r, _, err := c.b.readSlots(address)
			if err != nil || !r.valid() {
				c.fault("slots of %s: %v, %+v", address, err, r)
				return nil
			}
			if inOrder := c.b.slots.Get(slotIdleKey(r.Idle, address)) != nil; inOrder != (len(r.Holders) == 0) {
				c.fault("slots of %s: in the order of last use is %v with %d holders", address, inOrder, len(r.Holders))
			}
			held += len(r.Holders)
			c.slotTimes(address, &r, head.Number)
		case key[0] == slotIdle:
			at, name := splitDueKey(key[1:])
			if r, ok, err := c.b.readSlots(string(name)); err != nil || !ok || r.Idle != at {
				c.fault("slots of %q: last used at %d in the order, at %d by the record", name, at, r.Idle)
			}
		case string(key) != string(keySlots):
			c.fault("slots: under the key %q", key)
		}
		return nil
	})
	if found != head.Addresses {
		c.fault("slots: %d addresses counted, %d found", head.Addresses, found)
	}
	times := 0
	c.b.slotTimes.ForEach(func(_, _ []byte) error {
		times++
		return nil
	})
	if times != 2*held {
		c.fault("slots: %d times of %d holders", times, held)
	}
}

func (c *checker) slotTimes(address string, r *slotRecord, last uint64) {
	for _, h := range r.Holders {
		if h.Number > last {
			c.fault("slots of %s: number %d, though %d was given last", address, h.Number, last)
		}
		at, ok := c.b.slotTime(address, h.Number)
		if !ok || c.b.slotTimes.Get(slotOrderKey(at, address, h.Number)) == nil {
			c.fault("slots of %s: holder %d has no clock, or no place in the order of times", address, h.Number)
		}
	}
}
