package group

import (
	"fmt"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/stream"
)

// Role is what a member is in a shard.
type Role uint8

const (
	Former        Role = iota // not in the group, or not yet: it may have copies
	Follower                  // it stores what the leader commits
	Candidate                 // it stands for election
	Syncing                   // elected; it asks the others what it lacks, and does not act yet
	Leader                    // it acts
	CarefulLeader             // it acts without a majority, at a third of the pace
)

// String returns the role in words.
func (r Role) String() string {
	return [...]string{"former", "follower", "candidate", "syncing", "leader", "careful leader"}[r]
}

// replica is this member's part in one shard.
type replica struct {
	n     *Node
	shard stream.Shard
	// founding is the latest founding of the group that this member heard of, 0 if none.
	founding uint64
	log      *raftLog // nil for a Former
	rec      *record.Record
	leases   *record.Leases
	trust    trust
	care     care
	election election
	lead     *leading // while Raft says that this member leads

	hint      crawl.PeerID // the last leader heard of
	ticks     int
	unwritten bool           // the founding is to be written
	old       vote           // of a log that was given up: it counts
	left      time.Duration  // when it was given up, or when this member started after it
	unaware   []crawl.PeerID // members of the group that this one left, which may still count on its vote
}

func (n *Node) newReplica(s stream.Shard, founding uint64) *replica {
	r := &replica{
		n: n, shard: s, founding: founding, rec: record.New(s), leases: record.NewLeases(), unwritten: true,
		trust: trust{since: n.now(), answered: map[crawl.PeerID]bool{}, wait: n.cfg.Times.Careful},
	}
	r.care, r.election = newCare(r), election{r: r, word: n.now()}
	return r
}

// term returns the term that this member is in.
func (r *replica) term() stream.Term {
	if r.log == nil {
		return stream.Term{Founding: r.founding}
	}
	return stream.Term{Founding: r.founding, Number: r.log.term()}
}

func (r *replica) role() Role {
	switch {
	case r.log == nil:
		return Former
	case r.lead != nil && r.lead.acts:
		return Leader
	case r.lead != nil:
		return Syncing
	case r.care.acting:
		return CarefulLeader
	case r.log.node.BasicStatus().RaftState != raft.StateFollower:
		return Candidate
	}
	return Follower
}

// leader returns the leader that this member follows, itself if it leads, "" if it knows none.
func (r *replica) leader() crawl.PeerID {
	if r.log == nil {
		return ""
	}
	return r.rec.Members[r.log.node.BasicStatus().Lead]
}

func (r *replica) peersOf(ids []uint64) []crawl.PeerID {
	var peers []crawl.PeerID
	for _, id := range ids {
		if p, ok := r.rec.Members[id]; ok {
			peers = append(peers, p)
		}
	}
	slices.Sort(peers)
	return peers
}

func (r *replica) voters() []crawl.PeerID {
	if r.log == nil {
		return nil
	}
	return r.peersOf(r.log.conf.GetVoters())
}

func (r *replica) learners() []crawl.PeerID {
	if r.log == nil {
		return nil
	}
	return r.peersOf(r.log.conf.GetLearners())
}

// others returns everybody else who has to do with the shard: its members, and its computed line.
func (r *replica) others() []crawl.PeerID {
	all := append(append(r.voters(), r.learners()...), r.n.cfg.Directory.Line(r.shard)...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(p crawl.PeerID) bool { return p == r.n.cfg.Self })
}

// holds reports whether this shard's members act for a domain.
func (r *replica) holds(d crawl.Domain) bool { return r.rec.Holds(crawl.KeyOf(d)) }

func (r *replica) note(x Note) {
	if r.n.cfg.Note != nil {
		x.Shard = r.shard
		if x.Term == (stream.Term{}) {
			x.Term = r.term()
		}
		r.n.cfg.Note(x)
	}
}

// ---- Raft ----------------------------------------------------------------

// message takes a message of Raft from another member.
func (r *replica) message(from crawl.PeerID, founding uint64, m *pb.Message) {
	if !r.concerns(from) || !r.follows(from, founding, m.GetType()) || m.GetTerm() > r.log.term()+maxTermLeap {
		return
	}
	now := r.n.now()
	m.From, m.To = new(raftID(from)), new(r.log.id)
	term, last := r.log.last()
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote:
		if !r.trusted(now) || r.trust.below(m.GetLogTerm(), m.GetIndex()) {
			return
		}
		r.election.asked(now, from, m)
	case pb.MsgPreVoteResp:
		if r.election.givesWay(now) {
			return
		}
	case pb.MsgTimeoutNow:
		if !r.trusted(now) || r.trust.below(term, last) {
			return
		}
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		if m.GetTerm() >= r.log.term() {
			r.election.word, r.hint = now, from
		}
		if m.GetType() == pb.MsgHeartbeat && m.GetTerm() >= r.log.term() && m.GetCommit() > last {
			r.setBack(m.GetTerm())
			return
		}
	}
	r.guard(func() { _ = r.log.node.Step(m) }) // what Raft refuses is late or lost
}

