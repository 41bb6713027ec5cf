package swarm

import (
	"strings"
	"sync"
	"time"
)

// All copies of a log may be off the network until others are nearer to an owner that never comes back, or that has gone on without
// them, and nobody knows any more who had one. Who has one then is its finder: what it brings counts as it does from any member.

const (
	// foundAfter is how long a member must have said that it speaks for an owner that is gone before it is taken for the finder of its
	// log, and formerAfter the same for a former log of one that is there: those who know better would have been heard of.
	foundAfter  = time.Minute
	formerAfter = 10 * time.Minute
	// claimPause is after which pause that begins anew.
	claimPause = 10 * time.Minute
	// maxClaimed bounds the claims that are remembered, maxClaimsBy those of one member.
	maxClaimed  = 1024
	maxClaimsBy = 16

	// finder begins the name of one. No peer's ID begins so, nor does the name of a former log.
	finder = "?"
)

// isFinder reports whether a name is that of the finder of a log.
func isFinder(name string) bool { return strings.HasPrefix(name, finder) }

// claim is that a member speaks in a name.
type claim struct{ by, as string }

// claims remember who speaks in vain for others.
type claims struct {
	mu   sync.Mutex
	list map[claim]search
}

// stands notes a claim, and returns for how long it has been made: 0 if there is no room to remember it.
func (x *claims) stands(c claim, now time.Time) time.Duration {
	x.mu.Lock()
	defer x.mu.Unlock()
	made := 0
	for other, at := range x.list {
		switch {
		case now.Sub(at.last) > claimPause:
			delete(x.list, other)
		case other.by == c.by:
			made++
		}
	}
	at, is := x.list[c]
	if !is {
		if made >= maxClaimsBy || len(x.list) >= maxClaimed {
			return 0
		}
		if x.list == nil {
			x.list = make(map[claim]search)
		}
		at.since = now
	}
	at.last = now
	x.list[c] = at
	return now.Sub(at.since)
}

// isFound reports whether a member that speaks in a name is to be taken for the finder of that log.
func (h *Hub) isFound(by, as string) bool {
	owner, after := ownerOf(as), foundAfter
	if h.net.Holds(owner) {
		if owner == as {
			return false
		}
		after = formerAfter
	}
	return h.net.Member(by) && h.claims.stands(claim{by: by, as: as}, time.Now()) >= after
}
