package roster

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/signed"
)

// exchange gives one set what another has and it lacks, and returns how many items
// it took.
func exchange(tb testing.TB, from, to *Set, maxSummary, maxItems int) (given int) {
	tb.Helper()
	for next, done := uint64(0), false; !done; {
		var data []byte
		data, next, done = to.Summary(to.cfg.Self, next, maxSummary)
		items, err := from.Missing(from.cfg.Self, data, maxItems, 1<<20)
		if err != nil {
			tb.Fatal(err)
		}
		for _, raw := range items {
			if _, err := add(to, raw); err == nil {
				given++
			} else if errors.Is(err, ErrInvalid) || errors.Is(err, ErrForeign) {
				tb.Fatal(err)
			}
		}
	}
	return given
}

func wants(tb testing.TB, s, other *Set) bool {
	tb.Helper()
	data, _, done := other.Summary(other.cfg.Self, 0, MaxSummary)
	_, _, lines, err := decodeSummary(s.tag, data)
	if err != nil || !done {
		tb.Fatal(err, done)
	}
	return wanting(s.current().byHash, lines)
}

// agree tells whether two sets know the same owners and leaving members.
func agree(a, b *Set) bool {
	same := func(x, y []Member) bool {
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if x[i].Peer != y[i].Peer || x[i].Out != y[i].Out || !bytes.Equal(x[i].Raw, y[i].Raw) {
				return false
			}
		}
		return true
	}
	return same(a.Owners(), b.Owners()) && same(a.Leaving(), b.Leaving())
}

// world makes random items of a few members and lets them reach random sets.
type world struct {
	tb    testing.TB
	rng   *rand.Rand
	clock *clock
	pause time.Duration // between two steps, sometimes
	sets  []*Set
	seqs  map[int]uint64
	dates map[int]int64 // of the records with these sequences
	items [][]byte
}

const worldMembers = 12

func newWorld(tb testing.TB, seed uint64) *world {
	w := &world{tb: tb, rng: rand.New(rand.NewPCG(seed, 1)), clock: newClock(), seqs: make(map[int]uint64),
		dates: make(map[int]int64)}
	w.pause = time.Duration(seed%7) * time.Hour
	for range 5 {
		w.sets = append(w.sets, w.newSet())
	}
	return w
}

func (w *world) newSet() *Set {
	return newSet(w.clock, func(cfg *Config) { cfg.MaxPerNet = 3 })
}

func (w *world) issue() []byte {
	n := w.rng.IntN(worldMembers)
	r := record(0)
	if w.rng.IntN(8) > 0 || w.seqs[n] == 0 { // otherwise a second record with the same sequence
		w.seqs[n]++
		w.dates[n] = w.clock.now().Unix()
	}
	r.Seq, r.Issued = w.seqs[n], w.dates[n]
	r.Capacity = []uint8{0, 1, 2, 4, 8}[w.rng.IntN(5)]
	r.State = []State{StateActive, StateActive, StateActive, StateLeaving, StateLeft, StateResting}[w.rng.IntN(6)]
	r.Reach = Reach(w.rng.IntN(3))
	r.Addrs = addrs(fmt.Sprintf("/ip4/5.5.%d.%d/tcp/1", n%3, n+1))
	r.Seats = uint16(w.rng.IntN(3))
	return seal(w.tb, n, r)
}

func (w *world) step() {
	s := w.sets[w.rng.IntN(len(w.sets))]
	switch w.rng.IntN(10) {
	case 0, 1, 2:
		w.items = append(w.items, w.issue())
		w.add(s, w.items[len(w.items)-1])
	case 3:
		n := w.rng.IntN(worldMembers)
		if w.seqs[n] == 0 {
			return
		}
		note := sealOut(w.tb, n, w.seqs[n], w.clock.now(), n+20, n+21+w.rng.IntN(2))
		w.items = append(w.items, note)
		w.add(s, note)
	case 4, 5, 6, 7:
		if len(w.items) > 0 {
			w.add(s, w.items[w.rng.IntN(len(w.items))])
		}
	case 8:
		w.clock.advance(w.pause)
		s.Expire(w.clock.now())
	case 9:
		exchange(w.tb, w.sets[w.rng.IntN(len(w.sets))], s, 200, 3)
	}
}

