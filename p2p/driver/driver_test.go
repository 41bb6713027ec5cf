package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/group"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// recorder is a Net that keeps what is sent and charged, and fails when it is told to.
type recorder struct {
	take func(from crawl.PeerID, lane stream.Lane, packet []byte) error

	mu       sync.Mutex
	sent     []string
	fail     error
	offences map[crawl.PeerID]int
}

func (r *recorder) Receive(take func(crawl.PeerID, stream.Lane, []byte) error) { r.take = take }

func (r *recorder) Send(_ context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, fmt.Sprintf("%s %d %s", to, lane, packet))
	return r.fail
}

func (r *recorder) Offend(p crawl.PeerID, _ string, weight int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.offences == nil {
		r.offences = make(map[crawl.PeerID]int)
	}
	r.offences[p] += weight
}

func (r *recorder) setFail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail = err
}

func (r *recorder) takeSent() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.sent
	r.sent = nil
	return s
}

// counted is a store that counts its updates, and fails when it is told to.
type counted struct {
	*storage.DB
	updates atomic.Int64
	broken  atomic.Bool
}

var errBroken = errors.New("the disk is on fire")

func (c *counted) Update(fn func(*storage.Tx) error) error {
	if c.broken.Load() {
		return errBroken
	}
	c.updates.Add(1)
	return c.DB.Update(fn)
}

// lone runs a driver without others in virtual time, until test returns.
func lone(t *testing.T, set func(*Config), test func(t *testing.T, d *Driver, db *counted)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := &counted{DB: openStore(t, filepath.Join(t.TempDir(), "store"))}
		cfg := testConfig("lone", db)
		if set != nil {
			set(&cfg)
		}
		d := New(cfg)
		serve(t, d)
		await(t, "the node acts", func() bool { return put(d, "first.example") })
		test(t, d, db)
	})
}

// A member alone leads, and takes what is put, though no tick has come yet.
func TestDriver_LeadsBeforeTheFirstJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := testConfig("lone", openStore(t, filepath.Join(t.TempDir(), "store")))
		cfg.Align = func(time.Duration) time.Duration { return time.Hour }
		d := New(cfg)
		begun := time.Now()
		serve(t, d)
		if taken, took := put(d, "first.example"), time.Since(begun); !taken || took > DefaultCommitEvery {
			t.Errorf("the first item is taken: %v, after %v; want it within %v", taken, took, DefaultCommitEvery)
		}
	})
}

// After a quiet time some urgent commits may follow each other at once, in the long run one each urgentEvery.
func TestPastCommit(t *testing.T) {
	now := time.Now()
	free, waits := time.Time{}, 0
	for range urgentAhead + 2 {
		if wait := free.Sub(now); wait > 0 {
			if waits++; wait != urgentEvery {
				t.Errorf("wait %d is %v, want %v", waits, wait, urgentEvery)
			}
			now = free
		}
		free = pastCommit(free, now)
	}
	if waits != 2 {
		t.Errorf("%d of %d commits had to wait, want 2", waits, urgentAhead+2)
	}
	for range 100 { // of items, which do not ask
		now = now.Add(urgentEvery / 5)
		free = pastCommit(free, now)
	}
	if wait := free.Sub(now); wait != urgentEvery {
		t.Errorf("after many commits an urgent one waits %v, want %v", wait, urgentEvery)
	}
}

func TestDriver_ItemsShareTransactions(t *testing.T) {
	lone(t, nil, func(t *testing.T, d *Driver, db *counted) {
		const puts, gap = 200, 10 * time.Millisecond
		before := db.updates.Load()
		var all sync.WaitGroup
		for i := range puts {
			all.Go(func() {
				if !put(d, crawl.Domain(fmt.Sprintf("site%d.example", i))) {
					t.Errorf("item %d does not count", i)
				}
			})
			time.Sleep(gap)
		}
		all.Wait()
		if got, most := db.updates.Load()-before, int64(puts*gap/DefaultCommitEvery+10); got > most {
			t.Errorf("%d items took %d transactions in %v, want at most %d", puts, got, puts*gap, most)
		}
	})
}

