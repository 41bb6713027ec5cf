package limits

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// restart saves a state through JSON and restores it after the node was off for a while. The steady
// clock begins again.
func restart(t *testing.T, st State, now Clock, off time.Duration) (State, Clock) {
	t.Helper()
	text, err := json.Marshal(st.Save(now))
	if err != nil {
		t.Fatal(err)
	}
	var saved Saved
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	now = Clock{Wall: now.Wall.Add(off), Steady: 3 * time.Second}
	return Restore(saved, now), now
}

func TestState_WhatWasAskedForSurvivesARestart(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(s *State, now Clock)
		off  time.Duration
		mode Mode
		left time.Duration
	}{
		{"nothing", func(*State, Clock) {}, time.Minute, Auto, 0},
		{"pause of an hour", func(s *State, now Clock) { s.Pause(now, time.Hour) }, 10 * time.Minute, Paused,
			50 * time.Minute},
		{"pause that ends meanwhile", func(s *State, now Clock) { s.Pause(now, time.Hour) }, time.Hour, Auto, 0},
		{"pause without end", func(s *State, now Clock) { s.Pause(now, 0) }, 40 * day, Paused, 0},
		{"timed work", func(s *State, now Clock) { s.Work(now, 2*time.Minute) }, time.Minute, On, time.Minute},
		{"work without end", func(s *State, now Clock) { s.Work(now, -1) }, time.Minute, Auto, 0},
		{"pause after work", func(s *State, now Clock) { s.Work(now, time.Hour); s.Pause(now, time.Minute) }, 0,
			Paused, time.Minute},
		{"resume", func(s *State, now Clock) { s.Pause(now, time.Hour); s.Resume() }, 0, Auto, 0},
		{"finish", func(s *State, now Clock) { s.Finish() }, 0, Auto, 0},
		{"the wall clock is set back", func(s *State, now Clock) { s.Pause(now, time.Hour) }, -30 * day, Paused,
			time.Hour},
		{"a pause longer than can be", func(s *State, now Clock) { s.Pause(now, 5000*day) }, time.Hour, Paused,
			MaxDuration - time.Hour},
	} {
		var st State
		now := start(t)
		c.set(&st, now)
		st, now = restart(t, st, now, c.off)
		mode, until := st.Manual(now)
		want := time.Time{}
		if c.left > 0 {
			want = now.Wall.Add(c.left)
		}
		if mode != c.mode || !until.Equal(want) {
			t.Errorf("%s: %s until %s, want %s for %s", c.name, mode, until, c.mode, c.left)
		}
		w := quiet(t)
		d, _ := Decide(w.cfg, w.s, st, now)
		if (d.Level == Off) != (c.mode == Paused) {
			t.Errorf("%s: %s", c.name, d.Level)
		}
		if c.mode != Auto && c.off >= 0 && !d.Reasons[0].Since.Equal(start(t).Wall) {
			t.Errorf("%s: since %s, want %s", c.name, d.Reasons[0].Since, start(t).Wall)
		}
	}
}

func TestRestore_DropsWhatCannotBe(t *testing.T) {
	now := start(t)
	hour := now.Wall.Add(time.Hour)
	for _, saved := range []Saved{
		{Mode: Paused, Until: hour},
		{Mode: On, Since: now.Wall},
		{Mode: Paused},
		{Mode: Auto, Since: now.Wall, Until: hour},
		{Mode: 77, Since: now.Wall, Until: hour},
		{Mode: Paused, Since: hour, Until: now.Wall},
		{Mode: Paused, Since: hour.Add(time.Hour), Until: hour},
	} {
		if st := Restore(saved, now); st != (State{}) {
			t.Errorf("Restore(%+v) = %+v", saved, st.manual)
		}
	}
	many := make([]DayUse, 1000)
	for i := range many {
		many[i] = DayUse{Day: 20000, Bytes: 1<<63 - 1}
	}
	many[0].Bytes = -5
	st := Restore(Saved{Use: many}, now)
	if got := st.use.since(0); got != 1<<63-1 {
		t.Errorf("%d bytes were used", got)
	}
}

