package gates

import (
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// leader is Slots that remembers what it is asked.
type leader struct {
	mu   sync.Mutex
	asks []Ask
	// answer, if set, is called with each Ask, by a goroutine of its own.
	answer func(at netip.AddrPort, a Ask)
}

func (l *leader) Ask(at netip.AddrPort, a Ask) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asks = append(l.asks, a)
	if l.answer != nil {
		go l.answer(at, a)
	}
}

func (l *leader) last() Ask {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asks[len(l.asks)-1]
}

func (l *leader) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.asks)
}

// clock stands still until it is moved.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

// fare is a node at one address whose slots others lead, and a clock.
type fare struct {
	*Gates
	*leader
	clock *clock
	rest  bool
	in    []string
}

func newFare() *fare {
	f := &fare{leader: new(leader), clock: newClock()}
	f.Gates = New(f.leader, f.clock.Now, func() bool { return f.rest })
	return f
}

// come has a domain want in.
func (f *fare) come(d crawl.Domain) {
	in := func(bool) { f.in = append(f.in, string(d)) }
	if f.Enter(oneAddr, d, Waiter{In: in}) {
		in(true)
	}
}

// give grants slots in answer to the last Ask.
func (f *fare) give(slots int, wanted bool) {
	last := f.last()
	f.Grant(oneAddr, Grant{
		Number: last.Number, Slots: slots, For: 10 * time.Second, Wanted: wanted,
	})
}

func (f *fare) check(t *testing.T, what string, asks int, in ...string) {
	t.Helper()
	if !slices.Equal(f.in, in) || f.count() != asks {
		t.Fatalf("%s: in came %q after %d questions, want %q after %d", what, f.in, f.count(), in, asks)
	}
}

func TestGates_SlotIsAskedForOnceAndKept(t *testing.T) {
	f := newFare()
	f.come("a")
	f.come("b")
	f.check(t, "before the answer", 1)
	f.give(1, false)
	f.check(t, "granted", 1, "a")
	f.Leave(oneAddr)
	f.check(t, "the next", 1, "a", "b")
	f.Leave(oneAddr)
	f.come("a")
	f.check(t, "the slot is kept", 1, "a", "b", "a")
	f.Leave(oneAddr)
	f.Note(oneAddr, false)
	f.clock.advance(7 * time.Second)
	f.Tick()
	if a := f.last(); f.count() != 2 || a.Has != 1 || a.Good != 1 || len(a.Domains) != 2 {
		t.Errorf("it is renewed with %+v, the %d. question", a, f.count())
	}
	f.clock.advance(4 * time.Second) // no answer
	f.come("a")
	f.check(t, "it has lapsed", 3, "a", "b", "a")
	f.give(0, false)
	f.check(t, "granted nothing", 4, "a", "b", "a")
	f.give(1, false)
	f.Leave(oneAddr)
	f.clock.advance(11 * time.Second)
	f.Tick()
	f.check(t, "nobody needs it", 4, "a", "b", "a", "a")
	if len(f.at) != 0 {
		t.Error("the address takes room")
	}
}

func TestGates_WantedSlotGoesBackAfterItsTurn(t *testing.T) {
	f := newFare()
	f.come("a")
	f.come("b")
	f.give(2, true)
	f.check(t, "granted", 1, "a", "b")
	f.come("c")
	f.come("d")
	f.Leave(oneAddr)
	f.check(t, "its turn is not over", 1, "a", "b", "c")
	f.clock.advance(turn)
	f.Leave(oneAddr)
	if a := f.last(); f.count() != 2 || a.Has != 1 || a.Wants != 2 {
		t.Errorf("it goes back with %+v", a)
	}
	f.check(t, "others wait", 2, "a", "b", "c")
	f.give(1, false)
	f.Leave(oneAddr)
	f.check(t, "nobody waits", 2, "a", "b", "c", "d")
	f.Leave(oneAddr)
	f.give(1, true) // now somebody does
	if a := f.last(); f.count() != 3 || a.Has != 0 || a.Wants != 0 || len(f.at) != 0 {
		t.Errorf("an idle slot goes back with %+v", a)
	}
}

