package swarm

import (
	"errors"
	"sync"
	"time"
)

const (
	// pursueWithin is how long a question to who leads a log may take: each who may lead it is asked, and may hang.
	pursueWithin = maxHops * hopFor
	// maxLost bounds the members that are out whose logs were looked for in vain.
	maxLost = 1024
	// lostFor is for how many leases' time that is remembered.
	lostFor = 3
)

// lostLogs knows since when the logs of members that are out are looked for in vain. Partners go on with such a log, and may have what was
// brought to it, or bring what is not here yet.
type lostLogs struct {
	s *Swarm

	mu   sync.Mutex
	list map[string]search
}

// search is since when something has been tried, and when last.
type search struct{ since, last time.Time }

// is reports whether the log of a member that is out is lost, given what became of a question to it: nobody has it, or nobody has led it
// for as long as it may take until it is led again, or it has given no answer for twice as long.
func (x *lostLogs) is(p string, err error) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err == nil || x.s.net.Holds(p) {
		delete(x.list, p)
		return false
	}
	now := x.s.now()
	at, is := x.list[p]
	if !is || now.Sub(at.last) > lostFor*x.s.cfg.LeaseFor {
		if len(x.list) >= maxLost {
			clear(x.list)
		}
		at.since = now
	}
	at.last = now
	x.list[p] = at
	patience := x.s.leaderless()
	if !errors.Is(err, errNoLeader) && !isNoAnswer(err) {
		patience *= 2 // somebody leads it, or says so
	}
	return errors.Is(err, errNoLog) || now.Sub(at.since) > patience
}

// leaderless is how long a log that nobody leads may still be led again.
func (s *Swarm) leaderless() time.Duration { return max(s.cfg.Leaderless, unansweredFor) }
