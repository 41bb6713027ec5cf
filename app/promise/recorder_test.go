package promise

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// noon is when tests begin.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// book is a recorder with a clock.
type book struct {
	r   Recorder
	now limits.Clock
	s   Sample
}

// newBook returns one that works at full level, below each limit.
func newBook() *book {
	b := &book{now: limits.Clock{Wall: noon, Steady: time.Hour}}
	b.s.Level = limits.Full
	for m, limit := range [Measures]float64{25, 4000, 500, 60, 60, 2e9} {
		b.s.Values[m] = Value{Limit: limit, Measured: limit / 2}
	}
	return b
}

// run takes a sample each second.
func (b *book) run(d time.Duration) {
	for end := b.now.Steady + d; b.now.Steady < end; {
		b.pass(time.Second)
		b.r.Note(b.now, b.s)
	}
}

func (b *book) pass(d time.Duration) {
	b.now.Wall, b.now.Steady = b.now.Wall.Add(d), b.now.Steady+d
}

func (b *book) set(m Measure, limit, measured float64) {
	b.s.Values[m] = Value{Limit: limit, Measured: measured}
}

func (b *book) breaches() []Breach { return b.r.Breaches(b.now) }

// What is at its limit, or within the tolerance, keeps it; what is above for more than 5 s
// does not.
func TestBreach_Tolerance(t *testing.T) {
	for _, c := range []struct {
		m                   Measure
		limit, kept, broken float64
	}{
		{CPU, 25, 28, 28.1},
		{CPU, 0, 3, 3.1},
		{Down, 4000, 4200, 4201},
		{Down, 0, 0, 0.1},
		{Up, 500, 525, 525.1},
		{Sockets, 60, 60, 61},
		{Sockets, 0, 0, 1},
		{Pages, 60, 60, 61},
		{Pages, 0, 0, 1},
		{Disk, 2e9, 2e9, 2e9 + 1},
		{CPU, limits.NoLimit, 100, -1},
		{Down, limits.NoLimit, 1e9, -1},
		{Sockets, limits.NoLimit, 1e9, -1},
	} {
		b := newBook()
		b.set(c.m, c.limit, c.kept)
		b.run(10 * time.Minute)
		if got := b.breaches(); len(got) > 0 {
			t.Errorf("%s: %v of %v makes %+v", c.m, c.kept, c.limit, got)
		}
		if c.broken < 0 {
			continue
		}
		b.set(c.m, c.limit, c.broken)
		b.run(2 * time.Minute)
		b.set(c.m, c.limit, 0)
		b.run(2 * time.Minute)
		got := b.breaches()
		if len(got) != 1 || got[0].Measure != c.m || got[0].Limit != c.limit || got[0].Open || got[0].Length <= hold {
			t.Errorf("%s: %v of %v makes %+v", c.m, c.broken, c.limit, got)
		}
	}
}

func TestBreach_LastsMoreThanFiveSeconds(t *testing.T) {
	for _, c := range []struct {
		seconds int
		length  time.Duration
	}{{5, 0}, {6, 6 * time.Second}, {7, 7 * time.Second}} {
		b := newBook()
		b.run(3*time.Minute + 10*time.Second)
		b.s.Cause = "a cause"
		for i := range c.seconds {
			b.set(Sockets, 60, 70+float64(i%3))
			b.run(time.Second)
			b.s.Cause = "another"
		}
		b.set(Sockets, 60, 60)
		b.run(time.Second)
		got := b.breaches()
		if c.length == 0 {
			if len(got) > 0 {
				t.Errorf("%d s make %+v", c.seconds, got)
			}
			continue
		}
		want := Breach{Measure: Sockets, Start: noon.Add(3*time.Minute + 10*time.Second), Length: c.length, Limit: 60, Worst: 72, Cause: "a cause"}
		if len(got) != 1 || got[0] != want {
			t.Errorf("%d s make %+v, want %+v", c.seconds, got, want)
		}
	}
}

func TestBreach_OpenWhileItLasts(t *testing.T) {
	b := newBook()
	b.run(time.Minute)
	b.set(Sockets, 60, 61)
	b.run(5 * time.Second)
	if got := b.breaches(); len(got) > 0 {
		t.Errorf("after 5 s: %+v", got)
	}
	b.run(2 * time.Second)
	if got := b.breaches(); len(got) != 1 || !got[0].Open || got[0].Length != 7*time.Second {
		t.Errorf("after 7 s: %+v", got)
	}
}

