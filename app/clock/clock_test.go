package clock

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// computer has clocks that a test moves, and knows how much time really passed.
type computer struct {
	mu     sync.Mutex
	wall   time.Time
	boot   time.Duration
	boots  int
	noID   bool
	passed time.Duration
}

func newComputer() *computer { return &computer{wall: noon, boot: 3 * time.Hour} }

func (c *computer) sources() Sources {
	s := Sources{
		Wall: func() time.Time {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.wall
		},
		Boot: func() time.Duration {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.boot
		},
		BootID: fmt.Sprint("boot-", c.boots),
	}
	if c.noID {
		s.BootID = ""
	}
	return s
}

// run lets time pass, in suspend or not: both clocks count it.
func (c *computer) run(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall, c.boot, c.passed = c.wall.Add(d), c.boot+d, c.passed+d
}

// step sets the wall clock.
func (c *computer) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
}

// restart switches the computer off for a while; it has run for uptime when
// the node starts again.
func (c *computer) restart(off, uptime time.Duration) {
	c.run(off)
	c.boots++
	c.boot = 0
	c.run(uptime)
}

func TestClock_StepsOfTheWallClockChangeNothing(t *testing.T) {
	for _, c := range []struct{ step, older time.Duration }{
		{0, 0},
		{time.Second, 0},
		{-time.Second, 0},
		{30 * time.Second, 30 * time.Second},
		{-30 * time.Second, 0},
		{2 * time.Minute, 2 * time.Minute},
		{-2 * time.Minute, 0},
		{time.Hour, time.Hour},
		{-time.Hour, 0},
		{10 * year, maxRise},
		{-10 * year, 0},
		{200 * year, maxRise}, // no year that a computer can be in
	} {
		t.Run(c.step.String(), func(t *testing.T) {
			pc := newComputer()
			k := OpenWith(State{}, pc.sources())
			if got := k.Now(); !got.Equal(noon) || !k.Latest().Equal(noon) {
				t.Fatalf("a new line starts at %v, Latest %v, want the wall clock, %v", got, k.Latest(), noon)
			}
			pc.run(10 * time.Second)
			pc.step(c.step)
			if got, want := k.Now(), noon.Add(10*time.Second); !got.Equal(want) {
				t.Errorf("Now = %v after 10 s, want %v", got, want)
			}
			pc.run(time.Hour)
			if got, want := k.Now(), noon.Add(time.Hour+10*time.Second); !got.Equal(want) {
				t.Errorf("Now = %v an hour later, want %v", got, want)
			}
			if got := k.Latest().Sub(k.Now()); got != c.older {
				t.Errorf("Latest is ahead by %v, want %v", got, c.older)
			}
			if pc.wall.Before(latest) && !k.Wall(k.Now()).Equal(pc.wall) {
				t.Errorf("Wall = %v, want %v", k.Wall(k.Now()), pc.wall)
			}
		})
	}
}

func TestClock_SuspendCounts(t *testing.T) {
	for _, d := range []time.Duration{time.Second, 8 * time.Hour, 40 * day} {
		pc := newComputer()
		k := OpenWith(State{}, pc.sources())
		pc.run(d)
		if got := k.Now().Sub(noon); got != d {
			t.Errorf("%v of suspend counted as %v", d, got)
		}
		pc.step(-d) // the wall clock woke up where it had gone to sleep
		if got := k.Now().Sub(noon); got != d {
			t.Errorf("%v of suspend counted as %v by a wall clock that stood still", d, got)
		}
	}
}

func TestClock_GoesOnWithinABoot(t *testing.T) {
	for _, step := range []time.Duration{0, time.Hour, -time.Hour, 10 * year, -year} {
		pc := newComputer()
		before := OpenWith(State{}, pc.sources())
		pc.run(time.Minute)
		saved := before.State()
		pc.run(20 * time.Second)
		pc.step(step)
		k := OpenWith(saved, pc.sources())
		if got, want := k.Now(), noon.Add(80*time.Second); !got.Equal(want) {
			t.Errorf("step %v: Now = %v, want %v", step, got, want)
		}
	}
}

