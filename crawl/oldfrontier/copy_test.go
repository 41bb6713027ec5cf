package frontier

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// copier copies the state of one log into another store, and counts what travels.
type copier struct {
	t              testing.TB
	from, to       *Frontier
	trips          int
	up, down, most int // bytes
	// stop, if not 0, ends the copy after as many answers.
	stop int
}

// run reports whether the copy is whole.
func (c *copier) run() bool {
	c.t.Helper()
	whole := false
	err := c.from.db.View(func(source *storage.Tx) error {
		var request []byte
		for {
			answer, err := c.from.Piece(source, request)
			if err != nil {
				return err
			}
			if len(request) > MaxCopyRequest || len(answer) > copyAnswerBytes+copyItemBytes {
				return fmt.Errorf("request of %d bytes, answer of %d", len(request), len(answer))
			}
			c.trips++
			c.up, c.down, c.most = c.up+len(request), c.down+len(answer), max(c.most, len(answer))
			err = c.to.db.Update(func(tx *storage.Tx) (err error) {
				request, err = c.to.Install(tx, request, answer)
				return err
			})
			if err != nil {
				return err
			}
			if whole = request == nil; whole || c.trips == c.stop {
				return nil
			}
			if c.trips > 100_000 {
				return fmt.Errorf("the copy does not end")
			}
		}
	})
	if err != nil {
		c.t.Fatalf("after %d answers: %v", c.trips, err)
	}
	return whole
}

// ownBuckets are not replicated.
var ownBuckets = []string{"clocks", "due", "later", "ready", "slottimes"}

