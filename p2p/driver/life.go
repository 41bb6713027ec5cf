package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/stream"
)

// urgentEvery is the least time between two commits that are urgent, on average. A busy node syncs its disk less often
// for it, and brings more with each packet; a lease, which takes two commits, begins a little later.
const urgentEvery = 100 * time.Millisecond

// urgentAhead is how many of them may come at once after a quiet time: a start, and a page that brings a lease, are a
// few in a row.
const urgentAhead = 4

// sendEvery is the least time between two times that packets leave which are not urgent: each costs some 300
// bytes, and its share of the processor.
const sendEvery = 200 * time.Millisecond

// life is a node while it is open. One goroutine uses it.
type life struct {
	*Driver
	node    *group.Node
	tick    *time.Timer
	timer   *time.Timer // for a step in between
	goesOff time.Time   // when timer does, zero if it does not
	items   time.Time   // when items are to be stored, zero if none wait
	free    time.Time   // when the next urgent commit may come
	sent    time.Time   // when packets left last, beside the urgent ones
	waiting []job       // for items to be stored
}

// live opens the node and runs it until the store fails, a job says to rest, or ctx ends.
func (d *Driver) live(ctx context.Context) (rest job, err error) {
	cfg := d.cfg.Node
	if d.cfg.Founder != nil {
		cfg.Founder = d.cfg.Founder()
	}
	node, err := group.Open(cfg, stream.OnBolt(d.store))
	if err != nil {
		return job{}, fmt.Errorf("open: %w", err)
	}
	d.cfg.Opened(node)
	l := &life{Driver: d, node: node, tick: time.NewTimer(d.untilTick()), timer: time.NewTimer(d.cfg.CommitEvery)}
	d.inbox.take() // what came late for the node before
	d.open.Store(true)
	rest, err = l.run(ctx)
	d.open.Store(false)
	l.tick.Stop()
	l.timer.Stop()
	for _, j := range l.waiting {
		j.end(err)
	}
	node.Abandon()
	return rest, err
}

func (d *Driver) untilTick() time.Duration {
	return d.cfg.Align(d.cfg.Node.Times.Beat / raftlog.TicksPerBeat)
}

// run works until the store fails, a job says to rest, or ctx ends. The first tick comes before the first job: a member
// that is alone leads by then.
func (l *life) run(ctx context.Context) (rest job, err error) {
	l.node.Tick()
	if err := l.step(ctx); err != nil {
		return job{}, err
	}
	for {
		var j job
		select {
		case <-ctx.Done():
			return job{}, l.commit(true, true)
		case <-l.tick.C:
			l.node.Tick()
			l.tick.Reset(l.untilTick())
		case <-l.timer.C:
			l.goesOff = time.Time{}
		case <-l.news:
		case j = <-l.jobs:
			rest = l.handle(j)
		}
		for n := len(l.jobs); n > 0 && rest.kind != restJob; n-- {
			rest = l.handle(<-l.jobs)
		}
		if rest.kind == restJob {
			return rest, l.commit(true, true)
		}
		if err := l.step(ctx); err != nil {
			return job{}, err
		}
	}
}

// handle does a job, and returns it if it says to rest.
func (l *life) handle(j job) (rest job) {
	switch j.kind {
	case doJob:
		j.end(j.do(l.node))
	case commitJob:
		l.items, l.waiting = time.Now(), append(l.waiting, j)
	case wakeJob:
		l.node.Stay()
		j.end(nil)
	case restJob:
		return j
	}
	return job{}
}

// step gives the node what has come, commits if that is due, and sends what may be sent.
func (l *life) step(ctx context.Context) error {
	for _, p := range l.inbox.take() {
		l.node.Receive(p.from, p.bytes)
	}
	l.node.Handle()
	now := time.Now()
	items := !l.items.IsZero() && !now.Before(l.items)
	if items || l.node.Work() == group.Urgent && !now.Before(l.free) {
		if err := l.commit(items, false); err != nil {
			return err
		}
	}
	if !l.node.Unwritten() {
		l.send(ctx, items)
	}
	work := l.node.Work()
	if l.items.IsZero() && (work != group.Idle || l.store.due.Load()) { // items may wait beside what is urgent
		l.items = time.Now().Add(l.cfg.CommitEvery)
	}
	if work == group.Urgent {
		l.stepWithin(time.Until(l.free))
	}
	if !l.items.IsZero() {
		l.stepWithin(time.Until(l.items))
	}
	return nil
}

// send lets packets leave: all of them if it is time or items were stored, which others wait for, else the urgent ones.
func (l *life) send(ctx context.Context, stored bool) {
	last := stream.Lane(stream.NumLanes - 1)
	wait := min(sendEvery, l.cfg.CommitEvery) - time.Since(l.sent)
	if wait > 0 && !stored {
		last = stream.LaneBeat
	}
	l.node.Take(last, func(to crawl.PeerID, lane stream.Lane, packet []byte) {
		l.senders.push(ctx, to, lane, packet)
		if lane > stream.LaneBeat {
			l.sent = time.Now()
		}
	})
	if wait > 0 && l.node.Sends() {
		l.stepWithin(wait)
	}
}

// commit makes durable what others wait for and, if items is set, everything else that waits, and tells those that wait
// for that. What InCommit has got from that goes with the next commit of items, unless somebody waits for it or this is
// the last.
func (l *life) commit(items, last bool) error {
	before := l.store.updates
	if err := l.node.Commit(items); err != nil {
		return err
	}
	l.free = pastCommit(l.free, time.Now())
	if !items {
		return nil
	}
	l.items = time.Time{}
	if l.store.due.Load() && (last || len(l.waiting) > 0 || l.store.updates == before) {
		if err := l.store.commit(); err != nil {
			return err
		}
	}
	for _, j := range l.waiting {
		j.end(nil)
	}
	l.waiting = nil
	return nil
}

// pastCommit returns when the next urgent commit may come after one of now, if free was the time before: not later than
// urgentEvery from now, however many commits others asked for.
func pastCommit(free, now time.Time) time.Time {
	ahead := min(max(now.Sub(free), 0), (urgentAhead-1)*urgentEvery)
	return now.Add(urgentEvery - ahead)
}

// stepWithin sees to it that there is a step soon.
func (l *life) stepWithin(d time.Duration) {
	if at := time.Now().Add(d); l.goesOff.IsZero() || at.Before(l.goesOff) {
		l.goesOff = at
		l.timer.Reset(d)
	}
}
