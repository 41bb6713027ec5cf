package limits

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

var runs = flag.Int("runs", 20, "how many random histories are tried")

// randomConfig has each rule on or off, with numbers that are often met.
func randomConfig(r *rand.Rand) Config {
	c := Defaults()
	one := func() bool { return r.IntN(2) == 0 }
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	c.Consent = r.IntN(20) > 0
	c.Idle = Idle{After: time.Duration(pick(1, 2, 5)) * time.Minute, UnknownIs: Presence(r.IntN(2))}
	c.Level = Levels{InUse: Level(r.IntN(3)), Away: Level(pick(2, 2, 2, 1, 0))}
	c.Schedule.NetIsWork = one()
	if one() {
		c.Schedule.Work = randomGrid(r)
	}
	if one() {
		c.Schedule.Net = randomGrid(r)
	}
	budget := func() Budget {
		n := func(most int) int {
			return pick(0, NoLimit, most, 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most), 1+r.IntN(most))
		}
		return Budget{float64(n(100)), n(5000), n(5000), n(400), n(16), n(300)}
	}
	if one() {
		c.Budget = Budgets{Gentle: budget(), Full: budget()}
	}
	c.Data = Data{Day: int64(pick(NoLimit, 1000, 1000, 5000, 0)), Month: int64(pick(NoLimit, 4000, 20000)),
		MonthStarts: 1 + r.IntN(31)}
	c.Disk = Disk{Max: int64(pick(NoLimit, 2e9, 2e9, 2e9, 0)), KeepFree: 5e9, MaxPercent: pick(1, 5, 100)}
	c.Pause = Pause{
		Battery: one(), BatteryBelow: pick(100, 50), Metered: one(), Fullscreen: one(), ScreenShare: one(),
		OtherCPU: pick(60, 60, 100),
		HoldIn:   time.Duration(pick(0, 30)) * time.Second, HoldOut: time.Duration(pick(0, 120)) * time.Second,
		VPN: Answer(r.IntN(3)), Recall: one(),
	}
	if one() {
		c.Pause.SSIDAllow = []string{"home"}
	}
	if one() {
		c.Pause.Apps = []string{"game", "film"}
	}
	c.Heat = Heat{MaxC: pick(0, 80), FanQuiet: one()}
	c.Footing.Standby = r.IntN(4) > 0
	return c
}

// reading is one of those that a sensor gives, mostly a known one.
func reading[T any](r *rand.Rand, values ...T) Reading[T] {
	switch r.IntN(12) {
	case 0:
		return Unknown[T]()
	case 1:
		return Absent[T]()
	}
	return Known(values[r.IntN(len(values))])
}

// disturb changes one sensor.
func disturb(r *rand.Rand, s *Sensors, now Clock) {
	no := []bool{false, false, true}
	switch r.IntN(16) {
	case 15:
		s.Recall = Absent[Recall]()
		if r.IntN(2) == 0 {
			s.Recall = Known(Recall{Below: "0.2.0", Fault: r.IntN(5),
				Until: now.Wall.Add(time.Duration(r.IntN(4000)-400) * time.Second)})
		}
	case 0, 1:
		s.LastInput = reading(r, now.Steady, now.Steady-time.Duration(r.IntN(400))*time.Second, now.Steady-time.Hour)
	case 2:
		s.KeptAwake = reading(r, no...)
	case 3:
		s.OnBattery = reading(r, no...)
	case 4:
		s.Charge = reading(r, 100, 49, 50)
	case 5:
		s.Metered = reading(r, no...)
	case 6:
		s.SSID = reading(r, "home", "", "home", "café")
	case 7:
		s.VPN = reading(r, no...)
	case 8:
		s.Fullscreen = reading(r, no...)
	case 9:
		s.ScreenShared = reading(r, no...)
	case 10:
		s.Apps = reading(r, nil, []string{"sh"}, []string{"sh", "film.exe"})
	case 11:
		s.OtherCPU = reading(r, 5.0, 60, 60.1, 99)
	case 12:
		s.Temperature, s.TemperatureHigh = reading(r, 40.0, 79, 80, 92, 99), reading(r, 90.0, 100)
	case 13:
		s.FanLoud = reading(r, no...)
	case 14:
		s.Disk = reading(r, DiskSpace{0, 100e9, 500e9}, DiskSpace{2e9, 100e9, 500e9},
			DiskSpace{199e7, 100e9, 500e9}, DiskSpace{1e9, 5e9, 500e9}, DiskSpace{4e8, 20e9, 40e9})
	}
}

