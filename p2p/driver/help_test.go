package driver

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	mrand "math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peerstore"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/codec"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/p2ptest"
	"github.com/forage-net/forage/p2p/peerhost"
	"github.com/forage-net/forage/p2p/ring"
	"github.com/forage-net/forage/p2p/shard"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// patience is how long a test waits for what has to come, in whatever time there is.
const patience = 10 * time.Minute

// await waits until cond is true.
func await(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !cond(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("gave up waiting until %s", what)
		}
	}
}

// swarm is some members that run in one process, each with a host, a store and a driver.
type swarm struct {
	t       testing.TB
	net     *p2ptest.Network // nil: on loopback
	members []*member
	wrap    func(*member, Net) Net
	config  func(*Config)
	acked   map[crawl.Domain]bool // that somebody put and was told that it counts
	domains int
}

// member is one of them.
type member struct {
	s    *swarm
	id   crawl.PeerID
	host host.Host
	sim  *p2ptest.Host
	key  crypto.PrivKey
	path string
	dir  *layout.Directory

	db      *storage.DB
	driver  *Driver
	stop    func() // ends what runs, and waits for it
	founder bool
	in      bool // it counts for the ring
	up      bool
	copies  int
}

func newSwarm(t testing.TB, net *p2ptest.Network) *swarm {
	s := &swarm{t: t, net: net, acked: make(map[crawl.Domain]bool)}
	t.Cleanup(s.close)
	return s
}

func (s *swarm) close() {
	for _, m := range s.members {
		m.halt()
		_ = m.host.Close()
	}
	s.members = nil
}

// add starts one more member and puts it on the ring.
func (s *swarm) add() *member {
	s.t.Helper()
	m := &member{s: s, path: filepath.Join(s.t.TempDir(), "store"), founder: len(s.members) == 0, in: true}
	m.newHost()
	m.id = crawl.PeerID(m.host.ID())
	m.dir = layout.NewDirectory(m.id)
	s.members = append(s.members, m)
	s.introduce()
	s.roster()
	m.start()
	return m
}

func (m *member) newHost() {
	m.s.t.Helper()
	var err error
	switch {
	case m.s.net == nil:
		if m.key == nil {
			m.key, _, err = crypto.GenerateEd25519Key(rand.Reader)
			m.s.check(err)
		}
		m.host, _, err = peerhost.New(peerhost.Config{Key: m.key, World: peerhost.Lab, Listen: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/0")}})
	case m.sim == nil:
		m.sim, err = m.s.net.NewHost()
		m.host = m.sim
	default:
		m.sim, err = m.s.net.Again(m.sim)
		m.host = m.sim
	}
	m.s.check(err)
}

func (s *swarm) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// introduce tells all hosts where the others are.
func (s *swarm) introduce() {
	for _, m := range s.members {
		for _, o := range s.members {
			if o != m {
				m.host.Peerstore().ClearAddrs(o.host.ID())
				m.host.Peerstore().AddAddrs(o.host.ID(), o.host.Addrs(), peerstore.PermanentAddrTTL)
			}
		}
	}
}

// roster tells all members who the members are.
func (s *swarm) roster() {
	var list []layout.Member
	for _, m := range s.members {
		list = append(list, layout.Member{ID: m.id, Units: 1, Out: !m.in})
	}
	for _, m := range s.members {
		m.dir.Set(list)
	}
}

func (m *member) start() {
	t := m.s.t
	t.Helper()
	var err error
	m.db, err = storage.Open(m.path, storage.Options{})
	m.s.check(err)
	c, err := calls.New(m.host, calls.Config{Network: "lab-test", Now: time.Now})
	m.s.check(err)
	net := overCalls(c)
	if m.s.wrap != nil {
		net = m.s.wrap(m, net)
	}
	cfg := testConfig(m.id, m.db)
	cfg.Node.Directory, cfg.Node.Founder, cfg.Net, cfg.Admit = m.dir, m.founder, net, m.dir.Member
	if m.s.config != nil {
		m.s.config(&cfg)
	}
	m.driver, m.founder, m.up = New(cfg), false, true
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = c.Serve(ctx) })
	running.Go(func() { _ = m.driver.Serve(ctx) })
	m.stop = func() {
		cancel()
		running.Wait()
	}
}

