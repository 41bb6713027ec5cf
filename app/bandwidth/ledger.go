package bandwidth

import "time"

const (
	// slot is how exactly the time of bytes is known, slots how many are kept.
	slot  = 250 * time.Millisecond
	slots = int64(time.Minute/slot) + 1
	// generation is how long bytes of peers wait for the frame they belong to.
	// Frames are read within milliseconds.
	generation = 2 * time.Second / slot
)

// Bytes is an amount of traffic, by class and in all.
type Bytes struct {
	Class [Classes]int64
	// All is never less than the sum of the classes: what has come from peers
	// seconds ago may not have a class yet.
	All int64
}

// Usage is what was sent and received.
type Usage struct {
	Sent, Received Bytes
}

// Totals returns the bytes since New. They only grow.
func (b *Budget) Totals() Usage {
	now := time.Now()
	return Usage{b.up.sum(now), b.down.sum(now)}
}

// Mean returns the bytes per second over the last while, at most a minute, up to a quarter
// of a second ago; over less if the Budget is younger.
func (b *Budget) Mean(over time.Duration) Usage {
	now := time.Now()
	return Usage{b.up.mean(now, over), b.down.mean(now, over)}
}

// ledger counts one direction. It is guarded by bucket.mu.
type ledger struct {
	totals [Classes]int64
	// unclaimed came from peers and has no class yet, by age.
	unclaimed [2]int64

	start time.Time
	now   int64 // the slot that is running
	// past is what there was when a slot began.
	past [slots]Bytes
}

func newLedger(now time.Time) ledger { return ledger{start: now} }

// roll begins the slots that are due.
func (l *ledger) roll(now time.Time) {
	at := int64(now.Sub(l.start) / slot)
	if at <= l.now {
		return
	}
	b := l.bytes()
	if l.now < at-slots {
		l.now = at - slots
	}
	for l.now < at {
		l.now++
		l.past[l.now%slots] = b
		if l.now%int64(generation) == 0 {
			l.totals[Control] += l.unclaimed[1]
			l.unclaimed = [2]int64{0, l.unclaimed[0]}
			b = l.bytes()
		}
	}
}

func (l *ledger) bytes() Bytes {
	b := Bytes{Class: l.totals, All: l.unclaimed[0] + l.unclaimed[1]}
	for _, n := range l.totals {
		b.All += n
	}
	return b
}

// claim gives n bytes that came from peers a class.
func (l *ledger) claim(class Class, n int) {
	for i := range l.unclaimed {
		take := min(int64(n), l.unclaimed[1-i])
		l.unclaimed[1-i] -= take
		l.totals[class] += take
		n -= int(take)
	}
}

func (k *bucket) sum(now time.Time) Bytes {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.roll(now)
	return k.bytes()
}

func (k *bucket) mean(now time.Time, over time.Duration) Bytes {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.roll(now)
	n := min(max(int64(over/slot), 1), slots-1, k.now)
	if n == 0 {
		return Bytes{}
	}
	from, to := k.past[(k.now-n)%slots], k.past[k.now%slots]
	per := func(n0, n1 int64) int64 { return int64(float64(n1-n0) / (time.Duration(n) * slot).Seconds()) }
	m := Bytes{All: per(from.All, to.All)}
	for c := range m.Class {
		m.Class[c] = per(from.Class[c], to.Class[c])
	}
	return m
}