// dumpShared writes all that members of a log share, by bucket.
func dumpShared(t testing.TB, f *Frontier) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := f.db.View(func(tx *storage.Tx) error {
		log := tx.Bucket(storage.BucketLogs).Bucket([]byte(f.cfg.LogID))
		for _, name := range bucketNames() {
			if slices.Contains(ownBuckets, name) {
				continue
			}
			var b strings.Builder
			log.Bucket([]byte(name)).ForEach(func(k, v []byte) error {
				fmt.Fprintf(&b, "%q=%x,%v\n", k, v, v == nil)
				return nil
			})
			out[name] = b.String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameShared finds fault with a copy.
func sameShared(t testing.TB, from, to *Frontier) {
	t.Helper()
	want, got := dumpShared(t, from), dumpShared(t, to)
	for name := range want {
		if got[name] != want[name] {
			a, b := strings.Split(want[name], "\n"), strings.Split(got[name], "\n")
			for i := range min(len(a), len(b)) {
				if a[i] != b[i] {
					t.Errorf("bucket %s: %.200s, want %.200s", name, b[i], a[i])
					break
				}
			}
			t.Fatalf("bucket %s: %d keys, want %d", name, len(b), len(a))
		}
	}
}

// mustCopy copies and compares.
func mustCopy(t testing.TB, from, to *Frontier) *copier {
	t.Helper()
	c := &copier{t: t, from: from, to: to}
	c.run()
	sameShared(t, from, to)
	if err := to.Check(); err != nil {
		t.Fatalf("Check of the copy: %v", err)
	}
	mended, err := Repair(t.Context(), to.db, to.cfg, true)
	if err != nil {
		t.Fatal(err)
	}
	if wrong, err := Repair(t.Context(), from.db, from.cfg, true); err != nil || fmt.Sprint(mended) != fmt.Sprint(wrong) {
		t.Fatalf("Repair would do %v to the copy, %v to the source, %v", mended, wrong, err)
	}
	return c
}

// emptyLog is a log that nothing has happened to. Nobody serves it.
func emptyLog(t testing.TB, cfg Config) *Frontier {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "forage.db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	cfg.LogID = "self"
	f, err := Open(db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// reopened is the log of a store, served by nobody.
func reopened(t testing.TB, db *storage.DB, cfg Config) *Frontier {
	t.Helper()
	f, err := Open(db, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestCopy_MakesAnyStoreEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		db, cfg := lived(t, seed)
		from := reopened(t, db, cfg)
		t.Run(fmt.Sprint(seed, " empty"), func(t *testing.T) { mustCopy(t, from, emptyLog(t, cfg)) })
		t.Run(fmt.Sprint(seed, " foreign"), func(t *testing.T) {
			other, otherCfg := lived(t, seed+100)
			mustCopy(t, from, reopened(t, other, otherCfg))
		})
		t.Run(fmt.Sprint(seed, " in small pieces"), func(t *testing.T) {
			for piece := range 3 {
				other, otherCfg := lived(t, seed+200)
				to := reopened(t, other, otherCfg)
				to.cfg.piece = 1 + piece // two keys at a time, four, six
				mustCopy(t, from, to)
			}
		})
		t.Run(fmt.Sprint(seed, " broken off"), func(t *testing.T) {
			to := emptyLog(t, cfg)
			for i := range 6 {
				(&copier{t: t, from: from, to: to, stop: 1 + i}).run()
			}
			mustCopy(t, from, to)
		})
		t.Run(fmt.Sprint(seed, " half wiped"), func(t *testing.T) {
			other, otherCfg := lived(t, seed)
			to := reopened(t, other, otherCfg)
			for range 10 {
				room := rng.IntN(400)
				to.db.Update(func(tx *storage.Tx) error { _, err := to.WipePart(tx, &room); return err })
				mustCopy(t, from, to)
			}
		})
		t.Run(fmt.Sprint(seed, " damaged"), func(t *testing.T) {
			other, otherCfg := lived(t, seed)
			to := reopened(t, other, otherCfg)
			if seed == 1 {
				to.cfg.piece = 2
			}
			damageAndCopy(t, from, to, rng)
		})
	}
}

// damageAndCopy damages what is in a store, and wants a copy to be right nevertheless. What
// is damaged behind the record of a domain that is the same is not looked at, so they are all lost.
func damageAndCopy(t *testing.T, from, to *Frontier, rng *rand.Rand) {
	for round := range 20 {
		v := &vandal{rng: rng, hurt: make(map[string]bool)}
		err := to.db.Update(func(tx *storage.Tx) error {
			v.log = tx.Bucket(storage.BucketLogs).Bucket([]byte("self"))
			for _, name := range bucketNames() {
				for range rng.IntN(5) {
					v.strike(name)
				}
			}
			domains, later := v.log.Bucket([]byte("domains")), v.log.Bucket([]byte("later"))
			for _, key := range v.keys(domains) {
				if err := dropKey(domains, key); err != nil {
					return err
				}
			}
			if round%2 == 0 {
				return nil
			}
			pages := v.log.Bucket([]byte("pages")) // their visits are planned when they come
			for _, key := range append(v.keys(later), v.keys(pages)...) {
				if err := dropKey(later, key); err != nil {
					return err
				}
				if err := dropKey(pages, key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		(&copier{t: t, from: from, to: to}).run()
		sameShared(t, from, to)
		if err := to.Check(); err != nil {
			t.Fatalf("round %d: Check of the copy: %v", round, err)
		}
	}
}

func TestCopy_OfMoves(t *testing.T) {
	r := moving(t)
	rng := rand.New(rand.NewPCG(8, 8))
	from := reopened(t, r.db, r.cfg)
	to := emptyLog(t, r.cfg)
	mustCopy(t, from, to)
	for range 10 {
		room := rng.IntN(60)
		to.db.Update(func(tx *storage.Tx) error { _, err := to.WipePart(tx, &room); return err })
		(&copier{t: t, from: from, to: to, stop: rng.IntN(5)}).run()
		mustCopy(t, from, to)
	}
}

// The members of a swarm are copied at any time, into stores that were copies of
// themselves or of each other some time before.
func TestCopy_OfASwarm(t *testing.T) {
	for seed := range uint64(3) {
		s := newSwarm(t, seed, 3, seed%2 == 0)
		stale := emptyLog(t, Config{Now: s.members[0].clock, Revisit: s.cfg.Revisit, Politeness: s.cfg.Politeness})
		fresh := emptyLog(t, stale.cfg)
		stale.cfg.piece = 1 + int(seed)
		for step := range 240 {
			s.step()
			if step%12 != 0 {
				continue
			}
			i := s.any()
			if s.rnd.IntN(2) == 0 {
				i = 0
			}
			from := s.members[i].Frontier
			if s.rnd.IntN(3) == 0 {
				(&copier{t: t, from: from, to: stale, stop: 1 + s.rnd.IntN(6)}).run()
				continue
			}
			c := &copier{t: t, from: from, to: stale}
			c.run()
			sameShared(t, from, stale)
			if err := stale.Check(); err != nil {
				t.Fatalf("seed %d, step %d: Check of the copy: %v", seed, step, err)
			}
			if step%60 == 0 {
				mustCopy(t, stale, fresh) // a copy of a copy
			}
		}
	}
}

// tape is a log that is played again.
type tape struct {
	alone
	data [][]byte
}

func (l *tape) Propose(ctx context.Context, data []byte, mine any) error {
	l.data = append(l.data, data)
	return l.alone.Propose(ctx, data, mine)
}

// changesOf are steps of a log of which everything may happen to a domain.
type changesOf struct {
	*rig
	src *rig
	log *tape
	rng *rand.Rand
	n   uint64 // moves begun
}

func newChanges(t *testing.T, seed uint64) *changesOf {
	cfg := Config{Owns: func(d crawl.Domain) bool { return d != "d3.test" }, piece: 3, Revisit: Revisit{First: time.Hour}}
	c := &changesOf{rig: newRig(t, cfg), src: newRig(t, Config{}), rng: rand.New(rand.NewPCG(seed, 3))}
	c.log = &tape{alone: alone{c.Frontier}}
	c.Frontier.log = c.log
	return c
}

func (c *changesOf) domain() crawl.Domain {
	return crawl.Domain(fmt.Sprintf("d%d.test", c.rng.IntN(4)))
}

// step does one thing, and waits for what it leaves to do.
func (c *changesOf) step() {
	defer func() {
		for c.chores.Load() {
			c.propose()
		}
	}()
	switch n := c.rng.IntN(40); {
	case n < 24:
		c.propose(randomEntry(c.rig, c.rng))
	case n < 30:
		c.arrive()
	case n < 31:
		c.propose(Entry{Close: &Close{Domains: names(c.domain()), To: "dst"}})
	case n < 33:
		c.depart()
	case n < 35:
		c.late()
	case n < 36:
		c.propose(Entry{Slot: &Slot{Address: fmt.Sprintf("192.0.2.%d", c.rng.IntN(5)), Lease: crawl.LeaseID(1 + c.rng.IntN(9)), Domain: c.domain(), For: time.Minute}})
	case n < 37:
		c.propose(Entry{Forget: &Forget{Domains: names(c.domain())}})
	default:
		c.advance(time.Duration(c.rng.IntN(100)) * time.Minute)
		p := c.pick()
		if err := c.Wake(c.t.Context(), p); err != nil {
			c.t.Fatal(err)
		}
		for _, l := range p.Lapsed {
			c.propose(Entry{Release: &l.Release})
		}
	}
}

// arrive moves a domain here, or begins to.
func (c *changesOf) arrive() {
	d := c.domain()
	c.src.enqueue(fmt.Sprintf("http://h0.%s/%d", d, c.rng.IntN(1000)), fmt.Sprintf("http://h1.%s/%d", d, c.rng.IntN(1000)))
	if c.src.where(d).State == StateOpen {
		c.n++
		c.src.propose(Entry{Close: &Close{Domains: names(d), To: "dst", N: c.n}})
	}
	p := c.src.where(d)
	if p.State != StateClosing {
		return
	}
	mv, err := c.Arrival("src", p.N)
	if err != nil {
		c.t.Fatal(err)
	}
	switch {
	case mv.State == MoveOpened:
		c.src.propose(Entry{Gone: &Gone{Domains: names(d), To: "dst", N: p.N}}, Entry{Forget: &Forget{Domains: names(d)}})
	case mv.State == MoveDeclined:
		c.src.propose(Entry{Reopen: &Reopen{Domains: names(d), N: p.N}})
	case mv.State == MoveNone || c.rng.IntN(3) == 0:
		c.sendAll(d, p.N, mv.Seq)
	case c.rng.IntN(3) == 0:
		c.propose(Entry{Abort: &Abort{From: "src", N: p.N}})
	default:
		c.propose(Entry{Opened: &Opened{From: "src", N: p.N, Chunks: mv.Seq}})
	}
}

func (c *changesOf) sendAll(d crawl.Domain, n, seq uint64) {
	items, _, _, err := c.src.Export(c.t.Context(), d, nil, MaxChunk)
	if err != nil {
		c.t.Fatal(err)
	}
	c.propose(Entry{Chunk: &Chunk{From: "src", N: n, Seq: seq + 1, Items: items}})
}

// depart ends a move away.
func (c *changesOf) depart() {
	list, err := c.Closing("", 10)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, d := range list {
		e := Entry{Gone: &Gone{Domains: names(d.Domain), To: d.To, N: d.N}}
		if c.rng.IntN(2) == 0 {
			e = Entry{Reopen: &Reopen{Domains: names(d.Domain), N: d.N}}
		}
		c.propose(e)
	}
}

// late settles tasks that nobody holds: they fail and are put back.
func (c *changesOf) late() {
	var key, url string
	c.view(func(b *buckets) error {
		k, v := b.queue.Cursor().Seek([]byte(c.domain()))
		if k != nil {
			key, url = string(k), string(v[2:])
		}
		return nil
	})
	if key == "" {
		return
	}
	d, _ := splitHostKey([]byte(key))
	c.propose(Entry{Settle: &Settle{Lease: 1 << 40, Domain: d, Task: []byte(key), URL: url, Result: crawl.Failed}})
}

// replay applies what was proposed since the last call.
func (c *changesOf) replay(to *Frontier) {
	c.t.Helper()
	for _, data := range c.log.data {
		if err := to.db.Update(func(tx *storage.Tx) error { return to.Apply(tx, LogEntry{Data: data}) }); err != nil {
			c.t.Fatal(err)
		}
	}
	c.log.data = nil
}

func TestCopy_GoesOnAsTheOthers(t *testing.T) {
	var all Totals
	for seed := range uint64(4) {
		c := newChanges(t, seed)
		to := emptyLog(t, c.cfg)
		copied := false
		for step := range 250 {
			c.step()
			switch {
			case c.rng.IntN(25) == 0:
				c.log.data = nil // what the copy misses
				mustCopy(t, c.Frontier, to)
				copied = true
			case copied:
				c.replay(to)
				sameShared(t, c.Frontier, to)
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d", seed, step)
			}
		}
		n := c.totals()
		all.Fetched, all.Queued, all.Outbox, all.Revisits = all.Fetched+n.Fetched, all.Queued+n.Queued, all.Outbox+n.Outbox, all.Revisits+n.Revisits
	}
	if all.Fetched == 0 || all.Queued == 0 || all.Outbox == 0 || all.Revisits == 0 {
		t.Errorf("the logs have not seen everything: %+v", all)
	}
}

// contents returns the index of each domain, and a hash of all that members share of it.
func contents(t testing.TB, f *Frontier) (index map[crawl.Domain]uint64, sums map[crawl.Domain]string) {
	index, sums = make(map[crawl.Domain]uint64), make(map[crawl.Domain]string)
	err := f.view(func(b *buckets) error {
		return b.domains.ForEach(func(key, _ []byte) error {
			d := crawl.Domain(key)
			r, _, err := b.readDomain(d)
			if err != nil {
				return err
			}
			index[d] = r.Index
			h := sha256.New()
			for p := partShapes; p <= partQueue; p++ {
				p.walk(b, hostKey(d, ""), nil, nil, func(key, value []byte) bool {
					hashPair(h, key, value)
					return true
				})
			}
			r.Index = 0
			raw, err := encode.Marshal(r)
			hashPair(h, nil, raw)
			sums[d] = string(h.Sum(nil))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return index, sums
}

func TestIndex_GrowsWithEveryChangeOfADomainAndNoOther(t *testing.T) {
	changed, kept := 0, 0
	for seed := range uint64(4) {
		c := newChanges(t, seed+50)
		index, sums := contents(t, c.Frontier)
		for step := range 250 {
			c.step()
			nowIndex, nowSums := contents(t, c.Frontier)
			for d, n := range nowIndex {
				was, known := index[d]
				switch same := nowSums[d] == sums[d]; {
				case !known || !same:
					changed++
					if n <= was {
						t.Fatalf("seed %d, step %d: %s has changed, its index is %d, was %d", seed, step, d, n, was)
					}
				case n == was:
					kept++
				}
			}
			index, sums = nowIndex, nowSums
		}
	}
	if changed < 200 || kept < changed {
		t.Errorf("%d changes, and %d domains that did not change", changed, kept)
	}
}

// A move comes and goes in pieces, each of which may change pages or filters alone.
func TestIndex_GrowsWithEveryPieceOfAMove(t *testing.T) {
	for _, end := range []Entry{{Opened: &Opened{From: "src", N: 1}}, {Abort: &Abort{From: "src", N: 1}}} {
		src, r := newRig(t, Config{}), newRig(t, Config{})
		r.advance(day) // what both have visited, it has visited later
		for i := range 8 {
			for _, on := range []*rig{src, r} {
				on.enqueue(fmt.Sprintf("http://a.test/%d", i), fmt.Sprintf("http://a.test/more/%d", i))
				l := on.lease()
				on.settle(l, l.Tasks[0], on.at(page(1)))
				on.release(l)
				on.advance(time.Hour)
			}
		}
		src.propose(Entry{Close: &Close{Domains: names("a.test"), To: "dst"}})
		r.stop()
		db, err := storage.Open(r.path, storage.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		f := reopened(t, db, r.cfg)
		f.cfg.piece = 2
		index, sums := contents(t, f)
		pieces := 0
		apply := func(e Entry) (a Applied) {
			err := f.db.Update(func(tx *storage.Tx) error {
				m, err := newMachine(tx, &f.cfg)
				if err == nil {
					a, err = m.applyOne(e)
				}
				if err == nil {
					err = m.flush()
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			nowIndex, nowSums := contents(t, f)
			if nowSums["a.test"] != sums["a.test"] {
				pieces++
				if nowIndex["a.test"] <= index["a.test"] {
					t.Errorf("%+v: the domain has changed, its index is %d, was %d", a, nowIndex["a.test"], index["a.test"])
				}
			}
			index, sums = nowIndex, nowSums
			return a
		}
		var cursor []byte
		seq, done := uint64(0), false
		for !done {
			var items [][]byte
			if items, cursor, done, err = src.Export(t.Context(), "a.test", cursor, 1); err != nil {
				t.Fatal(err)
			}
			for seq++; apply(Entry{Chunk: &Chunk{From: "src", N: 1, Seq: seq, Items: items}}).Again; {
			}
		}
		if end.Opened != nil {
			end.Opened.Chunks = seq
		}
		for apply(end).Again {
		}
		if pieces < 30 {
			t.Errorf("%d pieces have changed the domain", pieces)
		}
	}
}

// manyDomains is a log of n domains of some URLs each.
func manyDomains(t testing.TB, n, urls int) *Frontier {
	f := emptyLog(t, Config{Budget: Budget{Base: 1 << 30, Most: 1 << 30}})
	var entries []Entry
	made := uint64(0)
	apply := func() {
		w := newPacker(0, nil)
		if err := w.proposal(entries); err != nil {
			t.Fatal(err)
		}
		raw, err := new(batches).encode(w, &metaRecord{Entries: made}, false)
		made++
		if err == nil {
			err = f.db.Update(func(tx *storage.Tx) error { return f.Apply(tx, LogEntry{Data: raw}) })
		}
		if err != nil {
			t.Fatal(err)
		}
		entries = nil
	}
	for d := range n {
		e := &Enqueue{}
		for u := range urls {
			e.Links = append(e.Links, Link{URL: fmt.Sprintf("https://www.domain-%05d.test/section/%d/article-with-a-name-%d.html", d, u%50, u), Depth: 2, Priority: 2})
			if len(e.Links) == 4000 {
				entries = append(entries, Entry{Enqueue: e})
				apply()
				e = &Enqueue{}
			}
		}
		entries = append(entries, Entry{Enqueue: e})
		if len(entries) >= 200 {
			apply()
		}
	}
	apply()
	return f
}

func enqueueIn(t testing.TB, f *Frontier, url string) {
	t.Helper()
	applyIn(t, f, Entry{Enqueue: &Enqueue{Links: []Link{{URL: url, Priority: 2}}}})
}

// applyIn applies an entry to a log that nobody serves, and returns what became of it.
func applyIn(t testing.TB, f *Frontier, e Entry) (a Applied) {
	t.Helper()
	err := f.db.Update(func(tx *storage.Tx) error {
		m, err := newMachine(tx, &f.cfg)
		if err != nil {
			return err
		}
		if a, err = m.applyOne(e); err != nil {
			return err
		}
		return m.flush()
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCopy_SendsWhatChanged(t *testing.T) {
	t.Run("one of 1,000 domains", func(t *testing.T) {
		from := manyDomains(t, 1000, 20)
		to := emptyLog(t, from.cfg)
		first := mustCopy(t, from, to)
		enqueueIn(t, from, "https://www.domain-00500.test/new")
		again := mustCopy(t, from, to)
		t.Logf("all: %d bytes in %d answers, %d bytes asked; one domain changed: %d bytes in %d, %d asked",
			first.down, first.trips, first.up, again.down, again.trips, again.up)
		if again.up+again.down > 50_000 {
			t.Errorf("%d bytes travel for one changed domain", again.up+again.down)
		}
		if first.up > first.down/10 {
			t.Errorf("%d bytes are asked for %d", first.up, first.down)
		}
	})
	t.Run("one of 60,000 URLs", func(t *testing.T) {
		if testing.Short() {
			t.Skip("takes seconds")
		}
		from := manyDomains(t, 1, 60_000)
		to := emptyLog(t, from.cfg)
		first := mustCopy(t, from, to)
		enqueueIn(t, from, "https://www.domain-00000.test/new")
		again := mustCopy(t, from, to)
		t.Logf("all: %d bytes in %d answers, %d bytes asked; one URL more: %d bytes in %d, %d asked",
			first.down, first.trips, first.up, again.down, again.trips, again.up)
		if again.up+again.down > first.down/50 || again.trips > 30 {
			t.Errorf("%d bytes travel for one URL more, in %d answers", again.up+again.down, again.trips)
		}
	})
}

// What had come before a copy broke off is not sent again.
func TestCopy_GoesOnWhereItBrokeOff(t *testing.T) {
	from := manyDomains(t, 300, 100)
	whole := mustCopy(t, from, emptyLog(t, from.cfg))
	to := emptyLog(t, from.cfg)
	part := &copier{t: t, from: from, to: to, stop: whole.trips * 3 / 4}
	part.run()
	rest := mustCopy(t, from, to)
	if got := part.down + rest.down; got > whole.down*5/4 {
		t.Errorf("%d and %d bytes were sent, want about %d together", part.down, rest.down, whole.down)
	}
}

// Keys that are longer than any of ours keep nothing from being compared or sent.
func TestCopy_IntoAStoreWithLongKeys(t *testing.T) {
	from := manyDomains(t, 3, 300)
	to := emptyLog(t, from.cfg)
	mustCopy(t, from, to)
	edit(t, to.db, func(b *buckets) error {
		for _, part := range append(b.sorted(), b.outbox, b.due, b.later, b.slotTimes, b.meta) {
			for _, middle := range []string{"\x00", "\x00https://x", ""} {
				if err := part.Put([]byte("domain-00001.test"+middle+strings.Repeat("y", 5000)), []byte{1}); err != nil {
					return err
				}
			}
		}
		return b.domains.Delete([]byte("domain-00001.test"))
	})
	again := mustCopy(t, from, to)
	if again.trips > 20 {
		t.Errorf("it took %d answers", again.trips)
	}
}

func TestCopy_IntoAStoreWithFarMoreKeys(t *testing.T) {
	from := manyDomains(t, 3, 10)
	to := manyDomains(t, 2, 30_000)
	c := mustCopy(t, from, to)
	if c.trips < 10 {
		t.Errorf("%d transactions deleted all", c.trips)
	}
}

// A copy of a member that is ahead breaks off, and one that is behind is copied instead: of a
// domain that both have, there is nothing of both.
func TestCopy_OfAMemberThatIsBehind(t *testing.T) {
	behind := emptyLog(t, Config{})
	enqueueAll := func(f *Frontier, host string) {
		e := &Enqueue{}
		for i := range 1500 {
			e.Links = append(e.Links, Link{URL: fmt.Sprintf("https://%s.a.test/some/page/with/a/name/%d", host, i), Depth: 1, Priority: 2})
		}
		applyIn(t, f, Entry{Enqueue: e})
	}
	enqueueAll(behind, "h1")
	enqueueAll(behind, "h3")
	ahead, to := emptyLog(t, behind.cfg), emptyLog(t, behind.cfg)
	mustCopy(t, behind, ahead)
	mustCopy(t, behind, to)
	enqueueAll(ahead, "h2")
	for stop := 2; ; stop++ {
		if (&copier{t: t, from: ahead, to: to, stop: stop}).run() {
			if stop < 6 {
				t.Errorf("the copy is whole after %d answers", stop)
			}
			return
		}
		mustCopy(t, behind, to)
	}
}

// Two logs that never had anything in common may count the same.
func TestCopy_SameRecordOfAnotherLog(t *testing.T) {
	cfg := Config{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	from, to := emptyLog(t, cfg), emptyLog(t, cfg)
	for i := range 3 {
		enqueueIn(t, from, fmt.Sprintf("http://a.test/%d", i))
		enqueueIn(t, to, fmt.Sprintf("http://a.test/%d", i+1))
	}
	if a, b := dumpShared(t, from)["domains"], dumpShared(t, to)["domains"]; a != b {
		t.Fatalf("the records should be the same: %s, %s", a, b)
	}
	mustCopy(t, from, to)
}

// What is damaged at the source is not sent, and keeps nothing else from it.
func TestCopy_LeavesDamageBehind(t *testing.T) {
	from := manyDomains(t, 2, 500)
	var hurt []string
	edit(t, from.db, func(b *buckets) error {
		for i, part := range []*storage.Bucket{b.queue, b.filters, b.outbox, b.gone, b.arriving, b.leases, b.slots} {
			key := []byte("domain-00001.test\x00x")
			if k, _ := part.Cursor().Seek([]byte("domain-00001.test\x00")); k != nil && i == 0 {
				key = append([]byte{}, k...)
			}
			hurt = append(hurt, string(key))
			if err := part.Put(key, []byte{1}); err != nil {
				return err
			}
		}
		return nil
	})
	to := emptyLog(t, from.cfg)
	(&copier{t: t, from: from, to: to}).run()
	want, got := dumpShared(t, from), dumpShared(t, to)
	left := 0
	for name := range want {
		has := make(map[string]bool)
		for line := range strings.Lines(got[name]) {
			has[line] = true
		}
		for line := range strings.Lines(want[name]) {
			if !has[line] {
				left++
				if !strings.HasSuffix(line, "=01,false\n") {
					t.Errorf("bucket %s: %.200s is missing", name, line)
				}
			}
		}
	}
	if left != len(hurt) {
		t.Errorf("%d keys were left behind, want %d", left, len(hurt))
	}
}
