package driver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

const (
	// minPause and maxPause bound how long the node is closed after trouble with the store. It doubles each
	// time until the node has been well for maxPause.
	minPause, maxPause = time.Second, time.Minute
	// inboxPause is what a peer is told to wait when there is no room for its packet.
	inboxPause = 250 * time.Millisecond
	// malformed is the weight of a packet that cannot be read. A member of another version sends a few a minute, which
	// must not get it banned.
	malformed = 4
)

// Driver runs a group.Node. Its methods are safe for concurrent use.
type Driver struct {
	cfg     Config
	store   *store
	inbox   inbox
	senders *senders
	jobs    chan job
	news    chan struct{} // holds a token if there are packets, or somebody wants a commit
	ended   chan struct{} // closed when Serve has returned
	open    atomic.Bool   // the node takes packets
}

// New returns a driver. It takes packets from its Net, and jobs, when Serve runs.
func New(cfg Config) *Driver {
	cfg.setDefaults()
	d := &Driver{
		cfg: cfg, senders: newSenders(cfg.Net, cfg.Node.Times.Beat), jobs: make(chan job, maxJobs),
		news: make(chan struct{}, 1), ended: make(chan struct{}),
		store: &store{Bolt: cfg.Store, before: cfg.BeforeCommit, in: cfg.InCommit},
	}
	d.senders.idle = d.wake
	d.cfg.Node.Busy = d.senders.busy
	d.cfg.Node.Offend = func(from crawl.PeerID, err error) {
		cfg.Log.Debug("Packet cannot be read", "peer", from, "err", err)
		cfg.Net.Offend(from, "malformed packet", malformed)
	}
	cfg.Net.Receive(d.receive)
	return d
}

// Serve runs the node until ctx ends, and returns ctx.Err, or storage.ErrDamaged if the store is beyond use.
// What waits then is committed; it hands nothing over, which is for Leave. It is called once.
func (d *Driver) Serve(ctx context.Context) error {
	defer close(d.ended)
	for ctx.Err() == nil {
		rest, err := d.spell(ctx)
		if err != nil {
			return err
		}
		rest.end(nil)
		if rest.kind == restJob {
			d.closed(ctx, nil)
		}
	}
	return ctx.Err()
}

// spell runs the node until ctx ends, or a job says to rest, which it returns. Nothing is being sent when it
// returns. The error is storage.ErrDamaged.
func (d *Driver) spell(ctx context.Context) (rest job, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer d.senders.running.Wait()
	defer stop()
	for pause := minPause; ; pause = min(2*pause, maxPause) {
		began := time.Now()
		rest, err := d.live(ctx)
		if rest.kind == restJob || ctx.Err() != nil {
			return rest, nil
		}
		if errors.Is(err, storage.ErrDamaged) {
			return job{}, err
		}
		d.cfg.Trouble(fmt.Errorf("keep the shards: %w", err))
		if time.Since(began) > maxPause {
			pause = minPause
		}
		if rest = d.closed(ctx, time.After(jitter(pause))); rest.kind == restJob {
			return rest, nil
		}
	}
}

// closed refuses jobs until the node may be opened: after a time, or when this member is woken. While it waits
// for a time, a job to rest ends that, and is returned.
func (d *Driver) closed(ctx context.Context, after <-chan time.Time) (rest job) {
	for {
		select {
		case <-ctx.Done():
			return job{}
		case <-after:
			return job{}
		case j := <-d.jobs:
			switch {
			case j.kind == wakeJob:
				j.end(nil)
				if after == nil {
					return job{}
				}
			case j.kind == restJob && after != nil:
				return j
			case j.kind == restJob:
				j.end(nil)
			default:
				j.end(ErrNotOpen)
			}
		}
	}
}

// receive takes a packet from a peer.
func (d *Driver) receive(from crawl.PeerID, lane stream.Lane, packet []byte) error {
	switch {
	case !d.cfg.Admit(from):
		return &calls.Refused{Text: "not a member"}
	case !d.open.Load():
		return &calls.Busy{After: d.cfg.Node.Times.Beat}
	case !d.inbox.put(from, lane, packet):
		d.senders.refused(lane)
		return &calls.Busy{After: inboxPause}
	}
	d.senders.heard(from, lane, len(packet))
	d.wake()
	return nil
}

// wake has the driver's goroutine look for packets and commits.
func (d *Driver) wake() {
	select {
	case d.news <- struct{}{}:
	default:
	}
}

// Traffic returns what went through each lane.
func (d *Driver) Traffic() [stream.NumLanes]Traffic {
	d.senders.mu.Lock()
	defer d.senders.mu.Unlock()
	return d.senders.counts
}
