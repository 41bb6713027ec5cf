package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// errUndo ends a transaction of a test that shall leave nothing behind.
var errUndo = errors.New("undo")

// lived is a store with a frontier that has seen all kinds of days: first
// and later visits, holds, leases, failures, a retired domain. Each seed is lived
// through once, and copied.
func lived(t testing.TB, seed uint64) (*storage.DB, Config) {
	t.Helper()
	lives.Lock()
	defer lives.Unlock()
	l, ok := lives.of[seed]
	if !ok {
		l = live(t, seed)
		lives.of[seed] = l
	}
	path := filepath.Join(t.TempDir(), "forage.db")
	if err := os.WriteFile(path, l.file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, l.cfg
}

// lives are the stores that were lived through, by seed.
var lives = struct {
	sync.Mutex
	of map[uint64]lifetime
}{of: make(map[uint64]lifetime)}

type lifetime struct {
	file []byte
	cfg  Config
}

func live(t testing.TB, seed uint64) lifetime {
	t.Helper()
	path := filepath.Join(t.TempDir(), "forage.db")
	db, err := storage.Open(path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	cfg := Config{LogID: "self", Now: func() time.Time { return now }}
	f, err := Open(db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- f.Serve(ctx) }()
	rng := rand.New(rand.NewPCG(seed, 7))
	for step := range 150 {
		liveStep(t, f, rng, now)
		wait := rng.IntN(300)
		if step%20 == 19 {
			wait = rng.IntN(8 * 86400)
		}
		now = now.Add(time.Duration(wait) * time.Second)
		if step == 30 {
			tire(db, "d5.test")
		}
	}
	now = now.Add(24 * time.Hour)
	p, err := f.Pick(1, never)
	if err == nil {
		err = f.Wake(ctx, p) // pages that are due again
	}
	if err != nil {
		t.Fatal(err)
	}
	if p, err = f.Pick(1, never); err != nil || len(p.Grants) != 1 {
		t.Fatalf("%d domains are due, %v", len(p.Grants), err)
	}
	if _, err := f.Propose(ctx, Entry{Grant: &p.Grants[0]}); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatalf("the frontier is not healthy to begin with: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return lifetime{file, f.cfg}
}

// badAnswers are those of a site of which no page answers.
func badAnswers() (a answers) {
	for i := range answersKept {
		a.add(fmt.Sprintf("/%d", i), true, false)
	}
	return a
}

// tire makes the next failure of a domain its last for a long time.
func tire(db *storage.DB, d crawl.Domain) {
	db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		r, _, _ := b.readDomain(d)
		r.Level, r.Answers = maxLevel, badAnswers()
		return putRecord(b.domains, []byte(d), &r)
	})
}

func liveStep(t testing.TB, f *Frontier, rng *rand.Rand, now time.Time) {
	propose := func(e Entry) {
		if _, err := f.Propose(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	links := func(n int) (list []Link) {
		for range n {
			list = append(list, Link{URL: fmt.Sprintf("http://h%d.d%d.test/%d?a=%d&b=%d", rng.IntN(2), rng.IntN(6), rng.IntN(8), rng.IntN(2), rng.IntN(2)), Priority: 2})
		}
		return list
	}
	p, err := f.Pick(10, never)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Wake(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for _, g := range p.Grants {
		if rng.IntN(2) == 0 {
			propose(Entry{Grant: &g})
		}
	}
	leases, err := f.Leases()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range leases {
		for _, task := range l.Tasks[:min(len(l.Tasks), rng.IntN(8))] {
			o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: task, Result: crawl.Fetched, Status: 200, Date: now, Digest: [20]byte{byte(rng.IntN(3))}}
			if rng.IntN(3) == 0 || l.Domain == "d5.test" {
				o.Result, o.Status = crawl.Result(1+rng.IntN(11)), 500
			}
			if l.Domain == "d5.test" && rng.IntN(2) == 0 {
				o.Result = crawl.Failed
			}
			if o.Result == crawl.Deferred {
				o.Wait = time.Duration(rng.IntN(10)) * time.Hour
			}
			propose(Entry{Settle: settleOf(o, links(rng.IntN(3)))})
		}
		if rng.IntN(3) > 0 {
			propose(Entry{Release: &Release{Lease: l.ID, Domain: l.Domain}})
		}
	}
	if len(leases) == 0 || rng.IntN(10) == 0 {
		propose(Entry{Enqueue: &Enqueue{Links: links(5)}})
	}
}

func TestRepair_LeavesAHealthyFrontierAsItIs(t *testing.T) {
	var all Totals
	for seed := range uint64(4) {
		db, cfg := lived(t, seed)
		f := &Frontier{db: db, cfg: cfg}
		totals, err := f.Totals()
		if err != nil {
			t.Fatal(err)
		}
		all.Revisits += totals.Revisits
		all.Revisiting += totals.Revisiting
		all.Leases += totals.Leases
		all.Parked += totals.Parked
		before := dumpAll(t, db)
		for _, dry := range []bool{true, false} {
			mended, err := Repair(t.Context(), db, Config{LogID: "self", Now: cfg.Now}, dry)
			if err != nil || mended != nil {
				t.Errorf("seed %d, dry %v: Repair = %v, %v, want nothing", seed, dry, mended, err)
			}
		}
		if got := dumpAll(t, db); got != before {
			t.Errorf("seed %d: Repair has changed a healthy frontier", seed)
		}
	}
	if all.Revisits == 0 || all.Revisiting == 0 || all.Leases == 0 || all.Parked == 0 {
		t.Errorf("the frontiers have not seen everything: %+v", all)
	}
}

// dumpAll writes all buckets of the log.
func dumpAll(t testing.TB, db *storage.DB) (out string) {
	db.View(func(tx *storage.Tx) error {
		out = dumpTx(tx)
		return nil
	})
	return out
}

func dumpTx(tx *storage.Tx) string {
	var b strings.Builder
	log := tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
	for _, name := range bucketNames() {
		if part := log.Bucket([]byte(name)); part != nil {
			part.ForEach(func(k, v []byte) error {
				fmt.Fprintf(&b, "%s %x=%x\n", name, k, v)
				return nil
			})
		}
	}
	return b.String()
}

func bucketNames() (names []string) {
	for _, p := range new(buckets).list() {
		names = append(names, string(p.name))
	}
	slices.Sort(names)
	return names
}

// vandal damages a log at random.
type vandal struct {
	rng  *rand.Rand
	log  *storage.Bucket
	hurt map[string]bool // bucket and key
}

func (v *vandal) keys(b *storage.Bucket) (keys [][]byte) {
	b.ForEach(func(k, _ []byte) error {
		keys = append(keys, bytes.Clone(k))
		return nil
	})
	return keys
}

func (v *vandal) garbage() []byte {
	b := make([]byte, 1+v.rng.IntN(40))
	for i := range b {
		b[i] = byte(v.rng.Uint32())
	}
	return b
}

// strike damages one key or value, and says how.
func (v *vandal) strike(name string) string {
	b := v.log.Bucket([]byte(name))
	keys := v.keys(b)
	if len(keys) == 0 {
		return "nothing in " + name
	}
	key := keys[v.rng.IntN(len(keys))]
	value := bytes.Clone(b.Get(key))
	hurt := func(k []byte) { v.hurt[name+"\x00"+string(k)] = true }
	kind := v.rng.IntN(7)
	switch kind {
	case 0:
		hurt(key)
		b.Delete(key)
	case 1: // flipped bits
		hurt(key)
		if len(value) > 0 {
			value[v.rng.IntN(len(value))] ^= 1 << v.rng.IntN(8)
		}
		b.Put(key, value)
	case 2: // cut
		hurt(key)
		b.Put(key, value[:v.rng.IntN(len(value)+1)])
	case 3: // a key with flipped bits
		hurt(key)
		b.Delete(key)
		key[v.rng.IntN(len(key))] ^= 1 << v.rng.IntN(8)
		hurt(key)
		b.Put(key, value)
	case 4:
		k := v.garbage()
		hurt(k)
		b.Put(k, v.garbage())
	case 5:
		hurt(key)
		b.Put(key, b.Get(keys[v.rng.IntN(len(keys))])) // the value of another
	case 6:
		k := v.garbage()
		if v.rng.IntN(2) == 0 {
			k = key
			hurt(key)
			b.Delete(key)
		}
		b.CreateBucket(k)
	}
	return fmt.Sprintf("%d in %s at %q", kind, name, key)
}

func TestRepair_MendsAnyDamage(t *testing.T) {
	rounds := 250
	if testing.Short() {
		rounds = 20
	}
	for seed := range uint64(2) {
		db, cfg := lived(t, seed)
		for round := range rounds {
			v := &vandal{rng: rand.New(rand.NewPCG(seed, uint64(round))), hurt: make(map[string]bool)}
			err := db.Update(func(tx *storage.Tx) error {
				v.log = tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
				before := whole(tx)
				var done []string
				names := bucketNames()
				for range 1 + v.rng.IntN(30) {
					done = append(done, v.strike(names[v.rng.IntN(len(names))]))
				}
				if err := mendAndCompare(t, tx, &cfg, before, v.hurt); err != nil {
					return fmt.Errorf("%w\nafter %s", err, strings.Join(done, "\n"))
				}
				return errUndo
			})
			if err != errUndo {
				t.Fatalf("seed %d, round %d: %v", seed, round, err)
			}
		}
	}
}

// whole returns the URLs of queue and pages by bucket and key.
func whole(tx *storage.Tx) map[string]string {
	b, _ := openBuckets(tx, "self")
	urls := make(map[string]string)
	b.queue.ForEach(func(k, v []byte) error {
		if t, ok := readWhole(k, v); ok {
			urls["queue\x00"+string(k)] = t.URL.String()
		}
		return nil
	})
	b.pages.ForEach(func(k, v []byte) error {
		if _, u, ok := readPage(k, v); ok {
			urls["pages\x00"+string(k)] = u.String()
		}
		return nil
	})
	return urls
}

func mendAndCompare(t testing.TB, tx *storage.Tx, cfg *Config, before map[string]string, hurt map[string]bool) error {
	damaged := dumpTx(tx)
	dry, err := repair(t.Context(), tx, cfg, true)
	if err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	if dumpTx(tx) != damaged {
		return errors.New("a dry run has changed the log")
	}
	mended, err := repair(t.Context(), tx, cfg, false)
	if err != nil {
		return err
	}
	if (len(dry) == 0) != (len(mended) == 0) {
		return fmt.Errorf("a dry run finds %v, Repair %v", dry, mended)
	}
	f := &Frontier{cfg: *cfg}
	if err := f.checkIn(tx); err != nil {
		return fmt.Errorf("Check after %v: %w", mended, err)
	}
	if again, err := repair(t.Context(), tx, cfg, false); err != nil || again != nil {
		return fmt.Errorf("a second Repair = %v, %w", again, err)
	}
	after := make(map[string]bool)
	for place, url := range whole(tx) {
		name, _, _ := strings.Cut(place, "\x00")
		after[name+" "+url] = true
	}
	for place, url := range before {
		name, _, _ := strings.Cut(place, "\x00")
		if !hurt[place] && !after[name+" "+url] {
			return fmt.Errorf("%s has lost %s, which was whole", name, url)
		}
	}
	return nil
}

func TestRepair_SaysWhatItMends(t *testing.T) {
	db, cfg := lived(t, 3)
	for _, c := range []struct {
		name   string
		damage func(b *buckets)
		says   string
	}{
		{"a queue's task", func(b *buckets) { b.queue.Put(first(b.queue), []byte{0, 0, 'x'}) }, "damaged tasks in the queue: 1"},
		{"a page", func(b *buckets) { b.pages.Put(first(b.pages), []byte("x")) }, "damaged records of pages: 1"},
		{"a domain", func(b *buckets) { b.domains.Put(first(b.domains), []byte("x")) }, "damaged or missing records of domains: 1"},
		{"no such domain", func(b *buckets) { b.domains.Put([]byte("\x01"), []byte("x")) }, "damaged or missing records of domains: 1, made anew from queue and pages, or dropped"},
		{"a count of a domain", func(b *buckets) { b.spoilDomain(func(r *domainRecord) { r.Known += 7 }) }, "domains with wrong counts: 1"},
		{"a count beyond reason", func(b *buckets) { b.spoilDomain(func(r *domainRecord) { r.Failed = 1 << 63 }) }, "damaged or missing records of domains: 1"},
		{"a lease of the list alone", func(b *buckets) { b.leases.Put(leaseKey(77777), []byte("d1.test")) }, "leases that only the domain or only the list knew: 1"},
		{"a lease of the domain alone", func(b *buckets) { b.leases.Delete(first(b.leases)) }, "leases that only the domain or only the list knew: 1"},
		{"a block", func(b *buckets) { b.filters.Put(first(b.filters), []byte{1, 2, 3}) }, "damaged blocks of filters: 1"},
		{"a full block", func(b *buckets) { b.filters.Put(first(b.filters), fullBlock()) }, "damaged blocks of filters: 1"},
		{"no block", func(b *buckets) { b.filters.Delete(first(b.filters)) }, "known URLs missing from the filters"},
		{"a clock", func(b *buckets) { b.clocks.Put(first(b.clocks), []byte{1}) }, "damaged times of next visits: 1"},
		{"no clock", func(b *buckets) { b.dropClock([]byte("d0.test")) }, "domains without a time of the next visit: 1, left alone for a while first"},
		{"a ready host", func(b *buckets) { b.ready.Delete(first(b.ready)) }, "list of those ready: 1"},
		{"a due domain", func(b *buckets) { b.due.Delete(first(b.due)) }, "order of visits: 1"},
		{"a due time of nobody", func(b *buckets) { b.due.Put([]byte("short"), []byte{}) }, "order of visits: 1"},
		{"a planned visit", func(b *buckets) { b.later.Delete(first(b.later)) }, "whose next visit was not planned: 1"},
		{"a visit of nothing", func(b *buckets) { b.later.Put(dueKey(1, []byte("d0.test")), []byte{}) }, "visits planned of nothing that is known: 1"},
		{"a shape", func(b *buckets) { b.shapes.Put(first(b.shapes), []byte{1}) }, "counts of URLs with parameters: 1"},
		{"the head", func(b *buckets) { b.meta.Put(keyState, []byte{1}) }, "damaged head of the log: 1"},
		{"no head", func(b *buckets) { b.meta.Delete(keyState) }, "damaged head of the log: 1"},
		{"the totals", func(b *buckets) { b.spoilHead(func(m *metaRecord) { m.Totals.Known++ }) }, "wrong totals: 1"},
		{"the numbers", func(b *buckets) { b.spoilHead(func(m *metaRecord) { m.NextTask, m.NextLease = 1, 1 }) }, "wrong numbers for the next task or lease: 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := db.Update(func(tx *storage.Tx) error {
				b, err := openBuckets(tx, "self")
				if err != nil {
					return err
				}
				c.damage(&b)
				mended, err := repair(t.Context(), tx, &cfg, false)
				if err != nil {
					return err
				}
				if text := fmt.Sprint(mended); !strings.Contains(text, c.says) {
					t.Errorf("Repair = %s, want %q", text, c.says)
				}
				f := &Frontier{cfg: cfg}
				if err := f.checkIn(tx); err != nil {
					return err
				}
				return errUndo
			})
			if err != errUndo {
				t.Error(err)
			}
		})
	}
}

