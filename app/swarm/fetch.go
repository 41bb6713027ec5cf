package swarm

import (
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/wire"
)

const (
	// wantFrom is how many members are told at a time that there is room, restFrom how many where there is no work.
	// These are all members of a small network, which have not forgotten it when they are told again.
	wantFrom, restFrom = 8, 16
	// strayEvery is how often it is looked for leases of this node that it does not know.
	strayEvery = time.Second
)

// fetches are the leases that this node's fetchers have or ask for.
type fetches struct {
	s      *Swarm
	asking map[crawl.Domain]bool
	count  atomic.Int64           // of the leases that are asked for or held
	met    map[crawl.LeaseID]bool // that this node granted itself and still counts
	told   time.Time              // when others were told last that there is room
	pause  time.Duration          // until they are told again
	looked time.Time              // when it was looked last for leases that this node does not know
	come   []offered
}

// offered are domains that another leader offers.
type offered struct {
	by      crawl.PeerID
	domains []crawl.Domain
}

func (f *fetches) begin(s *Swarm) {
	f.s, f.asking, f.met = s, make(map[crawl.Domain]bool), make(map[crawl.LeaseID]bool)
	f.pause = wantEvery
}

// room returns how many leases may be asked for.
func (f *fetches) room() int { return f.s.cfg.Fetcher.Want() - len(f.asking) }

// capacity returns how many leases this node would have at a time, at most maxOffers.
func (f *fetches) capacity() int {
	return min(max(f.room(), 0)+int(f.count.Load()), maxOffers)
}

// want asks for what was offered, and tells others that there is room if there is more. It does so ever more seldom
// as long as this node sees no work.
func (f *fetches) want(n *group.Node) {
	now := f.s.cfg.Now()
	if f.seesWork(now) {
		f.pause = wantEvery
	}
	for _, o := range f.come {
		f.ask(n, o.by, o.domains)
	}
	f.come = nil
	slots := f.room()
	if slots <= 0 || now.Sub(f.told) < f.pause {
		return
	}
	f.told = now
	m := &wire.Ask{Slots: uint16(min(slots, maxOffers)), Most: uint16(f.capacity()), Place: f.s.cfg.Place()}
	for _, l := range f.s.offers.near.Loads() {
		m.Lent = append(m.Lent, wire.Load{Fetcher: l.Key, Sites: l.Sites})
	}
	b := body(bodyWant, m)
	owners, from := f.s.cfg.Owners(), wantFrom
	if f.pause > wantEvery {
		from = restFrom
	}
	f.pause = min(2*f.pause, wantAtRest)
	for range min(from, len(owners)) {
		i := int(f.s.cfg.Chance() % uint64(len(owners)))
		if owners[i] != f.s.cfg.Self {
			n.Tell(owners[i], b)
		}
		owners[i] = owners[len(owners)-1]
		owners = owners[:len(owners)-1]
	}
}

// seesWork reports whether this node has a lease or is offered one, has offered one to others lately, or has no room.
func (f *fetches) seesWork(now time.Time) bool {
	lends := now.Sub(f.s.offers.invited) < WantFor
	return lends || len(f.come) > 0 || f.count.Load() > 0 || f.room() <= 0
}

// ask asks a leader for leases of domains, as far as there is room.
func (f *fetches) ask(n *group.Node, leader crawl.PeerID, domains []crawl.Domain) {
	for _, d := range domains {
		if f.room() <= 0 {
			return
		}
		if f.asking[d] || f.holds(d) || leader != f.s.cfg.Self && f.s.cfg.Fetcher.RefusesDomain(d) != "" {
			continue
		}
		f.asking[d] = true
		f.count.Add(1)
		asked := f.s.cfg.Now()
		n.Ask(d, leader, func(l group.Lease, granted bool) {
			delete(f.asking, d)
			if granted {
				f.granted(n, l, asked)
			}
			f.count.Add(-1)
		})
	}
}

// holds reports whether this node has a lease of a domain, or has not brought home what came of one: whoever
// grants, it takes one at a time.
func (f *fetches) holds(d crawl.Domain) bool {
	for _, x := range f.s.reports.of {
		if x.held && x.lease.Domain == d {
			return true
		}
	}
	return false
}

// granted hands a lease to the fetchers. One whose tasks cannot be read goes back.
func (f *fetches) granted(n *group.Node, l group.Lease, asked time.Time) {
	f.met[l.ID] = l.Leader == f.s.cfg.Self
	work, err := wire.DecodeLease(l.Body)
	if err != nil || work.ID != l.ID || work.Domain != l.Domain || len(work.Tasks) == 0 {
		n.Return(l)
		return
	}
	work.For = l.For()
	if l.Careful { // another part of a divided network may be visiting, too
		work.Gap = max(work.Gap, l.Gap)
	}
	if l.Leader != f.s.cfg.Self {
		work.Granter = string(l.Leader)
		f.s.tell(Event{Kind: LeasesHeld, Peer: work.Granter, Domain: l.Domain, Domains: 1})
	}
	x := &report{lease: work, held: true, flying: -1}
	f.s.reports.of[work.ID] = x
	f.count.Add(1)
	first := work.Tasks[0]
	work.Tasks = slices.DeleteFunc(work.Tasks, func(t crawl.Task) bool {
		return !f.s.cfg.Admits(crawl.Outlink{URL: t.URL, Depth: t.Depth, Redirects: t.Redirects, Source: t.Source})
	})
	if len(work.Tasks) == 0 {
		f.decline(n, x, first)
		return
	}
	f.s.cfg.Fetcher.Take(work, asked)
}

// decline brings a lease back that is all outside this node's crawl. The leader does not offer its domain again
// for a while; a node alone puts it off.
func (f *fetches) decline(n *group.Node, x *report, first crawl.Task) {
	l := &x.lease
	o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Granter: l.Granter, Task: first, Result: crawl.Declined,
		Date: time.Now()}
	if l.Granter == "" && f.s.offers.isAlone() {
		o.Result, o.Wait = crawl.Deferred, declinedFor
	}
	x.outcomes, x.over = []crawl.Outcome{o}, true
	f.s.reports.waiting.Add(1)
	f.s.reports.flush(n, x)
}

// Held returns how many leases the fetchers have, have asked for, or are bringing home.
func (s *Swarm) Held() int { return int(s.fetches.count.Load()) }

// giveBack gives leases back that this node has and does not know, of those that it granted itself: an earlier
// run held them, or the answer was lost. A request may have been under way, so the domain is left alone for the
// crawl delay that is known.
func (f *fetches) giveBack(n *group.Node) {
	now := f.s.cfg.Now()
	if now.Sub(f.looked) < strayEvery {
		return
	}
	f.looked = now
	live := make(map[crawl.LeaseID]bool)
	for _, l := range n.Leases() {
		live[l.ID] = true
		x := f.s.reports.of[l.ID]
		if l.Fetcher != f.s.cfg.Self || x != nil && x.held || f.met[l.ID] || f.asking[l.Domain] {
			continue
		}
		f.met[l.ID] = true
		x = f.s.reports.report(crawl.Lease{ID: l.ID, Domain: l.Domain})
		x.lease.CrawlDelay, x.held, x.over = f.s.cfg.Delay(l.Domain), true, true
		f.count.Add(1)
		f.s.reports.flush(n, x)
	}
	maps.DeleteFunc(f.met, func(id crawl.LeaseID, _ bool) bool { return !live[id] })
}
