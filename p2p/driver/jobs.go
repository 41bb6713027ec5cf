package driver

import (
	"context"
	"time"

	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/raftlog"
)

// maxJobs is how many jobs may wait. Further callers of Do wait, those of DoSoon are refused.
const maxJobs = 256

// job is something for the driver's goroutine.
type job struct {
	kind jobKind
	do   func(*group.Node) error
	done chan error // with room for one; nil: nobody waits
}

type jobKind uint8

const (
	doJob     jobKind = iota // do
	commitJob                // commit, then tell
	restJob                  // close the node and send nothing more, then tell
	wakeJob                  // open it again
)

// end tells who waits, if anybody does.
func (j job) end(err error) {
	if j.done != nil {
		j.done <- err
	}
}

// run brings a job to the driver's goroutine and waits for its end.
func (d *Driver) run(ctx context.Context, j job) error {
	j.done = make(chan error, 1)
	select {
	case d.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-d.ended:
		return ErrEnded
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-d.ended:
		return ErrEnded
	}
}

// Do has the driver's goroutine call fn, and returns what fn does, or ErrNotOpen, ErrEnded or ctx.Err; after
// the last fn may still be called. fn must not wait for anything, nor keep the node. What it did is durable
// after the next commit. Neither fn nor what the node calls may call a method of the driver that waits.
func (d *Driver) Do(ctx context.Context, fn func(*group.Node) error) error {
	return d.run(ctx, job{kind: doJob, do: fn})
}

// DoSoon is Do without waiting. It returns false if too many jobs wait. fn is not called if the node is not open when
// its turn comes.
func (d *Driver) DoSoon(fn func(*group.Node)) bool {
	select {
	case d.jobs <- job{kind: doJob, do: func(n *group.Node) error { fn(n); return nil }}:
		return true
	default:
		return false
	}
}

// Commit makes durable at once what waits: of the node, and what Config.InCommit has after CommitSoon. The errors are
// those of Do, and those of the store.
func (d *Driver) Commit(ctx context.Context) error { return d.run(ctx, job{kind: commitJob}) }

// CommitSoon says that Config.InCommit has something to write: there will be a transaction within
// Config.CommitEvery, even if the node has nothing for it.
func (d *Driver) CommitSoon() {
	d.store.due.Store(true)
	d.wake()
}

// Leave hands over everything that this member leads. It returns when others lead, or with ctx.Err: while too
// few are there, nobody can. Then the member may go: it goes on, without leading, until Serve ends.
func (d *Driver) Leave(ctx context.Context) error {
	poll := time.NewTicker(d.cfg.Node.Times.Beat / raftlog.TicksPerBeat)
	defer poll.Stop()
	for {
		left := false
		err := d.Do(ctx, func(n *group.Node) error {
			n.Leave()
			left = n.Left()
			return nil
		})
		switch {
		case err == ErrEnded || ctx.Err() != nil:
			return err
		case err == nil && left:
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Rest hands over as Leave does, for as long as within at most. Then this member is silent until Wake: it sends
// nothing and does nothing. When Rest returns nil, nothing is under way any more. Calls that come are told to
// come later, which is an answer: that no packet leaves is for peerhost.Gater.Silence, after Rest. After an
// error Wake is to be called, too.
func (d *Driver) Rest(ctx context.Context, within time.Duration) error {
	leaving, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if err := d.Leave(leaving); err != nil && leaving.Err() == nil {
		return err
	}
	return d.run(ctx, job{kind: restJob})
}

// Wake ends a rest: the node is opened, as after a start. It takes back a Leave, too.
func (d *Driver) Wake(ctx context.Context) error {
	return d.run(ctx, job{kind: wakeJob})
}