func TestState_QuotasByTheDayAndTheMonth(t *testing.T) {
	w := quiet(t)
	w.cfg.Data = Data{Day: 1000, Month: 2500, MonthStarts: 24}
	at := func(d string) { // at noon
		wall, err := time.ParseInLocation("2006-01-02 15", d+" 12", w.now.Wall.Location())
		if err != nil {
			t.Fatal(err)
		}
		w.now = w.now.plus(wall.Sub(w.now.Wall))
	}
	check := func(today, month, left int64, level Level) {
		t.Helper()
		var d Decision
		d, w.st = Decide(w.cfg, w.s, w.st, w.now)
		a, b := w.st.Used(w.now, w.cfg.Data)
		if a != today || b != month || d.DataLeft != left || d.Level != level {
			t.Errorf("%s: used %d, %d, left %d, %s, want %d, %d, %d, %s", w.now.Wall, a, b, d.DataLeft, d.Level,
				today, month, left, level)
		}
	}
	at("2026-11-22")
	w.st.Spend(w.now, 899, 0)
	check(899, 899, 101, Full)
	w.st.Spend(w.now, 1, 0)
	check(900, 900, 100, Gentle)
	w.st.Spend(w.now, 99, 0)
	check(999, 999, 1, Gentle)
	w.st.Spend(w.now, 5, 0)
	check(1004, 1004, 0, Off)
	at("2026-11-23") // nothing is carried over
	check(0, 1004, 1000, Full)
	w.st.Spend(w.now, 800, 0)
	check(800, 1804, 200, Full)
	at("2026-11-24") // a new month
	check(0, 0, 1000, Full)
	w.st.Spend(w.now, 800, 0)
	at("2026-11-25")
	w.st.Spend(w.now, 800, 0)
	at("2026-11-26")
	w.st.Spend(w.now, 700, 0)
	check(700, 2300, 200, Gentle)
	w.st.Spend(w.now, 200, 0)
	check(900, 2500, 0, Off)
	w.cfg.Data.MonthStarts = 1 // the days are known, whatever the billing day
	check(900, 4304, 0, Off)
	w.cfg.Data.MonthStarts = 26
	check(900, 900, 100, Gentle)
	w.st, w.now = restart(t, w.st, w.now, time.Hour)
	check(900, 900, 100, Gentle)
	at("2027-02-26")
	check(0, 0, 1000, Full)
}

// A clock that is wrong for a while forgets nothing that was used.
func TestState_QuotasWhenTheClockWasWrong(t *testing.T) {
	w := quiet(t)
	d := w.cfg.Data
	w.st.Spend(w.now, 100, 0)
	for _, wrong := range []time.Duration{day, 40 * day, 3000 * day, 64 * day, -3000 * day, -day} {
		right := w.now
		w.now.Wall = w.now.Wall.Add(wrong)
		w.st.Spend(w.now, 10, 0)
		_, w.st = Decide(w.cfg, w.s, w.st, w.now)
		w.now = right
		_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	}
	// What was counted on days to come counts for today, and on days before for those.
	if today, month := w.st.Used(w.now, d); today != 140 || month != 150 || w.st.use.since(-1<<40) != 160 {
		t.Errorf("used %d, %d, %d, want 140, 150, 160", today, month, w.st.use.since(-1<<40))
	}
	for range 3 { // when the clock has been right for a while, those days have never been
		w.now = w.now.plus(settleAfter)
		_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	}
	if today, _ := w.st.Used(w.now.plus(day), d); today != 0 {
		t.Errorf("used %d on the next day", today)
	}
	if today, month := w.st.Used(w.now, d); today != 140 || month != 150 {
		t.Errorf("used %d, %d after a while, want 140, 150", today, month)
	}
}