func TestDriver_CommitMakesDurableAtOnce(t *testing.T) {
	lone(t, func(c *Config) { c.CommitEvery = 5 * time.Second }, func(t *testing.T, d *Driver, db *counted) {
		synctest.Wait()
		err := d.Do(t.Context(), func(n *group.Node) error {
			n.Put("site.example", itemsBody(stream.Item{Key: "key", Value: []byte("value of site.example")}), "", func(bool) {})
			return nil
		})
		if err != nil || has(db.DB, "site.example") {
			t.Fatalf("Do = %v, and the item is stored: %v", err, has(db.DB, "site.example"))
		}
		if err := d.Commit(t.Context()); err != nil || !has(db.DB, "site.example") {
			t.Errorf("Commit = %v, and the item is stored: %v", err, has(db.DB, "site.example"))
		}
	})
}

func TestDriver_HooksShareTheTransaction(t *testing.T) {
	var steps []string // of the driver's goroutine
	note := func(what string) { steps = append(steps, what) }
	set := func(c *Config) {
		c.BeforeCommit = func() error { note("before"); return nil }
		c.InCommit = func(tx *storage.Tx) error {
			note("in")
			b, err := tx.CreateBucketIfNotExists([]byte("test"))
			if err != nil {
				return err
			}
			return b.Put([]byte("transactions"), fmt.Appendf(nil, "%d", len(steps)))
		}
	}
	lone(t, set, func(t *testing.T, d *Driver, db *counted) {
		d.CommitSoon()
		time.Sleep(2 * DefaultCommitEvery)
		synctest.Wait()
		count := db.updates.Load()
		d.CommitSoon()
		time.Sleep(2 * DefaultCommitEvery)
		synctest.Wait()
		if got := db.updates.Load() - count; got != 1 {
			t.Errorf("CommitSoon led to %d transactions, want 1", got)
		}
		_ = d.Do(t.Context(), func(*group.Node) error {
			if len(steps) == 0 || len(steps)%2 != 0 || slices.ContainsFunc(slices.Collect(slices.Chunk(steps, 2)), func(c []string) bool { return c[0] != "before" || c[1] != "in" }) {
				t.Errorf("hooks were called in the order %v", steps)
			}
			_ = db.View(func(tx *storage.Tx) error {
				if got, want := tx.Bucket([]byte("test")).Get([]byte("transactions")), fmt.Appendf(nil, "%d", len(steps)); !bytes.Equal(got, want) {
					t.Errorf("the last transaction wrote %s, want %s", got, want)
				}
				return nil
			})
			return nil
		})
	})
}

func TestDriver_OpensAgainAfterTrouble(t *testing.T) {
	var troubles, opened atomic.Int64
	set := func(c *Config) {
		c.Opened = func(*group.Node) { opened.Add(1) }
		c.Trouble = func(err error) {
			if !errors.Is(err, errBroken) {
				t.Errorf("trouble is %v, want %v in it", err, errBroken)
			}
			troubles.Add(1)
		}
	}
	lone(t, set, func(t *testing.T, d *Driver, db *counted) {
		db.broken.Store(true)
		if put(d, "lost.example") {
			t.Error("an item counts that was not stored")
		}
		if err := d.Commit(t.Context()); err != ErrNotOpen {
			t.Errorf("Commit while the store is broken = %v, want %v", err, ErrNotOpen)
		}
		time.Sleep(time.Minute)
		db.broken.Store(false)
		await(t, "the node acts again", func() bool { return put(d, "again.example") })
		if troubles.Load() == 0 || opened.Load() != troubles.Load()+1 && opened.Load() < 2 {
			t.Errorf("%d troubles, opened %d times", troubles.Load(), opened.Load())
		}
		if !has(db.DB, "first.example") || !has(db.DB, "again.example") {
			t.Error("what counts is not there")
		}
	})
}

func TestDriver_RefusesStrangersAndBlamesForNonsense(t *testing.T) {
	net := &recorder{}
	set := func(c *Config) {
		c.Net = net
		c.Admit = func(p crawl.PeerID) bool { return p != "stranger" }
	}
	lone(t, set, func(t *testing.T, d *Driver, _ *counted) {
		if _, is := errors.AsType[*calls.Refused](net.take("stranger", stream.LaneBeat, []byte{1})); !is {
			t.Error("a stranger was not refused")
		}
		for range 3 {
			if err := net.take("member", stream.LaneBeat, []byte("nonsense")); err != nil {
				t.Errorf("a packet of a member was refused: %v", err)
			}
		}
		synctest.Wait()
		net.mu.Lock()
		defer net.mu.Unlock()
		if got := net.offences["member"]; got != 3*malformed || len(net.offences) != 1 {
			t.Errorf("offences are %v, want %d of member", net.offences, 3*malformed)
		}
	})
}