// halt ends a member.
func (m *member) halt() {
	if m.up {
		m.up = false
		m.stop()
		m.s.check(m.db.Close())
	}
}

// kill ends a member as the loss of power does: what it does after this moment has never been. It can be started again.
func (m *member) kill() {
	m.s.t.Helper()
	m.copies++
	last := fmt.Sprintf("%s.%d", m.path, m.copies)
	m.s.check(m.db.View(func(tx *storage.Tx) error { return tx.CopyFile(last, 0o600) }))
	if m.sim != nil {
		m.s.net.Cut(m.sim, true)
	}
	m.s.check(m.host.Close())
	m.halt()
	m.path = last
}

// restart starts a killed member again.
func (m *member) restart() {
	m.newHost()
	m.s.introduce()
	m.start()
}

func testConfig(self crawl.PeerID, db stream.Bolt) Config {
	dir := layout.NewDirectory(self)
	dir.Set([]layout.Member{{ID: self, Units: 1}})
	return Config{Store: db, Net: &recorder{}, Node: group.Config{
		Self: self, Times: shard.LabTimes, Directory: dir, Founder: true, Gap: func(crawl.Domain) time.Duration { return time.Second },
		Take: takeItems,
		Merge: func(_ crawl.Domain, _ string, a, b []byte) []byte {
			if bytes.Compare(a, b) < 0 {
				return b
			}
			return a
		},
	}}
}

// put brings an item of a domain to whoever acts for it, and reports whether it counts.
func put(d *Driver, dom crawl.Domain) bool {
	done := make(chan bool, 1)
	err := d.Do(context.Background(), func(n *group.Node) error {
		n.Put(dom, itemsBody(stream.Item{Key: "key", Value: []byte("value of " + dom)}), "", func(ok bool) { done <- ok })
		return nil
	})
	return err == nil && <-done
}

// ask asks for a lease of a domain, and reports whether it was granted.
func ask(d *Driver, dom crawl.Domain) bool {
	done := make(chan bool, 1)
	err := d.Do(context.Background(), func(n *group.Node) error {
		n.Ask(dom, "", func(l group.Lease, ok bool) { done <- ok && l.Domain == dom && n.Live(l) })
		return nil
	})
	return err == nil && <-done
}

func has(db *storage.DB, dom crawl.Domain) bool {
	found := false
	err := stream.OnBolt(db).View(func(tx stream.Tx) error {
		found = string(stream.Get(tx, dom, "key")) == "value of "+string(dom)
		return nil
	})
	return err == nil && found
}

// load puts items of n new domains, each at a member that chance takes, until all count.
func (s *swarm) load(n int) {
	s.t.Helper()
	s.loadAt(s.live(), n)
}

func (s *swarm) loadAt(live []*member, n int) {
	s.t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	end := time.Now().Add(patience)
	for range n {
		s.domains++
		dom, m := crawl.Domain(fmt.Sprintf("site%d.example", s.domains)), live[mrand.IntN(len(live))]
		all.Go(func() {
			for !put(m.driver, dom) {
				if time.Sleep(100 * time.Millisecond); time.Now().After(end) {
					s.t.Errorf("gave up putting %s", dom)
					return
				}
			}
			mu.Lock()
			defer mu.Unlock()
			s.acked[dom] = true
		})
	}
	all.Wait()
}

func (s *swarm) live() []*member {
	return slices.DeleteFunc(slices.Clone(s.members), func(m *member) bool { return !m.up })
}

