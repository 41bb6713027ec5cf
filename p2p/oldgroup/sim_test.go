package oldgroup

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forage-net/forage/storage"
)

const testLog = "log"

// machine keeps every entry it was given, in order, below the bucket "state" of its
// log: number → entry. A copy asks for entries by number, a few at once.
type machine struct {
	bucket string
	fail   func() error // asked before an entry is applied
	mine   func(data []byte, heard time.Time, mine any)
	wiped  *int
}

var bucketState = []byte("state")

func (m *machine) state(tx *storage.Tx) (*storage.Bucket, error) {
	b, err := tx.Bucket(storage.BucketLogs).CreateBucketIfNotExists([]byte(m.bucket))
	if err != nil {
		return nil, err
	}
	return b.CreateBucketIfNotExists(bucketState)
}

func (m *machine) Apply(tx *storage.Tx, entries []Entry) error {
	for _, e := range entries {
		if err := m.apply(tx, e.Data, e.Heard, e.Mine); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) apply(tx *storage.Tx, data []byte, heard time.Time, mine any) error {
	if m.fail != nil {
		if err := m.fail(); err != nil {
			return err
		}
	}
	if m.mine != nil {
		m.mine(data, heard, mine)
	}
	b, err := m.state(tx)
	if err != nil {
		return err
	}
	n, _ := b.NextSequence()
	return b.Put(binary.BigEndian.AppendUint64(nil, n), data)
}

const piece = 40 // entries in a piece

func (m *machine) Piece(tx *storage.Tx, request []byte) ([]byte, error) {
	var w writer
	logs := tx.Bucket(storage.BucketLogs).Bucket([]byte(m.bucket))
	b := logs.Bucket(bucketState)
	if b == nil {
		w.uint(0)
		return w.b, nil
	}
	from := uint64(1)
	if len(request) == 8 {
		from = binary.BigEndian.Uint64(request)
	}
	w.uint(b.Sequence())
	for n := from; n < from+piece; n++ {
		if v := b.Get(binary.BigEndian.AppendUint64(nil, n)); v != nil {
			w.bytes(v)
		}
	}
	return w.b, nil
}

func (m *machine) Install(tx *storage.Tx, request, answer []byte) ([]byte, error) {
	r := reader{b: answer}
	last := r.uint()
	b, err := m.state(tx)
	if err != nil {
		return nil, err
	}
	from := uint64(1)
	if len(request) == 8 {
		from = binary.BigEndian.Uint64(request)
	} else {
		// Nothing of what was here is used, so that what is half there shows.
		if err := tx.Bucket(storage.BucketLogs).Bucket([]byte(m.bucket)).DeleteBucket(bucketState); err != nil {
			return nil, err
		}
		if b, err = m.state(tx); err != nil {
			return nil, err
		}
	}
	for n := from; n < from+piece && n <= last; n++ {
		if err := b.Put(binary.BigEndian.AppendUint64(nil, n), r.bytes(1<<20)); err != nil {
			return nil, err
		}
	}
	if r.failed {
		return nil, errors.New("bad piece")
	}
	if err := b.SetSequence(last); err != nil {
		return nil, err
	}
	if from+piece <= last {
		return binary.BigEndian.AppendUint64(nil, from+piece), nil
	}
	return nil, nil
}

func (m *machine) Wipe(tx *storage.Tx) error {
	if m.wiped != nil {
		*m.wiped++
	}
	b := tx.Bucket(storage.BucketLogs).Bucket([]byte(m.bucket))
	if b == nil || b.Bucket(bucketState) == nil {
		return nil
	}
	return b.DeleteBucket(bucketState)
}

// entries returns what was applied.
func entries(t testing.TB, db *storage.DB, bucket string) (list []string) {
	t.Helper()
	err := db.View(func(tx *storage.Tx) error {
		b := tx.Bucket(storage.BucketLogs).Bucket([]byte(bucket))
		if b == nil || b.Bucket(bucketState) == nil {
			return nil
		}
		return b.Bucket(bucketState).ForEach(func(_, v []byte) error {
			list = append(list, string(v))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// network is what connects the nodes of a test.
type network struct {
	t     testing.TB
	dir   string
	rand  *rand.Rand
	cfg   Config // Tick, ElectionTicks, KeepBytes
	mu    sync.Mutex
	nodes map[string]*node
	delay func() time.Duration
	lossy float64
	twice float64
	cuts  map[[2]string]bool
	seed  uint64

	packets, bytes int
	onPacket       func(from, to string, packet []byte)
	drop           func(from, to string, packet []byte) bool
	quietLog       bool
	unsure         bool // nodes that start do not know whether their files are what they were
}

// node is one node, which may be down.
type node struct {
	net    *network
	name   string
	file   string
	db     *storage.DB
	groups *Groups
	stop   context.CancelFunc
	done   chan struct{}
	up     bool
	old    string // a copy of its file, "" if there is none
	older  bool   // its file was set back before the next start

	mu      sync.Mutex
	led     []bool
	dropped int
	epochs  []Epoch
	admit   func(log, from string) bool
	fail    func() error
	mine    func(data []byte, heard time.Time, mine any)
	wiped   int
	fetch   func(fetch func() ([]byte, error)) ([]byte, error)
}

// setFetch changes what comes of what a node fetches.
func (x *node) setFetch(fn func(fetch func() ([]byte, error)) ([]byte, error)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fetch = fn
}

func newNetwork(t testing.TB, seed uint64) *network {
	return &network{
		t: t, dir: t.TempDir(), seed: seed, rand: rand.New(rand.NewPCG(seed, 1)), nodes: make(map[string]*node),
		delay: func() time.Duration { return 10 * time.Millisecond },
		cuts:  make(map[[2]string]bool),
	}
}

// repeats reports whether a packet arrives twice.
func (n *network) repeats() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.rand.Float64() < n.twice
}

// disturb makes packets get lost, or arrive twice.
func (n *network) disturb(lossy, twice float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lossy, n.twice = lossy, twice
}

// watch calls fn for every packet from now on, nil for none.
func (n *network) watch(fn func(from, to string, packet []byte)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.onPacket = fn
}

// dropIf makes packets get lost for which fn returns true.
func (n *network) dropIf(fn func(from, to string, packet []byte) bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.drop = fn
}

// sent returns how many packets and bytes were sent.
func (n *network) sent() (packets, bytes int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.packets, n.bytes
}

func (n *network) sleep() {
	n.mu.Lock()
	d := n.delay()
	n.mu.Unlock()
	time.Sleep(d)
}

// reach returns the node that a packet reaches, nil if it is lost.
func (n *network) reach(from, to string) *node {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.rand.Float64() < n.lossy || n.cuts[[2]string{from, to}] {
		return nil
	}
	return n.nodes[to]
}

var errUnreachable = errors.New("not reached")

// bring calls fn for the node that is called.
func (n *network) bring(ctx context.Context, from, to string, packet []byte, fn func(to *node, packet []byte) ([]byte, error)) ([]byte, error) {
	n.mu.Lock()
	n.packets++
	n.bytes += len(packet)
	hook := n.onPacket
	dropped := n.drop != nil && n.drop(from, to, packet)
	source := n.nodes[from]
	n.mu.Unlock()
	if !source.isUp() { // it has crashed, and what runs on of it reaches nobody
		time.Sleep(50 * time.Millisecond)
		return nil, errUnreachable
	}
	if hook != nil {
		hook(from, to, packet)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	n.sleep()
	target := n.reach(from, to)
	if dropped || target == nil || !target.isUp() {
		time.Sleep(50 * time.Millisecond)
		return nil, errUnreachable
	}
	if n.repeats() {
		fn(target, bytes.Clone(packet))
	}
	own := bytes.Clone(packet)
	answer, err := fn(target, own)
	clear(own) // nothing of a packet may be kept
	n.sleep()
	if n.reach(to, from) == nil {
		return nil, errUnreachable
	}
	n.mu.Lock()
	n.bytes += len(answer)
	n.mu.Unlock()
	return bytes.Clone(answer), err
}

// cut breaks or mends the way between two nodes, both ways.
func (n *network) cut(a, b string, broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts[[2]string{a, b}], n.cuts[[2]string{b, a}] = broken, broken
}

// isolate cuts a node from all others.
func (n *network) isolate(name string, broken bool) {
	for _, o := range n.names() {
		if o != name {
			n.cut(name, o, broken)
		}
	}
}

func (n *network) names() (names []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name := range n.nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// add makes nodes and starts them.
func (n *network) add(names ...string) {
	n.t.Helper()
	for _, name := range names {
		x := &node{net: n, name: name, file: filepath.Join(n.dir, name)}
		n.mu.Lock()
		n.nodes[name] = x
		n.mu.Unlock()
		x.start()
	}
}

func (n *network) node(name string) *node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.nodes[name]
}

func (x *node) isUp() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.up
}

// start opens the store, and all logs in it.
func (x *node) start() {
	t := x.net.t
	t.Helper()
	db, err := storage.Open(x.file, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg := x.net.cfg
	cfg.DB, cfg.Self = db, x.name
	cfg.Call = func(ctx context.Context, to string, packet []byte) ([]byte, error) {
		return x.net.bring(ctx, x.name, to, packet, func(n *node, packet []byte) ([]byte, error) {
			return n.served().Deliver(ctx, x.name, packet)
		})
	}
	cfg.Fetch = func(ctx context.Context, to string, request []byte) ([]byte, error) {
		fetch := func() ([]byte, error) {
			return x.net.bring(ctx, x.name, to, request, func(n *node, request []byte) ([]byte, error) {
				return n.served().GivePiece(ctx, x.name, request)
			})
		}
		x.mu.Lock()
		change := x.fetch
		x.mu.Unlock()
		if change != nil {
			return change(fetch)
		}
		return fetch()
	}
	cfg.Admit = func(log, from string) (string, Machine, bool) {
		x.mu.Lock()
		ok := x.admit == nil || x.admit(log, from)
		x.mu.Unlock()
		return log, x.machine(log), ok
	}
	cfg.Led = func(g *Group, leads bool) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.led = append(x.led, leads)
	}
	cfg.Dropped = func(*Group) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.dropped++
	}
	cfg.Epoch = func(_, _ string, e Epoch) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.epochs = append(x.epochs, e)
	}
	if !x.net.quietLog {
		cfg.Log = slog.New(slog.NewTextHandler(testLogger{t, x.name}, &slog.HandlerOptions{Level: logLevel()}))
	}
	cfg.Unsure = true
	groups := New(cfg)
	logs, err := List(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range logs {
		if _, err := groups.Open(l.Log, l.Bucket, x.machine(l.Bucket)); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		groups.Serve(ctx)
	}()
	for !groups.spawn(func(context.Context) {}) {
		time.Sleep(time.Millisecond)
	}
	if x.older {
		if err := groups.SetBack(); err != nil {
			t.Fatal(err)
		}
		x.older = false
	}
	if !x.net.unsure {
		groups.Sure()
	}
	x.mu.Lock()
	x.db, x.groups, x.stop, x.done, x.up = db, groups, stop, done, true
	x.mu.Unlock()
}

func (x *node) machine(bucket string) Machine {
	return &machine{bucket: bucket, wiped: &x.wiped,
		fail: func() error {
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.fail == nil {
				return nil
			}
			return x.fail()
		},
		mine: func(data []byte, heard time.Time, mine any) {
			x.mu.Lock()
			defer x.mu.Unlock()
			if x.mine != nil {
				x.mine(data, heard, mine)
			}
		}}
}

// shut ends a node in good order.
func (x *node) shut() {
	x.mu.Lock()
	up := x.up
	x.up = false
	x.mu.Unlock()
	if !up {
		return
	}
	x.stop()
	<-x.done
	x.db.Close()
}

// crash ends a node as a power cut does: what it does from now on is not in its file.
func (x *node) crash() {
	x.net.t.Helper()
	x.mu.Lock()
	x.up = false
	x.mu.Unlock()
	copyOf := x.file + ".copy"
	// A transaction that is being committed would be torn in the copy, which bbolt
	// survives on disks that write in order, but not in copies.
	err := x.db.Update(func(*storage.Tx) error { return copyFile(copyOf, x.file) })
	if err != nil {
		x.net.t.Fatal(err)
	}
	x.stop()
	<-x.done
	x.db.Close()
	if err := os.Rename(copyOf, x.file); err != nil {
		x.net.t.Fatal(err)
	}
}

// wipe makes a node that is down lose its disk.
func (x *node) wipe() {
	if err := os.Remove(x.file); err != nil {
		x.net.t.Fatal(err)
	}
}

// keepOld keeps a copy of the file of a node that is down.
func (x *node) keepOld() {
	x.old = x.file + ".old"
	if err := copyFile(x.old, x.file); err != nil {
		x.net.t.Fatal(err)
	}
}

// setBack makes the file of a node that is down what it was before.
func (x *node) setBack() {
	if err := copyFile(x.file, x.old); err != nil {
		x.net.t.Fatal(err)
	}
	x.older = true
}

func copyFile(to, from string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o600)
}

// close ends all nodes.
func (n *network) close() {
	for _, name := range n.names() {
		n.node(name).shut()
	}
}

// served is what the node's latest start serves.
func (x *node) served() *Groups {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.groups
}

func (x *node) group() *Group { return x.served().Get(testLog) }

func (x *node) ledLog() []bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Clone(x.led)
}

func logLevel() slog.Level {
	if os.Getenv("GROUP_DEBUG") != "" {
		return slog.LevelDebug
	}
	return slog.LevelWarn
}

// testLogger writes to the log of a test, and fails it for what must not happen.
type testLogger struct {
	t    testing.TB
	name string
}

func (l testLogger) Write(b []byte) (int, error) {
	if strings.Contains(string(b), "level=ERROR") && !strings.Contains(string(b), "database not open") {
		l.t.Errorf("%s: %s", l.name, b)
	} else if os.Getenv("GROUP_DEBUG") != "" {
		fmt.Printf("%s %s: %s", time.Now().Format("05.000"), l.name, b)
	}
	return len(b), nil
}

// simulate runs a test in virtual time on a network.
func simulate(t *testing.T, fn func(t *testing.T, n *network)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, 1)
		defer n.close()
		fn(t, n)
	})
}

