package scale

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/storage"
)

const (
	// linksAtOnce is how many links from elsewhere are under way at a time: half of what a node lets wait.
	linksAtOnce = 512
	// idleTick is how often to look whether a stretch is over while no lease arrives.
	idleTick = 10 * time.Millisecond
	// drainTick is how often to look whether everything is committed.
	drainTick = 10 * time.Millisecond
)

// seed brings in the first URL of every domain.
func (l *load) seed(ctx context.Context) error {
	return l.enqueue(ctx, l.cfg.Domains, func(i int) int { return i })
}

// answer says what became of a link.
type answer struct {
	link   crawl.Outlink
	stored bool
}

// enqueue brings in n URLs that were never offered, each in a message of its own, as seeds and most links from
// elsewhere come. domain names the domain of each. They are committed as soon as no further one may be under
// way.
func (l *load) enqueue(ctx context.Context, n int, domain func(i int) int) error {
	answers := make(chan answer, linksAtOnce)
	for at, flying := 0, 0; at < n || flying > 0; {
		for ; at < n && flying < linksAtOnce; at, flying = at+1, flying+1 {
			u, err := l.web.fresh(domain(at))
			if err != nil {
				return err
			}
			l.count.offered++
			if err := l.bring(ctx, crawl.Outlink{URL: u, Depth: 1, Priority: crawl.PriorityNormal},
				answers); err != nil {
				return err
			}
		}
		if err := l.driver.Commit(ctx); err != nil {
			return err
		}
		stored, err := l.answered(ctx, answers)
		if flying -= stored; err != nil {
			return err
		}
	}
	return nil
}

// answered waits for an answer, takes all that are there, brings again the links that were refused, and returns
// how many are stored.
func (l *load) answered(ctx context.Context, answers chan answer) (stored int, err error) {
	for n := 1; n > 0; n = len(answers) {
		select {
		case a := <-answers:
			if a.stored {
				stored++
			} else if err := l.bring(ctx, a.link, answers); err != nil {
				return stored, err
			}
		case <-ctx.Done():
			return stored, ctx.Err()
		}
	}
	return stored, nil
}

func (l *load) bring(ctx context.Context, link crawl.Outlink, answers chan<- answer) error {
	err := l.driver.Do(ctx, func(n *group.Node) error {
		l.swarm.Seed(n, link, func(stored bool) { answers <- answer{link, stored} })
		return nil
	})
	if err != nil {
		return fmt.Errorf("bring %s: %w", link.URL, err)
	}
	return nil
}

// crawl settles tasks until done says so, each with links of which fresh are new.
// beat, where not nil, is waited for before each task.
func (l *load) crawl(ctx context.Context, fresh func(h uint64) int, beat <-chan time.Time, done func() bool) error {
	l.fetcher.pause(false)
	defer l.fetcher.pause(true)
	for ctx.Err() == nil && !done() {
		for _, t := range l.fetcher.takeOver() {
			t.domain = l.web.numbers[t.Domain]
			l.turns = append(l.turns, t)
		}
		if err := l.sweep(ctx, fresh, beat, done); err != nil {
			return err
		}
		if len(l.turns) > 0 {
			continue
		}
		select {
		case <-l.fetcher.arrived:
		case <-time.After(idleTick):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// sweep settles the next task of every lease, and gives back those without tasks.
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
		} else {
			l.release(ctx, t)
		}
	}
	clear(l.turns[len(kept):])
	l.turns = kept
	return nil
}

// step settles one task, or puts those that are left aside if it is too late for them: they go back with the lease.
func (l *load) step(ctx context.Context, t *turn, fresh func(h uint64) int) error {
	if !time.Now().Before(t.closes) {
		t.Tasks = nil
	}
	if len(t.Tasks) == 0 {
		return nil
	}
	task := t.Tasks[0]
	t.Tasks = t.Tasks[1:]
	o, err := l.web.outcome(t, task, fresh(uint64(l.count.settles)), time.Now())
	if err != nil {
		return fmt.Errorf("make the outcome of %s: %w", task.URL, err)
	}
	l.count.settles++
	l.count.offered += len(o.Outlinks)
	if o.Result.Final() {
		l.closed++
	}
	l.settle(ctx, t, o)
	return nil
}

// settle reports an outcome, as soon as there is a place for it.
func (l *load) settle(ctx context.Context, t *turn, o crawl.Outcome) {
	l.places <- struct{}{}
	t.settling.Add(1)
	l.reporting.Go(func() {
		defer t.settling.Done()
		if err := l.swarm.Settle(ctx, o); err != nil {
			l.fail(err)
		}
		<-l.places
	})
}

// release gives a lease back after all its outcomes are reported.
func (l *load) release(ctx context.Context, t *turn) {
	l.reporting.Go(func() {
		t.settling.Wait()
		if err := l.swarm.Release(ctx, t.Lease); err != nil {
			l.fail(err)
		}
		l.fetcher.finished()
	})
}

// drain waits until everything is committed: outcomes, and links on their way from one domain to another.
func (l *load) drain(ctx context.Context) error {
	l.reporting.Wait()
	tick := time.NewTicker(drainTick)
	defer tick.Stop()
	for {
		outgoing := false
		err := l.db.View(func(tx *storage.Tx) error {
			_, outgoing = l.frontier.Outgoing(tx, "", 1)
			return nil
		})
		if err != nil {
			return err
		}
		if !outgoing && l.swarm.Waiting() == 0 {
			return l.driver.Commit(ctx)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