func TestGates_OldAnswerGivesNothing(t *testing.T) {
	f := newFare()
	f.come("a")
	old := f.last().Number
	f.clock.advance(askAgain)
	f.Tick()
	f.check(t, "asked again", 2)
	f.Grant(oneAddr, Grant{Number: old, Slots: 1, For: 10 * time.Second})
	f.check(t, "an answer to the first question", 2) // that to the second is on its way
	f.clock.advance(2 * askAgain)
	f.Grant(oneAddr, Grant{Number: old, Slots: 1, For: 10 * time.Second})
	f.check(t, "again", 3) // it says that it has none
	if a := f.last(); a.Has != 0 || a.Wants != 1 {
		t.Errorf("it says %+v", a)
	}
	f.Grant(netip.MustParseAddrPort("192.0.2.9:0"), Grant{Number: 1, Slots: 1, For: time.Hour})
	if a := f.last(); f.count() != 4 || a.Has != 0 || len(f.at) != 1 {
		t.Errorf("of an address that it does not know it says %+v", a)
	}
}

func TestGates_CountFromAsking(t *testing.T) {
	f := newFare()
	f.come("a")
	f.clock.advance(900 * time.Millisecond)
	f.give(1, false)
	if got, want := f.Left(oneAddr), 9100*time.Millisecond; got != want {
		t.Errorf("the slot is held for %v, want %v", got, want)
	}
}

func TestGates_RestGivesBackWhatIsNotInUse(t *testing.T) {
	f := newFare()
	f.come("a")
	f.give(2, false)
	f.rest = true
	f.Tick()
	if a := f.last(); a.Has != 1 {
		t.Errorf("at rest it says %+v", a)
	}
	f.Leave(oneAddr)
	if a := f.last(); a.Has != 0 || len(f.at) != 0 {
		t.Errorf("after the last request it says %+v", a)
	}
}

// Answers that take longer than the time after which is asked again come through all the same. The next address is
// asked for once, since it is known by then how long answers take.
func TestGates_SlowLine(t *testing.T) {
	for _, slow := range []time.Duration{1200 * time.Millisecond, 1900 * time.Millisecond, 3800 * time.Millisecond} {
		f := newFare()
		f.comeSlowly(t, slow, oneAddr)
		f.Leave(oneAddr)
		f.clock.advance(11 * time.Second) // the slot lapses
		f.Tick()
		before := f.count()
		f.comeSlowly(t, slow, netip.MustParseAddrPort("192.0.2.2:80"))
		if asks := f.count() - before; before < 2 || asks != 1 {
			t.Errorf("answers take %v: %d questions for the first address, %d for the second, want several and 1", slow,
				before, asks)
		}
	}
}

// comeSlowly has a domain want in at an address, where each answer takes some time.
func (f *fare) comeSlowly(t *testing.T, slow time.Duration, at netip.AddrPort) {
	t.Helper()
	in := false
	f.Enter(at, "a.test", Waiter{In: func(bool) { in = true }})
	const step = 100 * time.Millisecond
	first := f.count() - 1
	var sent []time.Time
	for begun := f.clock.Now(); !in; f.clock.advance(step) {
		if f.clock.Now().Sub(begun) > 20*time.Second {
			t.Fatalf("answers take %v: nobody came in, %d questions", slow, f.count())
		}
		for first+len(sent) < f.count() {
			sent = append(sent, f.clock.Now())
		}
		for i, when := range sent {
			if f.clock.Now().Equal(when.Add(slow)) {
				f.Grant(at, Grant{Number: f.asks[first+i].Number, Slots: 1, For: 10 * time.Second})
			}
		}
		f.Tick()
	}
}
