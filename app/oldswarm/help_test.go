package swarm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/crawl/route"
	"github.com/forage-net/forage/crawl/scope"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// lab is a network in memory: what peers say arrives at once, in their name.
type lab struct {
	t *testing.T

	mu      sync.Mutex
	now     time.Time
	nodes   map[string]*memNet
	owner   string // of all domains but those of owners
	owners  map[crawl.Domain]string
	heirs   []string // of every domain, the nearest first
	down    map[string]bool
	members map[string]bool
	back    map[string]bool // those that were out
	left    map[string]bool
	digest  [16]byte
}

func newLab(t *testing.T) *lab {
	return &lab{t: t, now: time.Now().Round(0), nodes: make(map[string]*memNet), owners: make(map[crawl.Domain]string), members: make(map[string]bool), left: make(map[string]bool)}
}

func (l *lab) clock() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *lab) advance(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(d)
}

// memNet is one peer's end of a lab.
type memNet struct {
	lab      *lab
	self     string
	changed  chan struct{}
	handlers map[wire.Kind]Handler

	announced []string // owners that have said that their domains wait
	told      []int    // of how many of its own it has told

	mu       sync.Mutex
	asked    map[wire.Kind]int // requests that it got
	offences map[string]int    // of others, and how often
	weights  map[string]int    // by peer
}

func (l *lab) join(id string) *memNet {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &memNet{
		lab: l, self: id, changed: make(chan struct{}, 1), handlers: make(map[wire.Kind]Handler), asked: make(map[wire.Kind]int),
		offences: make(map[string]int), weights: make(map[string]int),
	}
	l.nodes[id], l.members[id] = n, true
	return n
}

func (n *memNet) Self() string                     { return n.self }
func (n *memNet) Here() string                     { return n.self }
func (n *memNet) Handle(kind wire.Kind, h Handler) { n.handlers[kind] = h }
func (n *memNet) Resync(string)                    {}
func (n *memNet) Changed() <-chan struct{}         { return n.changed }

func (n *memNet) Call(ctx context.Context, to string, kind wire.Kind, body []byte) ([]byte, error) {
	n.lab.mu.Lock()
	peer := n.lab.nodes[to]
	n.lab.mu.Unlock()
	if peer == nil || peer.handlers[kind] == nil {
		return nil, calls.ErrUnreachable
	}
	peer.mu.Lock()
	peer.asked[kind]++
	peer.mu.Unlock()
	answer, err := peer.handlers[kind](ctx, n.self, body)
	if lie, ok := errors.AsType[*calls.Lie](err); ok {
		peer.Offend(n.self, lie.What, lie.Weight)
		return nil, &calls.Refused{Text: lie.What}
	}
	return answer, err
}

func (n *memNet) Owner(d crawl.Domain) (string, bool) {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	if o, ok := n.lab.owners[d]; ok {
		return o, true
	}
	return n.lab.owner, n.lab.owner != ""
}

func (n *memNet) others(list []string, k int) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(p string) bool { return p == n.self })
	return list[:min(len(list), k)]
}

func (n *memNet) Heirs(_ crawl.Domain, k int) []string {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.others(n.lab.heirs, k)
}

func (n *memNet) InLine(peer string, d crawl.Domain, k int) bool {
	return n.InLineBut(n.self, peer, d, k)
}

func (n *memNet) WasOut(peer string) bool {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.lab.back[peer]
}

func (n *memNet) Neighbours(k int) []string { return n.Heirs("", k) }
func (n *memNet) Others(k int) []string     { return n.Heirs("", k) }
func (n *memNet) Announce(_ context.Context, domains int) error {
	n.told = append(n.told, domains)
	return nil
}
func (n *memNet) Announced(k int) []string { return n.announced[:min(len(n.announced), k)] }
func (n *memNet) Holds(peer string) bool   { return n.Member(peer) }
func (n *memNet) Left(peer string) bool {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.lab.left[peer]
}

func (n *memNet) Offend(p, what string, w int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.offences[what]++
	n.weights[p] += w
}

