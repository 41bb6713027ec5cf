package stream

import (
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
)

// leading is one shard that this node leads.
type leading struct {
	shard  Shard
	term   Term
	run    Run
	n      uint64 // the last durable number
	begun  bool   // the mark (run, 0) is durable
	puts   []put
	log    commitLog
	to     map[crawl.PeerID]*session
	claims map[crawl.PeerID]*claim
}

// put is what a Put or PutAlone left for the next Commit.
type put struct {
	shard  Shard
	items  []Item
	stored func(n uint64)
}

// session is the stream to one follower.
type session struct {
	acked   uint64 // what it has of the run
	ok      bool   // it has told so
	next    uint64 // the number to send next
	head    bool   // a head is to be sent
	asked   bool   // a head was sent to learn where it stands
	last    time.Duration
	back    time.Duration // when next last went back
	sum     uint32        // of the follower's other marks
	covered uint32        // the sum of the marks that this node pulled
	pulled  bool          // covered is set
}

// idleRetries is after how many times Retry a follower that has everything is asked again. It finds a follower whose
// disk went back, and what it learned elsewhere.
const idleRetries = 16

// nextRun draws the run that follows all that m knows.
func nextRun(m Marks, chance uint64) Run { return NewRun(m.highest()+1, chance) }

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
			need = 0
			break
		}
		need = min(need, se.acked+1)
	}
	l.log.trim(need)
}

// heard takes an acknowledgement.
func (l *leading) heard(from crawl.PeerID, a *ack, now, retry time.Duration) {
	se := l.to[from]
	if se == nil || a.run != l.run || a.next > l.n+1 {
		return
	}
	se.sum = a.sum
	if a.next == 0 {
		se.ok, se.acked, se.asked = false, 0, false // it pulls; heads go on
		return
	}
	n := a.next - 1
	exact := !se.ok || a.behind || se.asked
	if exact || n > se.acked {
		se.last = now
		if exact {
			se.acked = n
		}
		se.acked = max(se.acked, n)
	}
	if !se.ok || se.asked || a.behind && now-se.back >= retry/2 {
		se.next, se.back = a.next, now
	}
	se.next = max(se.next, se.acked+1)
	se.ok, se.asked = true, false
	l.trim()
}

// tick asks followers that did not answer, or had nothing to answer for long, where they stand.
func (l *leading) tick(now, retry time.Duration) {
	for _, se := range l.to {
		wait := retry
		if se.ok && se.acked == l.n {
			wait *= idleRetries
		}
		if now-se.last >= wait {
			se.head, se.last = true, now
		}
	}
	for p, c := range l.claims {
		if now-c.at >= claimRetries*retry {
			delete(l.claims, p)
		}
	}
}

// send hands out what the follower may be sent now.
func (l *leading) send(se *session, now time.Duration, send func([]byte)) {
	if !l.begun {
		return
	}
	if se.head {
		se.head, se.last, se.asked = false, now, true
		send(encode(&head{l.shard, l.term, l.run, l.n, l.log.first(l.n)}))
	}
	if !se.ok || se.next < l.log.first(l.n) {
		return // it has to pull
	}
	flying := l.log.bytes(se.acked+1, se.next)
	for ; se.next <= l.n; se.next++ {
		m := l.log.at(se.next)
		if flying > 0 && flying+len(m) > chunkSize {
			return
		}
		flying += len(m)
		se.last = now
		send(m)
	}
}
