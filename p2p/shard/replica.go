package shard

import (
	"fmt"
	"slices"
	"time"

	"go.etcd.io/raft/v3"
	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
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

// Replica is this member's part in one shard.
type Replica struct {
	h     *Host
	shard stream.Shard
	// founding is the latest founding of the group that this member heard of, 0 if none.
	founding uint64
	log      *raftlog.Log // nil for a Former
	rec      *record.Record
	leases   *record.Leases
	ready    *raft.Ready // what Raft wants of the present transaction
	trust    trust
	care     care
	election election
	lead     *leading // while Raft says that this member leads

	ticks     int
	unwritten bool           // the founding is to be written
	old       raftlog.Vote   // of a log that was given up: it counts
	departed  uint64         // the term of the leader that did not count this member any more, 0 if none
	unaware   []crawl.PeerID // members of groups that this one left, which may still count on its vote
}

// New returns a part that knows nothing of the shard.
func New(h *Host, s stream.Shard) *Replica {
	r := &Replica{h: h, shard: s, rec: record.New(s), leases: record.NewLeases(), unwritten: true}
	r.trust = newTrust(r, h.Times.Careful)
	r.care, r.election = newCare(r), election{h: h, shard: s, word: h.now()}
	return r
}

// term returns the term that this member is in.
func (r *Replica) term() stream.Term {
	if r.log == nil {
		return stream.Term{Founding: r.founding}
	}
	return stream.Term{Founding: r.founding, Number: r.log.Term()}
}

// Role returns what this member is in the shard.
func (r *Replica) Role() Role {
	switch {
	case r.log == nil:
		return Former
	case r.lead != nil && r.lead.acts:
		return Leader
	case r.lead != nil:
		return Syncing
	case r.care.acting:
		return CarefulLeader
	case r.log.Node.BasicStatus().RaftState != raft.StateFollower:
		return Candidate
	}
	return Follower
}

// Leader returns the leader that this member follows, itself if it leads, "" if it knows none.
func (r *Replica) Leader() crawl.PeerID {
	if r.log == nil {
		return ""
	}
	return r.rec.Members[r.log.Node.BasicStatus().Lead]
}

// heardLeader returns the leader if it was heard lately, "" if not: a member that nobody counts any more may
// know an old one for ever.
func heardLeader(r *Replica) crawl.PeerID {
	if r.h.now()-r.election.word > 3*r.h.Times.Beat {
		return ""
	}
	return r.Leader()
}

func (r *Replica) voters() []crawl.PeerID {
	if r.log == nil {
		return nil
	}
	return r.rec.Peers(r.log.Conf.GetVoters())
}

func (r *Replica) learners() []crawl.PeerID {
	if r.log == nil {
		return nil
	}
	return r.rec.Peers(r.log.Conf.GetLearners())
}

// Others returns everybody else who has to do with the shard: its members, and its computed line.
func (r *Replica) Others() []crawl.PeerID {
	all := append(append(r.voters(), r.learners()...), r.h.Directory.Line(r.shard)...)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(p crawl.PeerID) bool { return p == r.h.Self })
}

// Authority returns who may act for a domain.
func (r *Replica) Authority(d crawl.Domain) (record.Authority, bool) {
	return r.rec.Authorities.Of(crawl.KeyOf(d))
}

func (r *Replica) note(x Note) {
	if r.h.Note != nil {
		x.Shard = r.shard
		if x.Term == (stream.Term{}) {
			x.Term = r.term()
		}
		r.h.Note(x)
	}
}

// message takes a message of Raft from another member.
func (r *Replica) message(from crawl.PeerID, founding uint64, m *pb.Message) {
	if founding >= r.founding && !r.Concerns(from) || !r.follows(from, founding, m) ||
		m.GetTerm() > r.log.Term()+maxTermLeap {
		return
	}
	if m.GetType() == pb.MsgSnap {
		if _, _, ok := record.Decode(r.shard, m.GetSnapshot().GetData()); !ok {
			return // Raft has to apply each snapshot that it takes, so this one must not reach it
		}
	}
	now := r.h.now()
	m.From, m.To = new(raftlog.ID(from)), new(r.log.ID)
	term, last := r.log.Last()
	switch m.GetType() {
	case pb.MsgVote, pb.MsgPreVote:
		if !r.trusted() || r.trust.below(m.GetLogTerm(), m.GetIndex()) {
			return
		}
		if m.GetLogTerm() > term || m.GetLogTerm() == term && m.GetIndex() >= last { // with a shorter log it cannot win
			r.election.asked(now, from, r.voters())
		}
	case pb.MsgPreVoteResp:
		if r.election.givesWay() {
			return
		}
	case pb.MsgTimeoutNow:
		if !r.trusted() || r.trust.below(term, last) {
			return
		}
	case pb.MsgHeartbeat, pb.MsgApp, pb.MsgSnap:
		if m.GetTerm() >= r.log.Term() {
			r.election.word, r.election.stood = now, 0
		}
		if m.GetType() == pb.MsgHeartbeat && m.GetTerm() >= r.log.Term() && m.GetCommit() > last {
			r.trust.setBack(m.GetTerm())
			return
		}
	}
	r.guard(func() { _ = r.log.Node.Step(m) }) // what Raft refuses is late or lost
}

// Concerns reports whether a peer has to do with the shard, as far as this member knows: a member, one of the
// computed line, or the leader by the word of one of these.
func (r *Replica) Concerns(p crawl.PeerID) bool {
	_, member := r.rec.Members[raftlog.ID(p)]
	return r.log == nil || len(r.rec.Members) == 0 || member || slices.Contains(r.h.Directory.Line(r.shard), p) ||
		r.h.Hinted(r.shard) == p
}