func TestDriver_AfterServeNobodyWaits(t *testing.T) {
	db := openStore(t, filepath.Join(t.TempDir(), "store"))
	d := New(testConfig("lone", db))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Serve(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Serve = %v", err)
	}
	for i := range maxJobs + 1 {
		if ok := d.DoSoon(func(*group.Node) {}); ok != (i < maxJobs) {
			t.Fatalf("DoSoon %d = %v", i, ok)
		}
	}
	for _, do := range []func(context.Context) error{d.Commit, d.Leave, d.Wake, func(ctx context.Context) error { return d.Rest(ctx, time.Second) }} {
		if err := do(t.Context()); err != ErrEnded {
			t.Errorf("after Serve: %v, want %v", err, ErrEnded)
		}
	}
}

func TestInbox_IsBoundedAndFair(t *testing.T) {
	var b inbox
	packet := make([]byte, 64<<10)
	greedy := 0
	for b.put("greedy", stream.LanePull, packet) {
		greedy += len(packet)
	}
	if greedy > maxFromOne+len(packet) {
		t.Errorf("one peer has %d bytes in the inbox, want at most %d and a packet", greedy, maxFromOne)
	}
	if !b.put("other", stream.LanePull, packet) || !b.put("greedy", stream.LaneBeat, []byte("beat")) {
		t.Error("a greedy peer keeps others out, or its own heartbeats")
	}
	total := 0
	for i := 0; b.put(crawl.PeerID(fmt.Sprint(i)), stream.LaneAct, packet); i++ {
		total += len(packet)
	}
	if total > maxLane {
		t.Errorf("%d bytes in a lane, want at most %d", total, maxLane)
	}
	all := b.take()
	if string(all[0].bytes) != "beat" || all[len(all)-1].from != "other" {
		t.Error("packets do not come in the order of lanes")
	}
	if len(b.take()) != 0 || !b.put("greedy", stream.LanePull, packet) {
		t.Error("there is no room after take")
	}
}

func TestSenders_BackOffUntilThePeerIsHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := &recorder{}
		s := newSenders(net, time.Second)
		push := func(text string) []string {
			s.push(t.Context(), "peer", stream.LaneBeat, []byte(text))
			synctest.Wait()
			return net.takeSent()
		}
		net.setFail(errors.New("cable cut"))
		push("1")
		if got := push("2"); len(got) != 0 {
			t.Errorf("sent %v though nothing arrives", got)
		}
		time.Sleep(maxBackOff)
		if got := push("3"); len(got) != 1 {
			t.Errorf("after the back-off %v were sent, want one", got)
		}
		net.setFail(nil)
		s.heard("peer", stream.LaneAct, 10)
		if got := push("4"); len(got) != 1 || got[0] != "peer 0 4" {
			t.Errorf("after the peer was heard %v were sent, want the newest", got)
		}
		if len(s.links) != 0 {
			t.Errorf("%d links are kept while nothing is sent", len(s.links))
		}
		if got, want := s.counts[stream.LaneBeat], (Traffic{Sent: 1, SentBytes: 1, Dropped: 3}); got != want {
			t.Errorf("counted %+v, want %+v", got, want)
		}
	})
}

func TestSenders_SendAgainWhileThePeerIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		net := &recorder{fail: &calls.Busy{After: time.Second}}
		s := newSenders(net, 10*time.Second)
		s.push(t.Context(), "peer", stream.LaneStream, []byte("x"))
		s.push(t.Context(), "peer", stream.LaneStream, []byte("y"))
		synctest.Wait()
		net.setFail(nil)
		s.running.Wait()
		if got, want := net.takeSent(), []string{"peer 2 x", "peer 2 x", "peer 2 y"}; !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// stuck is a Net where nothing arrives until the sender gives up.
type stuck struct{ recorder }