func TestLedger_ForgetsTheEarliest(t *testing.T) {
	var l Ledger
	for d := range int64(200) {
		l.addFor(d, 1, 0)
		l.addFor(d, 1, 0)
		l.addFor(d, 0, 0)
	}
	if got := l.since(0); got != 2*ledgerDays {
		t.Errorf("%d bytes are remembered", got)
	}
	if got := l.since(200 - ledgerDays); got != 2*ledgerDays {
		t.Errorf("%d bytes of the last days are remembered", got)
	}
	l.settle(190)
	if got := l.since(190); got != 20 {
		t.Errorf("%d bytes after settling", got)
	}
}

func TestState_QuotaEndsAtLocalMidnight(t *testing.T) {
	for _, c := range []struct {
		zone, at string
		left     time.Duration
	}{
		{"Europe/Berlin", "2026-03-29 00:00", 23 * time.Hour},
		{"Europe/Berlin", "2026-10-25 00:00", 25 * time.Hour},
		{"Australia/Lord_Howe", "2026-10-04 00:00", 23*time.Hour + 30*time.Minute},
		{"America/Havana", "2026-03-07 12:00", 12 * time.Hour},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, zone(t, c.zone))
		if err != nil {
			t.Fatal(err)
		}
		w := quiet(t)
		w.now.Wall = at
		w.st.Spend(w.now, 1e9, 0)
		d, _ := Decide(w.cfg, w.s, w.st, w.now)
		if got := d.Reasons[0].Until.Sub(at); d.Reasons[0].Kind != DayUsedUp || got != c.left {
			t.Errorf("%s, %s: %s for %s, want %s", c.zone, c.at, d.Reasons[0].Kind, got, c.left)
		}
		now := w.now.plus(c.left)
		if d, _ := Decide(w.cfg, w.s, w.st, now.plus(-1)); d.Level != Off {
			t.Errorf("%s, %s: %s a moment before", c.zone, c.at, d.Level)
		}
		if d, _ := Decide(w.cfg, w.s, w.st, now); d.Level != Full {
			t.Errorf("%s, %s: %s at midnight", c.zone, c.at, d.Level)
		}
	}
}

func TestDecision_JSON(t *testing.T) {
	w := quiet(t)
	w.s.Fullscreen = Known(true)
	d := w.decide()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	var got Decision
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for i := range got.Reasons {
		got.Reasons[i].Since = d.Reasons[i].Since // another *time.Location
	}
	if !reflect.DeepEqual(got, d) {
		t.Errorf("%s is read as %+v, want %+v", text, got, d)
	}
	if _, err := json.Marshal(Reason{Kind: 250}); err == nil {
		t.Error("a kind that does not exist is written")
	}
}

// What was for sites is told apart, survives a restart, and moves with days that cannot have been.
func TestState_QuotasAreSplitByPurpose(t *testing.T) {
	w := quiet(t)
	d := Data{MonthStarts: 1}
	split := func(today, month, sitesToday, sitesMonth int64) {
		t.Helper()
		all, allMonth := w.st.Used(w.now, d)
		sites, monthSites := w.st.UsedForSites(w.now, d)
		if all != today || allMonth != month || sites != sitesToday || monthSites != sitesMonth {
			t.Errorf("used %d and %d, for sites %d and %d, want %d, %d, %d, %d", all, allMonth, sites, monthSites,
				today, month, sitesToday, sitesMonth)
		}
	}
	w.st.Spend(w.now, 100, 70)
	w.st.Spend(w.now, 5, 0)
	split(105, 105, 70, 70)
	w.now = w.now.plus(day)
	w.st.Spend(w.now, 10, 200) // never more than there were
	w.st = Restore(w.st.Save(w.now), w.now)
	split(10, 115, 10, 80)
	w.now.Wall = w.now.Wall.Add(-3 * day)
	for range 2 { // an hour later those days are taken for none
		_, w.st = Decide(w.cfg, w.s, w.st, w.now)
		w.now = w.now.plus(settleAfter)
	}
	_, w.st = Decide(w.cfg, w.s, w.st, w.now)
	split(115, 115, 80, 80)
}
