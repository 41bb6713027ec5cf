package bandwidth

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// packet is about what one IP packet carries: to wait for less would cost
	// more in headers than it smooths.
	packet = 1460
	// burstFor is how much of a rate may pass at once after a rest, burstLeast the
	// least of it: with less, a timer that is late would cost throughput.
	burstFor   = 100 * time.Millisecond
	burstLeast = 2 * packet
	// lateFor is how much more there may be while somebody waits: a timer that is late on
	// a busy machine should not cost what was waited for.
	lateFor = 400 * time.Millisecond
	// grantFor is how much of a rate who waits gets at least, so that fast rates
	// do not mean many wake-ups; grantMost is the most where that is less.
	grantFor  = 5 * time.Millisecond
	grantMost = 16 << 10
	// debtFor bounds debts: what is over which rates are promised.
	debtFor = 10 * time.Second
)

// bucket is one direction of a Budget.
type bucket struct {
	mu sync.Mutex
	// rate in bytes per second: 0 for nothing, less for no limit.
	rate   float64
	tokens float64
	at     time.Time // when tokens was true
	until  time.Time // up to when tokens come, zero for always

	queues  [Classes][]*waiter // by ticket
	waiting int                // in all of them
	// served is the virtual time of each class: the bytes it had over its weight.
	// The class that is furthest behind is served next. clock is that of the last.
	served  [Classes]float64
	clock   float64
	tickets uint64
	timer   *time.Timer

	open    atomic.Bool  // there is no limit
	shut    atomic.Bool  // nothing may pass
	readers atomic.Int64 // connections that are reading
	peers   peerAccount
	ledger
}

// waiter is one who waits for bytes. It may be used again, with its fields set again.
type waiter struct {
	class Class
	want  int
	// paid says that the bytes are debited already: it waits for its turn only.
	paid bool
	// ticket is its place in line, 0 for the end.
	ticket uint64
	// got is how many bytes it may move.
	got   int
	ready chan struct{} // buffered, one element
}

func newBucket(now time.Time) *bucket {
	k := &bucket{rate: -1, at: now, ledger: newLedger(now)}
	k.open.Store(true)
	k.timer = time.AfterFunc(time.Hour, k.tick)
	k.timer.Stop()
	return k
}

// set changes the rate. After a while, if hold is above 0, no more comes until it is set again.
func (k *bucket) set(kbit int, hold time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refill()
	k.until = time.Time{}
	if hold > 0 {
		k.until = k.at.Add(hold)
	}
	k.rate = float64(kbit) * 1000 / 8
	if kbit < 0 {
		k.rate, k.tokens = -1, 0
	}
	k.open.Store(kbit < 0)
	k.shut.Store(kbit == 0)
	k.bound()
	k.dispatch()
}

// bytesPerSecond returns the rate, less than 0 if there is none.
func (k *bucket) bytesPerSecond() float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rate
}

// refill brings tokens up to date. k.mu is held, as in all below.
func (k *bucket) refill() {
	now := time.Now()
	k.roll(now)
	if k.rate > 0 {
		k.tokens += k.rate * k.counts(now).Sub(k.at).Seconds()
		k.bound()
	}
	k.at = now
}

// counts returns up to when tokens have come at a time: not later than the rate holds.
func (k *bucket) counts(now time.Time) time.Time {
	if k.until.IsZero() || now.Before(k.until) {
		return now
	}
	if k.at.After(k.until) {
		return k.at
	}
	return k.until
}

// bound keeps tokens within burst and debt.
func (k *bucket) bound() {
	if k.rate <= 0 {
		k.tokens = min(k.tokens, 0)
		return
	}
	most := max(k.rate*burstFor.Seconds(), burstLeast)
	if k.waiting > 0 {
		most += k.rate * lateFor.Seconds()
	}
	k.tokens = min(k.tokens, most)
	k.tokens = max(k.tokens, -k.rate*debtFor.Seconds())
}

// spend takes bytes that did not wait.
func (k *bucket) spend(n int) {
	if k.rate >= 0 {
		k.tokens -= float64(n)
		k.bound()
	}
}