func TestClock_OverABootOnlyWhatIsCertainCounts(t *testing.T) {
	for _, c := range []struct {
		name              string
		off, uptime, step time.Duration
		noID              bool
		counted           time.Duration
		older             time.Duration // how much Latest counts more
	}{
		{name: "the next morning", off: 10 * time.Hour, uptime: time.Minute, counted: time.Minute, older: 10 * time.Hour},
		{name: "a year off", off: year, uptime: time.Minute, counted: time.Minute, older: maxRise},
		{name: "the other system set the clock ahead", off: time.Minute, uptime: time.Minute, step: 2 * time.Hour,
			counted: time.Minute, older: 2*time.Hour + time.Minute},
		{name: "the other system set the clock back", off: time.Minute, uptime: time.Minute, step: -2 * time.Hour},
		{name: "ten years ahead", off: time.Minute, uptime: time.Minute, step: 10 * year, counted: time.Minute, older: maxRise},
		{name: "a year back", off: time.Minute, uptime: time.Minute, step: -year},
		{name: "the battery is empty", off: time.Hour, uptime: time.Minute, step: -70 * year},
		{name: "started long after boot", off: time.Hour, uptime: 5 * time.Hour, counted: 5 * time.Hour, older: time.Hour},
		// The new boot is not told from the old one: it had run for 3 h.
		{name: "no ID, a short uptime", noID: true, off: time.Hour, uptime: time.Minute, counted: time.Minute, older: time.Hour},
		{name: "no ID, a long uptime", noID: true, off: time.Hour, uptime: 4*time.Hour + time.Minute, counted: time.Hour,
			older: 4*time.Hour + time.Minute},
		{name: "no ID, ten years ahead", noID: true, off: time.Hour, uptime: time.Minute, step: 10 * year,
			counted: time.Minute, older: maxRise},
		{name: "no ID, a year back", noID: true, off: time.Hour, uptime: time.Minute, step: -year},
	} {
		t.Run(c.name, func(t *testing.T) {
			pc := newComputer()
			pc.noID = c.noID
			before := OpenWith(State{}, pc.sources())
			pc.run(time.Minute)
			saved := before.State()
			pc.restart(c.off, c.uptime)
			pc.step(c.step)
			k := OpenWith(saved, pc.sources())
			if got := k.Now().Sub(before.steady); got != c.counted {
				t.Errorf("counted %v, want %v", got, c.counted)
			}
			if got := k.Latest().Sub(k.Now()); got != c.older {
				t.Errorf("Latest is ahead by %v, want %v", got, c.older)
			}
			at := k.Now()
			pc.run(day)
			if got := k.Now().Sub(at); got != day {
				t.Errorf("a day of running counted as %v: waits do not end", got)
			}
		})
	}
}

// A store that moved to another computer finds a boot that is older than it.
func TestClock_UptimeOfAnotherComputerDoesNotCount(t *testing.T) {
	for _, noID := range []bool{false, true} {
		pc := newComputer()
		pc.noID = noID
		saved := OpenWith(State{}, pc.sources()).State()
		pc.run(time.Minute)
		pc.boots++
		pc.boot = 300 * day
		k := OpenWith(saved, pc.sources())
		if got := k.Now().Sub(noon); got != time.Minute {
			t.Errorf("no ID %v: counted %v, want the minute between the wall clocks", noID, got)
		}
	}
}

// A clock that starts at 1970 is set right some minutes after the boot.
func TestClock_LatestLearnsOfTimeOffWhenTheWallClockIsSetRight(t *testing.T) {
	pc := newComputer()
	saved := OpenWith(State{}, pc.sources()).State()
	pc.restart(3*day, time.Minute)
	pc.step(-year)
	k := OpenWith(saved, pc.sources())
	pc.run(time.Minute)
	if got := k.Latest().Sub(noon); got > time.Hour {
		t.Fatalf("Latest counted %v by a wall clock that went back", got)
	}
	pc.step(year)
	if got := k.Latest().Sub(noon); got < 3*day {
		t.Errorf("Latest counted %v of three days off", got)
	}
	if got := k.Now().Sub(noon); got != time.Minute {
		t.Errorf("Now counted %v, want the minute that is certain", got)
	}
	saved = k.State()
	if again := OpenWith(saved, pc.sources()); !again.Latest().Equal(k.Latest()) {
		t.Errorf("Latest = %v after a restart, want %v", again.Latest(), k.Latest())
	}
}

