package limiter

import (
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/crawl/fetch"
)

// sendFor is how long what was under way may be told at the old rates when work ends: outcomes and leases
// go home, and partners hear that the node rests. Two seconds after the first key press nothing but standby
// traffic is left.
const sendFor = 1500 * time.Millisecond

// parts are what keeps to decisions. It is guarded by the mutex of its Arbiter.
type parts struct {
	*Config

	ram    int64     // the soft limit in force
	worked time.Time // when work was allowed last
	quiet  bool      // what Config.Quiet was told
	ease   ease
	rests  atomic.Bool // nothing has been fetched for a while
}

// obey has the parts that use the computer keep to a decision. It is called again and again, and
// does nothing where nothing has changed. pending says that it is to be called again soon.
func (p *parts) obey(d limits.Decision) (pending bool) {
	b := d.Budget
	if d.Level == limits.Off { // what is in flight may end, if that is what the user asked for
		p.Fetchers.SetFetchers(0)
		p.Sites.CloseIdle()
	} else {
		p.Fetchers.SetFetchers(b.Fetchers)
		p.Fetchers.SetPagesPerMin(b.PagesPerMin)
	}
	_, peers := p.Sockets()
	p.Sites.SetMaxConns(socketsForSites(b.Sockets, peers))
	p.Pacer.Set(b.CPUPercent)
	if p.Rules.HasUser() { // else the footing is given
		if pending = p.isSendingHome(d); !pending {
			left := d.DataLeft
			p.Bandwidth.SetFor(nearQuota(b.DownKbit, left), nearQuota(b.UpKbit, left), holdsFor(left))
		}
	}
	if !p.Sim && d.RAM > 0 && d.RAM != p.ram {
		p.ram = d.RAM
		debug.SetMemoryLimit(d.RAM)
	}
	p.easeMemory()
	silent := p.Rules.HasUser() && d.Footing == limits.Silent && p.Gate.Now() == limits.Silent
	p.beQuiet(silent || p.rests.Load())
	if d.Level > limits.Off {
		p.worked = time.Now()
	}
	return pending
}

// socketsForSites returns how many connections to sites there may be, of so many in all, while so many are to other
// nodes: the rest, and a quarter at least.
func socketsForSites(all, peers int) int {
	if all == limits.NoLimit {
		return fetch.DefaultMaxConns
	}
	return max(all-peers, all/4, 1)
}

// socketsForPeers returns how many connections to other nodes there may be, of so many in all, while so many are to
// sites: what these leave, and three quarters at least, less a tenth for those that come before it is looked again.
func socketsForPeers(all, sites int) int {
	if all == limits.NoLimit {
		return limits.NoLimit
	}
	return max(all-sites, all-all/4) - all/10
}

// leastRate is the rate down to which the last bytes of a quota slow down, in bytes a second: what comes between
// two looks is less than a page.
const leastRate = 50_000

// nearQuota is a rate in kbit/s, less where little is left of a quota: it takes a second to use that up, and it is
// looked ten times a second.
func nearQuota(kbit int, left int64) int {
	if left == limits.NoLimit || left >= hasteLeft {
		return kbit
	}
	most := int(max(left, leastRate) * 8 / 1000)
	if kbit < 0 {
		return most
	}
	return min(kbit, most)
}

// holdsFor is how long such a rate holds: it is set again with each look, and a look that is late does not cost more of
// the quota.
func holdsFor(left int64) time.Duration {
	if left == limits.NoLimit || left >= hasteLeft {
		return 0
	}
	return 3 * hastily
}

// isSendingHome reports whether the work has ended only just now, or the node is about to fall silent.
func (p *parts) isSendingHome(d limits.Decision) bool {
	if d.Level > limits.Off {
		return false
	}
	if d.Footing == limits.Silent && p.Gate.Now() != limits.Silent {
		return true
	}
	return !p.worked.IsZero() && time.Since(p.worked) < sendFor
}

// sockets returns how many connections are open, to sites and to peers.
func (p *parts) sockets() int {
	sites, peers := p.Sockets()
	return sites + peers
}

// beQuiet tells whoever has the process whether the node is silent or rests.
func (p *parts) beQuiet(quiet bool) {
	if p.Quiet != nil && p.quiet != quiet {
		p.quiet = quiet
		p.Quiet(quiet)
	}
}

// used returns what was used in this run, for the account.
func (p *parts) used() promise.Used {
	cpu, err := sense.OwnCPU()
	if err != nil {
		cpu = -1
	}
	moved := p.Bandwidth.Totals()
	_, pages := p.Rate()
	return promise.Used{
		CPU: cpu, Received: moved.Received.All, Sent: moved.Sent.All, Pages: pages, Sockets: p.sockets(),
		Disk: p.Archived(),
	}
}

// using returns what is used now, or was in the last ten seconds.
func (p *parts) using(m promise.Measure) float64 {
	const span = 10 * time.Second
	kbit := func(perSecond int64) float64 { return float64(perSecond) * 8 / 1000 }
	switch m {
	case promise.CPU:
		return p.Pacer.Used()
	case promise.Down:
		return kbit(p.Bandwidth.Mean(span).Received.All)
	case promise.Up:
		return kbit(p.Bandwidth.Mean(span).Sent.All)
	case promise.Sockets:
		return float64(p.sockets())
	case promise.Pages:
		perSecond, _ := p.Rate()
		return perSecond * 60
	}
	return -1
}
