package stream

import (
	"maps"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// leading is one shard that this node leads.
type leading struct {
	*numbering // the run
	shard      Shard
	term       Term
	begun      bool // the mark (run, 0) is stored
	log        commitLog
	to         map[crawl.PeerID]*session
	claims     map[crawl.PeerID]*claim
}

// session is the stream to one follower.
type session struct {
	// the first number of the run that it says it lacks; 0: it has not told, or has no mark of the run
	lacks   uint64
	next    uint64        // the number to send next
	head    bool          // a head is to be sent
	asked   bool          // a head was sent to learn where it stands
	last    time.Duration // of the last progress, or of the beginning of what is on the way
	pace                  // of its acknowledgements
	sum     uint32        // of the follower's other marks
	covered uint32        // the sum of the marks that this node pulled
}

// idleRetries is after how many times Retry a follower that has everything is asked again. It finds a follower whose
// disk went back, and what it learned elsewhere.
const idleRetries = 16

// follows sets the followers.
func (l *leading) follows(peers []crawl.PeerID) {
	maps.DeleteFunc(l.to, func(p crawl.PeerID, _ *session) bool { return !slices.Contains(peers, p) })
	for _, p := range peers {
		if l.to[p] == nil {
			l.to[p] = &session{head: true}
		}
		delete(l.claims, p)
	}
}

// lacks returns the first number that a follower lacks, n+1 if none does.
func (l *leading) lacks() uint64 {
	first := l.n + 1
	for _, se := range l.to {
		first = min(first, se.lacks)
	}
	return first
}

// heard takes an acknowledgement. One that answers a head is exact: the follower may have less than it had.
func (l *leading) heard(from crawl.PeerID, a *ack, now, retry time.Duration) {
	se := l.to[from]
	if se == nil || a.run != l.run || a.next > l.n+1 {
		return
	}
	se.sum = a.sum
	if a.next == 0 || se.lacks == 0 || se.asked {
		se.lacks, se.next, se.last = a.next, a.next, now
	} else if a.next > se.lacks {
		se.came(now-se.last, retry)
		se.lacks, se.next, se.last = a.next, max(se.next, a.next), now
	}
	se.asked = false
}

// send sends a follower what it may be sent now: a window of commits, and a head if it has not answered, or had nothing
// to answer for long.
func (l *leading) send(se *session, now, retry time.Duration, send func([]byte)) {
	if se.next >= l.log.first() { // else it has to pull
		flying := 0
		for n := se.lacks; n < se.next; n++ {
			flying += len(l.log.at(n))
		}
		for ; se.next <= l.n; se.next++ {
			m := l.log.at(se.next)
			if flying > 0 && flying+len(m) > se.room() {
				break
			}
			if flying == 0 {
				se.last = now
			}
			flying += len(m)
			send(m)
		}
	}
	wait := se.patience(retry)
	if se.lacks > l.n {
		wait = retry * idleRetries
	}
	if se.head || now-se.last >= wait {
		if !se.head && se.lacks <= l.n {
			se.late()
		}
		se.head, se.last, se.asked = false, now, true
		send(encode(&commit{shard: l.shard, term: l.term, run: l.run, n: l.n, first: l.log.first()}))
	}
}
