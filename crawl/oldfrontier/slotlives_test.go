package frontier

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// together is a log that several members keep, each with a clock of its own.
type together struct {
	mu      sync.Mutex
	members []*keeper
	leader  int
	passed  atomic.Int64 // true time since dawn
}

// keeper is a member of a log.
type keeper struct {
	*Frontier
	all   *together
	i     int
	ahead time.Duration // its clock is
	fast  float64       // seconds of its clock in one
	path  string
	stop  func()
}

// keeperLog is the log as a member sees it.
type keeperLog struct{ k *keeper }

func (l keeperLog) Propose(_ context.Context, data []byte, mine any) error {
	all := l.k.all
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.leader != l.k.i {
		return ErrNotLed
	}
	for _, m := range all.members {
		own := mine
		if m != l.k {
			own = nil
		}
		if err := m.db.Update(func(tx *storage.Tx) error { return m.Apply(tx, LogEntry{Data: data, Mine: own}) }); err != nil {
			return err
		}
	}
	return nil
}

func (l keeperLog) Leads() bool {
	l.k.all.mu.Lock()
	defer l.k.all.mu.Unlock()
	return l.k.all.leader == l.k.i
}

func (keeperLog) Shared() bool { return false }

var dawn = time.Unix(1_800_000_000, 0)

func (a *together) now() time.Time { return dawn.Add(time.Duration(a.passed.Load())) }

func (k *keeper) clock() time.Time {
	return dawn.Add(k.ahead + time.Duration(float64(k.all.passed.Load())*k.fast))
}

func (k *keeper) open(t *testing.T, cfg Config) {
	db, err := storage.Open(k.path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	cfg.LogID, cfg.Now, cfg.Log, cfg.commitEvery = "self", k.clock, keeperLog{k}, hurriedCommitEvery
	if k.Frontier, err = Open(db, cfg); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- k.Serve(ctx) }()
	k.stop = func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
		db.Close()
	}
}

// crawler is a lease that has a slot, as who works it sees it.
type crawler struct {
	address string
	id      crawl.LeaseID
	until   time.Time // by the true clock, counted from before it asked
}

// rested is a slot that was given back.
type rested struct {
	address string
	until   time.Time
}

// Whatever order things happen in, and whoever leads the log, there are never more crawlers at an address
// than it has slots, counting those that rest, and all members hold the same.
func TestFrontier_SlotsKeepCrawlersApart(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			s := newSlotLife(t, seed)
			for range 500 {
				s.step()
			}
			s.compare()
			if s.granted < 50 || s.refused < 20 || s.lapsed < 3 || seed%2 == 1 && s.most < 2 {
				t.Errorf("%d granted, %d refused, %d lapsed, %d at once: this tries little", s.granted, s.refused, s.lapsed, s.most)
			}
			for _, k := range s.members {
				k.stop()
			}
		})
	}
}

type slotLife struct {
	together
	t        *testing.T
	rnd      *rand.Rand
	cfg      Config
	bad      bool
	next     crawl.LeaseID
	crawlers []crawler
	rests    []rested

	granted, refused, lapsed, most int
}

func newSlotLife(t *testing.T, seed uint64) *slotLife {
	s := &slotLife{t: t, rnd: rand.New(rand.NewPCG(seed, 11)), bad: seed%2 == 0}
	if seed%3 == 0 {
		s.cfg.Politeness.Fixed = new(time.Duration)
	}
	for i, k := range []keeper{{}, {ahead: 10000 * time.Hour, fast: 1.04}, {ahead: -3 * time.Hour, fast: 0.96}} {
		if k.fast == 0 {
			k.fast = 1
		}
		k.all, k.i, k.path = &s.together, i, filepath.Join(t.TempDir(), "db")
		s.members = append(s.members, &k)
		k.open(t, s.cfg)
	}
	return s
}

func (s *slotLife) step() {
	s.t.Helper()
	switch k := s.members[s.leader]; s.rnd.IntN(10) {
	case 0, 1, 2, 3:
		s.ask(k)
	case 4, 5, 6:
		s.free(k)
	case 7:
		s.wait(time.Duration(s.rnd.IntN(100_000)) * time.Millisecond)
	case 8:
		s.wait(time.Duration(s.rnd.IntN(3000)) * time.Millisecond)
		s.end(k)
	default:
		s.disturb()
	}
}

