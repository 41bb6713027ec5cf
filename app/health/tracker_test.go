package health

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"
)

// monday begins a slot.
var monday = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// answer makes n sites of a name answer in one way.
func answer(t *Tracker, name string, n int, k Kind, now time.Time) {
	for i := range n {
		t.Observe(fmt.Sprintf("%s%d.example", name, i), k, now)
	}
}

func TestTracker_SlowsDownWithTheShareOfRefusals(t *testing.T) {
	for _, c := range []struct {
		ok, refused, challenged, waits, failed int
		want                                   int
		sentence                               string
	}{
		{0, 0, 0, 0, 0, 1, "No site answered in the last 24 hours."},
		{0, 0, 0, 0, 9, 1, "No site answered in the last 24 hours."},
		{1, 0, 0, 0, 0, 1, "0 of 1 site turned this address away in the last 24 hours."},
		{0, 4, 0, 0, 0, 1, "4 of 4 sites turned this address away in the last 24 hours."},
		{100, 3, 1, 0, 0, 1, "4 of 104 sites turned this address away or asked for a human in the last 24 hours."},
		{45, 5, 0, 0, 0, 1, "5 of 50 sites turned this address away in the last 24 hours."}, // exactly 10 %
		{44, 5, 0, 0, 0, 2, "5 of 49 sites turned this address away in the last 24 hours. Forage has slowed to half speed."},
		{40, 0, 5, 0, 0, 2, "5 of 45 sites turned this address away or asked for a human in the last 24 hours. Forage has slowed to half speed."},
		{15, 5, 0, 0, 0, 2, "5 of 20 sites turned this address away in the last 24 hours. Forage has slowed to half speed."}, // exactly 25 %
		{14, 2, 3, 0, 0, 4, "5 of 19 sites turned this address away or asked for a human in the last 24 hours. Forage has slowed to a quarter of its speed."},
		{5, 5, 0, 0, 0, 4, "5 of 10 sites turned this address away in the last 24 hours. Forage has slowed to a quarter of its speed."}, // exactly 50 %
		{4, 5, 0, 0, 0, 8, "5 of 9 sites turned this address away in the last 24 hours. Forage has slowed to an eighth of its speed."},
		{0, 1000, 0, 0, 0, 8, "1,000 of 1,000 sites turned this address away in the last 24 hours. Forage has slowed to an eighth of its speed."},
		{0, 0, 0, 500, 0, 1, "0 of 500 sites turned this address away in the last 24 hours."}, // asked to wait is no refusal
		{4, 5, 0, 60, 0, 1, "5 of 69 sites turned this address away in the last 24 hours."},
		{4, 5, 0, 0, 60, 8, "5 of 9 sites turned this address away in the last 24 hours. Forage has slowed to an eighth of its speed."},
	} {
		var h Tracker
		answer(&h, "ok", c.ok, OK, monday)
		answer(&h, "refused", c.refused, Refused, monday)
		answer(&h, "challenged", c.challenged, Challenge, monday)
		answer(&h, "waits", c.waits, AskedToWait, monday)
		answer(&h, "failed", c.failed, Failed, monday)
		if got := h.Factor(monday); got != c.want {
			t.Errorf("%+v: factor %d, want %d", c, got, c.want)
		}
		if got := h.Report(monday).In("en"); got != c.sentence {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// A site that forbids some of its pages has nothing against the address.
func TestTracker_CountsADomainByItsLatestAnswer(t *testing.T) {
	for _, c := range []struct {
		kinds []Kind
		want  bool
	}{
		{[]Kind{Refused, OK}, false},
		{[]Kind{OK, Refused}, true},
		{[]Kind{OK, Refused, OK, OK}, false},
		{[]Kind{Refused, AskedToWait}, true},
		{[]Kind{Refused, Failed}, true},
		{[]Kind{Refused, Forbidden}, true},
		{[]Kind{Challenge, OK, AskedToWait}, false},
		{[]Kind{AskedToWait, Challenge}, true},
	} {
		var h Tracker
		for _, k := range c.kinds {
			h.Observe("a.example", k, monday)
		}
		if got := h.Report(monday); (got.Refused == 1) != c.want || got.Answered != 1 {
			t.Errorf("%v: %+v, want refused %v", c.kinds, got, c.want)
		}
		// Later answers count, those of the slots before too.
		var late Tracker
		for i, k := range c.kinds {
			late.Observe("a.example", k, monday.Add(time.Duration(i)*slot))
		}
		now := monday.Add(time.Duration(len(c.kinds)) * slot)
		want := c.want && c.kinds[len(c.kinds)-1] != AskedToWait // a later slot of its own
		if got := late.Report(now); (got.Refused == 1) != want {
			t.Errorf("%v, a slot each: %+v, want refused %v", c.kinds, got, want)
		}
	}
}

func TestTracker_ForgetsAfterADayAndAfterAWeek(t *testing.T) {
	var h Tracker
	answer(&h, "a", 6, Refused, monday)
	answer(&h, "b", 4, OK, monday)
	for _, c := range []struct {
		after                   time.Duration
		day, before, week, dayR int64
	}{
		{0, 10, 0, 10, 6},
		{20 * time.Hour, 10, 0, 10, 6},
		{24 * time.Hour, 0, 10, 10, 0},
		{47 * time.Hour, 0, 10, 10, 0},
		{48 * time.Hour, 0, 0, 10, 0},
		{7*24*time.Hour - 1, 0, 0, 10, 0},
		{7 * 24 * time.Hour, 0, 0, 0, 0},
		{1000 * 24 * time.Hour, 0, 0, 0, 0},
	} {
		got := h.Report(monday.Add(c.after))
		if got.Answered != c.day || got.AnsweredBefore != c.before || got.AnsweredWeek != c.week || got.Refused != c.dayR {
			t.Errorf("after %v: %+v, want %+v", c.after, got, c)
		}
	}
	if len(h.domains) != 0 {
		t.Errorf("%d domains are remembered after years", len(h.domains))
	}
}

func TestTracker_SaysWhatChanged(t *testing.T) {
	var h Tracker
	answer(&h, "a", 40, OK, monday)
	tuesday, wednesday := monday.Add(24*time.Hour), monday.Add(48*time.Hour)
	answer(&h, "a", 3, Refused, tuesday)
	answer(&h, "b", 37, OK, tuesday)
	if got, want := h.Report(tuesday).In("en"), "3 of 40 sites turned this address away in the last 24 hours (up from 0)."; got != want {
		t.Errorf("on Tuesday %q, want %q", got, want)
	}
	answer(&h, "a", 1, Refused, wednesday)
	answer(&h, "b", 9, OK, wednesday)
	if got, want := h.Report(wednesday).In("en"), "1 of 10 sites turned this address away in the last 24 hours (down from 3)."; got != want {
		t.Errorf("on Wednesday %q, want %q", got, want)
	}
	if got := h.Report(wednesday); got.RefusedWeek != 3 || got.AnsweredWeek != 77 {
		t.Errorf("%d of %d in the week, want 3 of 77", got.RefusedWeek, got.AnsweredWeek)
	}
}

func TestTracker_SpeedsUpSlowly(t *testing.T) {
	var h Tracker
	answer(&h, "bad", 60, Refused, monday)
	answer(&h, "good", 40, OK, monday)
	if got := h.Factor(monday); got != 8 {
		t.Fatalf("factor %d, want 8", got)
	}
	// From the next hour on all is well: more and more good sites, and the bad ones relent.
	answer(&h, "bad", 60, OK, monday.Add(time.Hour))
	var got []int
	for hour := range 30 {
		got = append(got, h.Factor(monday.Add(time.Duration(hour+1)*time.Hour)))
	}
	want := []int{8, 8, 8, 8, 8, 4, 4, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 1}
	for i := range got {
		w := 1
		if i < len(want) {
			w = want[i]
		}
		if got[i] != w {
			t.Fatalf("factors hour by hour are %v, want %v", got, want)
		}
	}
}

func TestTracker_HoldsBetweenHalfTheThresholdAndTheThreshold(t *testing.T) {
	var h Tracker
	answer(&h, "bad", 10, Refused, monday)
	answer(&h, "good", 70, OK, monday) // 12.5 %
	if got := h.Factor(monday); got != 2 {
		t.Fatalf("factor %d, want 2", got)
	}
	// 7 % is too little to slow down, but too much to speed up.
	for day := range 5 {
		for hour := range 8 {
			now := monday.Add(time.Duration(day*24+hour*3) * time.Hour)
			answer(&h, "good", 133, OK, now)
			answer(&h, "bad", 10, Refused, now)
			if got := h.Factor(now); got != 2 {
				t.Fatalf("day %d: factor %d with %s, want 2", day, got, h.Report(now).In("en"))
			}
		}
	}
	var fresh Tracker
	answer(&fresh, "good", 133, OK, monday)
	answer(&fresh, "bad", 10, Refused, monday)
	if got := fresh.Factor(monday); got != 1 {
		t.Errorf("factor %d with 7 %% from the start, want 1", got)
	}
}

func TestTracker_RisesAgainAtOnce(t *testing.T) {
	var h Tracker
	answer(&h, "bad", 10, Refused, monday)
	answer(&h, "good", 20, OK, monday)
	if got := h.Factor(monday); got != 4 {
		t.Fatalf("factor %d, want 4", got)
	}
	answer(&h, "worse", 30, Challenge, monday.Add(time.Minute))
	if got := h.Factor(monday.Add(time.Minute)); got != 8 {
		t.Errorf("factor %d, want 8", got)
	}
}

// Few sites that go on refusing must not keep a node slow for ever.
func TestTracker_FewSitesMeanNothing(t *testing.T) {
	var h Tracker
	answer(&h, "bad", 5, Refused, monday)
	if got := h.Factor(monday); got != 8 {
		t.Fatalf("factor %d, want 8", got)
	}
	for hour := 3; hour < 96; hour += 3 {
		answer(&h, "bad", 2, Refused, monday.Add(time.Duration(hour)*time.Hour))
		h.Factor(monday.Add(time.Duration(hour) * time.Hour))
	}
	if got := h.Factor(monday.Add(96 * time.Hour)); got != 1 {
		t.Errorf("factor %d after days with two refusing sites, want 1", got)
	}
}

func TestTracker_CountsWaitsAndRobots(t *testing.T) {
	var h Tracker
	for day := range 9 {
		now := monday.Add(time.Duration(day) * 24 * time.Hour)
		for range 3 {
			h.Observe("a.example", AskedToWait, now)
			h.Observe("a.example", Forbidden, now)
			h.Observe("b.example", Forbidden, now)
			h.Observe("b.example", None, now)
			h.Observe("b.example", 200, now)
		}
	}
	got := h.Report(monday.Add(8 * 24 * time.Hour))
	if got.Waits != 3 || got.WaitsWeek != 21 || got.Forbidden != 6 || got.ForbiddenWeek != 42 {
		t.Errorf("%+v, want 3, 21, 6, 42", got)
	}
	if got.Answered != 1 {
		t.Errorf("%d sites answered, want 1: robots.txt obeyed is no answer", got.Answered)
	}
}

func TestTracker_ClockSetBack(t *testing.T) {
	var h Tracker
	answer(&h, "a", 10, OK, monday)
	// By an hour: nothing changes. By a year: the clock was wrong before.
	for _, back := range []time.Duration{time.Hour, 365 * 24 * time.Hour} {
		now := monday.Add(-back)
		answer(&h, "b", 10, Refused, now)
		if got := h.Report(now); got.Answered != 20 || got.Refused != 10 {
			t.Errorf("set back by %v: %+v", back, got)
		}
	}
	later := monday.Add(-364*24*time.Hour + slot)
	if got := h.Report(later); got.Answered != 0 || got.AnsweredWeek != 20 {
		t.Errorf("a day later: %+v", got)
	}
	for i := range 8 {
		h.Factor(later.Add(time.Duration(i) * holdFor))
	}
	if got := h.Factor(later.Add(9 * holdFor)); got != 1 {
		t.Errorf("factor %d after the clock was set back, want 1", got)
	}
	var early Tracker
	early.Observe("a.example", OK, time.Unix(-1e9, 0))
	if got := early.Report(time.Time{}); got.Answered != 1 {
		t.Errorf("before 1970: %+v", got)
	}
}

// model is a Tracker that remembers everything.
type model struct {
	answers map[string][]modelAnswer
}

type modelAnswer struct {
	slot int64
	kind Kind
}

func (m *model) tally(now int64, from, to int64) (n tally) {
	for _, list := range m.answers {
		latest := modelAnswer{slot: -1}
		for _, a := range list {
			if a.slot > now-to && a.slot <= now-from {
				if a.kind == AskedToWait && a.slot == latest.slot {
					continue
				}
				latest = a
			}
		}
		if latest.slot >= 0 {
			n.answered++
			if latest.kind.refuses() {
				n.refused++
			}
			if latest.kind == Challenge {
				n.challenged++
			}
		}
	}
	return n
}

func TestTracker_AgreesWithOneThatRemembersEverything(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var h Tracker
		m := model{answers: make(map[string][]modelAnswer)}
		now := monday
		for range 3000 {
			now = now.Add(time.Duration(rng.IntN(int(30 * time.Minute))))
			s := now.Unix() / int64(slot/time.Second)
			name, k := fmt.Sprintf("d%d.example", rng.IntN(300)), Kind(1+rng.IntN(kinds-1))
			h.Observe(name, k, now)
			if k.answers() {
				m.answers[name] = append(m.answers[name], modelAnswer{s, k})
			}
			if rng.IntN(50) > 0 {
				continue
			}
			got := h.Report(now)
			day, before, week := m.tally(s, 0, 8), m.tally(s, 8, 16), m.tally(s, 0, 56)
			if (tally{got.Answered, got.Refused, got.Challenged}) != day ||
				got.AnsweredBefore != before.answered || got.RefusedBefore != before.refused ||
				(tally{got.AnsweredWeek, got.RefusedWeek, got.ChallengedWeek}) != week {
				t.Fatalf("seed %d, %v: %+v, want %+v, %+v, %+v", seed, now, got, day, before, week)
			}
		}
	}
}

// A synthetic week with more domains than are remembered: counts and shares
// are estimated well, and memory stays bounded.
func TestTracker_ManyDomains(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var h Tracker
	const perSlot = 5000
	next := 0
	for s := range weekSlots {
		now := monday.Add(time.Duration(s) * slot)
		for range perSlot {
			k := OK
			if rng.IntN(5) == 0 {
				k = Refused
			}
			h.Observe(fmt.Sprintf("d%d.example", next), k, now)
			next++
		}
		if len(h.domains) > maxDomains {
			t.Fatalf("%d domains remembered, at most %d", len(h.domains), maxDomains)
		}
	}
	now := monday.Add(time.Duration(weekSlots-1) * slot)
	got := h.Report(now)
	if !got.Sampled || math.Abs(float64(got.AnsweredWeek)/float64(next)-1) > 0.1 {
		t.Errorf("%d domains of the week, want about %d: %+v", got.AnsweredWeek, next, got)
	}
	day := float64(got.Refused) / float64(got.Answered)
	week := float64(got.RefusedWeek) / float64(got.AnsweredWeek)
	if math.Abs(day-0.2) > 0.06 || math.Abs(week-0.2) > 0.03 {
		t.Errorf("shares %.3f, %.3f, want about 0.2", day, week)
	}
	if got := h.Factor(now); got != 2 {
		t.Errorf("factor %d, want 2", got)
	}
	// In quiet weeks that follow each domain counts again.
	for s := range 30 * daySlots {
		now = now.Add(slot)
		answer(&h, "quiet", 20, OK, now)
		if s > 20*daySlots && h.Report(now).Answered != 20 {
			t.Fatalf("20 sites answered each day, counted are %+v", h.Report(now))
		}
	}
	if got := h.Report(now); got.Sampled || got.In("en") != "0 of 20 sites turned this address away in the last 24 hours." {
		t.Errorf("after quiet weeks: %+v", got)
	}
}

func TestTracker_MemoryIsBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	h := new(Tracker)
	for i := range 300_000 {
		h.Observe(fmt.Sprintf("d%d.example", i), Kind(1+i%4), monday)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("a tracker of 300,000 domains takes %d bytes, want at most 1 MiB", grown)
	}
	data, err := h.State()
	if err != nil || len(data) > maxState {
		t.Errorf("its state has %d bytes, want at most %d: %v", len(data), maxState, err)
	}
	runtime.KeepAlive(h)
}

func TestTracker_StateGoesOverARestart(t *testing.T) {
	var h Tracker
	answer(&h, "ok", 50, OK, monday)
	answer(&h, "bad", 20, Refused, monday.Add(30*time.Hour))
	answer(&h, "worse", 10, Challenge, monday.Add(31*time.Hour))
	answer(&h, "wait", 7, AskedToWait, monday.Add(31*time.Hour))
	now := monday.Add(32 * time.Hour)
	want := h.Report(now)
	data, err := h.State()
	if err != nil {
		t.Fatal(err)
	}
	var again Tracker
	if err := again.Restore(data, now); err != nil {
		t.Fatal(err)
	}
	if got := again.Report(now); got != want || got.Factor != 8 {
		t.Errorf("after a restart: %+v, want %+v", got, want)
	}
	copied, err := again.State()
	if err != nil || string(copied) != string(data) {
		t.Errorf("the state of a restored tracker differs: %v", err)
	}
	// A week later nothing is left but the step that was not taken back yet.
	var late Tracker
	if err := late.Restore(data, now.Add(8*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := late.Report(now.Add(8 * 24 * time.Hour)); got.AnsweredWeek != 0 || got.Factor != 4 {
		t.Errorf("a week later: %+v", got)
	}
	var empty Tracker
	if data, err = empty.State(); err != nil {
		t.Fatal(err)
	}
	if err := again.Restore(data, now); err != nil || again.Report(now).AnsweredWeek != 0 {
		t.Errorf("the state of a new tracker is not taken: %v", err)
	}
}

func FuzzRestore(f *testing.F) {
	var h Tracker
	answer(&h, "ok", 3, OK, monday)
	answer(&h, "bad", 3, Challenge, monday.Add(30*time.Hour))
	h.Factor(monday.Add(31 * time.Hour))
	data, err := h.State()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{0xa0})
	f.Fuzz(func(t *testing.T, data []byte) {
		h := new(Tracker)
		h.Observe("a.example", OK, monday)
		if err := h.Restore(data, monday); err != nil {
			if !errors.Is(err, ErrState) || h.Report(monday).Answered != 1 {
				t.Fatalf("%v, or the tracker changed: %+v", err, h.Report(monday))
			}
			return
		}
		// It goes on, whatever the state said.
		h.Observe("b.example", Refused, monday)
		for day := range 3 {
			now := monday.Add(time.Duration(day) * 24 * time.Hour)
			if r := h.Report(now); r.Refused > r.Answered || r.Challenged > r.Refused || r.Factor < 1 || r.Factor > 8 {
				t.Fatalf("%+v", r)
			}
		}
		if _, err := h.State(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestTracker_IsSafeForConcurrentUse(t *testing.T) {
	var h Tracker
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for j := range 200 {
				now := monday.Add(time.Duration(j) * time.Hour)
				h.Observe(fmt.Sprintf("%d.example", j), Kind(i), now)
				h.Factor(now)
				h.Report(now)
				if _, err := h.State(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkTracker_Observe(b *testing.B) {
	var h Tracker
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.Observe("www.example.org", OK, monday)
	}
}
