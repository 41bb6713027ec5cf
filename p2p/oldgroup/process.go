package oldgroup

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/storage"
)

// dropAtOnce is how many entries one transaction deletes at most. Deleting as fast as
// others append is enough.
const dropAtOnce = 256

// process does what Raft asks for, until it asks for nothing. If a transaction fails
// the group is as after a start; the error says why.
func (g *Group) process() error {
	if !g.isLeader() {
		g.yield() // what is applied from here on is of another leader
	}
	err := g.work()
	if err != nil {
		g.fail(err)
	} else if !g.isLeader() {
		g.yield()
	}
	g.release()
	g.show()
	return err
}

// yield tells those that wait, and forgets what was proposed: the entries may never be in the log.
func (g *Group) yield() {
	g.abandon(ErrLost)
	g.pending = 0
}

// fail throws away what is in memory. If this member led, another does well to lead now.
func (g *Group) fail(err error) {
	led := g.seen.Load().leads
	level := slog.LevelWarn
	if g.failing {
		level = slog.LevelDebug
	}
	g.failing = true
	g.logger().Log(context.Background(), level, "Log begins again from the store", "err", err)
	g.rn = nil
	g.show() // before those that wait are told
	if err := g.load(err); err != nil {
		g.logger().Error("Log cannot be read", "err", err)
		return
	}
	if led {
		g.hello()
	}
	g.show()
}

func (g *Group) work() error {
	for g.rn != nil {
		if err := g.catchUp(); err != nil {
			return err
		}
		rd, more, err := g.nextWork()
		if err != nil || !more {
			return err
		}
		if !g.durable(&rd) {
			g.out = append(g.out, rd.Messages...)
			g.note(rd.HardState)
			g.deferred.add(rd.CommittedEntries, g.clock)
			if err := g.advance(rd); err != nil {
				return err
			}
			continue
		}
		if err := g.update(func(tx *storage.Tx) error { return g.commit(tx, rd) }); err != nil {
			return err
		}
		g.saved()
	}
	return nil
}

func (g *Group) nextReady() (rd raft.Ready, ok bool, err error) {
	err = guard(g.logger(), func() {
		if ok = g.rn.HasReady(); ok {
			rd = g.rn.Ready()
		}
	})
	return rd, ok, err
}

func (g *Group) advance(rd raft.Ready) error {
	return guard(g.logger(), func() { g.rn.Advance(rd) })
}

// durable reports whether rd wants a transaction.
func (g *Group) durable(rd *raft.Ready) bool {
	return len(rd.Entries) > 0 || rd.MustSync || !raft.IsEmptySnap(rd.Snapshot) || len(rd.CommittedEntries) > 0 && !g.mayDefer(rd.CommittedEntries)
}

// note takes over Raft's hard state.
func (g *Group) note(hs *pb.HardState) {
	if !raft.IsEmptyHardState(hs) {
		g.st.state.term, g.st.state.vote, g.st.state.commit = hs.GetTerm(), hs.GetVote(), hs.GetCommit()
	}
}

// update runs fn in a transaction in which the log may be written.
func (g *Group) update(fn func(tx *storage.Tx) error) error {
	waits := time.AfterFunc(stallAfter, g.s.copies.cut)
	defer waits.Stop()
	defer func() { g.st.tx = nil }()
	return g.s.cfg.DB.Update(func(tx *storage.Tx) error {
		if err := g.st.open(tx); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return g.st.flush()
	})
}

// commit handles rd in a transaction, and what Raft asks for when that is done.
func (g *Group) commit(tx *storage.Tx, rd raft.Ready) error {
	for size := 0; ; {
		n, err := g.handle(tx, rd)
		if err != nil {
			return err
		}
		if size += n; size >= maxTransaction {
			break
		}
		next, more, err := g.nextReady()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		rd = next
	}
	return g.trim()
}

// handle does what rd asks for, and returns how many bytes were applied.
func (g *Group) handle(tx *storage.Tx, rd raft.Ready) (size int, err error) {
	if !raft.IsEmptySnap(rd.Snapshot) {
		return 0, fmt.Errorf("raft: a snapshot that was not given to it")
	}
	g.note(rd.HardState)
	g.st.dirty = g.st.dirty || rd.MustSync
	if err := g.st.append(rd.Entries); err != nil {
		return 0, err
	}
	g.out = append(g.out, rd.Messages...)
	if g.mayDefer(rd.CommittedEntries) {
		g.deferred.add(rd.CommittedEntries, g.clock)
		return 0, g.advance(rd)
	}
	if size, err = g.applyAll(tx, rd.CommittedEntries); err != nil {
		return 0, err
	}
	return size, g.advance(rd)
}

