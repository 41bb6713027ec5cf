package shard

import (
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
)

// maxLine is the largest line, in the middle of a swap.
const maxLine = 4

const (
	// deafAfter is after how many beats without an answer another learner has its turn.
	deafAfter = 10
	// steadyAfter is for how many beats a home has been up before another member hands it the shard. Otherwise, on
	// links that come and go, each gap would bring a new leader, and none would get past what new leaders wait for.
	steadyAfter = 10
)

// handing is a handover that was begun.
type handing struct {
	to    crawl.PeerID
	since time.Duration
	asked bool // Raft was asked
}

// reconcile brings the line in force one step closer to the computed one: a member is added as a learner,
// catches up, is promoted; then another is removed. It is called once a beat while this member acts.
func (l *leading) reconcile() {
	want := l.r.h.Directory.Line(l.r.shard)
	if len(want) > 0 && !l.r.h.Up(want[0]) {
		l.homeOff = l.r.h.now()
	}
	if l.change != nil || l.handOver(want) || len(want) == 0 {
		return
	}
	voters, learners := l.r.voters(), l.r.learners()
	for _, p := range learners {
		switch {
		case l.isDeaf(p):
			l.deaf = p
			fallthrough
		case !slices.Contains(want, p):
			l.alter(pb.ConfChangeRemoveNode, p, nil)
			return
		case l.mayJoin(voters, p):
			l.alter(pb.ConfChangeAddNode, p, append(slices.Clone(voters), p))
			return
		}
	}
	missing, next := false, crawl.PeerID("")
	for _, p := range want {
		if slices.Contains(voters, p) {
			continue
		}
		missing = true
		if l.r.h.Up(p) && (next == "" || next == l.deaf) {
			next = p
		}
	}
	if missing && len(voters) < maxLine {
		if next != "" && len(learners) == 0 {
			l.invited = l.r.h.now()
			l.alter(pb.ConfChangeAddLearnerNode, next, nil)
		}
		return
	}
	for _, p := range voters {
		rest := slices.DeleteFunc(slices.Clone(voters), func(q crawl.PeerID) bool { return q == p })
		if !slices.Contains(want, p) && p != l.r.h.Self && l.complete(rest) {
			l.alter(pb.ConfChangeRemoveNode, p, rest)
			return
		}
	}
}

// isDeaf reports whether a learner has not answered since it was asked. It may know an earlier founding of the group,
// and heed this leader only by the word of another member.
func (l *leading) isDeaf(p crawl.PeerID) bool {
	return l.r.h.now()-max(l.invited, l.since) > deafAfter*l.r.h.Times.Beat && !l.r.log.Answered(p)
}

// mayJoin reports whether a learner may vote: it has what counts, and so has a majority of the line with it.
func (l *leading) mayJoin(voters []crawl.PeerID, p crawl.PeerID) bool {
	return len(voters) < maxLine && l.r.h.Up(p) && l.has(p) && l.complete(append(slices.Clone(voters), p))
}

// complete reports whether a majority of a line, which this member belongs to, has everything that counts: more
// than one of them if there is more than one.
func (l *leading) complete(line []crawl.PeerID) bool {
	return majority(line, func(p crawl.PeerID) bool { return l.r.h.Up(p) && l.has(p) || p == l.r.h.Self })
}

// alter proposes a change of members. voters are those that it makes, nil if the voters stay.
func (l *leading) alter(kind pb.ConfChangeType, p crawl.PeerID, voters []crawl.PeerID) {
	if voters == nil {
		voters = l.r.voters()
	}
	l.r.guard(func() {
		cc := &pb.ConfChange{Type: kind.Enum(), NodeId: new(raftlog.ID(p)), Context: []byte(p)}
		if l.r.log.Node.ProposeConfChange(cc) == nil {
			l.change = voters
		}
	})
}

// applyChange applies a change of members.
func (r *Replica) applyChange(e *pb.Entry) {
	var cc pb.ConfChange
	if r.lead != nil {
		r.lead.change = nil
	}
	if proto.Unmarshal(e.GetData(), &cc) != nil || len(cc.GetContext()) == 0 ||
		raftlog.ID(crawl.PeerID(cc.GetContext())) != cc.GetNodeId() {
		cc = pb.ConfChange{} // a leader that lies; an empty change keeps all members alike
	}
	if cc.GetNodeId() != 0 {
		if cc.GetType() == pb.ConfChangeRemoveNode {
			delete(r.rec.Members, cc.GetNodeId())
		} else {
			r.rec.Members[cc.GetNodeId()] = crawl.PeerID(cc.GetContext())
		}
	}
	r.guard(func() { r.log.Conf = r.log.Node.ApplyConfChange(&cc) })
	if r.lead != nil {
		r.h.Streams.Followers(r.shard, r.lead.followers())
		r.note(Note{Kind: Line, Peers: r.voters()})
	}
}

// handOver hands the shard over if another should lead it: the home if it is there and has everything, else, if
// this member is not of the computed line or leaves, the first of the line that has. It reports whether that is
// under way.
func (l *leading) handOver(want []crawl.PeerID) bool {
	now, beat := l.r.h.now(), l.r.h.Times.Beat
	if h := l.handing; h != nil {
		if now-h.since > 3*beat {
			l.handing, l.since = nil, now // the other did not come; this member goes on
			return false
		}
		if !h.asked && len(l.waiting) == 0 && len(l.ops) == 0 {
			h.asked = true
			l.r.guard(func() { l.r.log.Node.TransferLeader(raftlog.ID(h.to)) })
		}
		return true
	}
	if now-l.since < 4*beat {
		return false // after an election, or a handover that failed, the line settles first
	}
	stay := slices.Contains(want, l.r.h.Self) && !l.r.h.Leaving
	for i, p := range want {
		if stay && (i > 0 || now-l.homeOff < steadyAfter*beat) {
			break // only the home is better than another, once it stays
		}
		if p != l.r.h.Self && slices.Contains(l.r.voters(), p) && l.r.h.Up(p) && l.has(p) {
			l.handing, l.pressing = &handing{to: p, since: now}, len(l.ops) > 0
			return true
		}
	}
	return false
}