func (w *world) add(s *Set, raw []byte) {
	if _, err := add(s, raw); err != nil && !errors.Is(err, ErrOld) && !errors.Is(err, ErrExpired) {
		w.tb.Fatal(err)
	}
}

// settle exchanges between all pairs until nothing moves, in small portions.
func (w *world) settle() {
	for range 50 {
		given := 0
		for _, a := range w.sets {
			for _, b := range w.sets {
				if a != b {
					given += exchange(w.tb, a, b, 200, 4)
				}
			}
		}
		if given == 0 {
			return
		}
	}
	w.tb.Fatal("sets never come to rest")
}

// The last set compared has heard every item in the order of issue, from nobody.
func TestSets_ConvergeWhateverTheOrder(t *testing.T) {
	for seed := range uint64(20) {
		w := newWorld(t, seed)
		for range 150 {
			w.step()
			a, b := w.sets[w.rng.IntN(len(w.sets))], w.sets[w.rng.IntN(len(w.sets))]
			if same := a.Digest() == b.Digest(); same && !agree(a, b) {
				t.Fatalf("seed %d: equal digests of sets that disagree", seed)
			}
		}
		w.settle()
		all := w.newSet()
		for _, raw := range append(w.items, w.items...) { // a note counts again once its record is there
			w.add(all, raw)
		}
		w.sets = append(w.sets, all)
		for i, s := range w.sets[1:] {
			if !agree(w.sets[0], s) || w.sets[0].Digest() != s.Digest() ||
				w.sets[0].Moment().OwnersDigest != s.Moment().OwnersDigest {
				t.Fatalf("seed %d: set %d disagrees with set 0 after exchanging everything", seed, i+1)
			}
			if wants(t, s, w.sets[0]) || wants(t, w.sets[0], s) {
				t.Fatalf("seed %d: set %d and set 0 agree and still want something", seed, i+1)
			}
		}
	}
}

func TestDigest_DiffersExactlyWhenSetsDo(t *testing.T) {
	c := newClock()
	a, b := newSet(c), newSet(c)
	items := [][]byte{seal(t, 1, record(1)), seal(t, 2, record(1)), seal(t, 3, record(1)),
		sealOut(t, 3, 1, c.now(), 1, 2)}
	for i, raw := range items {
		mustAdd(t, a, raw)
		if a.Digest() == b.Digest() {
			t.Errorf("digests equal though only one set has item %d", i)
		}
		mustAdd(t, b, raw)
		if a.Digest() != b.Digest() {
			t.Errorf("digests differ though both sets have items up to %d", i)
		}
	}
}

func TestMissing_SpreadsDemotionsButNotFetchers(t *testing.T) {
	c := newClock()
	a, b := newSet(c), newSet(c)
	fetcher := record(2)
	fetcher.Capacity = 0
	mustAdd(t, a, seal(t, 1, fetcher))
	mustAdd(t, a, seal(t, 2, fetcher))
	mustAdd(t, b, seal(t, 1, record(1)))
	if !wants(t, b, a) {
		t.Error("an older record of a fetcher does not want the newer one")
	}
	if given := exchange(t, a, b, MaxSummary, 100); given != 1 {
		t.Errorf("%d items given, want only the record that replaces an older one", given)
	}
	if len(b.Owners()) != 0 || len(b.Members()) != 1 {
		t.Errorf("%d owners of %d members, want 0 of 1", len(b.Owners()), len(b.Members()))
	}
	if wants(t, b, a) {
		t.Error("the fetcher is still wanted")
	}
}