func (k *bucket) debit(class Class, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refill()
	k.totals[class] += int64(n)
	k.spend(n)
}

// count notes bytes that were admitted.
func (k *bucket) count(class Class, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.roll(time.Now())
	k.totals[class] += int64(n)
}

// giveBack takes back what was admitted and did not move.
func (k *bucket) giveBack(n int) {
	if n <= 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refill()
	k.spend(-n)
	k.dispatch()
}

// join lets w wait, and reports whether it need not: then w.got is set. Else
// it is set when w.ready has an element.
func (k *bucket) join(w *waiter) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	w.got = 0
	if k.rate < 0 || w.class == Control && k.rate != 0 {
		w.got = w.want
		if w.class == Control && !w.paid {
			k.refill()
			k.spend(w.want)
		}
		return true
	}
	if w.ticket == 0 {
		w.ticket = k.ticket()
	}
	line := &k.queues[w.class]
	if len(*line) == 0 {
		k.served[w.class] = max(k.served[w.class], k.clock)
	}
	at := len(*line)
	for at > 0 && (*line)[at-1].ticket > w.ticket {
		at--
	}
	k.refill()
	*line = slices.Insert(*line, at, w)
	k.waiting++
	k.dispatch()
	if w.got == 0 {
		return false
	}
	<-w.ready
	return true
}

// ticket returns the end of the line.
func (k *bucket) ticket() uint64 {
	k.tickets++
	return k.tickets
}

// quit ends the waiting of w. What it got in the meantime goes back.
func (k *bucket) quit(w *waiter) {
	k.mu.Lock()
	defer k.mu.Unlock()
	line := &k.queues[w.class]
	if i := slices.Index(*line, w); i >= 0 {
		*line = slices.Delete(*line, i, i+1)
		k.waiting--
	} else if w.got > 0 {
		<-w.ready
		if !w.paid {
			k.refill()
			k.spend(-w.got)
		}
		w.got = 0
	}
	k.dispatch()
}

// take waits for w.
func (k *bucket) take(ctx context.Context, w *waiter) error {
	if k.join(w) {
		return nil
	}
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
		k.quit(w)
		return ctx.Err()
	}
}

// tick is when tokens have come that somebody waits for.
func (k *bucket) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refill()
	k.dispatch()
}

// dispatch gives what there is to those who wait.
func (k *bucket) dispatch() {
	for {
		class, found := k.next()
		if !found {
			k.timer.Stop()
			return
		}
		w := k.queues[class][0]
		give := w.want
		switch {
		case k.rate == 0:
			k.timer.Stop()
			return
		case k.rate < 0, class == Control: // the latter waited while nothing passed
		case w.paid:
			if k.tokens < 1 {
				k.sleep(1)
				return
			}
		default:
			if least := float64(min(w.want, k.least())); k.tokens < least {
				k.sleep(least)
				return
			}
			give = min(w.want, int(k.tokens), max(k.least(), grantMost))
		}
		if !w.paid {
			k.spend(give)
		}
		k.clock = k.served[class]
		k.served[class] += float64(give) / weights[class]
		k.queues[class] = slices.Delete(k.queues[class], 0, 1)
		k.waiting--
		w.got = give
		w.ready <- struct{}{}
	}
}

// least is the fewest bytes that who wants more waits for.
func (k *bucket) least() int { return max(packet, int(k.rate*grantFor.Seconds())) }

// next returns the class whose turn it is.
func (k *bucket) next() (next Class, found bool) {
	for c := range Class(Classes) {
		if len(k.queues[c]) == 0 {
			continue
		}
		if c == Control { // it waits only while nothing passes
			return c, true
		}
		if !found || k.served[c] < k.served[next] {
			next, found = c, true
		}
	}
	return next, found
}

// sleep waits until there are so many tokens.
func (k *bucket) sleep(tokens float64) {
	if !k.until.IsZero() && !k.at.Before(k.until) {
		k.timer.Stop() // nothing comes until the rate is set again
		return
	}
	wait := time.Duration((tokens - k.tokens) / k.rate * float64(time.Second))
	k.timer.Reset(max(wait, time.Millisecond))
}
