package shard

import (
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// A part is written in steps: Begin takes what is to be written, Write writes it, and Written sends and applies it once
// it is durable.

// Open reads the parts that a store has.
func Open(h *Host, tx stream.Tx) (map[stream.Shard]*Replica, error) {
	var shards []stream.Shard
	if err := tx.Scan(raftlog.Bucket, nil, func(k, v []byte) bool {
		r := &codec.Reader{B: k}
		if s := r.Bytes(codec.MaxName); string(r.B) == "f" {
			shards = append(shards, stream.Shard(s))
		}
		return true
	}); err != nil {
		return nil, err
	}
	parts := map[stream.Shard]*Replica{}
	for _, s := range shards {
		r, err := read(h, tx, s)
		if err != nil {
			return nil, err
		}
		parts[s] = r
	}
	return parts, nil
}

// read reads a part. Its record is that of the log's snapshot; the entries after it follow as they are committed.
func read(h *Host, tx stream.Tx, s stream.Shard) (*Replica, error) {
	r, f := New(h, s), &codec.Reader{B: tx.Get(raftlog.Bucket, raftlog.FoundingKey(s))}
	r.founding, r.old, r.unwritten = f.Fixed(), raftlog.Vote{Term: f.Uint(), To: f.Fixed()}, false
	r.departed = f.Uint()
	r.unaware = codec.ReadList(f, 2*maxLine, f.Peer)
	var err error
	if r.log, err = raftlog.Read(tx, s, h.Self); r.log == nil {
		return r, err
	}
	snap, err := r.log.Snapshot()
	if err != nil || snap.GetMetadata().GetIndex() == 0 {
		return r, nil
	}
	r.restore(snap)
	if v := r.voters(); len(v) > 1 || len(v) == 1 && v[0] != h.Self {
		r.trust.wait = record.Longer(h.Times.Lease)
	}
	return r, nil
}

// Forget deletes what Open reads of a shard in which this member has no part any more.
func Forget(tx stream.Tx, s stream.Shard) error {
	return tx.Delete(raftlog.Bucket, raftlog.FoundingKey(s))
}

// Waits reports whether Begin has something to take, and whether that is which founding this member counts.
func (r *Replica) Waits() (waits, founding bool) {
	raft := r.log != nil && (r.log.Rewrite() || r.log.Node.HasReady())
	return raft || r.unwritten || r.lead != nil && r.lead.pressing, r.unwritten
}

// Begin takes what the next transaction writes, and reports whether it has to be one that may.
func (r *Replica) Begin() (writes bool) {
	if r.lead != nil {
		r.lead.flush()
	}
	if r.log != nil {
		r.guard(func() {
			if r.log.Node.HasReady() {
				rd := r.log.Node.Ready()
				r.ready = &rd
				writes = rd.MustSync || !raft.IsEmptySnap(rd.Snapshot) || len(rd.Entries) > 0
			}
		})
	}
	return writes || r.unwritten || r.log != nil && r.log.Rewrite()
}

// Write writes it. writes says that the transaction may; else a commit index waits for the next one that does.
func (r *Replica) Write(tx stream.Tx, writes bool) error {
	if r.log != nil && r.ready != nil {
		if err := r.log.Keep(tx, *r.ready, writes); err != nil {
			return fmt.Errorf("write the log of %s: %w", r.shard, err)
		}
	}
	if r.log != nil && r.log.Rewrite() && writes {
		if err := r.log.Write(tx); err != nil {
			return err
		}
	}
	if !r.unwritten || !writes {
		return nil
	}
	if r.log == nil {
		if err := raftlog.Erase(tx, r.shard); err != nil {
			return err
		}
	}
	w := &codec.Writer{}
	w.Fixed(r.founding)
	w.Uint(r.old.Term)
	w.Fixed(r.old.To)
	w.Uint(r.departed)
	codec.WriteList(w, r.unaware, func(p crawl.PeerID) { w.Text(string(p)) })
	r.unwritten = false
	return tx.Put(raftlog.Bucket, raftlog.FoundingKey(r.shard), w.B)
}

// Written sends and applies what Write wrote. It is called when that is durable.
func (r *Replica) Written() {
	rd := r.ready
	if r.ready = nil; rd == nil || r.log == nil {
		return
	}
	s := rd.SoftState
	turns := s != nil && (s.RaftState != raft.StateLeader || r.lead == nil || r.lead.term != r.term())
	if turns {
		r.resign() // it applies nothing of another's term while it seems to lead
	}
	trusted := r.trusted()
	waits := mayWait(rd.CommittedEntries)
	for _, m := range rd.Messages {
		if !trusted && acknowledges(m) || waits && r.log.TellsCommit(m) {
			continue
		}
		r.send(m)
	}
	if !raft.IsEmptySnap(rd.Snapshot) {
		r.restore(rd.Snapshot)
		if slices.Contains(r.learners(), r.h.Self) {
			// Its leader knows this member as a new one, which has acknowledged nothing that it could have forgotten.
			r.trust.sure = true
		}
	}
	changed := false
	for _, e := range rd.CommittedEntries {
		changed = r.apply(e) || changed
	}
	log := r.log
	r.guard(func() { log.Node.Advance(*rd) })
	if turns && s.RaftState == raft.StateLeader {
		beginLead(r)
	}
	if err := r.log.Compact(changed, func() []byte { return r.rec.Encode(r.leases.All(r.h.now())) }); err != nil {
		r.h.Fail(fmt.Errorf("compact the log of %s: %w", r.shard, err))
	}
}

// Act answers what counts after the transaction, and begins to act if nothing is missing any more.
func (r *Replica) Act() {
	if r.lead != nil {
		r.lead.maybeAct()
		r.lead.answer()
	}
}

// acknowledges reports whether a message says that this member has something, or votes.
func acknowledges(m *pb.Message) bool {
	switch m.GetType() {
	case pb.MsgAppResp:
		return !m.GetReject() && m.GetIndex() > 0
	case pb.MsgVoteResp, pb.MsgPreVoteResp:
		return !m.GetReject()
	}
	return false
}

// mayWait reports whether others may learn with the next entry or heartbeat that these entries are committed. They must
// learn of a change of members at once: they count votes by the line they know, and if this leader dies, the earlier
// line may be too small to elect another.
func mayWait(committed []*pb.Entry) bool {
	return len(committed) > 0 && !slices.ContainsFunc(committed, func(e *pb.Entry) bool {
		return e.GetType() == pb.EntryConfChange
	})
}

func (r *Replica) send(m *pb.Message) {
	to, ok := r.rec.Members[m.GetTo()]
	if !ok { // a vote for one that this member's record does not know yet
		to = r.h.ByID(m.GetTo())
	}
	if to == "" || to == r.h.Self {
		return
	}
	if m.GetType() == pb.MsgVoteResp && !m.GetReject() {
		r.note(Note{Kind: Voted, Peer: to, Term: stream.Term{Founding: r.founding, Number: m.GetTerm()}})
	}
	m.From, m.To = nil, nil
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		r.h.Fail(err)
		return
	}
	w := r.h.message(kindRaft, to, r.shard)
	w.Fixed(r.founding)
	w.B = append(w.B, b...)
	r.h.Send(to, stream.LaneBeat, w)
}