func TestMissing_SendsNotesToWhoLacksThem(t *testing.T) {
	c := newClock()
	a, b := newSet(c), newSet(c)
	mustAdd(t, a, sealOut(t, 1, 5, c.now(), 2, 3)) // a note without its record
	mustAdd(t, b, seal(t, 1, record(5)))
	if !wants(t, b, a) || !wants(t, a, b) {
		t.Error("a note and its record do not want each other")
	}
	if exchange(t, a, b, MaxSummary, 100) != 1 || exchange(t, b, a, MaxSummary, 100) != 1 {
		t.Error("note and record were not exchanged")
	}
	if a.Digest() != b.Digest() || len(a.Leaving()) != 1 {
		t.Error("the sets disagree about the victim")
	}
}

func TestSummary_ComesInRanges(t *testing.T) {
	s := newSet(newClock())
	for n := range 300 {
		mustAdd(t, s, seal(t, n, record(1)))
	}
	seen, ranges := 0, 0
	for next, done := uint64(0), false; !done; ranges++ {
		var data []byte
		from := next
		data, next, done = s.Summary(s.cfg.Self, next, 1000)
		first, last, lines, err := decodeSummary(s.tag, data)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 1000 || first != from || (!done && last != next-1) || (done && last != math.MaxUint64) {
			t.Fatalf("range of %d bytes from %x to %x, want at most 1000 from %x to before %x", len(data), first,
				last, from, next)
		}
		seen += len(lines)
	}
	if seen != 300 || ranges < 3 {
		t.Errorf("%d members in %d ranges, want 300 in several", seen, ranges)
	}
	if data, _, _ := s.Summary(s.cfg.Self, 0, 0); len(data) > minSummary {
		t.Errorf("Summary(0, 0) has %d bytes, want at most %d", len(data), minSummary)
	}
	if data, _, _ := s.Summary(s.cfg.Self, 0, 1<<30); len(data) > MaxSummary {
		t.Errorf("Summary(0, 1 GiB) has %d bytes, want at most %d", len(data), MaxSummary)
	}
}

func TestMissing_IsBounded(t *testing.T) {
	full, empty := newSet(newClock()), newSet(newClock())
	for n := range 50 {
		mustAdd(t, full, seal(t, n, record(1)))
	}
	data, _, _ := empty.Summary(empty.cfg.Self, 0, MaxSummary)
	size := len(full.Members()[0].Raw)
	for _, c := range []struct{ items, bytes, want int }{{7, 1 << 20, 7}, {100, 10 * size, 10}, {0, 1 << 20, 0},
		{100, 0, 0}, {100, 1 << 20, 50}} {
		items, err := full.Missing(full.cfg.Self, data, c.items, c.bytes)
		if err != nil || len(items) != c.want {
			t.Errorf("Missing(%d items, %d bytes) = %d, %v, want %d", c.items, c.bytes, len(items), err, c.want)
		}
	}
}

func TestMissing_SendsNothingToItsLike(t *testing.T) {
	s := newSet(newClock())
	for n := range 50 {
		mustAdd(t, s, seal(t, n, record(1)))
	}
	mustAdd(t, s, sealOut(t, 7, 1, epoch, 8, 9))
	for next, done := uint64(0), false; !done; {
		var data []byte
		data, next, done = s.Summary(s.cfg.Self, next, 300)
		items, err := s.Missing(s.cfg.Self, data, 100, 1<<20)
		if err != nil || len(items) != 0 {
			t.Errorf("Missing(its own summary) = %d items, %v, want nothing", len(items), err)
		}
	}
}

