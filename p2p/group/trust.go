package group

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// trust says whether this member may vote and acknowledge. After a start nobody knows whether its store is the one that it
// wrote last: a backup may have been restored, a disk lost. Until all others of the line have said how far the log is,
// or everything that it may have helped to grant is over, it keeps silent. Then it votes for
// nobody who knows less than the others said.
type trust struct {
	since, wait time.Duration
	answered    map[crawl.PeerID]bool
	sure        bool
	term, index uint64 // the furthest end of the log that others told of
}

// distrust begins to doubt the store.
func (r *replica) distrust(now, wait time.Duration) {
	r.trust = trust{since: now, wait: wait, answered: map[crawl.PeerID]bool{}, term: r.trust.term, index: r.trust.index}
}

func (r *replica) trusted(now time.Duration) bool {
	t := &r.trust
	if t.sure {
		return true
	}
	answered := r.allAnswered()
	t.sure = answered || now-t.since >= t.wait
	if t.sure && !answered && r.log != nil && len(r.voters()) == 1 {
		// It leads at once, and terms that it knows nothing of may have had another leader.
		r.guard(func() {
			if err := r.log.leapTerm(r.log.term()); err != nil {
				r.n.fail(err)
			}
		})
	}
	return t.sure
}

func (r *replica) allAnswered() bool {
	for _, p := range r.others() {
		if !r.trust.answered[p] {
			return false
		}
	}
	return true
}

// below reports whether a log that ends there lacks something that others have told of.
func (t *trust) below(term, index uint64) bool {
	return term < t.term || term == t.term && index < t.index
}

// status is what a member says of a shard when it is asked.
type status struct {
	founding            uint64
	term                uint64
	lastTerm, lastIndex uint64
	none                bool // it has no log of the shard
	member              bool // the asker is a member as far as it knows
	leads               bool
	ask                 bool // it asks for the same
}

// heard takes a status from a peer. fresh says that it was sent after this member's start.
func (r *replica) heard(from crawl.PeerID, s status, fresh bool) {
	if i := slices.Index(r.unaware, from); i >= 0 && !s.member && fresh {
		r.unaware, r.unwritten = slices.Delete(r.unaware, i, i+1), true
	}
	if s.founding < r.founding && !s.none {
		r.n.tellStatus(r, from, false)
	}
	if !r.concerns(from) {
		return
	}
	if s.founding > r.founding && (!s.none || r.log == nil) {
		r.supersede(s.founding, from)
	}
	if s.leads {
		r.hint = from
	}
	if fresh {
		r.trust.answered[from] = true
	}
	if s.none || s.founding != r.founding || r.log == nil {
		return
	}
	if r.trust.below(s.lastTerm, s.lastIndex) || s.lastTerm > r.log.term()+maxTermLeap {
		return
	}
	if !r.trust.sure {
		r.trust.term, r.trust.index = s.lastTerm, s.lastIndex
	}
	if term, last := r.log.last(); !s.member && s.leads && (s.lastTerm > term || s.lastTerm == term && s.lastIndex >= last) && r.lead == nil {
		r.depart(from)
	}
}

// depart leaves the group: its leader does not count this member any more. What it knows stays, and is offered. That it
// left is kept, too, until all the others know it: with one of them that has missed it, an empty log
// must not make a majority.
func (r *replica) depart(leader crawl.PeerID) {
	r.unaware = slices.DeleteFunc(append(r.voters(), r.learners()...), func(p crawl.PeerID) bool { return p == r.n.cfg.Self || p == leader })
	r.left = r.n.now()
	r.care.end()
	r.care = newCare(r)
	r.log, r.old, r.hint, r.unwritten = nil, r.log.vote(), leader, true
}
