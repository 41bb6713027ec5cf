package shard

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/message"
	"github.com/forage-net/forage/p2p/record"
)

// trust says whether this member may vote and acknowledge. After a start nobody knows whether its store is the
// one that it wrote last: a backup may have been restored, a disk lost. Until all others of the line have said
// how far the log is, or everything that it may have helped to grant is over, it keeps silent. Then it votes
// for nobody who knows less than the others said.
type trust struct {
	r           *Replica
	since, wait time.Duration
	answered    map[crawl.PeerID]bool
	sure        bool
	term, index uint64 // the furthest end of the log that others told of
}

// newTrust begins to doubt the store.
func newTrust(r *Replica, wait time.Duration) trust {
	return trust{r: r, since: r.h.now(), wait: wait, answered: map[crawl.PeerID]bool{}, term: r.trust.term,
		index: r.trust.index}
}

// trusted reports whether this member may vote and acknowledge.
func (r *Replica) trusted() bool {
	t := &r.trust
	if t.sure {
		return true
	}
	answered := t.allAnswered()
	t.sure = answered || r.h.now()-t.since >= t.wait
	if t.sure && !answered && r.log != nil && len(r.voters()) == 1 {
		t.leap(r.log.Term()) // it leads at once, and terms that it knows nothing of may have had another leader
	}
	return t.sure
}

func (t *trust) allAnswered() bool {
	return !slices.ContainsFunc(t.r.Others(), func(p crawl.PeerID) bool { return !t.answered[p] })
}

// below reports whether a log that ends there lacks something that others have told of.
func (t *trust) below(term, index uint64) bool {
	return term < t.term || term == t.term && index < t.index
}

// setBack is called when a leader counts on entries that this store does not have: it has forgotten entries,
// and maybe votes.
func (t *trust) setBack(heard uint64) {
	r := t.r
	r.note(Note{Kind: SetBack, Text: "a leader counts on entries that are not here"})
	r.resign()
	r.trust = newTrust(r, record.Longer(r.h.Times.Lease))
	t.leap(heard)
}

// leap jumps ahead in terms, from one that this member has heard of.
func (t *trust) leap(heard uint64) {
	t.r.guard(func() {
		if err := t.r.log.LeapTerm(heard); err != nil {
			t.r.h.Fail(err)
		}
	})
}

// heard takes a status from a peer. fresh says that it was sent after this member's start.
func (t *trust) heard(from crawl.PeerID, s message.Status, fresh bool) {
	r := t.r
	if i := slices.Index(r.unaware, from); i >= 0 && !s.Member && fresh {
		r.unaware, r.unwritten = slices.Delete(r.unaware, i, i+1), true
	}
	if s.Founding < r.founding && !s.None {
		r.tellStatus(from, false)
	}
	if !r.Concerns(from) {
		return
	}
	if s.Founding > r.founding && (!s.None || r.log == nil) || s.Founding < r.founding && s.Leads && !s.Heeds &&
		r.astray() {
		r.supersede(s.Founding)
	}
	if fresh {
		t.answered[from] = true
	}
	if s.None || s.Founding != r.founding || t.below(s.LastTerm, s.LastIndex) ||
		s.LastTerm > r.term().Number+maxTermLeap {
		return
	}
	if !t.sure {
		t.term, t.index = s.LastTerm, s.LastIndex // also one that has no log remembers this: its disk may be lost
	}
	if r.log == nil {
		return
	}
	if term, last := r.log.Last(); !s.Member && s.Leads &&
		(s.LastTerm > term || s.LastTerm == term && s.LastIndex >= last) && r.lead == nil {
		r.depart(from, s.LastTerm)
	}
}

// depart leaves the group: its leader, in a term, does not count this member any more. What it knows stays, and
// is offered.
func (r *Replica) depart(leader crawl.PeerID, term uint64) {
	r.unaware = countingOn(r, leader)
	r.care.end()
	r.care = newCare(r)
	r.log, r.old, r.departed, r.unwritten = nil, r.log.Vote(), term, true
}

// countingOn returns the members that may count on this member's votes in the log that it gives up, and in
// those it gave up before. That it did so is kept until all of them say that they do not. A member that knows
// need not say so: only with one that does not could an empty log make a majority.
func countingOn(r *Replica, knows crawl.PeerID) []crawl.PeerID {
	all := append(append(r.voters(), r.learners()...), r.unaware...)
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(p crawl.PeerID) bool { return p == r.h.Self || p == knows })
	return all[:min(len(all), 2*maxLine)]
}
