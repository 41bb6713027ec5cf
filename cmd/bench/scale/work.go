package scale

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
)

const (
	// enqueueBatch is how many links come in one message from another peer,
	// and senders how many peers send at once.
	enqueueBatch = 128
	senders      = 16
	// idleTick is how long to wait for a lease before the clock is moved on.
	idleTick = time.Millisecond
	// drainTick is how often to look whether everything is committed.
	drainTick = time.Millisecond
)

// seed brings in the first URL of every domain.
func (l *load) seed(ctx context.Context) error {
	return l.enqueue(ctx, l.cfg.Domains, func(i int) int { return i })
}

// enqueue brings in n URLs that were never offered, in batches from several
// senders at once. domain names the domain of each.
func (l *load) enqueue(ctx context.Context, n int, domain func(i int) int) error {
	slots := make(chan struct{}, senders)
	var sending sync.WaitGroup
	defer sending.Wait()
	for at := 0; at < n && ctx.Err() == nil; {
		e := &frontier.Enqueue{Links: make([]frontier.Link, 0, enqueueBatch)}
		for ; at < n && len(e.Links) < enqueueBatch; at++ {
			u, err := l.web.fresh(domain(at))
			if err != nil {
				return err
			}
			e.Links = append(e.Links, frontier.Link{URL: u.String(), Depth: 1, Priority: crawl.PriorityNormal})
		}
		l.count.offered += len(e.Links)
		slots <- struct{}{}
		sending.Go(func() {
			l.propose(ctx, e)
			<-slots
		})
	}
	return ctx.Err()
}

func (l *load) propose(ctx context.Context, e *frontier.Enqueue) {
	applied, err := l.frontier.Propose(ctx, frontier.Entry{Enqueue: e})
	if err != nil {
		l.fail(err)
		return
	}
	l.added.Add(int64(applied[0].New))
}

// crawl settles tasks until done says so, each with links of which fresh are new.
// beat, where not nil, is waited for before each task.
func (l *load) crawl(ctx context.Context, fresh func(h uint64) int, beat <-chan time.Time, done func() bool) error {
	l.fetcher.pause(false)
	defer l.fetcher.pause(true)
	for ctx.Err() == nil && !done() {
		for _, lease := range l.fetcher.takeOver() {
			l.turns = append(l.turns, &turn{Lease: lease, domain: l.web.numbers[lease.Domain]})
		}
		if err := l.sweep(ctx, fresh, beat, done); err != nil {
			return err
		}
		l.clock.advance(took + 2*time.Second) // a request and the gap after it
		if len(l.turns) > 0 {
			continue
		}
		signal(l.fetcher.wanting) // the clock was moved on: something may be due
		select {
		case <-l.fetcher.arrived:
		case <-time.After(idleTick):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// sweep settles the next task of every lease.
func (l *load) sweep(ctx context.Context, fresh func(h uint64) int, beat <-chan time.Time, done func() bool) error {
	kept := l.turns[:0]
	for i, t := range l.turns {
		if done() {
			kept = append(kept, l.turns[i:]...)
			break
		}
		if beat != nil {
			<-beat
		}
		if err := l.step(ctx, t, fresh); err != nil {
			return err
		}
		if len(t.Tasks) > 0 {
			kept = append(kept, t)
			continue
		}
		if err := l.frontier.Release(ctx, t.Lease, nil); err != nil {
			return err
		}
		l.fetcher.finished()
	}
	clear(l.turns[len(kept):])
	l.turns = kept
	return nil
}

// step settles one task.
func (l *load) step(ctx context.Context, t *turn, fresh func(h uint64) int) error {
	if len(t.Tasks) == 0 {
		return nil
	}
	task := t.Tasks[0]
	t.Tasks = t.Tasks[1:]
	o, err := l.web.outcome(t, task, fresh(uint64(l.count.settles)), l.clock.Now())
	if err != nil {
		return fmt.Errorf("make the outcome of %s: %w", task.URL, err)
	}
	l.count.settles++
	l.count.offered += len(o.Outlinks)
	return l.frontier.Settle(ctx, o, func(a frontier.Applied, _ error) {
		if !a.Settled {
			l.late.Add(1)
		}
		l.settled.Add(1)
		l.added.Add(int64(a.New))
	})
}

// drain waits until everything proposed is committed.
func (l *load) drain(ctx context.Context) error {
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for l.frontier.Pending() > 0 {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
