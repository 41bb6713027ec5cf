//go:build !items

package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/peerstore"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// simLiar is a host in a simulated network that says whatever could do harm, at
// a rate that is allowed.
type simLiar struct {
	host    *p2ptest.Host
	calls   *calls.Calls
	network string
	member  bool // it has a record, and no place on the ring: it fetches
	victims []peer.ID
	rnd     *rand.Rand

	mu     sync.Mutex
	leases []wire.Lease // that honest nodes granted it
	said   int
}

// classes are those of the kinds, as all nodes know them.
var classes = map[wire.Kind]calls.Class{wire.KindReport: calls.Work, wire.KindLinks: calls.Work, wire.KindMove: calls.Bulk}

// newLiar starts a liar among the nodes of a swarm.
func (s *simSwarm) newLiar(i int) *simLiar {
	s.t.Helper()
	h, err := s.net.NewHost()
	if err != nil {
		s.t.Fatal(err)
	}
	l := &simLiar{host: h, network: s.nodes[0].node.opts.network(), member: i%2 > 0, rnd: rand.New(rand.NewPCG(uint64(i), 5))}
	if l.calls, err = calls.New(h, calls.Config{Network: l.network, Dictionary: wire.Dictionary()}); err != nil {
		s.t.Fatal(err)
	}
	for kind := wire.KindAsk; kind <= wire.KindKeeps; kind++ {
		l.calls.Register(calls.Kind(kind), calls.Spec{
			Name: kind.String(), Class: classes[kind], MaxRequest: calls.MaxBody, MaxReply: calls.MaxBody, Rate: 1000, Burst: 1000,
			Handle: func(context.Context, peer.ID, []byte) ([]byte, error) {
				return append([]byte{0}, wire.Encode(l.answer(kind))...), nil
			},
		})
	}
	for _, x := range s.members() {
		l.victims = append(l.victims, x.host.ID())
		h.Peerstore().AddAddrs(x.host.ID(), x.host.Addrs(), peerstore.PermanentAddrTTL)
	}
	if err := h.Connect(s.t.Context(), *host.InfoFromHost(s.nodes[0].host)); err != nil {
		s.t.Fatal(err)
	}
	return l
}

// serve lies until ctx is done.
func (l *simLiar) serve(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { l.calls.Serve(ctx) })
	for _, v := range l.victims {
		all.Go(func() {
			for ctx.Err() == nil {
				kind, m := l.lie()
				within, cancel := context.WithTimeout(ctx, 2*time.Second)
				raw, err := l.calls.Call(within, v, calls.Kind(kind), l.envelope(kind, wire.Encode(m)))
				cancel()
				if err == nil && kind == wire.KindAsk && len(raw) > 0 {
					l.keep(raw[1:])
				}
				select {
				case <-ctx.Done():
				case <-time.After(l.pause(err)):
				}
			}
		})
	}
}

// envelope puts a message about a log into what says which, now and then a log of
// somebody else, or in the name of somebody else.
func (l *simLiar) envelope(kind wire.Kind, body []byte) []byte {
	if kind >= wire.KindSync {
		return body
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	victim := l.victims[l.rnd.IntN(len(l.victims))]
	name := append([]byte{byte(len(victim))}, victim...)
	switch l.rnd.IntN(12) {
	case 0:
		return slices.Concat([]byte{1}, name, body)
	case 1:
		return slices.Concat([]byte{2}, name, body)
	case 2:
		return slices.Concat([]byte{3}, name, name, body)
	}
	return append([]byte{0}, body...)
}

// pause is a while until the next lie: longer for who does not listen.
func (l *simLiar) pause(err error) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.said++; err != nil {
		return time.Duration(2+l.rnd.IntN(8)) * time.Second
	}
	return time.Duration(50+l.rnd.IntN(400)) * time.Millisecond
}

// keep keeps leases to lie about.
func (l *simLiar) keep(raw []byte) {
	if g, err := wire.Decode[wire.Grants](raw); err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.leases = append(l.leases, g.Leases...); len(l.leases) > 100 {
			l.leases = l.leases[len(l.leases)-100:]
		}
	}
}

// url is one of a page that there is, is not, or must not be asked for.
func (l *simLiar) url() string {
	switch l.rnd.IntN(5) {
	case 0:
		return fmt.Sprintf("http://10.0.0.%d/", l.rnd.IntN(250))
	case 1:
		return fmt.Sprintf("http://made-up-%d.example/", l.rnd.IntN(1<<30))
	case 2:
		return fmt.Sprintf("http://127.0.0.1:%d/", 1+l.rnd.IntN(60_000))
	case 3:
		return fmt.Sprintf("http://%s/film%d.mp4", simDomain(l.rnd.IntN(50)), l.rnd.IntN(1000))
	}
	return simURL(l.rnd.IntN(50)) + fmt.Sprintf("p%d.html", 1+l.rnd.IntN(7))
}