// ask does something by hand, or spends.
func ask(r *rand.Rand) func(st *State, now Clock) {
	length := time.Duration(r.IntN(4)) * 100 * time.Second
	bytes := r.Int64N(400)
	switch r.IntN(12) {
	case 0:
		return func(st *State, now Clock) { st.Pause(now, length) }
	case 1:
		return func(st *State, now Clock) { st.Work(now, length) }
	case 2, 3, 4:
		return func(st *State, now Clock) { st.Resume() }
	case 5:
		return func(st *State, now Clock) { st.Finish() }
	}
	return func(st *State, now Clock) { st.Spend(now, bytes, 0) }
}

// parts are settings and sensors of which one rule alone is in force. What belongs to all
// rules, budgets and what stands for unknown, stays.
func parts(c Config, s Sensors) (configs []Config, sensors []Sensors) {
	free := c
	free.Consent, free.Level.Away, free.Schedule = true, Full,
		Schedule{Work: AllWeek(Full), NetIsWork: c.Schedule.NetIsWork, Net: AllWeek(Full)}
	free.Pause = Pause{OtherCPU: 100, VPN: No}
	free.Heat = Heat{}
	free.Data = Data{NoLimit, NoLimit, 1}
	free.Disk = Disk{NoLimit, 0, NoLimit}
	quiet := Sensors{
		LastInput: Known(-1000 * time.Hour), KeptAwake: Absent[bool](), Temperature: Absent[float64](),
		Disk: Known(DiskSpace{0, 1e15, 1e15}),
	}
	add := func(set func(c *Config, s *Sensors)) {
		one, sense := free, quiet
		set(&one, &sense)
		configs, sensors = append(configs, one), append(sensors, sense)
	}
	add(func(*Config, *Sensors) {}) // what is asked by hand, and the budgets
	add(func(p *Config, _ *Sensors) { p.Consent = c.Consent })
	add(func(p *Config, q *Sensors) { p.Pause.Recall, q.Recall = c.Pause.Recall, s.Recall })
	add(func(p *Config, _ *Sensors) { p.Schedule.Work = c.Schedule.Work })
	add(func(p *Config, _ *Sensors) { p.Schedule.Net = c.Schedule.Net })
	add(func(p *Config, q *Sensors) {
		p.Level.Away, q.LastInput, q.KeptAwake = c.Level.Away, s.LastInput, s.KeptAwake
	})
	add(func(p *Config, q *Sensors) { p.Pause.Fullscreen, q.Fullscreen = c.Pause.Fullscreen, s.Fullscreen })
	add(func(p *Config, q *Sensors) { p.Pause.ScreenShare, q.ScreenShared = c.Pause.ScreenShare, s.ScreenShared })
	add(func(p *Config, q *Sensors) { p.Pause.Apps, q.Apps = c.Pause.Apps, s.Apps })
	add(func(p *Config, q *Sensors) {
		p.Pause.OtherCPU, p.Pause.HoldIn, p.Pause.HoldOut, q.OtherCPU = c.Pause.OtherCPU, c.Pause.HoldIn,
			c.Pause.HoldOut, s.OtherCPU
	})
	add(func(p *Config, q *Sensors) {
		p.Heat.MaxC, q.Temperature, q.TemperatureHigh = c.Heat.MaxC, s.Temperature, s.TemperatureHigh
	})
	add(func(p *Config, q *Sensors) { p.Heat.FanQuiet, q.FanLoud = c.Heat.FanQuiet, s.FanLoud })
	add(func(p *Config, q *Sensors) {
		p.Pause.Battery, p.Pause.BatteryBelow, q.OnBattery, q.Charge = c.Pause.Battery, c.Pause.BatteryBelow,
			s.OnBattery, s.Charge
	})
	add(func(p *Config, q *Sensors) { p.Pause.Metered, q.Metered = c.Pause.Metered, s.Metered })
	add(func(p *Config, q *Sensors) { p.Pause.SSIDAllow, q.SSID = c.Pause.SSIDAllow, s.SSID })
	add(func(p *Config, q *Sensors) { p.Pause.VPN, q.VPN = c.Pause.VPN, s.VPN })
	add(func(p *Config, _ *Sensors) { p.Data.Day = c.Data.Day })
	add(func(p *Config, _ *Sensors) { p.Data.Month, p.Data.MonthStarts = c.Data.Month, c.Data.MonthStarts })
	add(func(p *Config, q *Sensors) { p.Disk, q.Disk = c.Disk, s.Disk })
	return configs, sensors
}

