package shard

import (
	"slices"
	"time"

	pb "go.etcd.io/raft/v3/raftpb"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
)

// election decides when this member stands: the first live voter soon after the leader fell silent, each next one
// later. Raft's own timer would draw lots.
type election struct {
	r       *Replica
	word    time.Duration // when a leader last said something, or this member last stood
	began   time.Duration // when this member last stood
	yielded time.Duration // when a voter that should rather lead last stood, 0 if never
	stood   int           // how often this member stood since a leader said something
}

// stand stands for election when the leader has been silent: the first live voter after nine ticks, each next one a
// tick later; again after four ticks and their place, and each time longer and further apart, so that votes on slow
// lines arrive before the next one stands.
func (e *election) stand(now time.Duration) {
	r := e.r
	voters := r.voters()
	term, last := r.log.Last()
	if !slices.Contains(voters, r.h.Self) || !r.trusted() || r.trust.below(term, last) {
		return
	}
	tick := r.h.Times.Beat / raftlog.TicksPerBeat
	longer := 4 * min(e.stood, 4)
	silence := time.Duration(raftlog.QuietTicks+1+e.rank(voters)*(1+longer)+longer) * tick
	if len(voters) == 1 {
		silence = 0
	}
	if now-e.word < silence {
		return
	}
	e.wait(now)
	e.began = now
	r.guard(func() { e.stood++; _ = r.log.Node.Campaign() })
}

// wait leaves four ticks, and one for each live voter before this one, to an election that has begun. Two
// that stand at once would take each other's votes again and again.
func (e *election) wait(now time.Duration) {
	e.word = max(e.word, now-(raftlog.QuietTicks-3)*e.r.h.Times.Beat/raftlog.TicksPerBeat)
}

// asked is told that another voter asks for votes.
func (e *election) asked(now time.Duration, from crawl.PeerID, m *pb.Message) {
	term, last := e.r.log.Last()
	if m.GetLogTerm() < term || m.GetLogTerm() == term && m.GetIndex() < last {
		return // with a shorter log it cannot win
	}
	e.wait(now)
	order := e.order(e.r.voters())
	if i := slices.Index(order, from); i >= 0 && i < slices.Index(order, e.r.h.Self) {
		e.yielded = now
	}
}

// givesWay reports whether this member drops its election: of two that stand at once one does, or votes are split.
func (e *election) givesWay() bool { return e.yielded > 0 && e.yielded >= e.began }

// order returns voters in the order in which they should lead: those of the computed line first and in its order.
func (e *election) order(voters []crawl.PeerID) []crawl.PeerID {
	r := e.r
	order := slices.DeleteFunc(r.h.Directory.Line(r.shard), func(p crawl.PeerID) bool { return !slices.Contains(voters, p) })
	for _, p := range voters {
		if !slices.Contains(order, p) {
			order = append(order, p)
		}
	}
	return order
}

// rank is the place of this member among the live voters, without the leader: it matters when that one is silent.
func (e *election) rank(voters []crawl.PeerID) int {
	r := e.r
	rank := 0
	for _, p := range e.order(voters) {
		if p == r.h.Self {
			break
		}
		if r.h.Up(p) && p != r.Leader() {
			rank++
		}
	}
	return rank
}
