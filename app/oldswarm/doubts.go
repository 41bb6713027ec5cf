package swarm

import (
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
)

const (
	// maxDoubts bounds the domains that are remembered for their troubles.
	maxDoubts = 4096
	// shortWait is the longest wait, or crawl delay, that is believed of anybody.
	// waitBurst is how many longer ones a fetcher may report at once, waitEvery how
	// long it takes until it may report one more: few sites ask for them.
	shortWait = time.Minute
	waitBurst = 100
	waitEvery = 10 * time.Second
)

// doubts remembers which sites only one fetcher found in trouble. What it says
// counts, but another one is to look before it says so again: else one that lies could have any
// site left alone for weeks.
type doubts struct {
	mu       sync.Mutex
	byDomain map[crawl.Domain]doubt
}

type doubt struct {
	peer  string
	lease crawl.LeaseID
	task  crawl.TaskID
	times int // in a row, that nobody else looked
}

func newDoubts() *doubts { return &doubts{byDomain: make(map[crawl.Domain]doubt)} }

// trouble notes that a fetcher found a site in trouble, by a task of a lease. times
// is how often it said so in a row, 0 if it did by another task of the lease before;
// seconded says that the last who said so was another.
func (d *doubts) trouble(site crawl.Domain, peer string, lease crawl.LeaseID, task crawl.TaskID) (times int, seconded bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x, is := d.byDomain[site]
	switch {
	case is && x.peer == peer && x.lease == lease && x.task == task:
		return x.times, false // told again, for want of an answer
	case is && x.peer == peer && x.lease == lease:
		return 0, false
	case is && x.peer != peer:
		x, seconded = doubt{}, true
	case !is:
		for other := range d.byDomain {
			if len(d.byDomain) < maxDoubts {
				break
			}
			delete(d.byDomain, other)
		}
	}
	x.peer, x.lease, x.task = peer, lease, task
	x.times++
	d.byDomain[site] = x
	return x.times, seconded
}

// well notes that a site answered.
func (d *doubts) well(site crawl.Domain) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.byDomain, site)
}