// found makes the first node's log, and the others its members: voters.
func (n *network) found(names ...string) {
	n.t.Helper()
	n.add(names...)
	g, err := n.node(names[0]).groups.Create(testLog, testLog, n.node(names[0]).machine(testLog))
	if err != nil {
		n.t.Fatal(err)
	}
	for _, peer := range names[1:] {
		n.join(g, peer)
	}
}

// join makes a peer a voter.
func (n *network) join(g *Group, peer string) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := g.Add(ctx, peer); err != nil {
		n.t.Fatal(err)
	}
	n.await(time.Minute, "learner has everything", func() bool {
		st := g.Status()
		for _, m := range st.Members {
			if m.Peer == peer {
				return m.Matched == st.Last
			}
		}
		return false
	})
	if err := g.Promote(ctx, peer); err != nil {
		n.t.Fatal(err)
	}
}

// await waits until something is so.
func (n *network) await(most time.Duration, what string, is func() bool) {
	n.t.Helper()
	for end := time.Now().Add(most); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			for _, name := range n.names() {
				if x := n.node(name); x.isUp() && x.group() != nil {
					n.t.Logf("%s: %+v", name, x.group().Status())
				}
			}
			n.t.Fatalf("after %v: not %s", most, what)
		}
	}
}

// leader waits for a leader.
func (n *network) leader(most time.Duration) (x *node) {
	n.t.Helper()
	n.await(most, "a leader", func() bool {
		x = nil
		for _, name := range n.names() {
			if y := n.node(name); y.isUp() && y.group() != nil && y.group().Leads() {
				x = y
			}
		}
		return x != nil
	})
	return x
}

func (x *node) propose(data string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return x.group().Propose(ctx, []byte(data), nil)
}

// same waits until nodes have the same entries, and returns them.
func (n *network) same(names ...string) (list []string) {
	n.t.Helper()
	n.await(5*time.Minute, "the same entries everywhere", func() bool {
		list = entries(n.t, n.node(names[0]).db, testLog)
		for _, name := range names[1:] {
			x := n.node(name)
			if !slices.Equal(entries(n.t, x.db, testLog), list) || x.group() == nil || x.group().Status().Copying {
				return false
			}
		}
		return true
	})
	return list
}
