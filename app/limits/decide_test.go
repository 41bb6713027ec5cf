package limits

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/assets/words"
)

// start is a Sunday, 14:00 in Berlin.
func start(t testing.TB) Clock {
	return Clock{Wall: time.Date(2026, 11, 22, 14, 0, 0, 0, zone(t, "Europe/Berlin")), Steady: 1000 * time.Second}
}

func (c Clock) plus(d time.Duration) Clock { return Clock{c.Wall.Add(d), c.Steady + d} }

// world is all input of Decide. A rule makes one thing wrong in it.
type world struct {
	cfg Config
	s   Sensors
	st  State
	now Clock
}

// quiet is a computer that nobody uses and nothing is wrong with.
func quiet(t testing.TB) *world {
	w := &world{cfg: Defaults(), now: start(t)}
	w.cfg.Consent = true
	w.s = quietSensors()
	return w
}

func quietSensors() Sensors {
	return Sensors{
		LastInput: Known(-100 * time.Hour), KeptAwake: Known(false), OnBattery: Known(false), Charge: Known(100),
		Metered: Known(false), SSID: Known("home"), VPN: Known(false), Fullscreen: Known(false),
		ScreenShared: Known(false),
		Apps:         Known([]string{"sh"}), OtherCPU: Known(5.0), Temperature: Known(50.0),
		TemperatureHigh: Known(100.0),
		FanLoud:         Known(false), Disk: Known(DiskSpace{Used: 1e8, Free: 100e9, Total: 500e9}),
	}
}

// decide returns the decision after the world has been as it is for five minutes.
func (w *world) decide() Decision {
	st := w.st
	d, st := Decide(w.cfg, w.s, st, w.now)
	end := w.now.plus(5 * time.Minute)
	for now := w.now.plus(d.Next); now.Steady < end.Steady; now = now.plus(d.Next) {
		d, st = Decide(w.cfg, w.s, st, now)
	}
	d, _ = Decide(w.cfg, w.s, st, end)
	return d
}