func (s *slotLife) disturb() {
	switch s.rnd.IntN(6) {
	case 0: // the lease is lost, and who had it goes on to the end of its time
		s.mu.Lock()
		s.leader = s.rnd.IntN(len(s.members))
		s.mu.Unlock()
	case 1:
		k := s.members[s.rnd.IntN(len(s.members))]
		k.stop()
		k.open(s.t, s.cfg)
	case 2:
		s.compare()
	case 3:
		s.wait(time.Duration(s.rnd.IntN(30)) * time.Hour)
	}
}

func (s *slotLife) wait(d time.Duration) { s.passed.Add(int64(d)) }

func (s *slotLife) end(k *keeper) {
	over, _, err := k.LapsedSlots(5)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := range over {
		s.lapsed++
		if _, err := k.Propose(s.t.Context(), Entry{Unslot: &over[i]}); err != nil {
			s.t.Fatal(err)
		}
	}
}

// ask lets a lease ask for a slot, or renew it, and counts who is at work.
func (s *slotLife) ask(k *keeper) {
	s.t.Helper()
	s.next++
	slot := Slot{
		Address: fmt.Sprintf("192.0.2.%d", s.rnd.IntN(3)), By: "p", Granter: "g", Lease: s.next, Domain: crawl.Domain(fmt.Sprintf("d%d.test", s.rnd.IntN(200))),
		For: time.Duration(1+s.rnd.IntN(60)) * time.Second,
	}
	s.expire()
	renews := -1
	if len(s.crawlers) > 0 && s.rnd.IntN(4) == 0 {
		renews = s.rnd.IntN(len(s.crawlers))
		slot.Address, slot.Lease = s.crawlers[renews].address, s.crawlers[renews].id
	}
	asked := s.now()
	ok, _, err := k.TakeSlot(s.t.Context(), slot)
	if err != nil {
		s.t.Fatal(err)
	}
	if !ok {
		s.refused++
		return
	}
	s.granted++
	if renews >= 0 {
		s.crawlers = slices.Delete(s.crawlers, renews, renews+1)
	}
	s.crawlers = append(s.crawlers, crawler{slot.Address, slot.Lease, asked.Add(slot.For)})
	n := 0
	for _, c := range s.crawlers {
		if c.address == slot.Address {
			n++
		}
	}
	for _, r := range s.rests {
		if r.address == slot.Address {
			n++
		}
	}
	var rec slotRecord
	k.view(func(b *buckets) (err error) {
		rec, _, err = b.readSlots(slot.Address)
		return err
	})
	if s.most = max(s.most, n); n > int(rec.Slots) && renews < 0 || s.bad && n > 1 {
		s.t.Fatalf("%d at %s, which has %d slots", n, slot.Address, rec.Slots)
	}
}

// expire forgets what is over by the true clock.
func (s *slotLife) expire() {
	now := s.now()
	s.crawlers = slices.DeleteFunc(s.crawlers, func(c crawler) bool { return !now.Before(c.until) })
	s.rests = slices.DeleteFunc(s.rests, func(r rested) bool { return !now.Before(r.until) })
}

func (s *slotLife) free(k *keeper) {
	s.expire()
	if len(s.crawlers) == 0 || s.rnd.IntN(4) == 0 {
		return
	}
	c := s.crawlers[s.rnd.IntN(len(s.crawlers))]
	u := Unslot{Address: c.address, By: "p", Granter: "g", Lease: c.id, Gap: time.Duration(s.rnd.IntN(8)) * time.Second, Good: uint32(s.rnd.IntN(60)), Bad: s.bad}
	if err := k.FreeSlot(s.t.Context(), u); err != nil {
		s.t.Fatal(err)
	}
	if _, err := k.Propose(s.t.Context(), Entry{Confirm: &Confirm{}}); err != nil {
		s.t.Fatal(err)
	}
	s.crawlers = slices.DeleteFunc(s.crawlers, func(other crawler) bool { return other.id == c.id })
	// The clocks of members differ by a few percent from the true one.
	s.rests = append(s.rests, rested{c.address, s.now().Add(u.Gap * 9 / 10)})
}

// compare finds fault with members that do not hold the same.
func (s *slotLife) compare() {
	s.t.Helper()
	var want string
	for i, k := range s.members {
		got := ""
		err := k.view(func(b *buckets) error {
			return b.slots.ForEach(func(key, value []byte) error {
				got += fmt.Sprintf("%q=%x\n", key, value)
				return nil
			})
		})
		if err == nil {
			err = k.Check()
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if got != want {
			s.t.Fatalf("member %d holds\n%s\nand member 0\n%s", i, got, want)
		}
	}
}
