package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/p2p/wire"
)

const (
	// slowMove is the most domains of a move from or to a member that stands by: none of them is visited while it lasts.
	slowMove = 32
	// slowTurn is how long one member may bring domains to one that stands by before another has its turn, slowQuiet
	// after how long without a word from it.
	slowTurn  = 5 * time.Minute
	slowQuiet = 30 * time.Second
	// slowWait is what those wait that have to wait for their turn: less than longBusy.
	slowWait = 15 * time.Second
	// slowPace is the wait between two parts: with what two partners are sent of it, one is most of what may move in so long.
	slowPace = 10 * time.Second
	// slowRetry and slowEvery take the place of moveRetry and moveEvery on standby.
	slowRetry = 10 * time.Second
	slowEvery = 3 * moveEvery
)

// turns lets one member at a time bring domains: what a part brings counts though it is sent again, so several could
// keep each other from ever getting one through.
type turns struct {
	mu           sync.Mutex
	who          string
	since, heard time.Time
}

// take reports whether it is the turn of a member.
func (t *turns) take(from string, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	age := now.Sub(t.since)
	switch {
	case t.who != "" && age < slowTurn && now.Sub(t.heard) < slowQuiet:
		if from != t.who {
			return false
		}
	case from == t.who && age >= slowTurn && age < slowTurn+slowQuiet:
		return false // another one may begin
	default:
		t.who, t.since = from, now
	}
	t.heard = now
	return true
}

// taken is the answer to a part that is durable.
func (s *Swarm) taken() wire.MoveState {
	if s.slow() {
		return wire.MoveSlowly
	}
	return wire.MoveTaken
}