// concerns reports whether a peer has to do with the shard, as far as this member knows: a member, one of the computed line, or the
// leader by the word of one of these.
func (r *replica) concerns(p crawl.PeerID) bool {
	_, member := r.rec.Members[raftID(p)]
	return r.log == nil || len(r.rec.Members) == 0 || member || slices.Contains(r.n.cfg.Directory.Line(r.shard), p) || r.n.routes.hints[r.shard].peer == p
}

// follows reports whether a message of a founding concerns this member's log, which it begins if a leader invites it, or if
// this member knows nothing of the shard. One that departed gave up a log that others may still count on: it must not
// vote with an empty one for somebody who missed its departure.
func (r *replica) follows(from crawl.PeerID, founding uint64, t pb.MessageType) bool {
	if founding > r.founding {
		r.supersede(founding, from)
	}
	if founding < r.founding {
		r.n.tellStatus(r, from, false)
		return false
	}
	invites := t == pb.MsgApp || t == pb.MsgHeartbeat || t == pb.MsgSnap
	if r.log == nil && (invites || r.old.term == 0) {
		r.open(r.old, nil)
	}
	return r.log != nil
}

// tick is called ticksPerBeat times a beat.
func (r *replica) tick() {
	if r.log == nil {
		return
	}
	r.ticks++
	if r.lead != nil {
		r.lead.refused = false
	}
	now := r.n.now()
	state := r.log.node.BasicStatus().RaftState
	if state == raft.StateLeader {
		r.election.word = now
		if r.lead != nil {
			r.lead.maybeAct()
		}
		r.guard(func() {
			r.log.node.Tick()
			if r.ticks%(4*ticksPerBeat) == 0 {
				r.log.sendSnapshotsAgain()
			}
		})
	} else {
		r.guard(func() { r.log.node.TickQuiesced() })
		r.election.stand(now)
	}
	r.care.judge(now)
}

// found begins the group again, with this member as its line and what it knows as its record.
func (r *replica) found(number uint64) {
	r.resign()
	r.founding = number<<foundingChance | r.n.cfg.Chance()&(1<<foundingChance-1)
	r.rec.Members = map[uint64]crawl.PeerID{raftID(r.n.cfg.Self): r.n.cfg.Self}
	r.care = newCare(r)
	r.trust.term, r.trust.index, r.trust.sure = 0, 0, true
	r.open(vote{term: 1}, &pb.Snapshot{
		Data: r.rec.Encode(r.leases, r.n.now()),
		Metadata: &pb.SnapshotMetadata{
			Index: new(uint64(1)), Term: new(uint64(1)),
			ConfState: &pb.ConfState{Voters: []uint64{raftID(r.n.cfg.Self)}},
		},
	})
	r.note(Note{Kind: Founded})
}

// open begins a log.
func (r *replica) open(v vote, snap *pb.Snapshot) {
	l, err := newRaftLog(r.shard, r.n.cfg.Self, v, snap)
	if err != nil {
		r.n.fail(fmt.Errorf("begin the log of %s: %w", r.shard, err))
		return
	}
	r.log, r.unaware, r.unwritten = l, nil, true
	r.election.word = r.n.now()
}

// supersede gives the group up for a later founding of it. What this member knows stays, and is offered to
// those who found it.
func (r *replica) supersede(founding uint64, from crawl.PeerID) {
	r.resign()
	r.care.end()
	r.care = newCare(r)
	r.log, r.old, r.unaware, r.founding, r.hint, r.unwritten = nil, vote{}, nil, founding, from, true
	r.trust.term, r.trust.index = 0, 0 // they were of the earlier group's log
	r.rec = record.New(r.shard)
}

// setBack is called when a leader counts on entries that this store does not have: it has forgotten entries, and maybe votes.
func (r *replica) setBack(heard uint64) {
	r.note(Note{Kind: SetBack, Text: "a leader counts on entries that are not here"})
	r.resign()
	r.distrust(r.n.now(), record.Longer(r.n.cfg.Times.Lease))
	r.guard(func() {
		if err := r.log.leapTerm(heard); err != nil {
			r.n.fail(err)
		}
	})
}

