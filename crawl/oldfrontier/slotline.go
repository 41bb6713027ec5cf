package frontier

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxSlotLines bounds the addresses for which it is remembered who was told to come back when.
	maxSlotLines = 4096
	// maxSlotTickets bounds those of whom it is remembered what they were told.
	maxSlotTickets = 1 << 14
	// maxComeBack bounds how long anybody is told to stay away.
	maxComeBack = time.Hour
	// maxSlotHolds bounds the holds that HoldSlots keeps apart.
	maxSlotHolds = 32
)

// slotDesk is what only the member that leads a log knows of slots, and only as long as it runs:
// nothing of it decides whether a slot is free. The zero value is ready for use.
type slotDesk struct {
	mu      sync.Mutex
	holds   []slotHold
	lines   map[string]*slotLine
	tickets map[slotTicket]time.Time // to come back
}

// slotTicket names who was refused: the next lease of a domain stands in its place.
type slotTicket struct {
	address, granter string
	domain           crawl.Domain
}

// slotHold says that slots of some addresses are not granted for a while.
type slotHold struct {
	until time.Time
	which func(address string) bool // nil: all
}

// slotLine is who waits for an address, though nobody does: each was told a time to come back.
type slotLine struct {
	last   time.Time     // told to anybody
	tenure time.Duration // how long its slots were held of late, rest included
}

// HoldSlots refuses new slots of the addresses for which which returns true, or of all if it is
// nil, until then by Config.Now: who has become the owner of an address does not know who has its slots.
// Slots that are held here may be renewed. which may be called at any time until then, by several
// goroutines. It is forgotten when the node ends.
func (f *Frontier) HoldSlots(until time.Time, which func(address string) bool) {
	now := f.cfg.Now()
	d := &f.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holds = slices.DeleteFunc(d.holds, func(h slotHold) bool { return !now.Before(h.until) })
	if len(d.holds) >= maxSlotHolds { // all of them become one
		which = nil
		for _, h := range d.holds {
			if h.until.After(until) {
				until = h.until
			}
		}
		d.holds = d.holds[:0]
	}
	d.holds = append(d.holds, slotHold{until, which})
}

// heldFor returns how long the slots of an address are not granted.
func (d *slotDesk) heldFor(address string, now time.Time) (wait time.Duration) {
	d.mu.Lock()
	holds := slices.Clone(d.holds)
	d.mu.Unlock()
	for _, h := range holds {
		if left := h.until.Sub(now); left > wait && (h.which == nil || h.which(address)) {
			wait = left
		}
	}
	return wait
}

// comeBack returns when somebody who was refused a slot should ask again: when one is free, if
// those who have them keep them as long as others did, and behind those who were told before. Who
// asks too early is told the same again.
func (f *Frontier) comeBack(s *Slot, look slotLook) time.Duration {
	now := f.cfg.Now()
	d := &f.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	ticket := slotTicket{s.Address, s.Granter, s.Domain}
	if at := d.tickets[ticket]; at.After(now) {
		return at.Sub(now)
	}
	line := d.line(s.Address, now, f.cfg.commitEvery)
	r := slotRecord{Slots: uint8(look.slots)}
	expected := make([]int64, len(look.ends))
	for i, end := range look.ends {
		expected[i] = end
		if look.began[i] < end {
			expected[i] = min(end, look.began[i]+int64(line.tenure))
		}
	}
	at := now.Add(f.cfg.commitEvery) // a release is not committed before
	if free := unixTime(r.nthFree(expected)); free.After(at) {
		at = free
	}
	if behind := line.last.Add(line.tenure / time.Duration(max(look.slots, 1))); line.last.After(now) && behind.After(at) {
		at = behind
	}
	if latest := now.Add(maxComeBack); at.After(latest) {
		at = latest
	}
	line.last = at
	d.give(ticket, at, now)
	return at.Sub(now)
}

// give remembers what somebody was told. d.mu is held.
func (d *slotDesk) give(t slotTicket, at, now time.Time) {
	if d.tickets == nil {
		d.tickets = make(map[slotTicket]time.Time)
	}
	if len(d.tickets) >= maxSlotTickets {
		shorten(d.tickets, maxSlotTickets, func(at time.Time) bool { return !at.After(now) })
	}
	d.tickets[t] = at
}

// shorten takes what is over out of a map that may hold so many, and so much of the rest that it need not
// be shortened again soon.
func shorten[K comparable, V any](m map[K]V, limit int, over func(V) bool) {
	maps.DeleteFunc(m, func(_ K, v V) bool { return over(v) })
	for k := range m {
		if len(m) <= limit-limit/8 {
			return
		}
		delete(m, k)
	}
}

// line returns the line of an address. If there is none, a slot is taken to be held for least: too short a
// time brings a few back in vain before it is known better, one too long leaves the server idle. d.mu is held.
func (d *slotDesk) line(address string, now time.Time, least time.Duration) *slotLine {
	if line := d.lines[address]; line != nil {
		return line
	}
	if d.lines == nil {
		d.lines = make(map[string]*slotLine)
	}
	if len(d.lines) >= maxSlotLines {
		shorten(d.lines, maxSlotLines, func(l *slotLine) bool { return !l.last.After(now) })
	}
	line := &slotLine{tenure: least}
	d.lines[address] = line
	return line
}

// noteTenure learns from a slot that is given back how long slots of its address are held.
func (f *Frontier) noteTenure(u *Unslot) error {
	d := &f.desk
	d.mu.Lock()
	line := d.lines[u.Address]
	d.mu.Unlock()
	if line == nil {
		return nil // nobody has been refused
	}
	var held time.Duration
	err := f.view(func(b *buckets) error {
		r, _, err := b.readSlots(u.Address)
		if i := r.live(u.By, u.Granter, u.Lease); err == nil && i >= 0 {
			if at, ok := b.slotTime(u.Address, r.Holders[i].Number); ok {
				held = f.cfg.Now().Sub(unixTime(at - int64(r.Holders[i].full())))
			}
		}
		return err
	})
	if err != nil || held <= 0 {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	line.tenure = (3*line.tenure + held + u.Gap) / 4
	return nil
}
