package password

import (
	"fmt"
	"testing"
	"time"
)

// Each wrong password makes the next wait twice as long, of one address and of all together.
func TestGuesses_WaitLongerEachTime(t *testing.T) {
	h := newClock()
	g := NewGuesses(h.now)
	for i := range 20 {
		if wait := g.Begin("192.0.2.1:1"); wait != 0 {
			t.Fatalf("try %d has to wait %v although it waited", i, wait)
		}
		want := time.Duration(0)
		if i >= guessFree {
			want = min(time.Second<<(i-guessFree), time.Hour)
		}
		got := g.of(guesserOf("192.0.2.1:1"), h.now()).wait(h.now(), guessMost)
		if got != want {
			t.Errorf("after %d wrong passwords the wait is %v, want %v", i+1, got, want)
		}
		if got > 0 && g.Begin("192.0.2.1:2") != got {
			t.Errorf("after %d wrong passwords it may try at once", i+1)
		}
		h.move(got)
	}
	if wait := g.Begin("192.0.2.2:1"); wait != 0 {
		t.Errorf("another address waits %v", wait)
	}
	g.Right("192.0.2.2:1")
	h.move(guessForget)
	if wait := g.Begin("192.0.2.1:1"); wait != 0 {
		t.Errorf("a day later it waits %v", wait)
	}

	g = NewGuesses(h.now)
	for i := range 200 {
		h.move(g.Begin(fmt.Sprintf("10.0.0.%d:1", i)))
	}
	h.move(allMost)
	if first, second := g.Begin("10.0.1.1:1"), g.Begin("10.0.1.2:1"); first != 0 || second != allMost {
		t.Errorf("of two more, a minute later, one waits %v and the other %v, want 0 and %v", first, second, allMost)
	}
}

func TestGuesses_Addresses(t *testing.T) {
	h := newClock()
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true}, {"192.0.2.2:1", "[::ffff:192.0.2.2]:1", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"[2001:db8::1]:1", "[2001:db8::ffff]:1", true}, {"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%eth0]:1", "[fe80::2%eth1]:1", true}, {"@", "", true}, {"127.0.0.1:1", "[::1]:1", false},
	} {
		g := NewGuesses(h.now)
		for range guessFree + 1 {
			g.Begin(c.one)
		}
		if got := g.Begin(c.other) > 0; got != c.same {
			t.Errorf("%s waits for %s: %v, want %v", c.other, c.one, got, c.same)
		}
		g.Right(c.one)
		if g.Begin(c.one) != 0 {
			t.Errorf("%s waits after the right password", c.one)
		}
	}
	g := NewGuesses(h.now)
	for i := range maxGuessers + 300 {
		h.move(allMost)
		g.Begin(fmt.Sprintf("10.0.%d.%d:1", i/256, i%256))
	}
	if len(g.by) > maxGuessers {
		t.Errorf("%d addresses are remembered, want at most %d", len(g.by), maxGuessers)
	}
	h.move(guessForget)
	if g.Begin("192.0.2.79:1"); len(g.by) != 1 {
		t.Errorf("when all have rested, %d are remembered, want 1", len(g.by))
	}
}

// clock is moved by hand.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) move(d time.Duration) { c.at = c.at.Add(d) }