// Bursts that a mean of 10 s evens out are kept limits.
func TestBreach_MeanOfTenSeconds(t *testing.T) {
	b := newBook()
	for range 60 {
		b.set(CPU, 25, 80)
		b.run(3 * time.Second)
		b.set(CPU, 25, 0)
		b.run(7 * time.Second)
	}
	// As many pages as a minute may have, all at once.
	b.set(Pages, 60, 0)
	b.run(time.Minute)
	for range 5 {
		b.set(Pages, 60, 60*60)
		b.run(time.Second)
		b.set(Pages, 60, 0)
		b.run(time.Minute)
	}
	if got := b.breaches(); len(got) > 0 {
		t.Errorf("breaches: %+v", got)
	}
	b.set(CPU, 25, 37)
	b.run(30 * time.Second)
	got := b.breaches()
	if len(got) != 1 || got[0].Worst < 36.9 || got[0].Worst > 37.1 {
		t.Errorf("breaches: %+v", got)
	}
}

// A limit that was lowered counts 2 s later, and what was used before it was lowered
// never.
func TestBreach_Lowered(t *testing.T) {
	t.Run("kept", func(t *testing.T) {
		b := newBook()
		for _, limits := range [][Measures]float64{
			{25, 4000, 500, 60, 60, 2e9}, {10, 1000, 200, 30, 20, 2e9}, {25, 4000, 500, 60, 60, 2e9}, {0, 0, 0, 0, 0, 2e9},
			{25, 4000, 500, 60, 60, 2e9}, {0.3, 32, 32, 30, 0, 2e9}, {limitNone, limitNone, limitNone, limitNone, limitNone, limitNone}, {10, 1000, 200, 30, 20, 2e9},
		} {
			old := b.s.Values
			for m, limit := range limits { // what was used goes on for 2 s
				b.s.Values[m] = Value{Limit: limit, Measured: old[m].Measured}
			}
			b.run(3 * time.Second) // the limit was lowered just before the first of them
			for m, limit := range limits {
				b.s.Values[m].Measured = limit
				if limit == limitNone {
					b.s.Values[m].Measured = 1e6
				}
			}
			b.run(2 * time.Minute)
			b.s.Values[Disk].Measured = 2e9
			b.run(2 * time.Minute)
		}
		if got := b.breaches(); len(got) > 0 {
			t.Errorf("breaches: %+v", got)
		}
	})
	for _, c := range []struct {
		m     Measure
		limit float64
	}{{CPU, 0}, {Down, 0}, {Sockets, 0}, {Sockets, 30}, {Pages, 0}} {
		b := newBook()
		b.run(2 * time.Minute)
		lowered := b.now.Wall
		b.s.Values[c.m].Limit = c.limit
		b.s.Values[c.m].Measured = 50
		b.run(20 * time.Second)
		b.s.Values[c.m].Measured = 0
		b.run(20 * time.Second)
		got := b.breaches()
		if len(got) != 1 || got[0].Limit != c.limit {
			t.Errorf("%s lowered to %v makes %+v", c.m, c.limit, got)
			continue
		}
		if after := got[0].Start.Sub(lowered); after != 3*time.Second || got[0].Length != 17*time.Second {
			t.Errorf("%s lowered to %v: a breach of %s, %s after the last second with the old limit; want 17s, 3s", c.m, c.limit, got[0].Length, after)
		}
	}
	for _, c := range []struct {
		m           Measure
		limit, used float64
	}{{CPU, 10, 25}, {Down, 1000, 4000}, {Up, 200, 500}, {Pages, 20, 60}} {
		b := newBook()
		b.set(c.m, c.used, c.used)
		b.run(2 * time.Minute)
		b.set(c.m, c.limit, c.used)
		b.run(time.Minute)
		if got := b.breaches(); len(got) != 1 || !got[0].Open || got[0].Limit != c.limit || got[0].Length < 40*time.Second {
			t.Errorf("%s goes on at %v of %v: %+v", c.m, c.used, c.limit, got)
		}
	}
}

const limitNone = limits.NoLimit