func (n *memNet) Member(peer string) bool {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.lab.members[peer]
}

func (n *memNet) Digest() [16]byte {
	n.lab.mu.Lock()
	defer n.lab.mu.Unlock()
	return n.lab.digest
}

func (n *memNet) Owners() [16]byte { return n.Digest() }

func (n *memNet) weight(peer string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.weights[peer]
}

func (n *memNet) count(kind wire.Kind) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[kind]
}

// fetcher takes leases and does nothing with them.
type fetcher struct {
	mu       sync.Mutex
	want     int
	taken    []crawl.Lease
	recalled []string
	extended []crawl.LeaseID
	wanting  chan struct{}
}

func (f *fetcher) Want() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.want-len(f.taken), 0)
}

func (f *fetcher) Take(l crawl.Lease, _ time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = append(f.taken, l)
}

func (f *fetcher) Extend(granter string, id crawl.LeaseID, asked time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.extended = append(f.extended, id)
}

func (f *fetcher) Recall(granter string, id crawl.LeaseID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recalled = append(f.recalled, fmt.Sprintf("%s %d", granter, id))
}

func (f *fetcher) Wanting() <-chan struct{}          { return f.wanting }
func (f *fetcher) RefusesDomain(crawl.Domain) string { return "" }

// node is a Swarm with a real frontier and a router, in a lab.
type node struct {
	*Swarm
	lab     *lab
	net     *memNet
	f       *frontier.Frontier
	router  *route.Router
	fetcher *fetcher
}

const (
	testLease      = 100 * time.Second
	testLeaderless = 2 * time.Minute
)