// follows reports whether a message of a founding concerns this member's log, which it begins if a leader
// invites it, or if this member knows nothing of the shard. One that departed gave up a log that others may
// still count on: it must not vote with an empty one for somebody who missed its departure, nor be invited by a
// leader of before it.
func (r *Replica) follows(from crawl.PeerID, founding uint64, m *pb.Message) bool {
	t := m.GetType()
	invites := t == pb.MsgApp || t == pb.MsgHeartbeat || t == pb.MsgSnap
	switch {
	case founding > r.founding:
		r.supersede(founding)
	case founding < r.founding && (!invites || !r.Concerns(from) || slices.Contains(r.voters(), r.h.Self) ||
		m.GetTerm() > maxTermLeap):
		r.tellStatus(from, false)
		return false
	case founding < r.founding:
		// Without a vote this member has promised nothing to the later founding, which may have been given up. It
		// may have had a part in the earlier one, and votes in that like one that lost its disk.
		r.supersede(founding)
		r.trust = newTrust(r, record.Longer(r.h.Times.Lease))
		r.open(raftlog.Vote{Term: m.GetTerm() + raftlog.Leap}, nil)
	}
	if r.log == nil && (invites && m.GetTerm() >= r.departed || r.old.Term == 0) {
		r.open(r.old, nil)
	}
	return r.log != nil
}

// Tick is called raftlog.TicksPerBeat times a beat.
func (r *Replica) Tick() {
	if r.log == nil {
		return
	}
	r.ticks++
	now := r.h.now()
	if r.lead != nil && r.care.apart() {
		r.lead.sync()
	}
	if r.log.Node.BasicStatus().RaftState == raft.StateLeader {
		r.election.word = now
		if r.lead != nil {
			r.lead.maybeAct()
		}
		r.guard(func() {
			r.log.Node.Tick()
			if r.ticks%(4*raftlog.TicksPerBeat) == 0 {
				r.log.SendSnapshotsAgain()
			}
		})
	} else {
		r.guard(func() { r.log.Node.TickQuiesced() })
		stand(r, now)
	}
	r.care.judge(now)
}

// stand stands for election when its time has come and this member may vote.
func stand(r *Replica, now time.Duration) {
	voters := r.voters()
	term, last := r.log.Last()
	if !slices.Contains(voters, r.h.Self) || !r.trusted() || r.trust.below(term, last) {
		return
	}
	if r.election.due(now, voters, r.Leader()) {
		r.election.wait(now)
		r.election.began = now
		r.guard(func() { r.election.stood++; _ = r.log.Node.Campaign() })
	}
}

// open begins a log.
func (r *Replica) open(v raftlog.Vote, snap *pb.Snapshot) {
	l, err := raftlog.New(r.shard, r.h.Self, v, snap)
	if err != nil {
		r.h.Fail(fmt.Errorf("begin the log of %s: %w", r.shard, err))
		return
	}
	r.log, r.unwritten = l, true
	r.election.word = r.h.now()
}

// supersede gives the group up for another founding of it, mostly a later one. What this member knows stays,
// and is offered to those who found it.
func (r *Replica) supersede(founding uint64) {
	r.resign()
	r.unaware = countingOn(r, r.h.Self)
	r.care.end()
	r.care = newCare(r)
	r.log, r.old, r.departed, r.founding, r.unwritten = nil, raftlog.Vote{}, 0, founding, true
	r.trust.term, r.trust.index = 0, 0 // they were of the earlier group's log
	r.rec = record.New(r.shard)
}

// guard runs a call into Raft, which panics on what honest members with whole stores never send. The member then begins
// the log again with nothing, like one that lost its disk.
func (r *Replica) guard(call func()) {
	defer func() {
		if p := recover(); p != nil {
			r.note(Note{Kind: SetBack, Text: fmt.Sprint("the log does not fit the others': ", p)})
			v := r.log.Vote()
			r.resign()
			r.rec = record.New(r.shard)
			r.trust = newTrust(r, record.Longer(r.h.Times.Lease))
			r.open(raftlog.Vote{Term: v.Term + raftlog.Leap}, nil)
		}
	}()
	call()
}

// View is what a member is in a shard.
type View struct {
	Shard            stream.Shard
	Role             Role
	Term             stream.Term
	Leader           crawl.PeerID
	Voters, Learners []crawl.PeerID
	Held             []ring.Prefix
	// Given counts prefixes of other shards that still have to be told of: their lines do not have them whole yet.
	Given int
	Live  int // leases that count here
}

// Look returns what this member is.
func (r *Replica) Look() View {
	given := 0
	for _, a := range r.rec.Authorities {
		if a.Shard != r.shard && a.Shard != "" {
			given++
		}
	}
	return View{
		Shard: r.shard, Role: r.Role(), Term: r.term(), Leader: r.Leader(), Voters: r.voters(), Learners: r.learners(),
		Held: r.rec.Authorities.Held(r.shard), Given: given, Live: r.leases.Len(),
	}
}

// AddSizes adds how many entries each map and queue has.
func (r *Replica) AddSizes(sizes map[string]int) {
	sizes["shard.leases"] += r.leases.Len()
	sizes["shard.authorities"] += len(r.rec.Authorities)
	sizes["shard.asked"] += len(r.rec.Asked)
	if l := r.lead; l != nil {
		sizes["shard.puts"] += len(l.puts)
		sizes["shard.entries"] += len(l.waiting)
		sizes["shard.granting"] += len(l.granting)
		sizes["shard.late"] += len(l.moves.late)
		sizes["shard.inbound"] += len(l.moves.from)
	}
}