// beginning is a time near to something that happens to clocks.
func beginning(t testing.TB, r *rand.Rand) Clock {
	l := zone(t, []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Havana"}[r.IntN(4)])
	at := time.Date(2026, time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), r.IntN(60), r.IntN(60), 0, l)
	switch r.IntN(3) {
	case 0:
		_, end := at.ZoneBounds()
		at = end.Add(-time.Duration(r.IntN(3000)) * time.Second)
	case 1:
		at = reach(at, (dayOf(at)+1)*daySecs).Add(-time.Duration(r.IntN(3000)) * time.Second)
	}
	return Clock{Wall: at, Steady: time.Duration(r.IntN(1000)) * time.Second}
}

// Whatever is set and happens, the level is the least and the footing the most quiet of what each
// rule alone says, and no budget is larger than any rule alone leaves it.
func TestDecide_NeverMoreThanAnyRuleAllows(t *testing.T) {
	for seed := range uint64(*runs) {
		r := rand.New(rand.NewPCG(seed, 5))
		c, s, now := randomConfig(r), quietSensors(), beginning(t, r)
		var st State
		configs, _ := parts(c, s)
		states := make([]State, len(configs))
		for range 300 {
			now = now.plus(time.Duration(1+r.IntN(90)) * time.Second)
			if r.IntN(2) == 0 {
				disturb(r, &s, now)
			}
			if r.IntN(10) == 0 {
				do := ask(r)
				do(&st, now)
				for i := range states {
					do(&states[i], now)
				}
			}
			var d Decision
			d, st = Decide(c, s, st, now)
			if d.Level > Off && d.Footing != Duty || d.Footing == Silent && d.Budget != (Budget{}) || d.Next <= 0 ||
				d.Next > gridHorizon {
				t.Fatalf("seed %d: %+v", seed, d)
			}
			if d.Level == Off && len(d.Reasons) == 0 || len(d.Reasons) > 0 && d.Reasons[0].Allows != d.Level &&
				d.Level < Full {
				t.Fatalf("seed %d: %s for %v", seed, d.Level, kindsOf(d))
			}
			level, footing := Full, Duty
			_, sensors := parts(c, s)
			for i := range configs {
				var alone Decision
				alone, states[i] = Decide(configs[i], sensors[i], states[i], now)
				level, footing = min(level, alone.Level), max(footing, alone.Footing)
				if _, ok := s.Disk.Get(); !ok {
					alone.DiskAllowed, alone.DiskLeft = d.DiskAllowed, d.DiskLeft
				}
				if !alone.Finishing { // then level and budget say different things
					checkBudget(t, "", d, alone)
				}
			}
			if d.Level != level || d.Footing != footing {
				t.Fatalf("seed %d: %s, %s, want %s, %s as of the rules alone; %v", seed, d.Level, d.Footing, level,
					footing, kindsOf(d))
			}
			if t.Failed() {
				t.Fatalf("seed %d: %v", seed, kindsOf(d))
			}
		}
	}
}

// To decide at the announced times and when an input changes is as good as to decide every second.
func TestDecide_AnnouncesEveryChange(t *testing.T) {
	for seed := range uint64(*runs) {
		r := rand.New(rand.NewPCG(seed, 6))
		c, s, now := randomConfig(r), quietSensors(), beginning(t, r)
		var often, seldom State
		var d Decision
		due := now.Steady
		for range 5000 {
			now = now.plus(time.Second)
			if r.IntN(100) == 0 {
				disturb(r, &s, now)
				due = now.Steady
			}
			if r.IntN(500) == 0 {
				do := ask(r)
				do(&often, now)
				do(&seldom, now)
				due = now.Steady
			}
			var want Decision
			want, often = Decide(c, s, often, now)
			if now.Steady >= due {
				d, seldom = Decide(c, s, seldom, now)
				due = now.Steady + d.Next
			}
			if want.Next = d.Next; !reflect.DeepEqual(d, want) {
				t.Fatalf("seed %d, %s: not announced:\n%+v\n%+v", seed, now.Wall, d, want)
			}
		}
		if seldom != often {
			t.Fatalf("seed %d: states differ:\n%+v\n%+v", seed, seldom, often)
		}
	}
}