func (l *simLiar) domain() crawl.Domain { return crawl.Domain(simDomain(l.rnd.IntN(50))) }

func (l *simLiar) links() []byte {
	var list []wire.Link
	for range 1 + l.rnd.IntN(30) {
		list = append(list, wire.Link{URL: l.url(), Priority: crawl.PriorityHigh})
	}
	return wire.AppendLinks(nil, 0, list)
}

// lease is one that nobody should work.
func (l *simLiar) lease() wire.Lease {
	u, err := crawl.ParseURL(l.url())
	if err != nil {
		panic(err) // all of url are
	}
	return wire.LeaseOf(crawl.Lease{
		ID: crawl.LeaseID(1 + l.rnd.IntN(1000)), Domain: u.Domain(), For: 20 * time.Hour, Tasks: []crawl.Task{{ID: "task", URL: u, Source: uint8(l.rnd.IntN(4))}},
	})
}

// item is a signed word about a member that is not true.
func (l *simLiar) item() []byte {
	r := roster.Record{Peer: l.host.ID(), Seq: uint64(time.Now().UnixMilli()), Issued: time.Now().Unix(), State: roster.StateActive, Reach: roster.ReachPublic, Version: "liar"}
	r.Addrs = roster.Usable(l.host.Addrs(), r.Reach)
	network := l.network
	if l.member && l.rnd.IntN(30) > 0 { // else it would be known at once
		raw, err := roster.Seal(network, l.host.Key, r)
		if err != nil {
			panic(err) // the record is a possible one
		}
		return raw
	}
	raw, err := roster.Seal("another", l.host.Key, r)
	if err != nil {
		panic(err)
	}
	return raw
}

// lie returns something to say.
func (l *simLiar) lie() (wire.Kind, wire.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	digest := make([]byte, 16)
	switch l.rnd.IntN(12) {
	case 0:
		return wire.KindAsk, &wire.Ask{Slots: 1000}
	case 1:
		return wire.KindOffer, &wire.Offer{Count: 1000}
	case 2:
		return wire.KindRecall, &wire.Recall{Leases: []crawl.LeaseID{1, 2, 3, 4, 5, 6, 7, 8, 9}}
	case 3, 4:
		return wire.KindReport, l.report()
	case 5:
		from := []crawl.Domain{"", l.domain()}[l.rnd.IntN(2)]
		return wire.KindLinks, &wire.Links{Groups: []wire.LinkGroup{{From: from, Links: l.links()}}}
	case 6:
		return wire.KindHave, &wire.Have{Roster: digest, Domains: []crawl.Domain{l.domain(), l.domain()}}
	case 7:
		d := l.domain()
		items := [][]byte{append([]byte{1}, d...), append([]byte("\x07\x00\x01\x00\x00"), "http://"+string(d)+"/made-up.mp4"...)}
		return wire.KindMove, &wire.Move{N: uint64(1 + l.rnd.IntN(50)), Seq: uint64(l.rnd.IntN(3)), Last: l.rnd.IntN(3) == 0, Abort: l.rnd.IntN(4) == 0,
			Domains: []crawl.Domain{d}, Items: items}
	case 8:
		return wire.KindSync, l.sync()
	case 9:
		return wire.KindProbe, &wire.Probe{Peer: string(l.victims[l.rnd.IntN(len(l.victims))])}
	case 10:
		return wire.KindSign, &wire.Sign{Note: []byte("a note about everybody")}
	}
	return wire.KindPing, &wire.Ping{Digest: digest, Due: 1 << 30}
}

// report tells of leases it holds, and of others, that all went wrong for long.
func (l *simLiar) report() *wire.Report {
	w := wire.LeaseReport{Lease: crawl.LeaseID(1 + l.rnd.IntN(200)), Domain: l.domain()}
	if len(l.leases) > 0 && l.rnd.IntN(3) > 0 {
		x := l.leases[l.rnd.IntN(len(l.leases))]
		w.Lease, w.Domain = x.ID, x.Domain
	}
	// What it says is done is not fetched by others, which nobody can tell; so it
	// says of all that it failed.
	for i := range 1 + l.rnd.IntN(10) {
		o := wire.Outcome{Index: uint8(i), Result: crawl.Failed, WaitMs: 80_000_000, TookMs: 80_000_000, Received: 1 << 40, Links: l.links()}
		if l.rnd.IntN(2) == 0 {
			o.Result, o.NoRobots, o.Date = crawl.Deferred, true, 1
		}
		w.Outcomes = append(w.Outcomes, o)
	}
	w.Over = l.rnd.IntN(2) == 0
	return &wire.Report{Leases: []wire.LeaseReport{w}}
}

