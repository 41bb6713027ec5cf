package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/swarm"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
)

// agreeWithin is how soon all members must agree whose every domain is after one
// came or went.
const agreeWithin = 20 * time.Second

// simSwarm is a number of whole nodes in a simulated network, with all eyes on
// them. It lives in a synctest bubble.
type simSwarm struct {
	t       *testing.T
	dir     string
	net     *p2ptest.Network
	web     *simWeb
	origin  time.Time
	nodes   []*simNode // all that ever ran
	faults  map[string]int
	changed time.Time // when a node came or went last
	// agreed is the longest it took until all knew of one that came or went.
	agreed     time.Duration
	unagreed   time.Time // since when they differ
	mostLeases int
	// apart says that not all nodes know each other yet, met since when they do.
	apart bool
	met   time.Time
}

// simNode is one of them.
type simNode struct {
	name    string
	host    *p2ptest.Host
	node    *Node
	cancel  context.CancelFunc
	ended   chan error
	started time.Time
	leaving bool
	left    time.Time // when it was told to leave
	gone    bool
}

// simulate runs a test with a web of so many sites and pages in a bubble.
func simulate(t *testing.T, domains, pages int, test func(s *simSwarm)) {
	dir := t.TempDir()
	real := time.Now()
	synctest.Test(t, func(t *testing.T) {
		s := &simSwarm{
			t: t, dir: dir, net: p2ptest.New(p2ptest.Between(10*time.Millisecond, 50*time.Millisecond), 1), web: newSimWeb(domains, pages),
			origin: time.Now(), faults: make(map[string]int),
		}
		test(s)
		s.tally()
		s.stopAll()
		s.web.stop()
		s.net.Close()
		for fault, times := range s.faults {
			t.Errorf("%s (%d times)", fault, times)
		}
		t.Logf("%v simulated, %d requests of sites, %d packets, agreed within %v", time.Since(s.origin), len(s.web.requests()), s.net.Packets(), s.agreed)
	})
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%v real, %d MB from the system", time.Since(real).Round(100*time.Millisecond), m.Sys>>20)
}

// tally logs how much there was to go wrong.
func (s *simSwarm) tally() {
	n := make(map[swarm.EventKind]int64)
	for _, x := range s.nodes {
		for kind, times := range x.node.member.swarm.Counts() {
			n[kind] += times
		}
	}
	by := make(map[string]int)
	for _, r := range s.web.requests() {
		by[r.by]++
	}
	s.t.Logf("%d of %d nodes sent requests; at most %d leases at a time; %v", len(by), len(s.nodes), s.mostLeases, n)
}

// fault notes something that must not be. Of many like it the first is told.
func (s *simSwarm) fault(kind, format string, args ...any) {
	if s.faults[kind]++; s.faults[kind] <= 5 {
		s.t.Errorf("%v: %s: %s", s.at(), kind, fmt.Sprintf(format, args...))
	}
}

// at returns how long the simulation has run.
func (s *simSwarm) at() time.Duration { return time.Since(s.origin).Round(time.Millisecond) }

// start starts a node that knows the way to some others and begins with some
// sites.
func (s *simSwarm) start(know []*simNode, seeds ...int) *simNode {
	s.t.Helper()
	host, err := s.net.NewHost()
	if err != nil {
		s.t.Fatal(err)
	}
	x := &simNode{name: fmt.Sprintf("n%02d", len(s.nodes)), host: host, ended: make(chan error, 1), started: time.Now()}
	home := filepath.Join(s.dir, x.name)
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		s.t.Fatal(err)
	}
	boot := time.Now()
	o := Options{
		Paths: paths, Home: home, Config: config.Defaults(), NoSync: true, Lab: &Lab{Hosts: s.web.hosts(s.t), NoLimits: true},
		Sim: &Sim{
			Host: host, Key: host.Key, Gater: host.Gater, Dial: s.web.dialAs(x.name),
			Clocks: clock.Sources{Wall: time.Now, Boot: func() time.Duration { return time.Since(boot) }, BootID: x.name},
		},
		Log: slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: simLogLevel})).With("node", x.name),
	}
	for _, k := range know {
		o.Config.Net.Bootstrap = append(o.Config.Net.Bootstrap, k.host.Door())
	}
	for _, site := range seeds {
		o.Seeds = append(o.Seeds, mustURL(s.t, simURL(site)))
	}
	if x.node, err = New(o); err != nil {
		s.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	go func() { x.ended <- x.node.Serve(ctx) }()
	s.nodes = append(s.nodes, x)
	s.changed = time.Now()
	return x
}

