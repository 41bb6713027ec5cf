package route_test

import (
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"
)

// These tests check the rules by which members of a log grant leases and fetchers
// work them, not the code that follows them. A model of one domain, its owner and
// two partners that keep the log, and two fetchers goes through what can happen. The
// rules are the fields of rules, what can happen are the verbs.
//
// What must hold:
//
//   - Requests of two leases are never in flight at once, and the first of a lease
//     comes a gap after the last of any other. The gap may be short by the error of
//     the clock that counts it, 1 %, and by no more.
//   - Fetchers never take two leases for live at once.
//   - A number is given to one lease only.
//   - When faults have ended, the domain is leased again within healsWithin.
//
// What is in flight for a computer that falls asleep counts as ended then: nothing
// can be done about it before the computer wakes up, and then it is cut. (The pool looks
// every second; for so long the rest of an answer may still come.) A look at the
// clocks and the first byte of the request behind it are one step.

func isLong() bool { return os.Getenv("FORAGE_LONG") != "" }

// sound are the rules of the design, and changes to them that do no harm while the
// others hold. Those are tried where they matter.
var sound = []struct {
	name   string
	change func(*rules)
	in     []string
}{
	{"as designed", func(*rules) {}, nil},
	{"members that restart go on by a clock that counts suspend", func(r *rules) { r.restartCounts = goesOn },
		[]string{"restarts", "members restart"}},
	{"leases that are over can be renewed, but no fetcher believes it", func(r *rules) { r.revives = true },
		[]string{"renewals", "renewals, and leases go home"}},
}

// Everything that can happen in these universes is looked at, however long it goes
// on: worlds that differ in names and in when they are alone are the same.
func TestLeaseModel_RulesKeepSitesSafe(t *testing.T) {
	for _, x := range []struct {
		name   string
		worlds int // about as many there are; those with a million take minutes
		u      *universe
	}{
		{"work", 174, among(1, nil, working)},
		{"renewals", 12_000, among(1, times{passSome: 2}, working, renewing)},
		{"renewals, and leases go home", 68_000, among(1, times{giveBack: 1}, working, renewing, []verb{hearRelease})},
		{"leases go home", 39_000, among(1, times{giveBack: 2}, working, []verb{hearRelease})},
		{"messages are lost", 56_000, among(1, times{giveBack: 1, lose: 1, giveUp: 1}, working, []verb{hearRelease})},
		{"messages come twice", 36_000, among(1, times{giveBack: 1, double: 1}, working, []verb{hearRelease})},
		{"fetchers fail", 47_000, among(1, times{failing: 1, giveUp: 1}, working, []verb{hearRelease})},
		{"sleep", 46_000, among(1, times{sleep: 1, wake: often, giveBack: 1}, working, []verb{hearRelease})},
		{"sleep again", 9_000, among(1, times{sleep: 2, wake: often}, working)},
		{"stopped machines", 2_300, among(1, times{freeze: 1, wake: often}, working)},
		{"stopped machines, clocks are set", 23_000, among(1, times{freeze: 1, wake: often, back: 1}, working)},
		{"sleep, clocks are set", 12_000, among(1, times{sleep: 1, wake: often, back: 1}, working)},
		{"wall clocks are set", 5_100, among(1, times{ahead: 1, back: 1}, working)},
		{"restarts", 58_000, among(1, times{crash: 1, switchOff: 1, restart: often, elect: often, giveBack: 1}, working, []verb{hearRelease})},
		{"changes of leader", 23_000, among(3, times{elect: 2, replicate: 1}, working)},
		{"answers of members are lost", 14_000, among(3, times{elect: 2, push: 1}, working)},
		{"renewals among three", 49_000, among(3, times{elect: 1, passSome: 1}, working, renewing)},
		{"members restart", 44_000, among(3, times{elect: 1, crash: 1, restart: often}, working)},
		{"members sleep", 35_000, among(3, times{elect: 1, sleep: 1, wake: often}, working)},
		{"logs are lost", 9_000, among(3, times{elect: 1, wipe: 1, admit: often}, working)},

		{"more changes of leader", 138_000, among(3, times{elect: 2, replicate: 2}, working)},
		{"leases go home among three", 163_000, among(3, times{elect: 1, giveBack: 1, replicate: 1}, working, []verb{hearRelease})},
		{"logs are lost, leases go home", 211_000, among(3, times{elect: 1, wipe: 1, admit: often, giveBack: 1}, working, []verb{hearRelease})},
		{"late renewals among three", 320_000, among(3, times{elect: 1, passSome: 1, replicate: 1}, working, renewing)},
		{"machines stop, clocks are set", 101_000, among(1, times{freeze: 1, wake: often, ahead: 1, back: 1}, working)},
		{"machines stop and sleep, clocks are set", 219_000, among(1, times{sleep: 1, freeze: 1, wake: often, back: 1}, working)},
		{"logs are lost, members restart", 1_040_000, among(3, times{elect: 2, wipe: 1, crash: 1, restart: often, admit: often}, working)},
	} {
		for i, c := range sound {
			switch {
			case isLong():
			case x.worlds > 100_000, (underRace || testing.Short()) && x.worlds > 10_000, i > 0 && !slices.Contains(c.in, x.name):
				continue
			}
			t.Run(x.name+"/"+c.name, func(t *testing.T) {
				r := designed()
				c.change(&r)
				f := x.u.explore(&r, 2*x.worlds+1000) // a change of rules makes some more
				if f.trace != nil {
					t.Fatalf("%s:\n%s", f.wrong, formatSteps(f.trace))
				}
				if !f.all {
					t.Fatalf("there are more than %d worlds; seen is what %d steps lead to", f.worlds, f.depth)
				}
				t.Logf("%d worlds", f.worlds)
			})
		}
	}
}

