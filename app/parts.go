package app

import (
	"fmt"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/api/descriptor"
	"github.com/forage-net/forage/app/bandwidth"
	"github.com/forage-net/forage/app/claims"
	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/find"
	"github.com/forage-net/forage/app/footing"
	"github.com/forage-net/forage/app/library"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/app/pace"
	"github.com/forage-net/forage/app/stats"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/crawl/fetch/guard"
	"github.com/forage-net/forage/crawl/fetch/resolver"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/driver"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/pulse"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/storage"
)

// factsOf returns what does not change about a node while it runs.
func factsOf(o *Options, db *storage.DB) (nodeapi.Facts, error) {
	is, err := stats.Read(db, 0)
	return nodeapi.Facts{
		BootID: descriptor.NewBootID(), Network: o.network(), Home: o.Home, Started: time.Now(), Before: is.Totals,
		Archive: o.Paths.WARC(), Lab: o.Lab != nil, Bootstrap: membership.IsBootstrap(o.Config),
		Private: o.Config.Net.Private, Watched: o.rules().HasUser(), Silent: o.Lab != nil && !o.Lab.Notices,
	}, err
}

func newScope(o *Options) (*scope.Scope, error) {
	return scope.New(scope.Config{
		Patterns: o.Config.Crawl.Scope, Depth: int(o.Config.Crawl.Depth), Lab: o.labNames(), Identity: o.identity(),
		Seeds: o.Seeds,
	})
}

func newFrontier(o *Options, c *clock.Clock, politeness crawl.Politeness) (*frontier.Frontier, error) {
	untrap, err := scope.NewPatterns(o.Config.Crawl.Untrap)
	if err != nil {
		return nil, fmt.Errorf("crawl.untrap: %w", err)
	}
	return frontier.New(frontier.Config{
		Untrapped: untrap.Match, Items: swarm.Items{}, Politeness: politeness, LeaseFor: o.leaseFor(),
		Revisit: o.revisit(),
		Budget:  o.budget(), Now: c.Now, Calendar: c.Latest,
	}), nil
}

func newGate(o *Options, next calls.Counter, pacer *pace.Pacer) *footing.Gate {
	var used func() float64
	if o.Sim == nil && (o.Lab == nil || o.Lab.RealTimes) { // other labs look after everything far more often
		used = pacer.Used
	}
	return footing.NewGate(o.Footing, next, o.leaseFor(), used)
}

func newMember(
	o *Options, db *storage.DB, bytes *bandwidth.Budget, gate *footing.Gate, meter *calls.Meter, takes func() bool,
) (*membership.Member, error) {
	cfg := membership.Config{
		Paths: o.Paths, Settings: o.Config, Network: o.network(), Public: o.publicName(), Secret: o.secret,
		MDNS: o.Config.Peer.MDNS && o.Sim == nil, DB: db, Bandwidth: bytes, Meter: meter, Counter: gate, Gate: gate,
		Takes: takes,
		Log:   o.Log,
	}
	if lab := o.Lab; lab != nil {
		cfg.Lab, cfg.LocalOnly, cfg.ShortTimes, cfg.MDNS = true, !lab.MDNS, !lab.RealTimes, lab.MDNS
	}
	if s := o.Sim; s != nil {
		cfg.OwnAtOnce, cfg.Given = s.OwnAtOnce, &membership.Given{Host: s.Host, Key: s.Key, Gater: s.Gater}
	}
	return membership.New(cfg)
}

// openFinder opens the search index. One that cannot be opened leaves the node without: it is no reason not to crawl.
func openFinder(o *Options, with find.Config) *find.Finder {
	if o.Sim != nil || membership.IsBootstrap(o.Config) {
		return nil
	}
	cfg := library.IndexConfig(o.Paths, o.Config)
	cfg.Settings, cfg.Allowed, cfg.Hidden, cfg.Log = with.Settings, with.Allowed, with.Hidden, o.Log
	f, err := find.Open(cfg)
	if err != nil {
		o.Log.Warn("There is no search index for now: pages are found by title and address alone", "error", err)
		return nil
	}
	return f
}