// A clock that is slowed down and sped up by turns gains nothing.
func TestClock_LatestIgnoresJitter(t *testing.T) {
	pc := newComputer()
	k := OpenWith(State{}, pc.sources())
	for range 10_000 {
		pc.run(10 * time.Millisecond)
		pc.step(time.Millisecond)
		k.Latest()
		pc.step(-time.Millisecond)
		k.Latest()
	}
	if got := k.Latest().Sub(k.Now()); got != 0 {
		t.Errorf("Latest gained %v", got)
	}
	for range 3000 { // but a wall clock that is fast does gain
		pc.step(time.Millisecond)
		k.Latest()
	}
	if got := k.Latest().Sub(k.Now()); got < time.Second {
		t.Errorf("Latest gained %v of 3 s", got)
	}
}

func TestClock_WaitsForASourceThatGoesBack(t *testing.T) {
	pc := newComputer()
	k := OpenWith(State{}, pc.sources())
	pc.run(time.Minute)
	k.Now()
	pc.boot -= time.Hour
	if got := k.Now().Sub(noon); got != time.Minute {
		t.Errorf("the line is at %v, want 1m", got)
	}
	pc.boot += 2 * time.Hour
	if got := k.Now().Sub(noon); got != time.Hour+time.Minute {
		t.Errorf("the line is at %v, want 1h1m", got)
	}
}

func TestOpen_DamagedStateStartsANewLine(t *testing.T) {
	good := OpenWith(State{}, newComputer().sources()).State()
	if !good.valid() {
		t.Fatalf("%+v is not valid", good)
	}
	for name, spoil := range map[string]func(*State){
		"nothing":           func(s *State) { *s = State{} },
		"no line":           func(s *State) { s.Steady = 0 },
		"line before 1970":  func(s *State) { s.Steady = -1 },
		"line after 2250":   func(s *State) { s.Steady = latest.AddDate(51, 0, 0).UnixNano() },
		"wall before 1970":  func(s *State) { s.Wall = -1 },
		"wall after 2200":   func(s *State) { s.Wall = 1<<63 - 1 },
		"negative boot":     func(s *State) { s.Boot = -1 },
		"endless boot":      func(s *State) { s.Boot = 1<<63 - 1 },
		"negative slack":    func(s *State) { s.Slack = -1 },
		"endless slack":     func(s *State) { s.Slack = 1<<63 - 1 },
		"a book for a name": func(s *State) { s.BootID = strings.Repeat("x", maxBootID+1) },
	} {
		s := good
		spoil(&s)
		pc := newComputer()
		pc.run(time.Hour)
		k := OpenWith(s, pc.sources())
		if !k.Now().Equal(pc.wall) || !k.Latest().Equal(pc.wall) {
			t.Errorf("%s: Now = %v, Latest = %v, want %v", name, k.Now(), k.Latest(), pc.wall)
		}
	}
}

func TestState_SurvivesItsEncodings(t *testing.T) {
	pc := newComputer()
	k := OpenWith(State{}, pc.sources())
	pc.run(time.Minute)
	pc.step(time.Hour)
	want := k.State()
	for name, codec := range map[string]struct {
		marshal   func(any) ([]byte, error)
		unmarshal func([]byte, any) error
	}{"cbor": {cbor.Marshal, cbor.Unmarshal}, "json": {json.Marshal, json.Unmarshal}} {
		data, err := codec.marshal(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got State
		if err := codec.unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, want)
		}
	}
}

