package oldgroup

import (
	"bytes"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

const (
	// deferEntries and deferBytes are how many committed entries, and how many bytes of them, a follower applies
	// later at most.
	deferEntries = 32
	deferBytes   = 256 << 10
	// deferTicks is for how many ticks at most it does.
	deferTicks = 10
)

// deferred are committed entries that a follower has on disk and has not applied yet. It is asked for nothing that they
// say, and has them again after a crash; so it applies many in one transaction, where a page of the store that
// several of them change is written once. A member that is elected applies them first, and one whose log falls quiet.
type deferred struct {
	entries []*pb.Entry
	bytes   int
	since   int // clock when the first came
}

func (d *deferred) add(entries []*pb.Entry, clock int) {
	if len(entries) == 0 {
		return
	}
	if len(d.entries) == 0 {
		d.since = clock
	}
	for _, e := range entries {
		e.Data = bytes.Clone(e.Data) // it may be part of a packet
		d.bytes += int(entrySize(e))
	}
	d.entries = append(d.entries, entries...)
}

// mayDefer reports whether entries that are committed can be applied later. A change of the members cannot: it says who
// votes.
func (g *Group) mayDefer(entries []*pb.Entry) bool {
	d := &g.deferred
	if len(entries) == 0 || g.isLeader() || g.st.state.copying || len(d.entries)+len(entries) > deferEntries {
		return false
	}
	size := d.bytes
	for _, e := range entries {
		if e.GetType() != pb.EntryNormal {
			return false
		}
		size += int(entrySize(e))
	}
	return size <= deferBytes
}

// catchUp applies what was deferred if that was long enough ago, or this member leads now.
func (g *Group) catchUp() error {
	if d := &g.deferred; len(d.entries) == 0 || !g.isLeader() && g.clock-d.since < deferTicks {
		return nil
	}
	return g.applyDeferred()
}

// finishDeferred applies everything that was deferred; if it fails the group is as after a start.
func (g *Group) finishDeferred() {
	if g.rn == nil {
		return
	}
	if err := g.applyDeferred(); err != nil {
		g.fail(err)
	}
}

// applyDeferred applies everything that was deferred.
func (g *Group) applyDeferred() error {
	if len(g.deferred.entries) == 0 {
		return nil
	}
	err := g.update(func(tx *storage.Tx) error {
		if _, err := g.applyAll(tx, nil); err != nil {
			return err
		}
		return g.trim()
	})
	if err != nil {
		return err
	}
	g.saved()
	return nil
}