func first(b *storage.Bucket) []byte {
	key, _ := b.Cursor().First()
	return bytes.Clone(key)
}

func (b *buckets) spoilDomain(spoil func(*domainRecord)) {
	r, _, _ := b.readDomain("d0.test")
	spoil(&r)
	putRecord(b.domains, []byte("d0.test"), &r)
}

func (b *buckets) spoilHead(spoil func(*metaRecord)) {
	m, _ := b.readMeta()
	spoil(&m)
	putRecord(b.meta, keyState, &m)
}

// fullBlock is a block in which everything seems to be.
func fullBlock() []byte {
	block := bytes.Repeat([]byte{0xff}, 68)
	binary.BigEndian.PutUint16(block, 3)
	block[2], block[3] = 1, 1
	return block
}

// Changes are made in portions while buckets are walked through.
func TestRepair_MendsALotOfDamage(t *testing.T) {
	r := newRig(t, Config{})
	for part := range 10 {
		e := &Enqueue{}
		for i := range 1000 {
			e.Links = append(e.Links, Link{URL: fmt.Sprintf("http://a.test/%d/%d", part, i), Priority: crawl.PriorityNormal})
		}
		if _, err := r.Propose(t.Context(), Entry{Enqueue: e}); err != nil {
			t.Fatal(err)
		}
	}
	err := r.db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		if err != nil {
			return err
		}
		for _, key := range keysOf(b.filters) {
			b.filters.Delete(key)
		}
		for i, key := range keysOf(b.queue) {
			if i%2 == 0 {
				b.queue.Put(key, []byte("x"))
			}
			b.due.Put(dueKey(int64(i), key), []byte{})
			b.later.Put(dueKey(int64(i), key), []byte{})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mended, err := Repair(t.Context(), r.db, r.cfg, false)
	for _, want := range []string{
		"damaged tasks in the queue: 5000,", "known URLs missing from the filters: 5000,", "order of visits: 10000,", "nothing that is known: 10000,",
	} {
		if text := fmt.Sprint(mended); err != nil || !strings.Contains(text, want) {
			t.Errorf("Repair = %s, %v, want %q", text, err, want)
		}
	}
	r.check()
	if got := r.totals(); got.Queued != 5000 {
		t.Errorf("totals = %+v", got)
	}
}

// A domain whose last visit may have been a moment ago is left alone at first.
func TestRepair_LostClockIsNoLeaveToHurry(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	o := fetched
	o.CrawlDelay = time.Minute
	r.settle(l, l.Tasks[0], o)
	r.release(l)
	r.db.Update(func(tx *storage.Tx) error {
		b, err := openBuckets(tx, "self")
		if err != nil {
			t.Fatal(err)
		}
		return b.dropClock([]byte("a.test"))
	})
	if _, err := Repair(t.Context(), r.db, r.cfg, false); err != nil {
		t.Fatal(err)
	}
	r.advance(time.Minute - time.Second)
	if p := r.pick(); len(p.Grants) != 0 {
		t.Error("the domain is due before its crawl delay is over")
	}
	r.advance(time.Second)
	if l := r.lease(); len(l.Tasks) != 1 {
		t.Errorf("%d tasks are due, want 1", len(l.Tasks))
	}
}

// A lease that the list has lost stays: what it led to may be in the archive.
func TestRepair_LeaseIsFoundAgainByTheNextStart(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	l := r.lease()
	r.db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		return b.leases.Delete(leaseKey(l.ID))
	})
	if _, err := Repair(t.Context(), r.db, r.cfg, false); err != nil {
		t.Fatal(err)
	}
	live, err := r.Leases()
	if err != nil || len(live) != 1 || live[0].ID != l.ID || len(live[0].Tasks) != 1 {
		t.Errorf("Leases = %+v, %v", live, err)
	}
}