var simLogLevel = slog.LevelWarn

// leave tells a node to end in order. It is gone when wait has seen it.
func (s *simSwarm) leave(x *simNode) {
	x.leaving, x.left = true, time.Now()
	s.changed = x.left
	x.cancel()
}

// reap closes the nodes that have ended.
func (s *simSwarm) reap() {
	for _, x := range s.nodes {
		if x.gone {
			continue
		}
		select {
		case err := <-x.ended:
			s.bury(x, err)
		default:
		}
	}
}

func (s *simSwarm) bury(x *simNode, err error) {
	x.gone = true
	if err != nil || !x.leaving {
		s.fault("ended", "%s: %v", x.name, err)
	}
	if err := x.node.frontier.Check(); err != nil {
		s.fault("damaged frontier", "%s: %v", x.name, err)
	}
	if err := x.node.Close(); err != nil {
		s.fault("close", "%s: %v", x.name, err)
	}
}

// stopAll ends all nodes at once.
func (s *simSwarm) stopAll() {
	for _, x := range s.running() {
		s.leave(x)
	}
	for _, x := range s.nodes {
		if !x.gone {
			s.bury(x, <-x.ended)
		}
	}
}

// doors returns three members, which a newcomer may begin with.
func (s *simSwarm) doors() []*simNode {
	list := s.members()
	n := len(list)
	if n < 3 {
		return list
	}
	return []*simNode{list[0], list[n/2], list[n-1]}
}

// meet lets two nodes know of each other that did not.
func (s *simSwarm) meet(a, b *simNode) {
	s.t.Helper()
	if err := a.host.Connect(s.t.Context(), *host.InfoFromHost(b.host)); err != nil {
		s.t.Fatal(err)
	}
	s.apart, s.met, s.changed = false, time.Now(), time.Now()
}

// running returns the nodes that have not ended, members those of them that
// were not told to.
func (s *simSwarm) running() (list []*simNode) {
	for _, x := range s.nodes {
		if !x.gone {
			list = append(list, x)
		}
	}
	return list
}

func (s *simSwarm) members() (list []*simNode) {
	for _, x := range s.nodes {
		if !x.gone && !x.leaving {
			list = append(list, x)
		}
	}
	return list
}

// run lets time pass, looking at everything every second.
func (s *simSwarm) run(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		time.Sleep(min(time.Second, time.Until(end)))
		synctest.Wait()
		s.reap()
		s.look()
	}
}

// finish lets time pass until nobody has anything left to do, at most so long.
func (s *simSwarm) finish(limit time.Duration) {
	s.t.Helper()
	idle := 0
	for end := time.Now().Add(limit); idle < 10; {
		if time.Now().After(end) {
			s.t.Errorf("the crawl found no end within %v", limit)
			s.describe()
			return
		}
		s.run(time.Second)
		idle++
		for _, x := range s.running() {
			if x.leaving || !x.node.idle() {
				idle = 0
			}
		}
	}
}

// describe logs what keeps the nodes from ending.
func (s *simSwarm) describe() {
	for _, x := range s.running() {
		totals, _ := x.node.frontier.Totals()
		if x.node.idle() {
			continue
		}
		_, leases := x.node.pool.InFlight()
		s.t.Logf("%s: %+v, %d leases held, %d returning, left %v", x.name, totals, leases, x.node.member.swarm.Returning(), x.leaving)
		infos, _ := x.node.frontier.Domains("", 5)
		for _, d := range infos {
			s.t.Logf("  %+v", d)
		}
	}
}

// look makes sure of what must hold at any time.
func (s *simSwarm) look() {
	if s.apart {
		return
	}
	s.lookAtRings()
	if time.Since(s.met) > agreeWithin {
		s.lookAtLeases()
	}
}