func newClient(
	o *Options, meter *fetch.Meter, own *guard.OwnNetwork, bytes *bandwidth.Budget,
) (*fetch.Client, error) {
	cfg := fetch.Config{
		World: fetch.Public, UserAgent: crawl.UserAgent(o.Lab != nil), Meter: meter,
		MaxConns: o.Config.Limits.Budget.Full.Sockets, Own: own,
	}
	membership.LookAround(own, nil)
	if o.Lab != nil {
		cfg.World, cfg.Hosts, cfg.Limits = fetch.Lab, o.Lab.Hosts, o.Lab.Fetch
		if cfg.Limits == (fetch.Limits{}) && !o.Lab.RealTimes { // a request must fit into a lease
			cfg.Limits = fetch.Limits{Total: labLease / 2, Connect: labLease / 3}
		}
	}
	if o.Sim != nil {
		cfg.Dial = o.Sim.Dial
	} else {
		cfg.Pacer, cfg.Lookup = bytes.Sites(), bytes.Names(bandwidth.Pages, nil)
	}
	return fetch.New(cfg)
}

// claimsConfig says what the user's own sites are visited with.
func (n *Node) claimsConfig(self crawl.PeerID) claims.OwnConfig {
	o := &n.opts
	cfg := claims.OwnConfig{
		Config: claims.Config{Node: peer.ID(self).String(), May: n.mayAskAbout, Now: time.Now},
		Path:   claims.Path(o.Paths.State),
		Scheme: "https", Rules: n.rules, Latest: n.clock.Latest, Scope: n.scope, Enqueue: n.seeds.enqueue, Log: o.Log,
		Refuses: func(u crawl.URL) string { return n.Refusals().Reason(u).Stored() },
	}
	if o.Lab != nil {
		cfg.Scheme = "http"
	} else if o.Sim == nil {
		cfg.Names = n.bandwidth.Names(bandwidth.Pages, nil)
	}
	return cfg
}

// mayAskAbout reports whether the DNS may be asked about a domain now: where its site might be visited.
func (n *Node) mayAskAbout(d crawl.Domain) bool {
	return !resolver.Local(string(d)) && n.Refusals().Domain(d) == nil && n.governor.Works()
}

// labDay is how long voters are out in a lab before the others found their group without them: longer than a split that
// is to show what one of hours does elsewhere.
const labDay = 4 * time.Minute

// driverConfig says how the shards of this node are driven.
func (n *Node) driverConfig(self crawl.PeerID) driver.Config {
	times := shard.RealTimes
	if n.opts.Lab != nil && !n.opts.Lab.RealTimes {
		times = shard.LabTimes
		times.Day = labDay
	}
	var awake func() time.Duration
	if n.opts.Sim != nil {
		awake = n.opts.Sim.Awake
	}
	cfg := group.Config{
		Self: self, Times: times, Clock: driver.NewClock(awake, n.clock.Latest), Directory: n.member.Layout,
		Stranger: func() bool { return !n.member.Node.Vouches.Admission().Admitted },
	}
	n.swarm.Hooks(&cfg)
	d := driver.Config{
		Node: cfg, Store: n.db, Net: membership.Net{Node: n.member.Node}, Founder: n.founding.Is,
		CommitEvery:  n.opts.commitEvery(),
		BeforeCommit: n.files.sync, InCommit: n.ledger.Commit, Log: n.opts.Log,
		Admit:   func(p crawl.PeerID) bool { return n.member.Node.Members.IsMember(string(p)) },
		Trouble: n.governor.SetTrouble, Opened: func(g *group.Node) { n.governor.SetTrouble(nil); n.swarm.Opened(g) },
	}
	if n.opts.Sim == nil {
		d.Align = pulse.Until
	}
	return d
}