// Items the other side keeps refusing must not stand in the way of the rest.
func TestMissing_BeginsAnywhere(t *testing.T) {
	full, empty := newSet(newClock()), newSet(newClock())
	for n := range 50 {
		mustAdd(t, full, seal(t, n, record(1)))
	}
	data, _, _ := empty.Summary(empty.cfg.Self, 0, MaxSummary)
	seen := make(map[string]bool)
	for range 400 {
		items, err := full.Missing(full.cfg.Self, data, 1, 1<<20)
		if err != nil || len(items) != 1 {
			t.Fatalf("Missing() = %d items, %v, want 1", len(items), err)
		}
		seen[string(items[0])] = true
	}
	if len(seen) < 2 {
		t.Error("the same item comes first each time")
	}
}

func TestMissing_RefusesMalformedSummaries(t *testing.T) {
	s := newSet(newClock())
	for n := range 3 {
		mustAdd(t, s, seal(t, n, record(1)))
	}
	good, _, _ := s.Summary(s.cfg.Self, 0, MaxSummary)
	size := (len(good) - summaryHead) / 3
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(good)) }
	cases := map[string][]byte{
		"empty":    nil,
		"too long": change(func(b []byte) []byte { return append(b, make([]byte, MaxSummary)...) }),
		"a record": change(func(b []byte) []byte { b[0] = kindRecord; return b }),
		"cut":      good[:len(good)-1],
		"doubled":  change(func(b []byte) []byte { return append(b, b[len(b)-size:]...) }),
		"turned": change(func(b []byte) []byte {
			copy(b[5:], b[13:21])
			binary.BigEndian.PutUint64(b[13:],
				0)
			return b
		}),
		"turned, empty": change(func(b []byte) []byte {
			binary.BigEndian.PutUint64(b[5:], math.MaxUint64)
			binary.BigEndian.PutUint64(b[13:], 0)
			return b[:summaryHead]
		}),
		"outside":     change(func(b []byte) []byte { binary.BigEndian.PutUint64(b[13:], 5); return b }),
		"no sequence": change(func(b []byte) []byte { return append(b[:summaryHead+12], 0) }),
		"huge sequence": change(func(b []byte) []byte {
			return binary.AppendUvarint(b[:summaryHead+12], math.MaxUint64)
		}),
	}
	for name, data := range cases {
		if _, err := s.Missing(s.cfg.Self, data, 100, 1<<20); !errors.Is(err, ErrInvalid) {
			t.Errorf("Missing(%s) error = %v, want ErrInvalid", name, err)
		}
	}
	foreign, _, _ := New(Config{Network: "elsewhere"}).Summary("", 0, MaxSummary)
	if _, err := s.Missing(s.cfg.Self, foreign, 100, 1<<20); !errors.Is(err, ErrForeign) {
		t.Errorf("Missing(foreign) error = %v, want ErrForeign", err)
	}
}

func TestLine_SurvivesTheWire(t *testing.T) {
	want := []line{
		{hash: 0, seq: 0, out: true, quiet: true},
		{hash: 1, start: math.MaxUint32, seq: MaxSeq, out: true},
		{hash: math.MaxUint64, start: 1, seq: 1, quiet: true},
	}
	network := signed.TagOf(testNet)
	data := append([]byte{kindSummary}, network[:]...)
	data = binary.BigEndian.AppendUint64(data, 0)
	data = binary.BigEndian.AppendUint64(data, math.MaxUint64)
	for _, l := range want {
		data = l.append(data)
	}
	_, _, got, err := decodeSummary(network, data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("decodeSummary() = %+v, %v, want %+v", got, err, want)
	}
}

// wanting tells whether the lines speak of items that mine lacks.
func wanting(mine []placed, lines []line) bool {
	byHash := make(map[uint64]line, len(mine))
	for _, p := range mine {
		byHash[p.hash] = p.line()
	}
	for _, l := range lines {
		m, found := byHash[l.hash]
		switch {
		case !found && l.quiet:
		case !found, l.seq > 0 && l.newer(m):
			return true
		case l.out && !m.out && (l.seq == 0 || l.seq == m.seq):
			return true
		}
	}
	return false
}