// Where there are no samples nothing is known, and clocks that are set change nothing.
func TestGapsAndClocks(t *testing.T) {
	b := newBook()
	b.set(Sockets, 60, 70)
	b.run(20 * time.Second)
	b.pass(8 * time.Hour) // suspended
	b.set(CPU, 25, 100)   // the mean of all that time, which says nothing
	b.r.Note(b.now, b.s)
	b.set(CPU, 25, 20)
	b.run(10 * time.Second)
	b.set(Sockets, 60, 1)
	b.run(50 * time.Second)
	got := b.breaches()
	if len(got) != 2 || got[0].Length != 17*time.Second || got[1].Length != 8*time.Second {
		t.Errorf("breaches: %+v", got)
	}
	records := b.r.Records(b.now)
	seconds, highest := 0, 0.0
	for _, r := range records {
		seconds += r.Seconds
		highest = max(highest, r.Figures[CPU].Max)
		if r.Figures[CPU].Mean < 12 {
			t.Errorf("a gap counts as nothing used: %+v", r)
		}
	}
	if seconds != 79 || highest > 25 || len(records) > 3 {
		t.Errorf("%d records of %d s, at most %v %% CPU", len(records), seconds, highest)
	}

	before := b.breaches()
	for _, jump := range []time.Duration{-3 * time.Hour, 5 * time.Hour, -2*time.Hour - 30*time.Second} {
		b.now.Wall = b.now.Wall.Add(jump)
		b.run(3 * time.Minute)
	}
	after := b.breaches()
	if len(after) != len(before) {
		t.Fatalf("after clocks were set, %d breaches, not %d", len(after), len(before))
	}
	for i := range after {
		if d := after[i].Start.Sub(before[i].Start); d != -30*time.Second || after[i].Length != before[i].Length {
			t.Errorf("%+v became %+v", before[i], after[i])
		}
	}
	records = b.r.Records(b.now)
	for i := range records[1:] {
		if d := records[i+1].Start.Sub(records[i].Start); d < 30*time.Second {
			t.Errorf("a record begins %s after the one before", d)
		}
	}
	if n := len(records); n > 15 {
		t.Errorf("%d records", n)
	}
	b.now.Steady -= time.Minute // cannot be; is a gap
	b.run(time.Minute)
}

func TestRecords(t *testing.T) {
	b := newBook()
	b.now.Wall = b.now.Wall.Add(-time.Second)
	b.r.Note(b.now, b.s) // from here on it is known
	b.run(time.Second)
	b.set(CPU, 25, 10)
	b.run(30 * time.Second)
	b.s.Level = limits.Gentle
	b.set(CPU, 10, 4)
	b.set(Up, limits.NoLimit, 10)
	b.run(29 * time.Second)
	b.set(Up, 100, 10)
	b.run(2 * time.Minute)
	got := b.r.Records(b.now)
	if len(got) < 3 || len(got) > 4 {
		t.Fatalf("%d records: %+v", len(got), got)
	}
	for i, want := range []struct {
		level            limits.Level
		limit, mean, max float64
		up               float64
	}{{limits.Full, 25, 7.2, 10, limits.NoLimit}, {limits.Gentle, 10, 4, 4.6, 100}} {
		r := got[len(got)-3+i]
		f := r.Figures[CPU]
		if r.Level != want.level || f.Limit != want.limit || f.Mean < want.mean-0.3 || f.Mean > want.mean+0.3 || f.Max < want.max-0.7 || f.Max > want.max+0.7 || r.Figures[Up].Limit != want.up {
			t.Errorf("record %d is %+v, want %+v", i, r, want)
		}
		if r.Seconds < 59 || r.Seconds > 61 {
			t.Errorf("record %d has %d s", i, r.Seconds)
		}
	}
}