// newNode starts a node that owns everything and is open.
func newNode(t *testing.T, l *lab, id string) *node {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	n := &node{lab: l, net: l.join(id), fetcher: &fetcher{wanting: make(chan struct{}, 1)}}
	sc, err := scope.New(scope.Config{Depth: 3, Lab: func(host string) bool { return strings.HasSuffix(host, ".test") }})
	if err != nil {
		t.Fatal(err)
	}
	n.f, err = frontier.Open(db, frontier.Config{
		LogID: "self", LeaseFor: testLease, Now: l.clock, Revisit: frontier.Revisit{First: -1},
		Owns: func(d crawl.Domain) bool { return n.Owns(d) }, Ask: func() bool { return len(n.net.Heirs("", 1)) > 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- n.f.Serve(ctx) }()
	n.router = &route.Router{Frontier: n.f, Fetcher: n.fetcher, Now: l.clock, Stay: -1}
	n.Swarm = New(Config{
		Net: n.net, Frontier: n.f, Router: n.router, Fetcher: n.fetcher, Scope: sc, Now: l.clock, LeaseFor: testLease, Leaderless: testLeaderless,
		Keep: func([]crawl.Lease) error { return nil }, Settled: func([]crawl.Outcome, []crawl.Lease) {}, Lost: func([]crawl.Outcome) {},
		Sync: func() error { return nil }, Log: slog.New(slog.DiscardHandler),
	})
	n.router.Others = n.Swarm
	n.Open()
	l.mu.Lock()
	l.owner = id
	l.mu.Unlock()
	t.Cleanup(func() {
		if err := n.f.Check(); err != nil {
			t.Errorf("Check: %v", err)
		}
		cancel()
		<-served
		db.Close()
	})
	return n
}

// say sends a message to a node in a peer's name.
func say[A any, P wire.Pointer[A]](n *node, from string, kind wire.Kind, m wire.Message) (A, error) {
	n.lab.t.Helper()
	var none A
	n.lab.mu.Lock()
	peer := n.lab.nodes[from]
	n.lab.mu.Unlock()
	if peer == nil {
		peer = &memNet{lab: n.lab, self: from}
	}
	var raw []byte
	err := n.hurried(func() (err error) {
		raw, err = peer.Call(n.lab.t.Context(), n.net.self, kind, wire.Encode(m))
		return err
	})
	if err != nil {
		return none, err
	}
	return wire.Decode[A, P](raw)
}

// hurried runs f, and has what it proposes committed at once.
func (n *node) hurried(f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }()
	for {
		select {
		case err := <-ended:
			return err
		default:
			if _, err := n.f.Propose(n.lab.t.Context()); err != nil {
				n.lab.t.Error(err)
			}
		}
	}
}

// enqueue takes URLs in as seeds.
func (n *node) enqueue(urls ...string) {
	n.lab.t.Helper()
	e := &frontier.Enqueue{}
	for _, u := range urls {
		e.Links = append(e.Links, frontier.Link{URL: u, Priority: crawl.PriorityNormal})
	}
	if _, err := n.f.Propose(n.lab.t.Context(), frontier.Entry{Enqueue: e}); err != nil {
		n.lab.t.Fatal(err)
	}
}

// sites takes n sites in with so many pages each.
func (n *node) sites(count, pages int) {
	n.lab.t.Helper()
	var urls []string
	for i := range count {
		for p := range pages {
			urls = append(urls, fmt.Sprintf("http://s%d.test/%d", i, p))
		}
	}
	n.enqueue(urls...)
}

// ask asks for leases in a peer's name.
func (n *node) ask(from string, slots int) []crawl.Lease {
	n.lab.t.Helper()
	g, err := say[wire.Grants](n, from, wire.KindAsk, &wire.Ask{Slots: uint16(slots)})
	if err != nil {
		n.lab.t.Fatalf("ask: %v", err)
	}
	var list []crawl.Lease
	for i := range g.Leases {
		l, err := g.Leases[i].Lease()
		if err != nil {
			n.lab.t.Fatal(err)
		}
		list = append(list, l)
	}
	return list
}

// report reports outcomes of a lease in a peer's name; over gives it back.
func (n *node) report(from string, l crawl.Lease, over bool, outcomes ...crawl.Outcome) error {
	w := wire.LeaseReport{Lease: l.ID, Domain: l.Domain, Over: over}
	for _, o := range outcomes {
		w.Outcomes = append(w.Outcomes, wire.OutcomeOf(o, func(crawl.Outlink) bool { return true }))
	}
	_, err := say[wire.Reported](n, from, wire.KindReport, &wire.Report{Leases: []wire.LeaseReport{w}})
	return err
}

func (n *node) totals() frontier.Totals {
	n.lab.t.Helper()
	totals, err := n.f.Totals()
	if err != nil {
		n.lab.t.Fatal(err)
	}
	return totals
}

func (n *node) info(d crawl.Domain) frontier.DomainInfo {
	n.lab.t.Helper()
	list, err := n.f.Domains("", 10_000)
	if err != nil {
		n.lab.t.Fatal(err)
	}
	for _, x := range list {
		if x.Domain == d {
			return x
		}
	}
	return frontier.DomainInfo{}
}

func (n *node) place(d crawl.Domain) frontier.Place {
	n.lab.t.Helper()
	p, err := n.f.Where(d)
	if err != nil {
		n.lab.t.Fatal(err)
	}
	return p
}

// expectLie checks that a peer was refused and charged.
func (n *node) expectLie(what, peer string, before int, err error) {
	n.lab.t.Helper()
	if !isRefused(err) {
		n.lab.t.Errorf("%s: %v, want a refusal", what, err)
	}
	if n.net.weight(peer) <= before {
		n.lab.t.Errorf("%s costs nothing", what)
	}
}

func mustURL(t *testing.T, text string) crawl.URL {
	t.Helper()
	u, err := crawl.ParseURL(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func outlink(t *testing.T, url string, depth uint8) crawl.Outlink {
	return crawl.Outlink{URL: mustURL(t, url), Depth: depth, Priority: crawl.PriorityNormal}
}

// page is an outcome of the task at an index.
func page(index int, links ...crawl.Outlink) crawl.Outcome {
	return crawl.Outcome{Index: index, Result: crawl.Fetched, Status: 200, Date: time.Now(), Took: 100 * time.Millisecond, Outlinks: links}
}

const (
	self  = "self-member"
	liar  = "liar-member"
	other = "other-member"
)
