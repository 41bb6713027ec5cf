package worker

import (
	"net/netip"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/chain"
	"github.com/forage-net/forage/crawl/fetch"
)

// turn is a lease on its way through the pool.
type turn struct {
	crawl.Lease
	next     int            // index of the task at hand
	wanted   int            // the last that is to be requested, 0 if not looked for
	chain    *chain.Chain   // of redirects that the task leads through, nil for most
	at       time.Time      // not before
	gap      time.Duration  // that its site wanted after the last request, 0 before one
	deadline time.Time      // what is under way then is cut
	closing  time.Time      // nothing new is begun from then on
	lead     time.Duration  // of Config.Latest when it was asked for
	address  int            // which of the host's addresses to try
	gate     netip.AddrPort // the gate it holds
	first    bool           // it goes before others
	slow     bool           // it counts against what slow domains may have
	recalled bool           // to be given back, whatever is allowed by then
	paged    bool           // it waits only for another page to be allowed
	due      time.Time      // since when it does
	asked    bool           // a request of it was made
	// sitemapsTold says that those of robots.txt went with an outcome of this
	// lease. Each lease tells them: what read the file may have died since, or
	// its page come to nothing.
	sitemapsTold bool
	visit        Visit // leases.mu guards it
	// fetched and received count pages and bytes of this lease.
	fetched  int
	received int64
	connect  time.Duration // of the last connection that no outcome has told of
}

// current returns what the task at hand asks for next.
func (t *turn) current() crawl.URL {
	if t.chain != nil {
		return t.chain.URL
	}
	return t.Tasks[t.next].URL
}

// done takes the turn to its next task.
func (t *turn) done() { t.next, t.chain = t.next+1, nil }

// recall has the turn go home at once.
func (t *turn) recall() { t.at, t.recalled, t.slow = time.Time{}, true, false }

// isReady reports whether a turn waits for nothing but this node: not for its site.
func (t *turn) isReady(now time.Time) bool {
	return !t.recalled && (t.paged || !t.asked || !t.at.After(now))
}

// connected notes how long a connection took that was opened for a request of a turn.
func (t *turn) connected(r *fetch.Response) {
	if r.Connect > 0 {
		t.connect = max(r.Connect.Round(time.Millisecond), time.Millisecond)
	}
}

// turns is a heap of turns by the time of their next request.
type turns []*turn

func (t turns) Len() int { return len(t) }
func (t turns) Less(i, j int) bool {
	if t[i].at.Equal(t[j].at) {
		return t[i].due.Before(t[j].due) // of those that wait for the same page
	}
	return t[i].at.Before(t[j].at)
}
func (t turns) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *turns) Push(x any)   { *t = append(*t, x.(*turn)) }
func (t *turns) Pop() any {
	old := *t
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*t = old[:len(old)-1]
	return last
}
