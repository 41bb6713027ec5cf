package p2p

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p"
	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/requests"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// quickTimes let a network settle within a test.
func quickTimes() Times {
	t := LabTimes()
	t.Beat, t.Out, t.Unheard, t.Join, t.Compare = 200*time.Millisecond, 2*time.Second, 2*time.Second, 2*time.Second,
		time.Second
	return t
}

type runningNode struct {
	*Node
	cancel context.CancelFunc
	done   chan struct{}
}

func (r *runningNode) stop() {
	r.cancel()
	<-r.done
}

// start starts a node on loopback that knows the given others.
func start(t *testing.T, times Times, know ...*runningNode) *runningNode {
	t.Helper()
	return startWith(t, times, nil, 1, know...)
}

// startGated is start with a gate before the node's calls.
func startGated(t *testing.T, gate requests.Gate, know ...*runningNode) *runningNode {
	t.Helper()
	return startAs(t, quickTimes(), nil, 1, func(c *Config) { c.Gate = gate }, know...)
}

// startWith is start with more options for the host, and with so many units.
func startWith(t *testing.T, times Times, extra []libp2p.Option, units uint8, know ...*runningNode) *runningNode {
	t.Helper()
	return startAs(t, times, extra, units, func(*Config) {}, know...)
}

func startAs(
	t *testing.T, times Times, extra []libp2p.Option, units uint8, change func(*Config), know ...*runningNode,
) *runningNode {
	t.Helper()
	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	listen := ma.StringCast("/ip4/127.0.0.1/tcp/0")
	h, gater, err := peerhost.New(peerhost.Config{Key: key, Listen: []ma.Multiaddr{listen}, World: peerhost.Lab,
		Extra: extra})
	if err != nil {
		t.Fatal(err)
	}
	var doors peerhost.Peers
	for _, k := range know {
		doors.Known = append(doors.Known, peer.AddrInfo{ID: k.self, Addrs: k.cfg.Host.Addrs()})
	}
	log := slog.New(slog.DiscardHandler)
	finder, err := peerhost.NewFinder(peerhost.FinderConfig{
		Host: h, Gater: gater, World: peerhost.Lab, Role: peerhost.Member, Network: "lab-t", Bootstrap: doors, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Host: h, Key: key, Network: "lab-t", Lab: true, Capacity: func() uint8 { return units },
		Expects: len(know) > 0, Finder: finder, MayDial: gater.InterceptAddrDial, Times: times, Version: "test",
		Log: log,
	}
	for _, k := range doors.Known {
		cfg.Founders = append(cfg.Founders, k.ID)
	}
	change(&cfg)
	n, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	gater.SetBanned(n.Requests.Banned)
	n.Requests.Handle(wire.KindAct, func(_ context.Context, _ peer.ID, body []byte) ([]byte, error) {
		return body,
			nil
	})
	ctx, cancel := context.WithCancel(context.Background())
	r := &runningNode{Node: n, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		found := make(chan struct{})
		go func() { defer close(found); finder.Serve(ctx) }()
		n.Serve(ctx)
		<-found
		h.Close()
	}()
	t.Cleanup(r.stop)
	return r
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(60 * time.Second)
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func agree(nodes []*runningNode) bool {
	for _, n := range nodes {
		if n.Members.Count() != len(nodes) || n.Members.Digest() != nodes[0].Members.Digest() {
			return false
		}
		for i := range 50 {
			d := crawl.Domain(fmt.Sprintf("d%d.test", i))
			got, _ := n.Members.Owner(d)
			want, _ := nodes[0].Members.Owner(d)
			if got != want {
				return false
			}
		}
	}
	return true
}

func TestNodes_FindEachOtherAndAgreeWhoOwnsWhat(t *testing.T) {
	nodes := []*runningNode{start(t, quickTimes())}
	<-nodes[0].Joined()
	if !nodes[0].Alone() {
		t.Error("the first node does not know that it is alone")
	}
	if owner, _ := nodes[0].Members.Owner("first.test"); owner != nodes[0].Self() {
		t.Errorf("the first node has joined, and the ring gives a domain to %q", owner)
	}
	for range 4 {
		nodes = append(nodes, start(t, quickTimes(), nodes[0]))
	}
	until(t, "five members agree", func() bool { return agree(nodes) })

	answer, err := nodes[1].Requests.Call(t.Context(), nodes[4].Self(), wire.KindAct, []byte{0x81, 1})
	if err != nil || !bytes.Equal(answer, []byte{0x81, 1}) {
		t.Errorf("call to a member: % x, %v", answer, err)
	}

	// One leaves in order.
	if err := nodes[4].Leave(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	nodes[4].stop()
	who := nodes[4].Self()
	nodes = nodes[:4]
	until(t, "four members agree", func() bool { return agree(nodes) })

	// One vanishes.
	nodes[3].stop()
	vanished := nodes[3].Self()
	nodes = nodes[:3]
	until(t, "the vanished one is out", func() bool { return agree(nodes) })
	left := func(id string) bool {
		m, known := nodes[0].Members.Roster.Get(peer.ID(id))
		return known && !m.Out && m.State == roster.StateLeft
	}
	if !left(who) || left(vanished) || left(nodes[1].Self()) {
		t.Errorf("left: who left %v, who vanished %v, who is there %v", left(who), left(vanished), left(nodes[1].Self()))
	}
}

// A node that nobody can open a connection to is reached over those it opened.
func TestNodes_ReachOneThatNobodyCanDial(t *testing.T) {
	owner := start(t, quickTimes())
	<-owner.Joined()
	fetcher := startWith(t, quickTimes(), []libp2p.Option{libp2p.NoListenAddrs}, 0, owner)
	<-fetcher.Joined()
	if n := len(fetcher.cfg.Host.Network().ListenAddresses()); n != 0 {
		t.Fatalf("the fetcher listens at %d addresses", n)
	}
	body := []byte{0x81, 1}
	answer, err := owner.Requests.Call(t.Context(), fetcher.Self(), wire.KindAct, body)
	if err != nil || !bytes.Equal(answer, body) {
		t.Errorf("call to one that does not listen: % x, %v", answer, err)
	}
	if got := fetcher.Members.Count(); got != 1 {
		t.Errorf("%d owners, want the one that can be dialled", got)
	}
}

// Who restarts and finds nobody at first does not take everything for its own
// at once: the members of its last run are hardly all gone.
// Whoever loses power may do so at once: who does not remember the only other member takes everything for its own then.
func TestNode_RemembersTheFirstMembersAtOnce(t *testing.T) {
	kept := new(savedRoster)
	times := quickTimes()
	times.Save = time.Hour
	a := startAs(t, times, nil, 1, func(c *Config) { c.Store = kept })
	<-a.Joined()
	b := start(t, quickTimes(), a)
	until(t, "the other is remembered", func() bool { return kept.has(t, b.self) })
	c := start(t, quickTimes(), a)
	until(t, "the third is remembered", func() bool { return kept.has(t, b.self) && kept.has(t, c.self) })
}

// savedRoster is a store of the roster in memory.
type savedRoster struct {
	mu    sync.Mutex
	items [][]byte
}

func (s *savedRoster) LoadRoster() ([][]byte, uint64, error) { return nil, 0, nil }

func (s *savedRoster) SaveRoster(items [][]byte, _ uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = items
	return nil
}

// has reports whether a peer is remembered as one that owns domains.
func (s *savedRoster) has(t *testing.T, id peer.ID) bool {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.items, func(raw []byte) bool {
		r, err := roster.Open("lab-t", raw)
		return err == nil && r.Peer == id && r.Capacity > 0
	})
}

func TestNode_WaitsForMembersItKnew(t *testing.T) {
	a := start(t, quickTimes())
	<-a.Joined()
	b := start(t, quickTimes(), a)
	until(t, "both are members", func() bool { return a.Members.Count() == 2 && b.Members.Count() == 2 })
	known := a.Members.Roster.Export()
	b.stop()
	a.stop()

	key, _, err := crypto.GenerateEd25519Key(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := peerhost.New(peerhost.Config{Key: key,
		Listen: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/0")}, World: peerhost.Lab})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	times := quickTimes()
	times.JoinKnown = time.Hour
	n, err := New(Config{
		Host: h, Key: key, Network: "lab-t", Lab: true, Capacity: func() uint8 { return 1 }, Times: times,
		Store: keptRoster{known},
		Log:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	n.Serve(ctx)
	select {
	case <-n.Joined():
		t.Error("joined without meeting anybody")
	default:
	}
}

type keptRoster struct{ items [][]byte }

func (k keptRoster) LoadRoster() ([][]byte, uint64, error) { return k.items, 1, nil }
func (k keptRoster) SaveRoster([][]byte, uint64) error     { return nil }