// Walks go far and meet all kinds of faults together. At their end all faults end.
func TestLeaseModel_WalksKeepSitesSafeAndLeasesGoOn(t *testing.T) {
	n := uint64(4000)
	switch {
	case isLong():
		n = 400_000
	case underRace, testing.Short():
		n = 400
	}
	var done [verbs]int
	grants, healed := 0, 0
	for seed := range n {
		random := rand.New(rand.NewPCG(seed, 1))
		r := designed()
		sound[random.IntN(len(sound))].change(&r)
		u := anything(1 + 2*random.IntN(2))
		for pc := range u.rates {
			u.rates[pc] = int8(random.IntN(2*rateError+1) - rateError)
		}
		w, trace := u.walk(&r, random, 200)
		if w.wrong != "" {
			trace = u.shrink(&r, trace)
			t.Fatalf("seed %d: %s:\n%s", seed, w.wrong, formatSteps(trace))
		}
		for _, s := range trace {
			done[s.do]++
			if s.again {
				done[double]++
			}
		}
		grants += int(w.grants)
		if !w.hasMajority() {
			continue
		}
		healed++
		if took, ok := w.heal(&r); !ok {
			t.Fatalf("seed %d: no lease after %v without faults, behind\n%s", seed, took, formatSteps(trace))
		}
		if w.wrong != "" {
			t.Fatalf("seed %d: when faults had ended: %s, behind\n%s", seed, w.wrong, formatSteps(trace))
		}
	}
	for v, times := range done {
		if times < int(n)/100 {
			t.Errorf("%q happened %d times in %d walks: they show nothing of it", verbNames[v], times, n)
		}
	}
	if grants < int(n) || healed < int(n)/2 {
		t.Errorf("%d grants and %d ends of faults in %d walks", grants, healed, n)
	}
	t.Logf("%d grants, %d times faults ended", grants, healed)
}

// hasMajority reports whether enough members have their logs.
func (w *world) hasMajority() bool {
	have := 0
	for _, m := range w.members[:w.size] {
		if !m.wiped {
			have++
		}
	}
	return 2*have > int(w.size)
}

func TestLeaseModel_SeesThatLeasesDoNotGoOn(t *testing.T) {
	steps, err := parseSteps("ask f0, hear ask m0 f0")
	if err != nil {
		t.Fatal(err)
	}
	for _, lapses := range []bool{true, false} {
		r := designed()
		r.lapses = lapses
		w, left := anything(1).replay(&r, steps)
		if took, ok := w.heal(&r); left > 0 || ok != lapses {
			t.Errorf("leases lapse: %v; a lease after %v: %v", lapses, took, ok)
		}
	}
}

// Exploring relies on it.
func TestLeaseModel_StepsThatAreNotPossibleChangeNothing(t *testing.T) {
	u := anything(3)
	r := designed()
	steps := u.steps()
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		w, _ := u.walk(&r, random, 100)
		for _, s := range steps {
			was := *w
			if !w.do(&r, s) && !reflect.DeepEqual(*w, was) {
				t.Fatalf("seed %d: %s was not possible, and changed\n%+v to\n%+v", seed, s, was, *w)
			}
			*w = was
		}
	}
}

func TestLeaseModel_TracesCanBeWrittenDown(t *testing.T) {
	list := everyStep()
	again, err := parseSteps(formatSteps(list))
	if err != nil || !slices.Equal(again, list) {
		t.Errorf("%d steps became %d (%v)", len(list), len(again), err)
	}
	if _, err := parseSteps("ask f0, fly"); err == nil {
		t.Error("a step that there is not was read")
	}
}
