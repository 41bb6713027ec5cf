//go:build !items

package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	group "github.com/forage-net/forage/p2p/oldgroup"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// leadAgain has the groups look for leaders.
func (f *footing) leadAgain() {
	for _, g := range f.n.logs.groups.All() {
		if !g.Leads() { // who led it may lead it no more; who does is heard soon
			g.LeaderDown()
		}
	}
}

// flush commits what waits for company.
func (f *footing) flush(ctx context.Context) {
	if _, err := f.n.frontier.Propose(ctx); err != nil {
		f.n.log.Debug("Own leases not given back yet", "error", err)
	}
}

// isHome reports whether all that was held is back where it belongs, for good.
func (f *footing) isHome() bool {
	if !f.isIdle() || f.n.member.swarm.Returning() > 0 {
		return false
	}
	if !f.n.frontier.Leads() {
		return true
	}
	list, err := f.n.frontier.Leases()
	return err != nil || !slices.ContainsFunc(list, func(l frontier.LiveLease) bool { return l.Holder == "" })
}

// handOver has partners lead the logs that this node leads.
func (f *footing) handOver(ctx context.Context) {
	var all sync.WaitGroup
	for _, g := range f.n.logs.groups.All() {
		if g.Leads() && g.Shared() {
			all.Go(func() { f.n.logs.handOver(ctx, g) })
		}
	}
	all.Wait()
}

// tellPartners brings this node's record to all that keep logs with it, and returns how
// many logs still need its vote, or it does not know.
func (f *footing) tellPartners(ctx context.Context) (left int64) {
	node := f.n.member.node
	record := node.Record()
	if record == nil {
		return 0
	}
	partners := make(map[string]bool)
	for _, g := range f.n.logs.groups.All() {
		for _, m := range g.Status().Members {
			if m.Peer != f.n.logs.self && !node.Down(m.Peer) {
				partners[m.Peer] = true
			}
		}
	}
	var all sync.WaitGroup
	var failed atomic.Int64
	for p := range partners {
		all.Go(func() {
			raw, err := node.Call(ctx, p, wire.KindRest, wire.Encode(&wire.Rest{Record: record}))
			if err != nil {
				failed.Add(1)
				return
			}
			if answer, err := wire.Decode[wire.Rested](raw); err == nil {
				failed.Add(int64(answer.Logs))
			}
		})
	}
	all.Wait()
	return failed.Load()
}

// handleRest takes note that a member rests, or is back: the logs that this node leads
// do without its vote, or bring it what it lacks.
func (l *logs) handleRest(ctx context.Context, from string, body []byte) ([]byte, error) {
	m, err := wire.Decode[wire.Rest](body)
	if err != nil {
		return nil, &calls.Lie{What: "rest", Weight: 20}
	}
	node := l.n.member.node
	node.Learn(from, m.Record)
	ctx, cancel := context.WithTimeout(ctx, restAnswer)
	defer cancel()
	var all sync.WaitGroup
	var left atomic.Int64
	for _, g := range l.groups.All() {
		if !g.Leads() {
			continue
		}
		switch is, votes := memberOf(g, from); {
		case is && !node.Rests(from):
			g.Wake()
		case votes && node.Rests(from):
			all.Go(func() {
				if err := demote(ctx, g, from); err != nil {
					left.Add(1)
					l.n.log.Debug("A member rests, but its vote is still needed", "owner", peer.ID(g.Log()).String(), "error", err)
				}
			})
		}
	}
	all.Wait()
	return wire.Encode(&wire.Rested{Logs: uint16(min(left.Load(), wire.MaxLogs))}), nil
}

// memberOf reports whether a peer keeps a log, and has a vote.
func memberOf(g *group.Group, p string) (is, votes bool) {
	for _, m := range g.Status().Members {
		if m.Peer == p {
			return true, m.Voter
		}
	}
	return false, false
}

// demote makes a voter a learner. While another change is under way, it waits.
func demote(ctx context.Context, g *group.Group, p string) error {
	for {
		err := g.Demote(ctx, p)
		if !errors.Is(err, group.ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(restLook):
		}
	}
}

// isBack reports whether this node has a vote in all logs that it keeps.
func (f *footing) isBack() bool {
	node := f.n.member.node
	if node.State(f.n.logs.self) != roster.StateActive {
		return false
	}
	for _, g := range f.n.logs.groups.All() {
		if _, votes := memberOf(g, f.n.logs.self); !votes {
			return false
		}
	}
	return true
}

// takes reports whether the node may begin to own domains. On standby it would be long until it has them all, and nobody
// visits those that it has not; but who still has domains goes on with them. A lab that gives nodes their footing has them own with it.
func (f *footing) takes() bool {
	given := f.n.opts.Lab != nil && f.n.opts.Sim == nil && f.n.opts.Footing != FootingDuty
	if given || f.now() == FootingDuty {
		return true
	}
	if f.n.frontier == nil || !f.n.frontier.Leads() {
		return false
	}
	t, err := f.n.frontier.Totals()
	return err == nil && t.Domains > t.Unasked
}

// needed returns the peers without which the books cannot be kept: those that keep logs
// with this node, and those that hold leases of them.
func (f *footing) needed() map[string]bool {
	needed := make(map[string]bool)
	for _, g := range f.n.logs.groups.All() {
		for _, m := range g.Status().Members {
			needed[m.Peer] = true
		}
	}
	for _, led := range f.n.logs.led() {
		list, err := led.Leases()
		if err != nil {
			f.n.log.Debug("Leases not read", "error", err)
		}
		for _, l := range list {
			needed[l.Holder] = true
		}
	}
	return needed
}
