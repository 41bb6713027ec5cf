package health

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math/bits"
	"sync"
	"time"
)

const (
	// maxDomains is how many domains are remembered one by one; about 300 kB.
	// Doubled, a node that meets more domains a week knows its share more closely.
	maxDomains = 4096
	// maxLevel bounds the sample: of 2^level domains one is remembered.
	maxLevel = 32
	// slot is how finely times are kept, so that a week fits 64 bits.
	slot      = 3 * time.Hour
	daySlots  = int(24 * time.Hour / slot)
	weekSlots = 7 * daySlots
)

// A mask has a bit for each of the last 64 slots; bit 0 is the present one.
const (
	dayMask  = uint64(1)<<daySlots - 1
	weekMask = uint64(1)<<weekSlots - 1
)

// domain is what is known of one domain.
type domain struct {
	// answered are the slots in which it answered. In those of refused its last
	// answer was a refusal or a challenge, in those of challenged a challenge.
	answered, refused, challenged uint64
}

// refusing reports whether its latest answer within a window turned us away.
func (d *domain) refusing(window uint64) bool {
	latest := d.answered & window
	return d.refused&latest&-latest != 0
}

// challenging is refusing for challenges.
func (d *domain) challenging(window uint64) bool {
	latest := d.answered & window
	return d.challenged&latest&-latest != 0
}

// Tracker counts how sites answer. The zero value is ready to use.
type Tracker struct {
	mu sync.Mutex
	// now is the present slot since 1970; 0 before the first call.
	now     int64
	domains map[uint64]*domain // by hash of the name
	// level says that only hashes with so many zero bits at the end are kept.
	level int
	// counts of requests by kind and slot, the present one first.
	counts [kinds][weekSlots]uint32
	slow   slowness
	// day is the tally of the last day, unless stale.
	day   tally
	stale bool
}

// Observe takes in one answer of a domain, or an outcome without one.
func (t *Tracker) Observe(name string, k Kind, now time.Time) {
	if k == None || k >= kinds {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(now)
	if c := &t.counts[k][0]; *c < 1<<32-1 {
		*c++
	}
	if !k.answers() {
		return
	}
	h := hashOf(name)
	d := t.domains[h]
	if d == nil {
		if d = t.admit(h); d == nil {
			return
		}
	}
	t.stale = true
	d.answered |= 1
	switch {
	case k.refuses():
		d.refused |= 1
		d.challenged &^= 1
		if k == Challenge {
			d.challenged |= 1
		}
	case k == OK:
		d.refused &^= 1
		d.challenged &^= 1
	}
}

// hashOf returns 64 bits that whoever chooses the name cannot choose with it.
func hashOf(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])
}

// admit makes room for a domain, and returns nil if it is not in the sample.
func (t *Tracker) admit(h uint64) *domain {
	if t.domains == nil {
		t.domains = make(map[uint64]*domain)
	}
	for bits.TrailingZeros64(h) >= t.level {
		if len(t.domains) < maxDomains {
			d := new(domain)
			t.domains[h] = d
			return d
		}
		if t.level == maxLevel {
			return nil
		}
		t.level++
		maps.DeleteFunc(t.domains, func(h uint64, _ *domain) bool { return bits.TrailingZeros64(h) < t.level })
	}
	return nil
}

// advance moves to the slot that now is in. A clock that was set back by up to a day
// leaves it where it is; one set back further was wrong before, and what
// was seen then counts as seen now.
func (t *Tracker) advance(now time.Time) {
	s := max(now.Unix()/int64(slot/time.Second), 1)
	by := s - t.now
	switch {
	case t.now == 0 || by < -int64(daySlots):
		t.now = s
		return
	case by <= 0:
		return
	}
	t.now, t.stale = s, true
	shift := int(min(by, 64))
	for _, d := range t.domains {
		d.answered = d.answered << shift & weekMask
		d.refused = d.refused << shift & weekMask
		d.challenged = d.challenged << shift & weekMask
	}
	maps.DeleteFunc(t.domains, func(_ uint64, d *domain) bool { return d.answered == 0 })
	// A small table has room for all again. The domains left out until now come in
	// as they are met, so counts are too low for a while; shares are right.
	if t.level > 0 && len(t.domains) < maxDomains/8 {
		t.level--
	}
	for k := range t.counts {
		row := &t.counts[k]
		n := min(shift, len(row))
		copy(row[n:], row[:len(row)-n])
		clear(row[:n])
	}
}

// judge brings the tally of the last day and the slowness up to date.
func (t *Tracker) judge(now time.Time) {
	t.advance(now)
	if t.stale {
		t.day, t.stale = t.tally(dayMask), false
	}
	t.slow.update(t.day, now)
}

func (t *Tracker) tally(window uint64) tally {
	var n tally
	for _, d := range t.domains {
		if d.answered&window == 0 {
			continue
		}
		n.answered++
		if d.refusing(window) {
			n.refused++
		}
		if d.challenging(window) {
			n.challenged++
		}
	}
	// What is remembered stands for as many as were left out.
	n.answered <<= t.level
	n.refused <<= t.level
	n.challenged <<= t.level
	return n
}

// sum counts requests of a kind in the last slots.
func (t *Tracker) sum(k Kind, slots int) (n int64) {
	for _, c := range t.counts[k][:slots] {
		n += int64(c)
	}
	return n
}
