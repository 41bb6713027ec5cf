package bandwidth

import (
	"context"
	"time"
)

// Budget is what a node may send and receive. Make one with New.
type Budget struct {
	down, up *bucket
}

// New returns a Budget without limits.
func New() *Budget {
	now := time.Now()
	return &Budget{down: newBucket(now), up: newBucket(now)}
}

// Set changes the rates, in kbit/s (1000 bits a second): 0 lets nothing pass,
// less is no limit.
func (b *Budget) Set(downKbit, upKbit int) { b.SetFor(downKbit, upKbit, 0) }

// SetFor is Set with rates that hold for a while only, if hold is above 0: after it nothing more passes than what had
// come by then, until they are set again. So a quota is not overrun by a caller that is late.
func (b *Budget) SetFor(downKbit, upKbit int, hold time.Duration) {
	b.down.set(downKbit, hold)
	b.up.set(upKbit, hold)
}

// Debit counts n bytes that have moved, or are about to, and do not wait.
func (b *Budget) Debit(class Class, sent bool, n int) {
	if n > 0 && class < Classes {
		b.way(sent).debit(class, n)
	}
}

// Wait waits until n bytes of a class may move, and counts them. It returns
// early with the error of ctx, and then counts nothing. n may be more than a burst.
func (b *Budget) Wait(ctx context.Context, class Class, sent bool, n int) error {
	k := b.way(sent)
	w := waiter{class: class, ready: make(chan struct{}, 1)}
	for had := 0; had < n; {
		w.want = n - had
		if err := k.take(ctx, &w); err != nil {
			k.giveBack(had)
			return err
		}
		had += w.got
	}
	k.count(class, n)
	return nil
}

// way returns the bucket of a direction.
func (b *Budget) way(sent bool) *bucket {
	if sent {
		return b.up
	}
	return b.down
}
