package main

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app"
	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/demo"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/roster"
)

// lab is a few real nodes in this process, on a practice web with a gap.
type lab struct {
	t     *testing.T
	web   *demo.Web
	nodes []*app.Node
	stops []context.CancelFunc
	ended atomic.Int32 // nodes whose Serve has returned
	door  string
}

const (
	nodesOfLab  = 2
	sites       = 60
	gap         = 250 * time.Millisecond
	startWithin = 30 * time.Second
)

func newLab(t *testing.T) *lab {
	web, err := demo.Start(demo.Options{Sites: sites, Pages: 40 * sites})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { web.Close() })
	s := &lab{t: t, web: web}
	for range nodesOfLab {
		s.start()
	}
	s.await("all nodes own domains and fetch", func() bool {
		for _, n := range s.nodes {
			if st, err := n.Status(t.Context()); err != nil || st.Members != nodesOfLab || st.Pages == 0 ||
				st.Leads == 0 {
				return false
			}
		}
		return true
	})
	return s
}

// start starts a node, which goes to the first one.
func (s *lab) start() {
	t := s.t
	hosts, err := fetch.ParseHosts(strings.NewReader(s.web.Hosts()))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	paths, err := config.Resolve(home, func(string) string { return "" }, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	if err := paths.Create(); err != nil {
		t.Fatal(err)
	}
	pause := gap
	o := app.Options{
		Paths: paths, Home: home, Config: config.Defaults(), NoSync: true, Log: slog.New(slog.DiscardHandler),
		Lab: &app.Lab{Hosts: hosts, Gap: &pause, NoLimits: true},
	}
	o.Config.Web.Addr, o.Config.Limits.Budget.Full.Fetchers = "127.0.0.1:0", 1 // some work is left for others
	if s.door != "" {
		o.Config.Net.Bootstrap = []string{s.door}
	} else if seed, err := crawl.ParseURL(s.web.StartURL()); err != nil {
		t.Fatal(err)
	} else {
		o.Seeds = []crawl.URL{seed}
	}
	n, err := app.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		err := n.Serve(ctx)
		s.ended.Add(1)
		done <- err
	}()
	s.stops = append(s.stops, stop)
	t.Cleanup(func() {
		for _, stop := range s.stops { // all at once
			stop()
		}
		if err := <-done; err != nil {
			t.Errorf("a node ended: %v", err)
		}
		if err := n.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	s.nodes = append(s.nodes, n)
	if s.door == "" {
		invitation, err := n.Invitation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		in, err := membership.ParseInvite(invitation.Invite)
		if err != nil || len(in.Doors) == 0 {
			t.Fatalf("invite %q: %v", invitation.Invite, err)
		}
		s.door = in.Doors[0]
	}
}

// await waits until something is so.
func (s *lab) await(what string, is func() bool) {
	s.t.Helper()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for end := time.After(startWithin); !is(); {
		select {
		case <-end:
			s.t.Fatalf("not within %v: %s", startWithin, what)
		case <-look.C:
		}
	}
}

// forged counts requests for pages that a liar made up.
func (s *lab) forged() (n int) {
	for _, h := range s.web.Served() {
		if strings.Contains(h.URL, "/"+forged) {
			n++
		}
	}
	return n
}

// fetched counts pages that were fetched and should be.
func (s *lab) fetched() int {
	expected, seen := s.web.Expected(), make(map[string]bool)
	for _, h := range s.web.Served() {
		if _, is := slices.BinarySearch(expected, h.URL); is {
			seen[h.URL] = true
		}
	}
	return len(seen)
}

// mostMemory is for all nodes and adversaries of this process, in bytes.
const mostMemory = 512 << 20

// most is how large each map and queue of a group.Node may be, whoever says what.
const most = 1 << 14

// bounds checks what holds whatever others say: all nodes live and answer, and what they remember has its bounds.
func (s *lab) bounds() {
	if n := s.ended.Load(); n > 0 {
		s.t.Errorf("%d nodes have ended", n)
	}
	for i, n := range s.nodes {
		ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
		if st, err := n.Status(ctx); err != nil {
			s.t.Errorf("node %d: %+v, %v", i, st, err)
		}
		if peers, err := n.Peers(ctx); err != nil || len(peers.Peers) > roster.DefaultMaxMembers {
			s.t.Errorf("node %d knows %d peers, %v", i, len(peers.Peers), err)
		}
		if err := n.Do(ctx, func(g *group.Node) error {
			for what, size := range g.Sizes() {
				if size > most && !strings.HasSuffix(what, " bytes") { // those have bounds of their own
					s.t.Errorf("node %d: %s has %d entries", i, what, size)
				}
			}
			return nil
		}); err != nil {
			s.t.Errorf("node %d: %v", i, err)
		}
		cancel()
	}
	runtime.GC()
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapInuse > mostMemory {
		s.t.Errorf("%d MB are in use", m.HeapInuse>>20)
	}
}

// goesOn says that pages are fetched after the attack as before.
func goesOn(s *lab) {
	before := s.fetched()
	s.await("pages are fetched after the attack", func() bool { return s.fetched() >= before+20 })
}

// believesNothing says that no page was asked for that a liar made up.
func believesNothing(s *lab) {
	if n := s.forged(); n > 0 {
		s.t.Errorf("%d requests for pages that do not exist", n)
	}
}

// staysAmongItself says that nobody is a member that nobody vouches for.
func staysAmongItself(s *lab) {
	for _, n := range s.nodes {
		if st, err := n.Status(s.t.Context()); err != nil || st.Members != nodesOfLab {
			s.t.Errorf("%d members, %v; want %d", st.Members, err, nodesOfLab)
		}
	}
}

// promises are what holds under an attack, beyond bounds. An attack with none is one
// that nothing is done against yet: a defence adds its own here.
var promises = []struct {
	attack string
	args   []string
	did    string // what the attack must have come to, or it was none
	short  bool   // runs with -short
	holds  []func(*lab)
}{
	{attack: "poison", args: []string{"4"}, did: "pages told", short: true},
	{attack: "poison", args: []string{"4", "-say", "gone"}, did: "pages told"},
	{attack: "poison", args: []string{"4", "-say", "failed"}, did: "pages told"},
	{attack: "poison", args: []string{"4", "-say", "nolinks"}, did: "pages told"},
	{attack: "poison", args: []string{"8", "-say", "late"}, did: "pages told"},
	{attack: "hoard", args: []string{"4"}, did: "leases", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "links", args: []string{"4"}, did: "links"},
	{attack: "sybil", args: []string{"60"}, did: "records", short: true, holds: []func(*lab){staysAmongItself, goesOn}},
	{attack: "sybil", args: []string{"6000"}, did: "records", holds: []func(*lab){staysAmongItself, goesOn}},
	{attack: "abuse", args: []string{"100"}, did: "broken frames", short: true,
		holds: []func(*lab){believesNothing, goesOn}},
	{attack: "flood", args: []string{"40"}, did: "answered", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "conns", args: []string{"60"}, did: "connections", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "terms", args: []string{"20"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "founding", args: []string{"20"}, did: "lies", holds: []func(*lab){believesNothing}},
	{attack: "acks", args: []string{"20"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "done", args: []string{"20"}, did: "lies", holds: []func(*lab){believesNothing}},
	{attack: "forget", args: []string{"20"}, did: "commits forgotten", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "own", args: []string{"20"}, did: "taken and dropped", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "claims", args: []string{"4"}, did: "lies", short: true, holds: []func(*lab){believesNothing, goesOn}},
	{attack: "relayed", args: []string{"4"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "hand", args: []string{"4"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "hand", args: []string{"12", "-units", "1"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "lead", args: []string{"4"}, did: "lies", holds: []func(*lab){believesNothing, goesOn}},
	{attack: "lend", args: []string{"4"}, did: "domains offered", holds: []func(*lab){believesNothing, goesOn}},
}

func TestAttacks(t *testing.T) {
	for _, c := range promises {
		t.Run(strings.Join(append([]string{c.attack}, c.args...), " "), func(t *testing.T) {
			if testing.Short() && !c.short {
				t.Skip("takes half a minute")
			}
			t.Parallel()
			s := newLab(t)
			pages := s.fetched()
			o, err := parseOptions(append([]string{"lab-main", s.door, c.attack}, c.args...), io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			o.home = t.TempDir()
			if err := o.strike(t.Context()); err != nil {
				t.Fatalf("the attack: %v (%s)", err, o.did.String())
			}
			t.Logf("%s; pages %d → %d, forged requests %d", o.did.String(), pages, s.fetched(), s.forged())
			if o.did.of(c.did) == 0 {
				t.Errorf("that was no attack: no %s", c.did)
			}
			s.bounds()
			for _, holds := range c.holds {
				holds(s)
			}
			left, err := filepath.Glob(filepath.Join(o.home, "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("the adversary left %v behind, %v", left, err)
			}
		})
	}
}

func TestParseOptions(t *testing.T) {
	const door = "/ip4/127.0.0.1/tcp/4001/p2p/12D3KooWQNSZGeBrKDPzw4EnvCt2hLDm6iz3uBrGBq4BTkstkcc4"
	for _, c := range []struct {
		args []string
		ok   bool
	}{
		{[]string{"lab-main", door, "poison", "150"}, true},
		{[]string{"lab-main", door, "poison", "150", "-say", "gone", "-identities", "5"}, true},
		{[]string{"lab-main", door, "lend", "-domains", "a.test,b.test"}, true},
		{[]string{"main", door, "poison", "150"}, false}, // not a lab
		{[]string{"lab-main", door, "poison", "-5"}, false},
		{[]string{"lab-main", door, "poison", "many"}, false},
		{[]string{"lab-main", door, "poison", "5", "6"}, false},
		{[]string{"lab-main", door, "poison", "5", "-say", "nothing"}, false},
		{[]string{"lab-main", door, "nothing"}, false},
		{[]string{"lab-main", "nowhere", "poison", "5"}, false},
		{[]string{"lab-main", door}, false},
	} {
		if o, err := parseOptions(c.args, io.Discard); (err == nil) != c.ok {
			t.Errorf("%v: %+v, %v", c.args, o, err)
		}
	}
}