// applyAll applies what was deferred and then entries, and returns how many bytes these were.
func (g *Group) applyAll(tx *storage.Tx, entries []*pb.Entry) (size int, err error) {
	list := append(g.deferred.entries, entries...)
	g.deferred = deferred{}
	for len(list) > 0 {
		n := 0
		for n < len(list) && list[n].GetType() == pb.EntryNormal {
			size += int(entrySize(list[n]))
			n++
		}
		if n > 0 {
			err = g.applyNormal(tx, list[:n])
		} else {
			n = 1
			e := list[0]
			p := g.proposer(e)
			g.st.heard.take(e.GetIndex())
			err = g.applyChange(e, p)
			g.finish(p)
		}
		last := list[n-1]
		if err != nil {
			return 0, fmt.Errorf("apply entries up to %d: %w", last.GetIndex(), err)
		}
		g.st.state.applied, g.st.state.appliedTerm, g.st.dirty = last.GetIndex(), last.GetTerm(), true
		list = list[n:]
	}
	return size, nil
}

// applyNormal gives entries to the machine.
func (g *Group) applyNormal(tx *storage.Tx, list []*pb.Entry) error {
	entries := make([]Entry, 0, len(list))
	for _, e := range list {
		p := g.proposer(e)
		heard := g.st.heard.take(e.GetIndex())
		switch {
		case len(e.GetData()) > 0:
			entry := Entry{Data: e.GetData(), Heard: heard}
			if p != nil {
				entry.Mine = p.mine
			}
			entries = append(entries, entry)
		case p != nil && p.change:
			p.result = ErrBusy // Raft put an empty entry in its place
		}
		g.finish(p)
	}
	if len(entries) == 0 {
		return nil
	}
	return g.machine.Apply(tx, entries)
}

// proposer returns the proposal that waits for an entry, nil if none does.
func (g *Group) proposer(e *pb.Entry) *proposal {
	p := g.waiting[e.GetIndex()]
	if p == nil {
		return nil
	}
	delete(g.waiting, e.GetIndex())
	if p.term != e.GetTerm() {
		p.finish(ErrLost)
		return nil
	}
	return p
}

// finish notes that a proposal, if there is one, is applied once the transaction is committed.
func (g *Group) finish(p *proposal) {
	if p != nil {
		g.finished = append(g.finished, p)
	}
}

// saved tells those whose entries are applied, now that they are on disk.
func (g *Group) saved() {
	for _, p := range g.finished {
		p.finish(p.result)
	}
	g.finished, g.unsaved, g.failing = nil, nil, false
}

// abandon tells those that wait: err if their entry was part of the transaction that
// failed, that it may be in the log otherwise.
func (g *Group) abandon(err error) {
	for _, p := range g.finished {
		p.finish(err)
	}
	for _, p := range g.unsaved {
		p.finish(err)
	}
	for index, p := range g.waiting {
		p.finish(ErrLost)
		delete(g.waiting, index)
	}
	g.finished, g.unsaved = nil, nil
}

// trim drops entries that nobody needs any more.
func (g *Group) trim() error {
	st := &g.st.state
	if st.copying {
		return nil
	}
	l := limits{all: g.follower.trim, most: st.applied, bytes: g.s.cfg.KeepBytes, writes: dropAtOnce}
	switch {
	case st.alone():
		l.all = st.applied
	case g.isLeader():
		l.all, l.most = g.needed()
	}
	return g.st.drop(l)
}

// needed returns up to where all members have everything, and up to where entries may
// be dropped if the log is too long: those are kept that follow what a member copies,
// unless it takes far too long.
func (g *Group) needed() (all, most uint64) {
	all, most = g.st.state.applied, g.st.state.applied
	for _, m := range g.st.state.members {
		if m.id == g.st.state.id {
			continue
		}
		p, _ := g.progress(m.id)
		all = min(all, p.Match)
		if c := g.contact(m.id); c.pinned > 0 && g.st.state.bytes < 4*g.s.cfg.KeepBytes {
			most = min(most, max(c.pinned, p.Match))
		}
	}
	return all, most
}