func (m *member) look() (views []group.View) {
	_ = m.driver.Do(context.Background(), func(n *group.Node) error { views = n.Look(); return nil })
	return views
}

// holder returns the member that acts for a domain, nil if none does.
func (s *swarm) holder(dom crawl.Domain) *member {
	for _, m := range s.live() {
		for _, v := range m.look() {
			if v.Role == shard.Leader && slices.ContainsFunc(v.Held, func(p ring.Prefix) bool { return p.Contains(crawl.KeyOf(dom)) }) {
				return m
			}
		}
	}
	return nil
}

// wantAcked waits until everything that was acknowledged is with the member that acts for it.
func (s *swarm) wantAcked() {
	s.t.Helper()
	for _, dom := range slices.Sorted(maps.Keys(s.acked)) {
		var at *member
		await(s.t, fmt.Sprintf("somebody acts for %s", dom), func() bool { at = s.holder(dom); return at != nil })
		if !has(at.db, dom) {
			s.t.Errorf("%s was acknowledged, and who acts for it does not have it", dom)
		}
	}
}

// wantWhole waits until every member of the ring leads its shard with its whole line, and holds its keys.
func (s *swarm) wantWhole() {
	s.t.Helper()
	for _, m := range s.members {
		if !m.in {
			continue
		}
		line, own := m.dir.Line(m.dir.Mine()[0]), m.dir.Own(m.dir.Mine()[0])
		slices.Sort(line)
		await(s.t, fmt.Sprintf("%s leads its shard with its line", m.id), func() bool {
			return slices.ContainsFunc(m.look(), func(v group.View) bool {
				return v.Shard == m.dir.Mine()[0] && v.Role == shard.Leader && slices.Equal(v.Voters, line) && covered(own, v.Held)
			})
		})
	}
}

// covered reports whether every prefix is one of those held, or consists of them.
func covered(own, held []ring.Prefix) bool {
	return !slices.ContainsFunc(own, func(p ring.Prefix) bool {
		size := 0.0
		for _, q := range held {
			if q.Covers(p) {
				return false
			}
			if p.Covers(q) {
				size += 1 / float64(uint64(1)<<(q.Len-p.Len))
			}
		}
		return size < 1
	})
}

// leases asks at random members for leases of n domains, until all were granted one.
func (s *swarm) leases(live []*member, n int) {
	s.t.Helper()
	for _, dom := range slices.Sorted(maps.Keys(s.acked))[:n] {
		m := live[mrand.IntN(len(live))]
		await(s.t, fmt.Sprintf("%s has a lease", dom), func() bool { return ask(m.driver, dom) })
	}
}

// openStore opens a store that the test closes.
func openStore(t testing.TB, path string) *storage.DB {
	t.Helper()
	db, err := storage.Open(path, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// serve runs a driver until the test ends.
func serve(t testing.TB, d *Driver) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v, want %v", err, context.Canceled)
		}
	})
}

func TestMain(m *testing.M) {
	if path := os.Getenv(childStore); path != "" {
		child(path)
		return
	}
	os.Exit(m.Run())
}

// itemsBody is what is put of items.
func itemsBody(items ...stream.Item) []byte {
	w := &codec.Writer{}
	codec.WriteList(w, items, func(i stream.Item) {
		w.Text(i.Key)
		w.Bytes(i.Value)
	})
	return w.B
}

// takeItems is the reverse, as a leader does it.
func takeItems(_ group.Sender, d crawl.Domain, body []byte) ([]stream.Make, crawl.LeaseID, bool) {
	r := &codec.Reader{B: body}
	items := codec.ReadList(r, 512, func() stream.Item {
		return stream.Item{Domain: d, Key: r.Text(stream.MaxKey), Value: r.Bytes(stream.MaxValue)}
	})
	return []stream.Make{func(stream.Tx) ([]stream.Item, error) { return items, nil }}, 0, true
}
