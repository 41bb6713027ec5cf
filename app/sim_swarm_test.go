package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/ring"
)

// agreeWithin is how soon all members must agree whose every domain is after one
// came or went.
const agreeWithin = 20 * time.Second

// simGarbage is how much garbage there may be, in percent of what is in use: collecting it is
// an eighth of the work at the usual 100.
const simGarbage = 400

// simTellEvery is how often a simulation tells how far it is.
const simTellEvery = 10 * time.Minute

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
	// split says that they knew each other and lost sight: they may differ about who
	// is there, and still no domain has two crawlers.
	split bool
	// doubles says that logs may have restarted on both sides, so that domains may have two.
	doubles bool
	// watch, if set, is called every second, and with true in the end.
	watch     func(over bool)
	forbidden map[crawl.Domain]uint64
	// lacking are those of which some are nowhere, and since when.
	lacking map[crawl.Domain]time.Time
	told    time.Time
	// rings are those that all members look at, same says that they name the same owners.
	rings []*ring.Ring
	same  bool
	// prepare, if set, changes the options of nodes that start.
	prepare func(*Options)
	// tune, if set, changes nodes before they run.
	tune func(*simNode)
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
	home    string
	plug    *simPlug
	clock   *simClock
	crashed bool // it lost its power, or another run of the same node has begun
	guest   bool // it came on standby, and owns nothing yet
	cut     time.Time
	// disk is how many URLs of each domain it has on its disk while it is off, if it
	// comes back.
	disk map[crawl.Domain]uint64
}

// simulate runs a test with a web of so many sites and pages in a bubble.
func simulate(t *testing.T, domains, pages int, test func(s *simSwarm)) {
	if underRace() { // its runtime fails on so much: "CHECK failed" in tsan_rtl.cpp
		t.Skip("runs without the race detector")
	}
	dir := t.TempDir()
	real := time.Now()
	defer debug.SetGCPercent(debug.SetGCPercent(simGarbage))
	synctest.Test(t, func(t *testing.T) {
		s := &simSwarm{
			t: t, dir: dir, net: p2ptest.New(p2ptest.Between(10*time.Millisecond, 50*time.Millisecond), simSeed()), web: newSimWeb(domains, pages),
			origin: time.Now(), faults: make(map[string]int), lacking: make(map[crawl.Domain]time.Time), forbidden: make(map[crawl.Domain]uint64),
		}
		test(s)
		if s.watch != nil {
			s.watch(true)
		}
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

// simSeed decides the identities of nodes and who is hit: FORAGE_SEED, or 1.
func simSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("FORAGE_SEED"), 10, 16); err == nil {
		return n
	}
	return 1
}

// simLevel is what nodes log: FORAGE_LOG, or warnings.
func simLevel() (l slog.Level) {
	if l.UnmarshalText([]byte(os.Getenv("FORAGE_LOG"))) != nil {
		return slog.LevelWarn
	}
	return l
}

// tally logs how much there was to go wrong.
func (s *simSwarm) tally() {
	n := make(map[string]int64)
	for _, x := range s.nodes {
		for kind, times := range x.node.swarm.Counts() {
			n[string(kind)] += times
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
	name := fmt.Sprintf("n%02d", len(s.nodes))
	return s.startAt(host, name, filepath.Join(s.dir, name), know, seeds...)
}

// startAt starts a node at a host, with what its home holds.
func (s *simSwarm) startAt(host *p2ptest.Host, name, home string, know []*simNode, seeds ...int) *simNode {
	s.t.Helper()
	x := &simNode{name: name, host: host, home: home, ended: make(chan error, 1), started: time.Now(), plug: s.web.plug(name), clock: newSimClock()}
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		s.t.Fatal(err)
	}
	o := Options{
		Paths: paths, Home: home, Config: config.Defaults(), NoSync: true, Lab: &Lab{Hosts: s.web.hosts(s.t), NoLimits: true},
		Sim: &Sim{
			OwnAtOnce: true, // the hours that they have run are not simulated
			Host:      host, Key: host.Key, Gater: host.Gater, Dial: x.plug.dial,
			Clocks: clock.Sources{Wall: x.clock.wall, Boot: x.clock.boot, BootID: fmt.Sprint(x.name, len(s.nodes))},
			Awake:  x.clock.awake,
		},
		Log: slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: simLevel()})).With("node", x.name),
	}
	// Some have more domains than they can work, others room for more.
	o.Config.Limits.Budget.Full.Fetchers = 1 + 7*(len(s.nodes)%3/2)
	for _, k := range know {
		o.Config.Net.Bootstrap = append(o.Config.Net.Bootstrap, k.host.Door())
	}
	for _, site := range seeds {
		o.Seeds = append(o.Seeds, mustURL(s.t, simURL(site)))
	}
	if s.prepare != nil {
		s.prepare(&o)
	}
	if x.node, err = New(o); err != nil {
		s.t.Fatal(err)
	}
	if s.tune != nil {
		s.tune(x)
	}
	ctx, cancel := context.WithCancel(context.Background())
	x.cancel = cancel
	go func() { x.ended <- x.node.Serve(ctx) }()
	s.nodes = append(s.nodes, x)
	s.changed = time.Now()
	return x
}

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
		if x.crashed {
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
	if err := x.node.checkBooks(); err != nil {
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
		switch {
		case x.crashed:
			<-x.ended
			x.node.Close()
		case !x.gone:
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
		if !x.gone && !x.crashed {
			list = append(list, x)
		}
	}
	return list
}

func (s *simSwarm) members() (list []*simNode) {
	for _, x := range s.nodes {
		if !x.gone && !x.leaving && !x.crashed {
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
		s.tell()
	}
}

// tell logs now and then how far the simulation is.
func (s *simSwarm) tell() {
	if time.Since(s.told) >= simTellEvery {
		s.told = time.Now()
		s.t.Logf("%v: %d requests of sites, %d packets", s.at(), len(s.web.requests()), s.net.Packets())
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