func TestRepair_MakesMissingBucketsAnew(t *testing.T) {
	for i, name := range bucketNames() {
		for _, inItsPlace := range []bool{false, true} {
			if testing.Short() && inItsPlace != (i%2 == 0) {
				continue // each bucket in one way
			}
			db, cfg := lived(t, 1)
			db.Update(func(tx *storage.Tx) error {
				log := tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
				log.DeleteBucket([]byte(name))
				if inItsPlace {
					log.Put([]byte(name), []byte("a value"))
				}
				return nil
			})
			if dry, err := Repair(t.Context(), db, cfg, true); err != nil || len(dry) == 0 {
				t.Errorf("without %s: dry run = %v, %v", name, dry, err)
			}
			if mended, err := Repair(t.Context(), db, cfg, false); err != nil || len(mended) == 0 {
				t.Errorf("without %s: Repair = %v, %v", name, mended, err)
			}
			f, err := Open(db, cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Check(); err != nil {
				t.Errorf("without %s: Check: %v", name, err)
			}
		}
	}
}

func TestRepair_EndsWithItsContext(t *testing.T) {
	db, cfg := lived(t, 1)
	before := dumpAll(t, db)
	db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		return b.spoil()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	spoilt := dumpAll(t, db)
	if _, err := Repair(ctx, db, cfg, false); !errors.Is(err, context.Canceled) {
		t.Errorf("Repair = %v, want context.Canceled", err)
	}
	if got := dumpAll(t, db); got != spoilt || got == before {
		t.Error("a Repair that was ended has changed something")
	}
}

func (b *buckets) spoil() error { return b.meta.Delete(keyState) }

func TestCheckBlock_PassesOnlyBlocksOfFilters(t *testing.T) {
	db, _ := lived(t, 2)
	db.Update(func(tx *storage.Tx) error {
		b, _ := openBuckets(tx, "self")
		batch := bloom.NewBatch(b.filters)
		for i := range 3000 {
			batch.Add([]byte("big.test\x00"), bloom.HashOf(fmt.Sprint(i)))
		}
		if err := batch.Flush(); err != nil {
			return err
		}
		return b.filters.ForEach(func(key, block []byte) error {
			_, path, _ := bytes.Cut(key, []byte{0})
			if err := bloom.CheckBlock(path, block); err != nil {
				t.Errorf("block %q: %v", key, err)
			}
			return nil
		})
	})
}

// Whatever the bytes of the buckets are, the log is healthy afterwards.
func FuzzRepair(f *testing.F) {
	db, cfg := lived(f, 5)
	names := bucketNames()
	f.Add([]byte{0, 0, 3, 'a', 'b', 'c', 2, 'x', 'y'})
	f.Add([]byte{3, 1, 0, 1, 0, 5, 9, 9, 9})
	f.Add([]byte("\xe1\xd7=\xca\x02ababc")) // a bucket among the records of domains
	f.Fuzz(func(t *testing.T, data []byte) {
		take := func(n int) (b []byte) {
			n = min(n, len(data))
			b, data = data[:n], data[n:]
			return b
		}
		number := func() int {
			if b := take(1); len(b) == 1 {
				return int(b[0])
			}
			return 0
		}
		db.Update(func(tx *storage.Tx) error {
			log := tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
			for len(data) > 0 {
				b := log.Bucket([]byte(names[number()%len(names)]))
				c := b.Cursor()
				how := number()
				key, value := c.Seek(take(number() % 8))
				key, value = bytes.Clone(key), bytes.Clone(value)
				switch part := take(number()); how % 4 {
				case 0:
					b.Put(part, take(number())) // an empty key is refused
				case 1:
					b.Put(append(key, part...), value)
				case 2:
					b.Put(key, append(value[:min(len(value), how/4)], part...))
				case 3:
					b.Delete(key)
					b.CreateBucket(part)
				}
			}
			if err := mendAndCompare(t, tx, &cfg, nil, nil); err != nil {
				t.Error(err)
			}
			return errUndo
		})
	})
}
