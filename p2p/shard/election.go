package shard

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/stream"
)

// election decides when this member stands: the first live voter soon after the leader fell silent, each next one
// later. Raft's own timer would draw lots.
type election struct {
	h       *Host
	shard   stream.Shard
	word    time.Duration // when a leader last said something, or this member last stood
	began   time.Duration // when this member last stood
	yielded time.Duration // when a voter that should rather lead last stood, 0 if never
	stood   int           // how often this member stood since a leader said something
}

// due reports whether the leader has been silent for so long that this member stands: the first live voter after nine
// ticks, each next one a tick later; again after four ticks and their place, and each time longer, so that votes on
// slow lines arrive.
func (e *election) due(now time.Duration, voters []crawl.PeerID, leader crawl.PeerID) bool {
	tick := e.h.Times.Beat / raftlog.TicksPerBeat
	silence := time.Duration(raftlog.QuietTicks+1+e.rank(voters, leader)+4*min(e.stood, 4)) * tick
	return len(voters) == 1 || now-e.word >= silence
}

// wait leaves four ticks, and one for each live voter before this one, to an election that has begun. Two
// that stand at once would take each other's votes again and again.
func (e *election) wait(now time.Duration) {
	e.word = max(e.word, now-(raftlog.QuietTicks-3)*e.h.Times.Beat/raftlog.TicksPerBeat)
}

// asked is told that another voter, which can win, asks for votes.
func (e *election) asked(now time.Duration, from crawl.PeerID, voters []crawl.PeerID) {
	e.wait(now)
	order := e.order(voters)
	if i := slices.Index(order, from); i >= 0 && i < slices.Index(order, e.h.Self) {
		e.yielded = now
	}
}

// givesWay reports whether this member drops its election: of two that stand at once one does, or votes are split. On
// slow lines the other's question is long past when the answers come.
func (e *election) givesWay() bool { return e.yielded > 0 && e.yielded >= e.began }

// order returns voters in the order in which they should lead: those of the computed line first and in its order.
func (e *election) order(voters []crawl.PeerID) []crawl.PeerID {
	order := slices.DeleteFunc(e.h.Directory.Line(e.shard),
		func(p crawl.PeerID) bool { return !slices.Contains(voters, p) })
	for _, p := range voters {
		if !slices.Contains(order, p) {
			order = append(order, p)
		}
	}
	return order
}

// rank is the place of this member among the live voters, without the leader: it matters when that one is silent.
func (e *election) rank(voters []crawl.PeerID, leader crawl.PeerID) int {
	rank := 0
	for _, p := range e.order(voters) {
		if p == e.h.Self {
			break
		}
		if e.h.Up(p) && p != leader {
			rank++
		}
	}
	return rank
}