// guard runs a call into Raft, which panics on what honest members with whole stores never send. The member then begins
// the log again with nothing, like one that lost its disk.
func (r *replica) guard(call func()) {
	defer func() {
		if p := recover(); p != nil {
			r.note(Note{Kind: SetBack, Text: fmt.Sprint("the log does not fit the others': ", p)})
			v := r.log.vote()
			r.resign()
			r.rec = record.New(r.shard)
			r.distrust(r.n.now(), record.Longer(r.n.cfg.Times.Lease))
			r.open(vote{term: v.term + leap}, nil)
		}
	}()
	call()
}

// ready takes what Raft wants to be written and sent.
func (r *replica) ready() (rd raft.Ready, ok bool) {
	if r.log == nil {
		return rd, false
	}
	r.guard(func() {
		if ok = r.log.node.HasReady(); ok {
			rd = r.log.node.Ready()
		}
	})
	return rd, ok
}

// done sends and applies what is written now.
func (r *replica) done(rd raft.Ready) {
	trusted := r.trusted(r.n.now())
	for _, m := range rd.Messages {
		if !trusted && acknowledges(m) {
			continue
		}
		r.send(m)
	}
	if !raft.IsEmptySnap(rd.Snapshot) {
		r.restore(rd.Snapshot)
		if slices.Contains(r.learners(), r.n.cfg.Self) {
			r.trust.sure = true // its leader knows this member as a new one, which has acknowledged nothing that it could have forgotten
		}
	}
	changed := false
	for _, e := range rd.CommittedEntries {
		changed = r.apply(e) || changed
	}
	log := r.log
	r.guard(func() { log.node.Advance(rd) })
	if rd.SoftState != nil {
		r.roleChanged(rd.SoftState)
	}
	if err := r.log.compact(changed, func() []byte { return r.rec.Encode(r.leases, r.n.now()) }); err != nil {
		r.n.fail(fmt.Errorf("compact the log of %s: %w", r.shard, err))
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

func (r *replica) send(m *pb.Message) {
	to, ok := r.rec.Members[m.GetTo()]
	if !ok { // a vote for one that this member's record does not know yet
		to = r.n.peers.byID(m.GetTo())
	}
	if to == "" || to == r.n.cfg.Self {
		return
	}
	if m.GetType() == pb.MsgVoteResp && !m.GetReject() {
		r.note(Note{Kind: Voted, Peer: to, Term: stream.Term{Founding: r.founding, Number: m.GetTerm()}})
	}
	m.From, m.To = nil, nil
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		r.n.fail(err)
		return
	}
	w := newMessage(kindRaft)
	writeShard(w, r.shard, r.n.cfg.Self, to)
	w.Fixed(r.founding)
	w.B = append(w.B, b...)
	r.n.peers.send(to, stream.LaneBeat, w)
}

func (r *replica) restore(snap *pb.Snapshot) {
	rec, live, ok := record.Decode(r.shard, snap.GetData())
	if !ok {
		r.n.fail(fmt.Errorf("the snapshot of %s cannot be read", r.shard))
		return
	}
	r.rec = rec
	for _, l := range live {
		r.leases.Add(l, r.n.now())
	}
	r.log.applied, r.log.appliedTerm = snap.GetMetadata().GetIndex(), snap.GetMetadata().GetTerm()
	r.log.conf = snap.GetMetadata().GetConfState()
}

// apply applies a committed entry, and reports whether it changed the members.
func (r *replica) apply(e *pb.Entry) (changed bool) {
	if e.GetIndex() <= r.log.applied {
		return false
	}
	r.log.applied, r.log.appliedTerm = e.GetIndex(), e.GetTerm()
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
		effects := make([]record.Effect, 0, len(x.Ops))
		for _, o := range x.Ops {
			effects = append(effects, r.applyOp(o))
		}
		if r.lead != nil {
			r.lead.applied(x.Tag, effects)
		}
	}
	return false
}

// applyOp changes the record, the leases and the copies that an op concerns.
func (r *replica) applyOp(o record.Op) record.Effect {
	now := r.n.now()
	eff := r.rec.Apply(o)
	switch {
	case !eff.Done:
	case o.Kind == record.OpGrant || o.Kind == record.OpKnown:
		r.leases.Add(o.Lease, now)
	case o.Kind == record.OpEnd:
		r.leases.End(o.Lease, now)
	case o.Kind == record.OpGive:
		for _, a := range eff.Left {
			r.note(Note{Kind: Gave, Prefix: a.Prefix, Number: a.Number, Text: o.Shard.String()})
		}
	case o.Kind == record.OpTake || o.Kind == record.OpClaim:
		r.note(Note{Kind: Took, Prefix: o.Prefix, Number: o.Number})
	case o.Kind == record.OpForget:
		r.n.streams.Drop(r.shard, []ring.Prefix{o.Prefix}, o.Marks)
	}
	return eff
}
