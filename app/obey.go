package app

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/app/priority"
	"github.com/forage-net/forage/app/promise"
	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/crawl/fetch"
)

// sendFor is how long what was under way may be told at the old rates when work ends: outcomes and leases
// go home, and partners hear that the node rests. Two seconds after the first key press nothing but standby
// traffic is left.
const sendFor = 1500 * time.Millisecond

// obey has the parts that use the computer keep to a decision. It is called again and again, and
// does nothing where nothing has changed. pending says that it is to be called again soon.
func (n *Node) obey(d limits.Decision) (pending bool) {
	b := d.Budget
	if d.Level == limits.Off { // what is in flight may end, if that is what the user asked for
		n.pool.SetFetchers(0)
		n.client.CloseIdle()
	} else {
		n.pool.SetFetchers(b.Fetchers)
		n.pool.SetPagesPerMin(b.PagesPerMin)
	}
	n.client.SetMaxConns(socketsForSites(b.Sockets, len(n.member.Host.Network().Conns())))
	n.pacer.Set(b.CPUPercent)
	if n.opts.hasUser() { // else the footing is given
		if pending = n.isSendingHome(d); !pending {
			n.bandwidth.SetFor(nearQuota(b.DownKbit, d.DataLeft), nearQuota(b.UpKbit, d.DataLeft), holdsFor(d.DataLeft))
		}
	}
	if n.opts.Sim == nil && d.RAM > 0 && d.RAM != n.ram {
		n.ram = d.RAM
		debug.SetMemoryLimit(d.RAM)
	}
	n.easeMemory()
	silent := n.opts.hasUser() && d.Footing == limits.Silent && n.Footing() == FootingSilent
	n.beQuiet(silent || n.rests.Load())
	if d.Level > limits.Off {
		n.worked = time.Now()
	}
	return pending
}

// socketsForSites returns how many connections to sites there may be, of so many in all, while so many are to other nodes: the
// rest, and a quarter at least.
func socketsForSites(all, peers int) int {
	if all == limits.NoLimit {
		return fetch.DefaultMaxConns
	}
	return max(all-peers, all/4, 1)
}

// socketsForPeers returns how many connections to other nodes there may be, of so many in all, while so many are to sites:
// what these leave, and three quarters at least, less a tenth for those that come before it is looked again.
func socketsForPeers(all, sites int) int {
	if all == limits.NoLimit {
		return limits.NoLimit
	}
	return max(all-sites, all-all/4) - all/10
}

// leastRate is the rate down to which the last bytes of a quota slow down, in bytes a second: what comes between
// two looks is less than a page.
const leastRate = 50_000

// nearQuota is a rate in kbit/s, less where little is left of a quota: it takes a second to use that up, and it is looked
// ten times a second.
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

// holdsFor is how long such a rate holds: it is set anew with each look, and a look that is late does not cost more of the quota.
func holdsFor(left int64) time.Duration {
	if left == limits.NoLimit || left >= hasteLeft {
		return 0
	}
	return 3 * hastily
}

// isSendingHome reports whether the work has ended only just now, or the node is about to fall silent.
func (n *Node) isSendingHome(d limits.Decision) bool {
	if d.Level > limits.Off {
		return false
	}
	return d.Footing == limits.Silent && n.Footing() != FootingSilent || !n.worked.IsZero() && time.Since(n.worked) < sendFor
}

// pace returns what work waits for, nil in a simulation: there, time does not pass while something is computed.
func (n *Node) pace() func(context.Context) error {
	if n.opts.Sim != nil {
		return nil
	}
	return n.pacer.Wait
}

// bytesMoved returns how many bytes this run of the node has moved over the network, both ways.
func (n *Node) bytesMoved() int64 {
	all := n.bandwidth.Totals()
	return all.Received.All + all.Sent.All
}

// bytesForSites returns how many of them went to sites and came from them.
func (n *Node) bytesForSites() int64 {
	all := n.bandwidth.Totals()
	return all.Received.Class[bandwidth.Pages] + all.Sent.Class[bandwidth.Pages]
}

// sockets returns how many connections are open, to sites and to peers.
func (n *Node) sockets() int { return n.meter.Sockets() + len(n.member.Host.Network().Conns()) }

// stepBack lets whatever else runs on the computer go first, until ctx is done.
func (n *Node) stepBack(ctx context.Context) error {
	err := priority.Keep(ctx, n.opts.Launcher, func(err error) { n.log.Warn("Other programs may be slowed down", "error", err) })
	if errors.Is(err, errors.ErrUnsupported) {
		n.log.Info("This system does not let forage step back behind other programs")
		return nil
	}
	return err
}

// beQuiet tells whoever has the process whether the node is silent or rests. The arbiter's mutex is held.
func (n *Node) beQuiet(quiet bool) {
	if n.opts.Quiet != nil && n.quiet != quiet {
		n.quiet = quiet
		n.opts.Quiet(quiet)
	}
}

// account says of what an account is kept.
func (n *Node) account() promise.AccountConfig {
	return promise.AccountConfig{DB: n.db, Cores: cores(), Every: lookEvery, Log: n.log, Used: func() promise.Used {
		cpu, err := sense.OwnCPU()
		if err != nil {
			cpu = -1
		}
		moved := n.bandwidth.Totals()
		_, pages := n.rate.rate()
		u := promise.Used{CPU: cpu, Received: moved.Received.All, Sent: moved.Sent.All, Pages: pages}
		u.Sockets, u.Disk = n.sockets(), n.archive.Size()
		return u
	}}
}