// Whatever happens to a computer: Now never counts more than has passed and
// loses nothing while the node runs, and Latest counts all that has passed whenever the
// wall clock is right.
func TestClock_KeepsItsPromisesWhateverHappens(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		some := func(most time.Duration) time.Duration { return time.Duration(r.Int64N(int64(most))) }
		pc := newComputer()
		pc.noID = seed%3 == 0
		k := OpenWith(State{}, pc.sources())
		var wrong, losses, slips time.Duration // of the wall clock; what Now and Latest may lose
		for range 60 {
			now, latest, passed := k.Now(), k.Latest(), pc.passed
			running := true
			switch r.IntN(6) {
			case 0, 1:
				pc.run(some(time.Minute))
			case 2:
				pc.run(some(3 * day))
			case 3:
				d := some(2*year) - year
				pc.step(d)
				wrong += d
			case 4:
				pc.step(-wrong)
				wrong = 0
			case 5:
				running = false
				saved := k.State()
				if r.IntN(3) == 0 {
					pc.run(some(time.Hour)) // the process alone
				} else {
					pc.restart(some(10*day), some(time.Hour))
				}
				if r.IntN(2) == 0 {
					d := some(2*year) - year
					pc.step(d)
					wrong += d
				}
				k = OpenWith(saved, pc.sources())
			}
			real, counted := pc.passed-passed, k.Now().Sub(now)
			if counted > real || counted < 0 {
				t.Fatalf("seed %d: Now counted %v of %v", seed, counted, real)
			}
			if running && counted != real {
				t.Fatalf("seed %d: Now counted %v of %v that the node ran", seed, counted, real)
			}
			losses += real - counted
			slips += rise
			if k.Latest().Before(latest) || k.Latest().Before(k.Now()) {
				t.Fatalf("seed %d: Latest went from %v to %v, Now = %v", seed, latest, k.Latest(), k.Now())
			}
			if wrong == 0 && k.Latest().Sub(noon) < pc.passed-slips {
				t.Fatalf("seed %d: Latest counted %v of %v", seed, k.Latest().Sub(noon), pc.passed)
			}
		}
		if k.Now().Sub(noon) != pc.passed-losses {
			t.Fatalf("seed %d: this test counts wrong", seed)
		}
	}
}

func TestClock_ManyReadersSeeOneLine(t *testing.T) {
	pc := newComputer()
	k := OpenWith(State{}, pc.sources())
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var last time.Time
			for range 500 {
				now := k.Now()
				if now.Before(last) {
					t.Errorf("the line went back from %v to %v", last, now)
				}
				last = now
				k.Latest()
				k.State()
			}
		})
	}
	for i := range 500 {
		pc.run(time.Second)
		pc.step(time.Duration(i%7-3) * time.Hour)
	}
	all.Wait()
	if got := k.Now().Sub(noon); got != 500*time.Second {
		t.Errorf("the line is at %v, want 500s", got)
	}
}

func TestOpen_OnThisComputer(t *testing.T) {
	k := Open(State{})
	start := k.Now()
	if late := k.Latest(); start != start.Round(0) || late != late.Round(0) {
		t.Error("a monotonic reading would take part in comparisons")
	}
	for range 1000 {
		if now := k.Now(); now.Before(start) {
			t.Fatalf("the line went back from %v to %v", start, now)
		} else {
			start = now
		}
	}
	s := k.State()
	if !s.valid() || s.Boot <= 0 {
		t.Errorf("State = %+v", s)
	}
	if again := Open(s); again.Now().Before(start) || again.from.BootID != s.BootID {
		t.Errorf("after a restart the line is at %v in boot %q, was at %v in %q", again.Now(), again.from.BootID, start, s.BootID)
	}
	p := OpenWith(s, portable())
	if p.Now().Before(start) {
		t.Errorf("without a clock that counts suspend the line went back to %v from %v", p.Now(), start)
	}
}

func BenchmarkClock_Now(b *testing.B) {
	k := Open(State{})
	for b.Loop() {
		k.Now()
	}
}