func (r *Replica) restore(snap *pb.Snapshot) {
	rec, live, ok := record.Decode(r.shard, snap.GetData())
	if !ok {
		r.h.Fail(fmt.Errorf("the snapshot of %s cannot be read", r.shard))
		return
	}
	r.rec = rec
	r.leases.Restore(live, r.founding, r.h.now())
	r.log.Restored(snap)
}

// apply applies a committed entry, and reports whether it changed the members.
func (r *Replica) apply(e *pb.Entry) (changed bool) {
	if e.GetIndex() <= r.log.Applied {
		return false
	}
	r.log.Applied, r.log.AppliedTerm = e.GetIndex(), e.GetTerm()
	switch {
	case e.GetType() == pb.EntryConfChange:
		r.applyChange(e)
		return true
	case len(e.GetData()) == 0:
		if r.lead != nil {
			r.lead.change = nil // Raft puts an empty entry in the place of a change that it does not take
		}
	case e.GetType() == pb.EntryNormal:
		x, ok := record.DecodeEntry(e.GetData())
		if !ok {
			return false // a leader that lies; all members pass over it alike
		}
		var then []func(record.Effect)
		if r.lead != nil {
			then = r.lead.take(x.Tag)
		}
		for i, o := range x.Ops {
			// What waits for an op comes before the next one, which may release what this one granted.
			if e := r.applyOp(o); i < len(then) && then[i] != nil {
				then[i](e)
			}
		}
	}
	return false
}

// applyOp changes the record, the leases and the copies that an op concerns.
func (r *Replica) applyOp(o record.Op) record.Effect {
	now := r.h.now()
	eff := r.rec.Apply(o)
	switch {
	case !eff.Done:
	case o.Kind == record.OpGrant:
		o.Lease.Founding = r.founding
		r.leases.Grant(o.Lease, now)
	case o.Kind == record.OpKnown:
		o.Lease.Founding = r.founding
		r.leases.Add(o.Lease, now)
	case o.Kind == record.OpEnd:
		r.leases.End(o.Lease, now)
	case o.Kind == record.OpGive:
		for _, a := range eff.Left {
			r.note(Note{Kind: Gave, Prefix: a.Prefix, Number: a.Number, Text: o.Shard.String()})
		}
	case o.Kind == record.OpTake || o.Kind == record.OpClaim:
		r.h.Streams.Keep(r.shard, o.Prefix) // entries of before are applied again after a start
		r.note(Note{Kind: Took, Prefix: o.Prefix, Number: o.Number})
	case o.Kind == record.OpForget:
		r.h.Streams.Drop(r.shard, []ring.Prefix{o.Prefix}, o.Marks)
	}
	return eff
}