// A day is kept, whatever comes.
func TestRecorder_IsBounded(t *testing.T) {
	b := newBook()
	cause := strings.Repeat("ü\n", 500)
	for range 25 * 60 {
		b.s.Cause = cause
		b.set(Sockets, 60, 61)
		b.run(50 * time.Second)
		b.set(Sockets, 60, 1)
		b.run(10 * time.Second)
	}
	records, breaches := b.r.Records(b.now), b.breaches()
	if len(records) < maxRecords-1 || len(records) > maxRecords+1 || len(breaches) != maxBreaches {
		t.Errorf("%d records and %d breaches are kept", len(records), len(breaches))
	}
	if first := records[0].Start; b.now.Wall.Sub(first) > kept {
		t.Errorf("the oldest record is of %s", first)
	}
	for _, x := range breaches {
		if len(x.Cause) > maxCause || strings.ContainsAny(x.Cause, "\n\uFFFD") {
			t.Fatalf("the cause is %q", x.Cause)
		}
	}
	data := b.r.Save(b.now)
	if len(data) > 100_000 {
		t.Errorf("it is saved in %d bytes", len(data))
	}
	b.pass(kept + time.Hour)
	if r, n := b.r.Records(b.now), b.breaches(); len(r)+len(n) > 0 {
		t.Errorf("a day later there are %d records and %d breaches", len(r), len(n))
	}
	// However often it is called.
	for range 5000 {
		b.pass(time.Millisecond)
		b.s.Values[Sockets].Limit += 1
		b.r.Note(b.now, b.s)
	}
	for m, g := range b.r.gauges {
		if len(g.spans) > maxSpans || len(g.limits) > maxSpans {
			t.Errorf("%s holds %d spans and %d limits", Measure(m), len(g.spans), len(g.limits))
		}
	}
}

func TestSave_IsRestored(t *testing.T) {
	b := newBook()
	for i := range 200 {
		b.set(CPU, 25, float64(i*37%100)/3)
		b.set(Disk, 2e9, float64(i)*1.1e7)
		b.set(Sockets, 60, float64(55+i%10))
		b.set(Down, limits.NoLimit, float64(i))
		b.s.Level = limits.Level(i % 3)
		b.s.Cause = "lowered 2 s before"
		b.run(40 * time.Second)
	}
	b.set(Sockets, 60, 99)
	b.run(10 * time.Second) // a minute and a breach that are not over
	data := b.r.Save(b.now)
	want, wantBreaches := b.r.Records(b.now), b.breaches()
	open := 0
	for i := range wantBreaches {
		if wantBreaches[i].Open {
			open++
		}
		wantBreaches[i].Open = false // the run that it was in is over
	}
	if open == 0 || open == len(wantBreaches) {
		t.Fatalf("breaches: %+v", wantBreaches)
	}
	now := limits.Clock{Wall: b.now.Wall, Steady: 3 * time.Second} // another run of the computer
	r, err := Restore(now, data)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Records(now); !slices.Equal(got, want) {
		t.Errorf("records differ:\n%+v\n%+v", got, want)
	}
	if got := r.Breaches(now); !slices.Equal(got, wantBreaches) {
		t.Errorf("breaches differ:\n%+v\n%+v", got, wantBreaches)
	}
	if again := r.Save(now); !slices.Equal(again, data) {
		t.Error("it is saved otherwise")
	}
	// A day later all of it is forgotten, and with a clock that was set back, too.
	for _, d := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		now.Wall = b.now.Wall.Add(d)
		if r, err := Restore(now, data); err != nil || len(r.minutes)+len(r.breaches) > 0 {
			t.Errorf("%s later: %v, %d minutes, %d breaches", d, err, len(r.minutes), len(r.breaches))
		}
	}
	for n := 1; n < len(data); n++ {
		if _, err := Restore(now, data[:n]); err == nil {
			t.Fatalf("%d bytes of %d are read without an error", n, len(data))
		}
	}
	if r, err := Restore(now, nil); err != nil || len(r.minutes) > 0 {
		t.Errorf("nothing: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	b := newBook()
	b.run(3 * time.Minute)
	b.set(Sockets, 60, 99)
	b.s.Cause = "cause"
	b.run(10 * time.Second)
	f.Add(b.r.Save(b.now))
	f.Add([]byte{saveVersion, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Restore(b.now, data)
		if err != nil {
			if len(r.minutes)+len(r.breaches) > 0 {
				t.Fatal("something was taken of what is damaged")
			}
			return
		}
		for _, m := range r.Records(b.now) {
			if m.Level > limits.Full || m.Seconds > maxSeconds || m.Start.After(b.now.Wall) {
				t.Fatalf("a record is %+v", m)
			}
		}
		r.Summary(b.now, words.German)
		saved := r.Save(b.now)
		again, err := Restore(b.now, saved)
		if err != nil || !slices.Equal(again.minutes, r.minutes) || !slices.Equal(again.breaches, r.breaches) {
			t.Fatalf("saved and restored it is another: %v", err)
		}
		later := limits.Clock{Wall: b.now.Wall.Add(time.Second), Steady: b.now.Steady + time.Second}
		r.Note(later, b.s)
	})
}