// lookAtLeases makes sure that at most one node works a domain, by the word of
// those that grant and of those that work.
func (s *simSwarm) lookAtLeases() {
	type lease struct {
		holder string
		says   []string
	}
	names := make(map[string]string)
	for _, x := range s.nodes {
		names[string(x.host.ID())] = x.name
	}
	leases := make(map[crawl.Domain]lease)
	note := func(d crawl.Domain, holder, says string) {
		l := leases[d]
		l.says = append(l.says, says)
		if l.holder != "" && l.holder != holder {
			s.fault("two live leases", "%s: %v", d, l.says)
		}
		l.holder = holder
		leases[d] = l
	}
	for _, x := range s.running() {
		list, err := x.node.frontier.Leases()
		if err != nil {
			s.fault("leases", "%s: %v", x.name, err)
		}
		for _, l := range list {
			holder := x.name
			if l.Holder != "" {
				holder = names[l.Holder]
			}
			note(l.Domain, holder, x.name+" granted it to "+holder)
		}
		for d, granter := range x.node.member.swarm.Held() {
			note(d, x.name, x.name+" works it for "+names[granter])
		}
	}
	s.mostLeases = max(s.mostLeases, len(leases))
}

// lookAtRings makes sure that who came or went a while ago is known to all, and
// that all agree whose every domain is when nobody came or went since.
func (s *simSwarm) lookAtRings() {
	now := time.Now()
	members := make(map[string]*simNode)
	for _, x := range s.nodes {
		members[string(x.host.ID())] = x
	}
	settled := true
	for _, x := range s.members() {
		ring := x.node.member.node.Ring()
		for id, y := range members {
			has := ring.Units(id) > 0
			if has == (!y.leaving && !y.gone) {
				continue
			}
			settled = false
			since := y.started
			if y.leaving {
				since = y.left
			}
			for _, t := range []time.Time{x.started, s.met} {
				if since.Before(t) {
					since = t
				}
			}
			if now.Sub(since) > agreeWithin {
				s.fault("no agreement", "%s thinks that %s is a member: %v, after %v", x.name, y.name, has, now.Sub(since))
			}
		}
	}
	if settled {
		settled = s.sameOwners()
	}
	if settled {
		s.unagreed = time.Time{}
		return
	}
	if s.unagreed.IsZero() {
		s.unagreed = now
	}
	s.agreed = max(s.agreed, now.Sub(s.changed))
	if now.Sub(s.changed) > agreeWithin {
		s.fault("no agreement", "nobody came or went for %v", now.Sub(s.changed))
	}
}

// sameOwners reports whether all members name the same owners of sample domains.
func (s *simSwarm) sameOwners() bool {
	list := s.members()
	for i := range 200 {
		d := crawl.Domain(fmt.Sprintf("sample%d.test", i))
		for _, x := range list[1:] {
			if x.owner(d) != list[0].owner(d) {
				return false
			}
		}
	}
	return true
}

func (x *simNode) owner(d crawl.Domain) string {
	owner, _ := x.node.member.node.Owner(d)
	return owner
}

// checkAll makes sure that a crawl without partitions was as it should be.
func (s *simSwarm) checkAll() {
	s.t.Helper()
	s.checkEnd()
	s.web.checkCoverage(s.t)
	s.web.checkOnce(s.t, time.Time{}, s.origin)
	s.web.checkGaps(s.t, time.Time{}, s.origin)
}

// checkEnd makes sure of what must hold when the crawl is over: every domain is
// at its owner and nowhere else, and what was fetched is counted there.
func (s *simSwarm) checkEnd() {
	s.t.Helper()
	at := make(map[crawl.Domain]string)
	var fetched uint64
	for _, x := range s.running() {
		if err := x.node.frontier.Check(); err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		totals, err := x.node.frontier.Totals()
		if err != nil || totals.Queued != 0 || totals.Leases != 0 || totals.Outbox != 0 || totals.Closing != 0 || totals.Arriving != 0 {
			s.t.Errorf("%s is not done: %+v, %v", x.name, totals, err)
		}
		fetched += totals.Fetched
		names, err := x.node.frontier.Names("", 1<<20)
		if err != nil {
			s.t.Errorf("%s: %v", x.name, err)
		}
		for _, d := range names {
			if at[d] != "" {
				s.t.Errorf("%s is at %s and at %s", d, at[d], x.name)
			}
			at[d] = x.name
			if owner := x.owner(d); owner != string(x.host.ID()) {
				s.t.Errorf("%s is at %s, but its owner is %s", d, x.name, peer.ID(owner))
			}
		}
		if n := x.node.member.node.Offences(); len(n) > 0 {
			s.t.Errorf("%s found fault with honest peers: %v", x.name, n)
		}
	}
	if len(at) != s.web.domains {
		s.t.Errorf("%d domains are somewhere, want %d", len(at), s.web.domains)
	}
	if want := uint64(s.web.domains * s.web.pages); fetched != want {
		s.t.Errorf("%d pages are counted as fetched, want %d", fetched, want)
	}
}