func (*stuck) Send(ctx context.Context, _ crawl.PeerID, _ stream.Lane, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

// Where a round trip takes longer than a beat, a heartbeat is on its way for each beat all the same. Of other lanes
// the next packet takes along what has gathered.
func TestSenders_HeartbeatsDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for lane, want := range map[stream.Lane]int{stream.LaneBeat: beatsPerSend, stream.LaneAct: 1} {
			ctx, cancel := context.WithCancel(t.Context())
			s, sent := newSenders(&stuck{}, time.Second), 0
			for ; sent < 2*beatsPerSend && !s.busy("peer", lane); sent++ {
				s.push(ctx, "peer", lane, []byte("x"))
				synctest.Wait()
			}
			if sent != want {
				t.Errorf("lane %d: %d packets were on their way at once, want %d", lane, sent, want)
			}
			cancel()
			s.running.Wait()
			if s.busy("peer", lane) {
				t.Errorf("lane %d is busy with nothing", lane)
			}
		}
	})
}

func TestSenders_QueuesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSenders(&stuck{}, time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		packet := make([]byte, 64<<10)
		for range 2 * maxQueue / len(packet) {
			s.push(ctx, "peer", stream.LanePull, packet)
		}
		s.mu.Lock()
		if l := s.links[linkKey{"peer", stream.LanePull}]; l.bytes > maxQueue || s.counts[stream.LanePull].Dropped == 0 {
			t.Errorf("%d bytes wait, want at most %d", l.bytes, maxQueue)
		}
		s.mu.Unlock()
		for i := range 2 * maxLinks {
			s.push(ctx, crawl.PeerID(fmt.Sprint(i)), stream.LaneBeat, []byte("x"))
		}
		s.mu.Lock()
		if len(s.links) > maxLinks {
			t.Errorf("%d links, want at most %d", len(s.links), maxLinks)
		}
		s.mu.Unlock()
		cancel()
		s.running.Wait()
	})
}

func TestClock_GoesOn(t *testing.T) {
	wall := time.Unix(1e9, 0)
	c := NewClock(nil, func() time.Time { return wall })
	if !c.Wall().Equal(wall) {
		t.Errorf("Wall = %v, want %v", c.Wall(), wall)
	}
	from := c.Awake()
	await(t, "time passes", func() bool { return c.Awake() > from })
	if first, second := randomBits(), randomBits(); first == second {
		t.Error("the same random bits twice")
	}
}

// pipe is a Net without a network in between.
type pipe struct {
	self  crawl.PeerID
	peers map[crawl.PeerID]*pipe
	take  func(from crawl.PeerID, lane stream.Lane, packet []byte) error
}

func (p *pipe) Receive(take func(crawl.PeerID, stream.Lane, []byte) error) { p.take = take }
func (p *pipe) Offend(crawl.PeerID, string, int)                           {}

func (p *pipe) Send(_ context.Context, to crawl.PeerID, lane stream.Lane, packet []byte) error {
	return p.peers[to].take(p.self, lane, slices.Clone(packet))
}

// slowly is a store that begins to write when the gate is open.
type slowly struct {
	*storage.DB
	gate chan struct{} // holds a token while it is open
}

func (s *slowly) Update(fn func(*storage.Tx) error) error {
	s.gate <- <-s.gate
	return s.DB.Update(fn)
}

func TestDriver_AnswersAFetcherWhenItIsDurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peers := make(map[crawl.PeerID]*pipe)
		home := &slowly{DB: openStore(t, filepath.Join(t.TempDir(), "home")), gate: make(chan struct{}, 1)}
		home.gate <- struct{}{}
		begin := func(self crawl.PeerID, db stream.Bolt) *Driver {
			peers[self] = &pipe{self: self, peers: peers}
			cfg := testConfig(self, db)
			dir := layout.NewDirectory(self)
			dir.Set([]layout.Member{{ID: "home", Units: 1}})
			cfg.Net, cfg.Node.Directory, cfg.Node.Founder = peers[self], dir, self == "home"
			return New(cfg)
		}
		h, f := begin("home", home), begin("fetcher", openStore(t, filepath.Join(t.TempDir(), "fetcher")))
		serve(t, h)
		serve(t, f)
		await(t, "the fetcher is answered", func() bool { return put(f, "first.example") })
		time.Sleep(time.Second)
		<-home.gate
		answered := make(chan bool, 1)
		go func() { answered <- put(f, "site.example") }()
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if len(answered) > 0 {
			t.Error("a put was answered before it was durable")
		}
		home.gate <- struct{}{}
		if !<-answered || !has(home.DB, "site.example") {
			t.Error("a put was not answered when it was durable")
		}
	})
}