func kindsOf(d Decision) (list []Kind) {
	for _, r := range d.Reasons {
		list = append(list, r.Kind)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// rule is a way in which a world may be other than quiet.
type rule struct {
	name string
	// about is what it changes: of two rules about one thing only one can be tested at a time.
	about   string
	set     func(w *world)
	level   Level
	footing Footing
	kinds   []Kind
	// next is when it ends by itself after five minutes, 0 if never.
	until time.Duration
}

func ruleTable(t testing.TB) []rule {
	grid := func(text string) Grid { return mustGrid(t, text) }
	unknownRule := func(name, about string, k Kind, set func(w *world)) rule {
		return rule{"unknown " + name, about, set, Off, Standby, []Kind{k}, 0}
	}
	spend := func(w *world, n int64) { w.st.Spend(w.now, n, 0) }
	untilMidnight := 10*time.Hour - 5*time.Minute
	untilMonth := 8*day + untilMidnight
	return []rule{
		{"no consent", "consent", func(w *world) { w.cfg.Consent = false }, Off, Silent, []Kind{NoConsent}, 0},
		{"pause", "manual", func(w *world) { w.st.Pause(w.now, 0) }, Off, Silent, []Kind{PausedByUser}, 0},
		{"pause for an hour", "manual", func(w *world) { w.st.Pause(w.now, time.Hour) }, Off, Silent,
			[]Kind{PausedByUser}, 55 * time.Minute},
		{"work hours off, network on", "schedule", func(w *world) {
			w.cfg.Schedule.NetIsWork, w.cfg.Schedule.Work = false, grid("all 23:00-07:00 full")
		}, Off, Standby, []Kind{OutsideHours}, 9*time.Hour - 5*time.Minute},
		{"hours off", "schedule", func(w *world) { w.cfg.Schedule.Work = grid("all 23:00-07:00 full") }, Off,
			Silent, []Kind{OutsideHours}, 9*time.Hour - 5*time.Minute},
		{"hours gentle", "schedule",
			func(w *world) { w.cfg.Schedule.Work = grid("all full; sun 08:00-15:00 gentle") }, Gentle, Duty,
			[]Kind{OutsideHours}, 55 * time.Minute},
		{"network hours off", "schedule", func(w *world) {
			w.cfg.Schedule.NetIsWork, w.cfg.Schedule.Net = false, grid("all full; sun 14:00-14:15 off")
		}, Off, Silent, []Kind{OutsideNetworkHours}, 10 * time.Minute},
		{"network hours gentle", "schedule", func(w *world) {
			w.cfg.Schedule.NetIsWork, w.cfg.Schedule.Net = false, grid("all gentle")
		}, Gentle, Duty, []Kind{OutsideNetworkHours}, 0},
		{"in use", "input", func(w *world) { w.s.LastInput = Known(w.now.Steady + 4*time.Minute) }, Off, Standby,
			[]Kind{UserPresent}, 4 * time.Minute},
		{"kept awake", "awake", func(w *world) { w.s.KeptAwake = Known(true) }, Off, Standby, []Kind{KeptAwake}, 0},
		{"away gentle", "away", func(w *world) { w.cfg.Level.Away = Gentle }, Gentle, Duty, []Kind{AwayLimited}, 0},
		{"away off", "away", func(w *world) { w.cfg.Level.Away = Off }, Off, Standby, []Kind{AwayLimited}, 0},
		{"full screen", "screen", func(w *world) { w.s.Fullscreen = Known(true) }, Off, Standby,
			[]Kind{FullscreenApp}, 0},
		{"screen shared", "share", func(w *world) { w.s.ScreenShared = Known(true) }, Off, Standby,
			[]Kind{ScreenIsShared}, 0},
		{"named program", "apps", func(w *world) {
			w.cfg.Pause.Apps, w.s.Apps = []string{"Blender"}, Known([]string{"sh", `C:\bin\blender.EXE`})
		}, Off, Standby, []Kind{AppRunning}, 0},
		{"other programs", "cpu", func(w *world) { w.s.OtherCPU = Known(60.5) }, Off, Standby,
			[]Kind{OtherPrograms}, 0},
		{"warm", "heat", func(w *world) { w.s.Temperature = Known(90.0) }, Gentle, Duty, []Kind{TooWarm}, 0},
		{"hot", "heat", func(w *world) { w.s.Temperature = Known(98.0) }, Off, Standby, []Kind{TooWarm, TooHot}, 0},
		{"fan", "fan", func(w *world) { w.s.FanLoud = Known(true) }, Gentle, Duty, []Kind{FanIsLoud}, 0},
		{"battery", "power", func(w *world) { w.s.OnBattery = Known(true) }, Off, Silent, []Kind{BatteryPower}, 0},
		{"battery low", "power", func(w *world) {
			w.cfg.Pause.BatteryBelow, w.s.OnBattery, w.s.Charge = 40, Known(true), Known(39)
		}, Off, Silent, []Kind{BatteryPower}, 0},
		{"battery of unknown charge", "power", func(w *world) {
			w.cfg.Pause.BatteryBelow, w.s.OnBattery, w.s.Charge = 40, Known(true), Unknown[int]()
		}, Off, Silent, []Kind{BatteryPower}, 0},
		{"metered", "metered", func(w *world) { w.s.Metered = Known(true) }, Off, Silent, []Kind{MeteredNetwork}, 0},
		{"other wifi", "wifi", func(w *world) {
			w.cfg.Pause.SSIDAllow, w.s.SSID = []string{"home"}, Known("café")
		}, Off, Silent, []Kind{OtherWifi}, 0},
		{"recalled", "recall", func(w *world) {
			w.s.Recall = Known(Recall{Below: "0.2.0", Fault: 1, Until: w.now.Wall.Add(3 * time.Hour)})
		}, Off, Standby, []Kind{Recalled}, 3*time.Hour - 5*time.Minute},
		{"recalled, overruled", "recall", func(w *world) {
			w.cfg.Pause.Recall, w.s.Recall = false, Known(Recall{Below: "0.2.0", Until: w.now.Wall.Add(3 * time.Hour)})
		}, Full, Duty, []Kind{Recalled}, 3*time.Hour - 5*time.Minute},
		{"vpn, not asked", "vpn", func(w *world) { w.s.VPN = Known(true) }, Off, Silent, []Kind{VPNAsk}, 0},
		{"vpn", "vpn", func(w *world) { w.s.VPN, w.cfg.Pause.VPN = Known(true), Yes }, Off, Silent, []Kind{VPNIsOn}, 0},
		{"day nearly used", "day", func(w *world) { spend(w, 9e8) }, Gentle, Duty, []Kind{DayNearlyUsed},
			untilMidnight},
		{"day used up", "day", func(w *world) { spend(w, 1e9) }, Off, Silent, []Kind{DayUsedUp}, untilMidnight},
		{"month nearly used", "month", func(w *world) { w.st.use.addFor(dayOf(w.now.Wall)-5, 18e9, 0) }, Gentle,
			Duty, []Kind{MonthNearlyUsed}, untilMonth},
		{"month used up", "month", func(w *world) { w.st.use.addFor(dayOf(w.now.Wall)-5, 20e9, 0) }, Off, Silent,
			[]Kind{MonthUsedUp}, untilMonth},
		{"day zero", "day", func(w *world) { w.cfg.Data.Day = 0 }, Off, Silent, []Kind{SetToZero}, 0},
		{"disk max", "disk", func(w *world) { w.s.Disk = Known(DiskSpace{Used: 2e9, Free: 100e9, Total: 500e9}) },
			Off, Standby, []Kind{DiskMaxReached}, 0},
		{"disk share", "disk", func(w *world) { w.s.Disk = Known(DiskSpace{Used: 5e8, Free: 8e9, Total: 10e9}) },
			Off, Standby, []Kind{DiskShareReached}, 0},
		{"disk nearly full", "disk", func(w *world) {
			w.s.Disk = Known(DiskSpace{Used: 5e8, Free: 5e9,
				Total: 500e9})
		}, Off, Standby, []Kind{DiskNearlyFull}, 0},
		{"disk zero", "disk", func(w *world) { w.cfg.Disk.Max = 0 }, Off, Standby, []Kind{SetToZero}, 0},
		{"pages zero", "budget", func(w *world) { w.cfg.Budget.Full.PagesPerMin = 0 }, Off, Standby,
			[]Kind{SetToZero}, 0},
		{"down zero", "budget", func(w *world) { w.cfg.Budget.Full.DownKbit = 0 }, Off, Silent, []Kind{SetToZero}, 0},
		{"finish", "finish", func(w *world) { w.st.Finish() }, Off, Duty, []Kind{Finishing}, 0},
		unknownRule("input", "input", UnknownInput, func(w *world) { w.s.LastInput = Unknown[time.Duration]() }),
		unknownRule("absent input", "input", UnknownInput, func(w *world) { w.s.LastInput = Absent[time.Duration]() }),
		{"unknown input is away", "input", func(w *world) {
			w.cfg.Idle.UnknownIs, w.s.LastInput = Away, Unknown[time.Duration]()
		}, Full, Duty, []Kind{UnknownInputIsAway}, 0},
		unknownRule("kept awake", "awake", UnknownKeptAwake, func(w *world) { w.s.KeptAwake = Unknown[bool]() }),
		unknownRule("power", "power", UnknownPower, func(w *world) { w.s.OnBattery = Unknown[bool]() }),
		unknownRule("metered", "metered", UnknownMetered, func(w *world) { w.s.Metered = Unknown[bool]() }),
		unknownRule("wifi", "wifi", UnknownWifi, func(w *world) {
			w.cfg.Pause.SSIDAllow,
				w.s.SSID = []string{"home"}, Unknown[string]()
		}),
		unknownRule("vpn", "vpn", UnknownVPN, func(w *world) { w.s.VPN = Unknown[bool]() }),
		unknownRule("full screen", "screen", UnknownFullscreen, func(w *world) { w.s.Fullscreen = Unknown[bool]() }),
		unknownRule("share", "share", UnknownShared, func(w *world) { w.s.ScreenShared = Unknown[bool]() }),
		unknownRule("apps", "apps", UnknownApps, func(w *world) {
			w.cfg.Pause.Apps, w.s.Apps = []string{"x"},
				Unknown[[]string]()
		}),
		unknownRule("cpu", "cpu", UnknownCPU, func(w *world) { w.s.OtherCPU = Unknown[float64]() }),
		unknownRule("heat", "heat", UnknownHeat, func(w *world) { w.s.Temperature = Unknown[float64]() }),
		unknownRule("fan", "fan", UnknownFan, func(w *world) { w.s.FanLoud = Unknown[bool]() }),
		unknownRule("disk", "disk", UnknownDisk, func(w *world) { w.s.Disk = Unknown[DiskSpace]() }),
		unknownRule("absent disk", "disk", UnknownDisk, func(w *world) { w.s.Disk = Absent[DiskSpace]() }),
	}
}

func TestDecide_NothingLimitsAQuietComputer(t *testing.T) {
	w := quiet(t)
	d := w.decide()
	if d.Level != Full || d.Footing != Duty || len(d.Reasons) != 0 || d.Budget != w.cfg.Budget.Full {
		t.Errorf("Decide = %+v", d)
	}
	if d.DataLeft != 1e9 || d.DiskAllowed != 2e9 || d.DiskLeft != 19e8 || d.RAM != 256e6 {
		t.Errorf("Decide = %+v", d)
	}
	if want := 10*time.Hour - 5*time.Minute; d.Next != want { // the day of data
		t.Errorf("Next = %s, want %s", d.Next, want)
	}
}

func TestDecide_EveryRuleAlone(t *testing.T) {
	seen := map[Kind]bool{}
	for _, r := range ruleTable(t) {
		w := quiet(t)
		r.set(w)
		d := w.decide()
		if d.Level != r.level || d.Footing != r.footing || !slices.Equal(kindsOf(d), r.kinds) {
			t.Errorf("%s: %s, %s, %v, want %s, %s, %v", r.name, d.Level, d.Footing, kindsOf(d), r.level, r.footing,
				r.kinds)
			continue
		}
		for _, k := range r.kinds {
			seen[k] = true
		}
		end := w.now.plus(5 * time.Minute)
		for _, reason := range d.Reasons {
			if r.until != 0 && !reason.Until.Equal(end.Wall.Add(r.until)) || r.until == 0 && !reason.Until.IsZero() {
				t.Errorf("%s: until %s, want in %s", r.name, reason.Until, r.until)
			}
			ofWeek := reason.Kind == OutsideHours || reason.Kind == OutsideNetworkHours // which began before the node
			if reason.Since.Before(w.now.Wall) && !ofWeek || reason.Since.After(end.Wall) {
				t.Errorf("%s: since %s", r.name, reason.Since)
			}
		}
		if r.until > 0 && d.Next > r.until {
			t.Errorf("%s: Next = %s, want %s at most", r.name, d.Next, r.until)
		}
		if d.Level > Off && d.Budget != w.cfg.budget(d.Level, Duty) || d.Footing == Silent && d.Budget != (Budget{}) ||
			d.Footing == Standby && d.Budget != standbyBudget {
			t.Errorf("%s: Budget = %+v", r.name, d.Budget)
		}
	}
	seen[TimedWork], seen[HasFullBudget] = true, true // has tests of its own; is none of Decide's
	for k := range HasFullBudget {
		if !seen[k] {
			t.Errorf("no rule of the table gives %s", k)
		}
	}
}

// Two rules together allow the least that one of them does, and both are told.
func TestDecide_EveryPairOfRules(t *testing.T) {
	rules := ruleTable(t)
	for i, a := range rules {
		for _, b := range rules[i+1:] {
			if a.about == b.about {
				continue
			}
			one, other, both := quiet(t), quiet(t), quiet(t)
			a.set(one)
			b.set(other)
			a.set(both)
			b.set(both)
			da, db, d := one.decide(), other.decide(), both.decide()
			name := a.name + " and " + b.name
			want := slices.Concat(a.kinds, b.kinds)
			// Whoever is there is not away.
			if has(d, UserPresent, KeptAwake, UnknownInput, UnknownKeptAwake) {
				want = slices.DeleteFunc(want, func(k Kind) bool { return k == AwayLimited })
			}
			slices.Sort(want)
			if got := kindsOf(d); !slices.Equal(got, slices.Compact(want)) {
				t.Errorf("%s: reasons %v, want %v", name, got, want)
			}
			level, footing := min(da.Level, db.Level), max(da.Footing, db.Footing)
			if d.Level != level || d.Footing != footing {
				t.Errorf("%s: %s, %s, want %s, %s", name, d.Level, d.Footing, level, footing)
			}
			checkBudget(t, name, d, da, db)
		}
	}
}

// checkBudget checks that a decision allows no more than others do.
func checkBudget(t testing.TB, name string, d Decision, others ...Decision) {
	t.Helper()
	for _, o := range others {
		if has(d, UnknownDisk) != has(o, UnknownDisk) { // one does not know how much is stored
			o.DiskLeft = d.DiskLeft
		}
		if d.Budget.Min(o.Budget) != d.Budget && !d.Finishing {
			t.Errorf("%s: budget %+v is more than %+v", name, d.Budget, o.Budget)
		}
		if least(d.DataLeft, o.DataLeft) != d.DataLeft || least(d.DiskLeft, o.DiskLeft) != d.DiskLeft ||
			least(d.DiskAllowed, o.DiskAllowed) != d.DiskAllowed {
			t.Errorf("%s: left %d, %d, %d is more than %d, %d, %d", name, d.DataLeft, d.DiskLeft, d.DiskAllowed,
				o.DataLeft, o.DiskLeft, o.DiskAllowed)
		}
	}
}

func TestDecide_InUseMayBeGentle(t *testing.T) {
	for _, r := range ruleTable(t) {
		w := quiet(t)
		w.cfg.Level.InUse = Gentle
		r.set(w)
		d := w.decide()
		want := r.level
		unknown := len(r.kinds) == 1 && r.kinds[0] >= UnknownInput && r.kinds[0] <= UnknownDisk && r.level == Off
		if unknown || r.name == "in use" || r.name == "kept awake" {
			want = Gentle
		}
		if d.Level != want {
			t.Errorf("%s: %s, want %s", r.name, d.Level, want)
		}
	}
}

func TestDecide_WithoutStandbyItIsSilent(t *testing.T) {
	for _, r := range ruleTable(t) {
		w := quiet(t)
		w.cfg.Footing.Standby = false
		r.set(w)
		if d := w.decide(); d.Footing == Standby || r.footing == Standby &&
			(d.Footing != Silent || d.Budget != Budget{}) {
			t.Errorf("%s: %s, %+v", r.name, d.Footing, d.Budget)
		}
	}
}

// Timed work lifts what is there for the sake of presence and of the hours of work, and
// nothing else.
func TestDecide_TimedWork(t *testing.T) {
	lifts := []string{"in use", "kept awake", "full screen", "screen shared", "named program", "other programs",
		"hours off", "hours gentle",
		"work hours off, network on", "away gentle", "away off"}
	for _, r := range ruleTable(t) {
		if r.about == "manual" {
			continue
		}
		w := quiet(t)
		r.set(w)
		before := w.decide()
		w.st.Work(w.now, time.Hour)
		if r.about == "finish" {
			w.st.Finish() // Work takes it back
		}
		d := w.decide()
		lifted := slices.Contains(lifts, r.name) || len(r.kinds) == 1 && r.kinds[0] >= UnknownInput &&
			r.kinds[0] <= UnknownDisk
		want := before.Level
		switch {
		case r.name == "away gentle":
			want = Gentle
		case r.name == "away off":
			want = Off // off both ways
		case lifted:
			want = Full
		}
		if d.Level != want || !has(d, TimedWork) {
			t.Errorf("%s: %s, %v, want %s", r.name, d.Level, kindsOf(d), want)
		}
		w.st.Resume()
		if r.about != "finish" {
			if got := w.decide(); got.Level != before.Level {
				t.Errorf("%s: %s after Resume, want %s", r.name, got.Level, before.Level)
			}
		}
	}
}

func TestDecide_TimedWorkEnds(t *testing.T) {
	w := quiet(t)
	w.s.LastInput = Known(w.now.Steady + time.Hour)
	w.st.Work(w.now, 2*time.Minute)
	d, st := Decide(w.cfg, w.s, w.st, w.now)
	if d.Level != Full || d.Next != 2*time.Minute || len(d.Reasons) != 1 ||
		!d.Reasons[0].Until.Equal(w.now.Wall.Add(2*time.Minute)) {
		t.Fatalf("Decide = %+v", d)
	}
	if d, _ := Decide(w.cfg, w.s, st, w.now.plus(2*time.Minute-1)); d.Level != Full || d.Next != 1 {
		t.Errorf("a moment before: %s, Next = %s", d.Level, d.Next)
	}
	d, st = Decide(w.cfg, w.s, st, w.now.plus(2*time.Minute))
	if d.Level != Off || !slices.Equal(kindsOf(d), []Kind{UserPresent}) {
		t.Errorf("at the end: %s, %v", d.Level, kindsOf(d))
	}
	if mode, until := st.Manual(w.now.plus(2 * time.Minute)); mode != Auto || !until.IsZero() {
		t.Errorf("at the end the mode is %s until %s", mode, until)
	}
}

// What is left of timed work goes on after a pause, however that ends, until the time that was said. Resume
// ends it, and whoever asks for other work has that.
func TestDecide_TimedWorkGoesOnAfterAPause(t *testing.T) {
	const min = time.Minute
	for _, c := range []struct {
		name  string
		do    func(w *world)
		after time.Duration // since the work of 30 minutes began
		mode  Mode
		left  time.Duration
	}{
		{"while paused", func(w *world) {}, 10 * min, Paused, 10 * min},
		{"the pause ends", func(w *world) {}, 20 * min, On, 10 * min},
		{"resumed", func(w *world) { w.st.Resume() }, 10 * min, On, 20 * min},
		{"resumed twice", func(w *world) { w.st.Resume(); w.st.Resume() }, 10 * min, Auto, 0},
		{"paused again", func(w *world) { w.st.Pause(w.now, min); w.st.Resume() }, 10 * min, On, 20 * min},
		{"other work", func(w *world) { w.st.Work(w.now, min); w.st.Resume() }, 10 * min, Auto, 0},
		{"paused for longer", func(w *world) { w.st.Pause(w.now, time.Hour); w.st.Resume() }, 30 * min, Auto, 0},
	} {
		w := quiet(t)
		began := w.now
		w.st.Work(began, 30*min)
		w.st.Pause(began, 20*min)
		w.now = began.plus(min)
		w.decide()
		c.do(w)
		w.now = began.plus(c.after)
		w.s.LastInput = Known(w.now.Steady)
		var d Decision
		before := w.st
		d, w.st = Decide(w.cfg, w.s, w.st, w.now)
		mode, until := w.st.Manual(w.now)
		if said, _ := before.Manual(w.now); said != mode {
			t.Errorf("%s: Manual says %s before Decide and %s after it", c.name, said, mode)
		}
		want := time.Time{}
		if c.left > 0 {
			want = w.now.Wall.Add(c.left)
		}
		if mode != c.mode || !until.Equal(want) || (d.Level == Full) != (c.mode == On) {
			t.Errorf("%s: %s until %s at %s, want %s for %s", c.name, mode, until, d.Level, c.mode, c.left)
		}
	}
}

// has reports whether a decision has a reason of one of the kinds.
func has(d Decision, kinds ...Kind) bool {
	return slices.ContainsFunc(d.Reasons, func(r Reason) bool { return slices.Contains(kinds, r.Kind) })
}

func TestDecide_Finish(t *testing.T) {
	w := quiet(t)
	w.st.Finish()
	d := w.decide()
	want := w.cfg.Budget.Full
	want.PagesPerMin = 0
	if d.Level != Off || !d.Finishing || d.Footing != Duty || d.Budget != want {
		t.Errorf("Decide = %+v", d)
	}
	w.s.LastInput = Known(w.now.plus(5 * time.Minute).Steady) // somebody comes: what is in flight stops, too
	if d := w.decide(); d.Level != Off || d.Finishing || d.Footing != Standby || d.Budget != standbyBudget {
		t.Errorf("in use: %+v", d)
	}
	w = quiet(t)
	w.st.Finish()
	w.st.Resume()
	if d := w.decide(); d.Level != Full || d.Finishing {
		t.Errorf("after Resume: %+v", d)
	}
	w.st.Finish()
	w.st.Work(w.now, time.Hour)
	if d := w.decide(); d.Level != Full || d.Finishing {
		t.Errorf("after Work: %+v", d)
	}
}

// The level falls at the first input, and rises when there was none for long enough.
func TestDecide_IdleToTheMoment(t *testing.T) {
	w := quiet(t)
	w.s.LastInput = Known(w.now.Steady)
	d, st := Decide(w.cfg, w.s, w.st, w.now)
	if d.Level != Off || d.Next != 5*time.Minute {
		t.Errorf("at the input: %s, Next = %s", d.Level, d.Next)
	}
	if d, _ := Decide(w.cfg, w.s, st, w.now.plus(5*time.Minute-1)); d.Level != Off || d.Next != 1 {
		t.Errorf("a moment before: %s, Next = %s", d.Level, d.Next)
	}
	if d, _ := Decide(w.cfg, w.s, st, w.now.plus(5*time.Minute)); d.Level != Full {
		t.Errorf("five minutes later: %s", d.Level)
	}
	w.s.LastInput = Known(w.now.Steady + time.Hour) // from a clock that is ahead
	if d, _ := Decide(w.cfg, w.s, st, w.now); d.Level != Off || d.Next != 5*time.Minute {
		t.Errorf("an input in the future: %s, Next = %s", d.Level, d.Next)
	}
}

// step is a change of the world, and what is decided then.
type step struct {
	after time.Duration
	set   func(s *Sensors)
	level Level
	next  time.Duration // 0 for any
}

func (w *world) play(t *testing.T, name string, steps []step) {
	t.Helper()
	w.cfg.Data = Data{Day: NoLimit, Month: NoLimit}
	for i, s := range steps {
		w.now = w.now.plus(s.after)
		if s.set != nil {
			s.set(&w.s)
		}
		var d Decision
		d, w.st = Decide(w.cfg, w.s, w.st, w.now)
		if d.Level != s.level || s.next != 0 && d.Next != s.next {
			t.Errorf("%s, step %d: %s, Next = %s, want %s, %s (%v)", name, i, d.Level, d.Next, s.level, s.next,
				kindsOf(d))
		}
	}
}

func TestDecide_Holds(t *testing.T) {
	cpu := func(v float64) func(*Sensors) { return func(s *Sensors) { s.OtherCPU = Known(v) } }
	quiet(t).play(t, "other programs", []step{
		{0, cpu(90), Full, 30 * time.Second},
		{29 * time.Second, cpu(50), Full, 0}, // a peak
		{time.Second, cpu(61), Full, 30 * time.Second},
		{30 * time.Second, nil, Off, 0},
		{time.Minute, cpu(60), Off, 2 * time.Minute},
		{time.Minute, cpu(99), Off, 0},
		{time.Minute, cpu(10), Off, 2 * time.Minute},
		{2*time.Minute - 1, nil, Off, 1},
		{1, nil, Full, 0},
	})
	battery := func(v bool) func(*Sensors) { return func(s *Sensors) { s.OnBattery = Known(v) } }
	quiet(t).play(t, "battery", []step{
		{0, battery(true), Off, 0},
		{time.Hour, battery(false), Off, 2 * time.Minute},
		{time.Minute, battery(true), Off, 0},
		{time.Second, battery(false), Off, 2 * time.Minute},
		{2 * time.Minute, nil, Full, 0},
	})
	screen := func(v Reading[bool]) func(*Sensors) { return func(s *Sensors) { s.Fullscreen = v } }
	quiet(t).play(t, "full screen", []step{
		{0, screen(Known(true)), Off, 0},
		{time.Hour, screen(Unknown[bool]()), Off, 0},
		{time.Hour, screen(Known(false)), Off, 15 * time.Second},
		{15 * time.Second, nil, Full, 0},
		{0, screen(Absent[bool]()), Full, 0},
	})
	awake := func(v bool) func(*Sensors) { return func(s *Sensors) { s.KeptAwake = Known(v) } }
	quiet(t).play(t, "a film", []step{
		{0, awake(true), Off, 0},
		{time.Hour, awake(false), Off, 5 * time.Minute},
		{5*time.Minute - 1, nil, Off, 1},
		{1, nil, Full, 0},
	})
	heat := func(v float64) func(*Sensors) { return func(s *Sensors) { s.Temperature = Known(v) } }
	quiet(t).play(t, "heat", []step{
		{0, heat(95), Full, 2 * time.Minute},
		{2 * time.Minute, nil, Gentle, 0},
		{0, heat(99), Gentle, 2 * time.Minute},
		{2 * time.Minute, nil, Off, 0},
		{0, heat(95), Off, 2 * time.Minute},
		{2 * time.Minute, nil, Gentle, 0},
		{0, heat(20), Gentle, 2 * time.Minute},
		{2 * time.Minute, nil, Full, 0},
	})
	room := func(used int64) func(*Sensors) {
		return func(s *Sensors) { s.Disk = Known(DiskSpace{Used: used, Free: 1e12, Total: 1e13}) }
	}
	quiet(t).play(t, "disk", []step{
		{0, room(2e9 - 1), Full, 0},
		{0, room(2e9), Off, 0},
		{0, room(2e9 - 16<<20), Off, 0},
		{0, room(2e9 - 16<<20 - 1), Full, 0},
		{0, room(2e9 - 1), Full, 0},
	})
}

// A sensor that ceases to answer while it keeps work back does not set it free.
func TestDecide_UnknownKeepsAHold(t *testing.T) {
	w := quiet(t)
	w.cfg.Level.InUse = Full
	w.s.OnBattery = Known(true)
	_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	w.s.OnBattery = Unknown[bool]()
	if d := w.decide(); d.Level != Off || d.Footing != Silent {
		t.Errorf("Decide = %+v", d)
	}
}

func TestDecide_UnknownTemperatureKeepsWhatWasHot(t *testing.T) {
	w := quiet(t)
	w.cfg.Level.InUse = Full
	w.s.Temperature = Known(99.0)
	if d := w.decide(); d.Level != Off {
		t.Fatalf("Decide = %+v", d)
	}
	_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	w.now = w.now.plus(heatHold)
	_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	w.s.Temperature = Unknown[float64]()
	if d := w.decide(); d.Level != Off || !has(d, TooHot) || !has(d, TooWarm) || !has(d, UnknownHeat) {
		t.Errorf("Decide = %+v", d)
	}
}

func TestDecide_SinceIsOfThisTime(t *testing.T) {
	w := quiet(t)
	for _, metered := range []bool{true, true, false, true, true} {
		before := w.now
		w.now = w.now.plus(time.Minute)
		var d Decision
		w.s.Metered = Known(metered)
		d, w.st = Decide(w.cfg, w.s, w.st, w.now)
		if again, st := Decide(w.cfg, w.s, w.st, w.now); metered &&
			(st != w.st || !again.Reasons[0].Since.Equal(d.Reasons[0].Since)) {
			t.Errorf("since %s, and then %s", d.Reasons[0].Since, again.Reasons[0].Since)
		}
		if metered && d.Reasons[0].Since.Before(before.Wall) {
			t.Errorf("%s: since %s", w.now.Wall, d.Reasons[0].Since)
		}
	}
}

// Timed work lifts reasons; what they are about goes on, and is not said to have begun when the work ends.
func TestDecide_SinceIsNotOfTheEndOfTimedWork(t *testing.T) {
	w := quiet(t)
	w.cfg.Pause.Apps = []string{"blender"}
	w.s.Apps, w.s.Fullscreen, w.s.KeptAwake, w.s.OtherCPU = Known([]string{"blender"}), Known(true), Known(true),
		Known(90.0)
	w.s.Metered = Unknown[bool]()
	begin := w.now
	known := true
	after := func(d time.Duration) Decision {
		var is Decision
		w.now = begin.plus(d)
		if w.s.LastInput = Known(w.now.Steady); !known {
			w.s.LastInput = Unknown[time.Duration]()
		}
		is, w.st = Decide(w.cfg, w.s, w.st, w.now)
		return is
	}
	after(0)
	before := after(2 * time.Minute)
	w.st.Work(w.now, 2*time.Minute)
	if d := after(3 * time.Minute); d.Level != Full || has(d, UserPresent) {
		t.Fatalf("Decide = %+v", d)
	}
	now := after(5 * time.Minute)
	same := func(kinds ...Kind) {
		t.Helper()
		for _, k := range kinds {
			if was, is := sinceOf(before, k), sinceOf(now, k); was.IsZero() || !is.Equal(was) {
				t.Errorf("%s: since %s, after timed work since %s", k, was, is)
			}
		}
	}
	same(UserPresent, KeptAwake, FullscreenApp, AppRunning, OtherPrograms, UnknownMetered)

	known = false
	before = after(6 * time.Minute)
	w.st.Work(w.now, time.Minute)
	after(6*time.Minute + 30*time.Second)
	now = after(8 * time.Minute)
	same(UnknownInput)
}

func sinceOf(d Decision, k Kind) time.Time {
	for _, r := range d.Reasons {
		if r.Kind == k {
			return r.Since
		}
	}
	return time.Time{}
}

// Another program or network has not been there since the one before came.
func TestDecide_SinceIsOfThisThing(t *testing.T) {
	w := quiet(t)
	w.cfg.Pause.Apps, w.cfg.Pause.SSIDAllow = []string{"blender", "krita"}, []string{"home"}
	begin := w.now
	for minute, c := range []struct{ app, wifi string }{{"blender", "café"}, {"blender", "café"},
		{"krita", "station"}, {"krita", "station"}} {
		w.now = begin.plus(time.Duration(minute) * time.Minute)
		w.s.Apps, w.s.SSID = Known([]string{c.app}), Known(c.wifi)
		var d Decision
		d, w.st = Decide(w.cfg, w.s, w.st, w.now)
		want := begin.Wall.Add(time.Duration(minute/2*2) * time.Minute)
		for _, k := range []Kind{AppRunning, OtherWifi} {
			if is := sinceOf(d, k); !is.Equal(want) {
				t.Errorf("after %d min %s is since %s, want %s", minute, k, is, want)
			}
		}
	}
}

func TestDecide_BatteryBelow(t *testing.T) {
	for _, c := range []struct {
		below, charge int
		want          Level
	}{{100, 100, Off}, {100, 10, Off}, {40, 41, Full}, {40, 40, Full}, {40, 39, Off}} {
		w := quiet(t)
		w.cfg.Pause.BatteryBelow = c.below
		w.s.OnBattery, w.s.Charge = Known(true), Known(c.charge)
		if d := w.decide(); d.Level != c.want {
			t.Errorf("%d %% of charge, below %d: %s, want %s", c.charge, c.below, d.Level, c.want)
		}
	}
}

// In Newfoundland clocks went back at one minute past midnight: the new day was the old one again.
func TestDecide_AnnouncesThatADayComesAgain(t *testing.T) {
	w := quiet(t)
	w.now.Wall = time.Date(2010, 11, 6, 23, 0, 0, 0, zone(t, "America/St_Johns"))
	w.st.Spend(w.now, 1e9, 0)
	for _, s := range []struct {
		after time.Duration
		level Level
		next  time.Duration
	}{{0, Off, time.Hour}, {time.Hour, Full, time.Minute}, {time.Minute, Off, 59 * time.Minute},
		{59 * time.Minute, Full, 24 * time.Hour}} {
		w.now = w.now.plus(s.after)
		var d Decision
		if d, w.st = Decide(w.cfg, w.s, w.st, w.now); d.Level != s.level || d.Next != s.next {
			t.Errorf("%s: %s, Next = %s, want %s, %s", w.now.Wall, d.Level, d.Next, s.level, s.next)
		}
	}
}

// However programs come and go, the level does not change more than six times an hour.
func TestDecide_BusyByFitsAndStarts(t *testing.T) {
	for _, period := range []time.Duration{45 * time.Second, 150 * time.Second, 3 * time.Minute, 10 * time.Minute,
		25 * time.Minute} {
		w := quiet(t)
		w.cfg.Data = Data{Day: NoLimit, Month: NoLimit}
		begin := w.now
		busy := max(period/5, 31*time.Second)
		changes, worked := levelChanges{}, time.Duration(0)
		for w.now.Steady < begin.Steady+day {
			phase := (w.now.Steady - begin.Steady) % period
			w.s.OtherCPU = Known(95.0)
			wait := busy - phase
			if phase >= busy {
				w.s.OtherCPU = Known(5.0)
				wait = period - phase
			}
			var d Decision
			d, w.st = Decide(w.cfg, w.s, w.st, w.now)
			changes.note(t, d.Level, w.now)
			wait = min(wait, d.Next)
			if d.Level == Full {
				worked += wait
			}
			w.now = w.now.plus(wait)
		}
		if worked == day || worked == 0 && period > 3*time.Minute {
			t.Errorf("period %s: worked %s of a day", period, worked)
		}
	}
}

// levelChanges are the times of the last changes of the level.
type levelChanges struct {
	level Level
	at    []time.Duration
}

// note fails the test at the seventh change within an hour.
func (c *levelChanges) note(t *testing.T, l Level, now Clock) {
	t.Helper()
	if l == c.level {
		return
	}
	c.level, c.at = l, append(c.at, now.Steady)
	if n := len(c.at); n > 6 && now.Steady-c.at[n-7] < time.Hour {
		t.Fatalf("%s: the seventh change within %s", now.Wall, now.Steady-c.at[n-7])
	}
}

func TestDecide_GentleIsNeverMoreThanFull(t *testing.T) {
	c := Defaults()
	c.Budget.Gentle = Budget{50, NoLimit, 9000, 400, 16, 300}
	want := Budget{25, 4000, 500, 60, 6, 60}
	if got := c.budget(Gentle, Duty); got != want {
		t.Errorf("gentle = %+v, want %+v", got, want)
	}
	c.Budget.Full = Budget{NoLimit, NoLimit, NoLimit, NoLimit, NoLimit, NoLimit}
	c.Budget.Gentle = Budget{-7, 10, 16, NoLimit, -2, 1}
	if got, want := c.budget(Gentle, Duty), (Budget{0, 10, 16, NoLimit, 0, 1}); got != want {
		t.Errorf("gentle = %+v, want %+v", got, want)
	}
	if got, want := c.budget(Off, Standby), (Budget{0, 10, 16, 30, 0, 0}); got != want {
		t.Errorf("standby = %+v, want %+v", got, want)
	}
	if got := c.budget(Off, Silent); got != (Budget{}) {
		t.Errorf("silent = %+v", got)
	}
}

func TestDecide_ZeroNamesTheSetting(t *testing.T) {
	for _, c := range []struct {
		set     func(c *Config)
		inUse   bool
		names   []string
		footing Footing
	}{
		{func(c *Config) { c.Budget.Full.DownKbit = 0 }, false, []string{"budget.full.down_kbit"}, Silent},
		// standby would send
		{func(c *Config) { c.Budget.Full.DownKbit = 0 }, true, []string{"budget.full.down_kbit"}, Silent},
		{func(c *Config) { c.Level.InUse, c.Budget.Gentle.UpKbit = Gentle, 0 }, true,
			[]string{"budget.gentle.up_kbit"}, Silent},
		{func(c *Config) { c.Level.InUse, c.Budget.Gentle.Fetchers = Gentle, 0 }, true,
			[]string{"budget.gentle.fetchers"}, Standby},
		// standby has no more than gentle
		{func(c *Config) { c.Budget.Gentle.UpKbit = 0 }, true, []string{"budget.gentle.up_kbit"}, Silent},
		{func(c *Config) { c.Budget.Full.PagesPerMin = 0 }, false, []string{"budget.full.pages_per_min"}, Standby},
		{func(c *Config) { c.Data.Month = 0 }, false, []string{"data.month"}, Silent},
	} {
		w := quiet(t)
		c.set(&w.cfg)
		if c.inUse {
			w.s.LastInput = Known(w.now.plus(5 * time.Minute).Steady)
		}
		d := w.decide()
		var names []string
		for _, r := range d.Reasons {
			if r.Kind == SetToZero {
				names = append(names, r.Name)
			}
		}
		if d.Level != Off || d.Footing != c.footing || !slices.Equal(names, c.names) {
			t.Errorf("%v: %s, %s, %v", c.names, d.Level, d.Footing, names)
		}
	}
}

// No rule needs a sensor that it does not ask.
func TestDecide_RulesThatAreOffNeedNoSensor(t *testing.T) {
	w := quiet(t)
	p := &w.cfg.Pause
	p.Battery, p.Metered, p.Fullscreen, p.ScreenShare, p.OtherCPU, p.VPN = false, false, false, false, 100, No
	w.cfg.Heat.FanQuiet = false
	s := Sensors{LastInput: w.s.LastInput, KeptAwake: w.s.KeptAwake, Disk: w.s.Disk, Temperature: Absent[float64]()}
	w.s = s
	if d := w.decide(); d.Level != Full || len(d.Reasons) != 0 {
		t.Errorf("Decide = %+v", d)
	}
	*w = *quiet(t)
	w.s = Sensors{
		LastInput: w.s.LastInput, Disk: w.s.Disk, KeptAwake: Absent[bool](), OnBattery: Absent[bool](),
		Metered: Absent[bool](), VPN: Absent[bool](),
		Fullscreen: Absent[bool](), ScreenShared: Absent[bool](), OtherCPU: Absent[float64](),
		Temperature: Absent[float64](), FanLoud: Absent[bool](),
	}
	if d := w.decide(); d.Level != Full || len(d.Reasons) != 0 {
		t.Errorf("with absent sensors: %+v", d)
	}
	*w = world{now: w.now}
	if d := w.decide(); d.Level != Off || d.Footing != Silent {
		t.Errorf("the zero Config: %+v", d)
	}
}

func TestDecide_SilentUntil(t *testing.T) {
	w := quiet(t)
	w.st.Pause(w.now, time.Hour)
	w.cfg.Schedule.Work = mustGrid(t, "all full; sun 14:00-16:00 off")
	w.s.OtherCPU = Known(99.0) // standby alone
	if d, want := w.decide(), w.now.Wall.Add(2*time.Hour); !d.SilentUntil.Equal(want) {
		t.Errorf("SilentUntil = %s, want %s", d.SilentUntil, want)
	}
	w.s.Metered = Known(true)
	if d := w.decide(); !d.SilentUntil.IsZero() {
		t.Errorf("SilentUntil = %s on a metered network", d.SilentUntil)
	}
}

func TestSameApp(t *testing.T) {
	for _, c := range []struct {
		running, name string
		want          bool
	}{
		{"blender", "blender", true}, {"/usr/bin/Blender", "blender", true}, {`C:\x\GAME.EXE`, "game", true},
		{"game", "game.exe", true},
		{"blender-2", "blender", false}, {".exe", "", false}, {"exe", ".exe", false},
	} {
		if got := sameApp(c.running, c.name); got != c.want {
			t.Errorf("sameApp(%q, %q) = %v", c.running, c.name, got)
		}
	}
}

func TestDisk_SmallestOfThreeRules(t *testing.T) {
	for _, c := range []struct {
		disk  Disk
		space DiskSpace
		bytes int64
		rule  Kind
	}{
		{Disk{2e9, 5e9, 5}, DiskSpace{0, 100e9, 500e9}, 2e9, DiskMaxReached},
		{Disk{2e9, 5e9, 5}, DiskSpace{0, 30e9, 32e9}, 16e8, DiskShareReached},
		{Disk{2e9, 5e9, 5}, DiskSpace{1e9, 55e8, 500e9}, 15e8, DiskNearlyFull},
		{Disk{2e9, 5e9, 5}, DiskSpace{1e9, 1e9, 500e9}, 0, DiskNearlyFull},
		{Disk{NoLimit, 0, NoLimit}, DiskSpace{1e9, 1e9, 500e9}, 2e9 - AlwaysFree, DiskNearlyFull},
		{Disk{NoLimit, 0, 100}, DiskSpace{0, 500e9, 500e9}, 500e9 - AlwaysFree, DiskNearlyFull},
		{Disk{0, 0, 100}, DiskSpace{0, 500e9, 500e9}, 0, DiskMaxReached},
		{Disk{-5, 0, 0}, DiskSpace{-1, -1, -1}, 0, DiskNearlyFull},
		{Disk{NoLimit, 0, 100}, DiskSpace{1 << 62, 1 << 62, 1<<63 - 1}, 1<<63 - 1 - AlwaysFree, DiskNearlyFull},
	} {
		bytes, rule := c.disk.Allowed(c.space)
		if c.disk.MaxPercent == 100 && c.space.Total == 1<<63-1 {
			rule, bytes = c.rule, c.bytes // either is right there
		}
		if bytes != c.bytes || rule != c.rule && bytes > 0 {
			t.Errorf("%+v.Allowed(%+v) = %d, %s, want %d, %s", c.disk, c.space, bytes, rule, c.bytes, c.rule)
		}
	}
}

func Example() {
	cfg := Defaults()
	cfg.Consent = true
	s := quietSensors()
	s.Fullscreen = Known(true)
	now := Clock{Wall: time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC), Steady: time.Hour}
	d, _ := Decide(cfg, s, State{}, now)
	fmt.Println(d.Level, d.Footing, d.Reasons[0].Kind)
	// Output: off standby fullscreen
}

// Every text that Decide can need exists for the very level.
func TestDecide_HasWords(t *testing.T) {
	table := words.Keys(words.English)
	for _, r := range ruleTable(t) {
		for _, inUse := range []Level{Off, Gentle, Full} {
			for _, work := range []bool{false, true} {
				w := quiet(t)
				w.cfg.Level.InUse = inUse
				r.set(w)
				if work {
					w.st.Work(w.now, time.Hour)
				}
				for _, reason := range w.decide().Reasons {
					key := "limits." + reason.Kind.String()
					if table[key]+table[key+".whether"]+table[key+"."+reason.Allows.String()] == "" {
						t.Errorf("%s: %s has no text for %s", r.name, reason.Kind, reason.Allows)
					}
				}
			}
		}
	}
}