func (l *simLiar) sync() *wire.Sync {
	summary, _, _ := roster.New(roster.Config{Network: l.network, Self: l.host.ID()}).Summary(0, wire.MaxSummary)
	return &wire.Sync{Digest: make([]byte, 16), Summary: summary, Items: [][]byte{l.item()}}
}

// answer returns something to answer.
func (l *simLiar) answer(kind wire.Kind) wire.Message {
	l.mu.Lock()
	defer l.mu.Unlock()
	digest := make([]byte, 16)
	switch kind {
	case wire.KindAsk:
		g := &wire.Grants{Due: 1000}
		for range l.rnd.IntN(wire.MaxLeases) {
			g.Leases = append(g.Leases, l.lease())
		}
		return g
	case wire.KindReport:
		return &wire.Reported{Moved: []wire.Moved{{Domain: l.domain(), To: string(l.victims[0])}}}
	case wire.KindLinks:
		return &wire.Taken{Moved: []wire.Moved{{Domain: l.domain(), To: string(l.host.ID())}}}
	case wire.KindHave:
		return &wire.Had{Roster: digest, Here: []uint16{0, 1, 2, 3}}
	case wire.KindMove:
		return &wire.MoveAnswer{State: wire.MoveTaken, Seq: 1, Mark: []byte{0x82, 0x20, 0x40}}
	case wire.KindSync:
		return l.sync()
	case wire.KindPing:
		return &wire.Ping{Digest: digest}
	case wire.KindProbe:
		return &wire.Probed{Alive: l.rnd.IntN(2) == 0}
	case wire.KindSign:
		return &wire.Sign{Note: []byte("so be it")}
	}
	return &wire.Done{}
}

// Of twenty nodes four lie, or two of eight, in every way that is open to nodes that own no domains.
// No site notices, the honest ones do all the work there is, and do not grow.
func TestSim_LiarsChangeNothing(t *testing.T) {
	honest, lying, long := 16, 4, 5*time.Minute
	switch {
	case isLong():
		long = time.Hour
	case testing.Short():
		honest, lying, long = 6, 2, 3*time.Minute
	}
	simulate(t, 50, 8, func(s *simSwarm) {
		s.apart = true // what the rings look like to liars is no matter
		s.start(nil, 0)
		s.run(2 * time.Second)
		for i := 1; i < honest; i++ {
			s.start(s.doors(), 0, i)
			s.run(2 * time.Second)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var liars []*simLiar
		var all sync.WaitGroup
		for i := range lying {
			l := s.newLiar(i)
			liars = append(liars, l)
			all.Go(func() { l.serve(ctx) })
		}
		s.run(long)
		before := heap()
		for end := time.Now().Add(long / 2); time.Now().Before(end); {
			time.Sleep(time.Second)
			synctest.Wait()
			s.tell()
		}
		if after := heap(); after > before+before/4 {
			s.t.Errorf("the heap grows from %d to %d KB", before>>10, after>>10)
		}
		s.checkHonest()
		banned := 0
		for _, l := range liars {
			for _, x := range s.members() {
				if x.node.member.node.Offences() == nil {
					s.t.Errorf("%s has noticed nothing", x.name)
				}
				if x.node.member.node.Banned(l.host.ID()) {
					banned++
				}
			}
			s.t.Logf("%v has said %d things", l.host.ID(), l.said)
		}
		s.t.Logf("%d of %d times a liar is banned; %v", banned, len(liars)*honest, s.nodes[3].node.member.node.Offences())
		if banned < len(liars)*honest/2 {
			s.t.Errorf("%d of %d times a liar is banned", banned, len(liars)*honest)
		}
		cancel()
		all.Wait()
		for _, l := range liars {
			l.host.Close()
		}
	})
}

// heap returns how many bytes are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// checkHonest makes sure that all pages were fetched, once, with all gaps, and
// nothing else was; and that nobody holds more than there is.
func (s *simSwarm) checkHonest() {
	s.t.Helper()
	s.web.checkCoverage(s.t)
	s.web.checkOnce(s.t, time.Time{}, s.origin)
	s.web.checkGaps(s.t, time.Time{}, s.origin)
	for _, x := range s.members() {
		totals, err := x.node.frontier.Totals()
		if err != nil || totals.Known > uint64(s.web.domains*s.web.pages*2) || totals.Domains > uint64(s.web.domains) || totals.Outbox > 1000 {
			s.t.Errorf("%s: %+v, %v", x.name, totals, err)
		}
	}
}
