package stream

import (
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
	acked   uint64 // what it has of the run
	ok      bool   // it has told so
	next    uint64 // the number to send next
	head    bool   // a head is to be sent
	asked   bool   // a head was sent to learn where it stands
	last    time.Duration
	sum     uint32 // of the follower's other marks
	covered uint32 // the sum of the marks that this node pulled
}

// idleRetries is after how many times Retry a follower that has everything is asked again. It finds a follower whose
// disk went back, and what it learned elsewhere.
const idleRetries = 16

// follows sets the followers.
func (l *leading) follows(peers []crawl.PeerID) {
	for p := range l.to {
		if !slices.Contains(peers, p) {
			delete(l.to, p)
		}
	}
	for _, p := range peers {
		if l.to[p] == nil {
			l.to[p] = &session{head: true}
		}
		delete(l.claims, p)
	}
	l.trim()
}

// trim forgets the commits that all followers have.
func (l *leading) trim() {
	need := l.n + 1
	for _, se := range l.to {
		if !se.ok {
			return
		}
		need = min(need, se.acked+1)
	}
	l.log.trim(need)
}

// allHave reports whether all followers acknowledged n.
func (l *leading) allHave(n uint64) bool {
	for _, se := range l.to {
		if !se.ok || se.acked < n {
			return false
		}
	}
	return true
}

// heard takes an acknowledgement. One that answers a head is exact: the follower may have less than it had.
func (l *leading) heard(from crawl.PeerID, a *ack, now time.Duration) {
	se := l.to[from]
	if se == nil || a.run != l.run || a.next > l.n+1 {
		return
	}
	se.sum = a.sum
	switch exact := !se.ok || se.asked; {
	case a.next == 0: // it pulls; heads go on
		se.ok, se.acked, se.asked = false, 0, false
		return
	case exact:
		se.acked, se.next, se.last = a.next-1, a.next, now
	case a.next > se.acked+1:
		se.acked, se.next, se.last = a.next-1, max(se.next, a.next), now
	}
	se.ok, se.asked = true, false
	l.trim()
}

// send sends a follower what it may be sent now: a window of commits, and a head if it has not answered, or had nothing
// to answer for long.
func (l *leading) send(se *session, now, retry time.Duration, send func([]byte)) {
	if se.ok && se.next >= l.log.first() { // else it has to pull
		flying := 0
		for n := se.acked + 1; n < se.next; n++ {
			flying += len(l.log.at(n))
		}
		for ; se.next <= l.n; se.next++ {
			m := l.log.at(se.next)
			if flying > 0 && flying+len(m) > chunkSize {
				break
			}
			flying += len(m)
			se.last = now
			send(m)
		}
	}
	wait := retry
	if se.ok && se.acked == l.n {
		wait *= idleRetries
	}
	if se.head || now-se.last >= wait {
		se.head, se.last, se.asked = false, now, true
		send(encode(&commit{shard: l.shard, term: l.term, run: l.run, n: l.n, first: l.log.first()}))
	}
}