// The same input gives the same output, and is not changed.
func TestDecide_IsPure(t *testing.T) {
	for seed := range uint64(*runs) {
		r := rand.New(rand.NewPCG(seed, 7))
		c, s, now := randomConfig(r), quietSensors(), beginning(t, r)
		var st State
		for range 50 {
			now = now.plus(time.Duration(1+r.IntN(90)) * time.Second)
			disturb(r, &s, now)
			before := st
			apps, _ := s.Apps.Get()
			config, kept := c, slices.Clone(apps)
			d, next := Decide(c, s, st, now)
			again, same := Decide(c, s, st, now)
			if !reflect.DeepEqual(d, again) || next != same {
				t.Fatalf("seed %d: two answers:\n%+v\n%+v", seed, d, again)
			}
			if st != before || !reflect.DeepEqual(c, config) || !slices.Equal(apps, kept) {
				t.Fatalf("seed %d: the input was changed", seed)
			}
			// To look once more at the same time changes nothing.
			if d2, _ := Decide(c, s, next, now); !reflect.DeepEqual(d, d2) {
				t.Fatalf("seed %d: another answer the second time:\n%+v\n%+v", seed, d, d2)
			}
			st = next
		}
	}
}

// Steps of the wall clock neither end nor prolong what goes by the steady one.
func TestDecide_WallClockJumps(t *testing.T) {
	for seed := range uint64(*runs) {
		r := rand.New(rand.NewPCG(seed, 8))
		c, s, now := randomConfig(r), quietSensors(), beginning(t, r)
		c.Schedule = Schedule{Work: AllWeek(Full), NetIsWork: true}
		c.Data = Data{NoLimit, NoLimit, 1}
		jumping := now
		var st, jumped State
		for range 400 {
			d := time.Duration(1+r.IntN(30)) * time.Second
			now, jumping = now.plus(d), jumping.plus(d)
			if r.IntN(4) == 0 {
				jumping.Wall = jumping.Wall.Add(time.Duration(r.Int64N(int64(400*day))) - 200*day)
			}
			if r.IntN(4) == 0 {
				disturb(r, &s, now)
				s.Recall = Absent[Recall]() // it ends by the wall clock
			}
			if r.IntN(15) == 0 {
				do := ask(r)
				do(&st, now)
				do(&jumped, jumping)
			}
			var want, got Decision
			want, st = Decide(c, s, st, now)
			got, jumped = Decide(c, s, jumped, jumping)
			if got.Level != want.Level || got.Footing != want.Footing || got.Budget != want.Budget ||
				len(got.Reasons) != len(want.Reasons) {
				t.Fatalf("seed %d: %+v, want %+v", seed, got, want)
			}
			for i, r := range got.Reasons {
				w := want.Reasons[i]
				same := func(a, b time.Time) bool {
					return a.IsZero() == b.IsZero() && (a.IsZero() || a.Sub(jumping.Wall) == b.Sub(now.Wall))
				}
				if r.Kind != w.Kind || !same(r.Since, w.Since) || !same(r.Until, w.Until) {
					t.Fatalf("seed %d: %+v, want %+v", seed, r, w)
				}
			}
		}
	}
}

func FuzzDecide(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed, int64(seed), int64(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, steady, wall int64) {
		r := rand.New(rand.NewPCG(seed, 9))
		c, s := randomConfig(r), quietSensors()
		now := Clock{Wall: time.Unix(wall%(1<<36), wall%1e9).UTC(), Steady: time.Duration(steady % (1 << 61))}
		var st State
		for range 20 {
			disturb(r, &s, now)
			ask(r)(&st, now)
			var d Decision
			d, st = Decide(c, s, st, now)
			if d.Next <= 0 || d.Next > gridHorizon || d.Level > Full || d.Footing > Silent {
				t.Fatalf("%+v", d)
			}
			now = now.plus(d.Next)
		}
	})
}

func BenchmarkDecide(b *testing.B) {
	for _, c := range []struct {
		name string
		set  func(w *world)
	}{
		{"quiet", func(*world) {}},
		{"nights", func(w *world) { w.cfg.Schedule.Work, _ = ParseGrid("all 22:00-06:00 full") }},
		{"five reasons", func(w *world) {
			w.s.LastInput, w.s.OnBattery, w.s.Metered, w.s.Fullscreen = Known(w.now.Steady), Known(true),
				Known(true), Known(true)
			w.st.Pause(w.now, time.Hour)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			w := quiet(b)
			c.set(w)
			b.ReportAllocs()
			for b.Loop() {
				_, w.st = Decide(w.cfg, w.s, w.st, w.now)
			}
		})
	}
}
