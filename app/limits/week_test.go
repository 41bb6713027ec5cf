package limits

import (
	"math/rand/v2"
	"testing"
	"time"
)

// A week on a noisy machine that somebody uses, in which the clocks change: the level does not
// change more than six times an hour, not a second is worked outside the hours, and no
// quota is exceeded by a byte.
func TestWeek_OnANoisyMachine(t *testing.T) {
	for _, c := range []struct{ zone, monday string }{
		{"Europe/Berlin", "2026-03-23"}, {"Europe/Berlin", "2026-10-19"},
		{"America/New_York", "2026-03-02"},
		{"Australia/Lord_Howe", "2026-09-28"}, {"Australia/Lord_Howe", "2026-03-30"},
	} {
		t.Run(c.zone+" "+c.monday, func(t *testing.T) { week(t, c.zone, c.monday) })
	}
}

func week(t *testing.T, name, monday string) {
	begin, err := time.ParseInLocation("2006-01-02", monday, zone(t, name))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(uint64(begin.Unix()), 1))
	w := quiet(t)
	w.now.Wall = begin
	w.cfg.Schedule.Work = mustGrid(t,
		"mon-fri 18:30-08:00 full; sat,sun full; sun 01:15-02:45 off; wed 12:00-13:00 gentle")
	w.cfg.Data = Data{Day: 2e9, Month: 9e9, MonthStarts: begin.AddDate(0, 0, 4).Day()}
	days, months := map[int64]int64{}, map[int64]int64{}
	var changes levelChanges
	worked, full := 0, 0
	var d Decision
	due := w.now
	for end := begin.AddDate(0, 0, 8); w.now.Wall.Before(end); w.now = w.now.plus(time.Second) {
		changed := false
		if r.IntN(20) == 0 { // what others use goes up and down around the bound
			w.s.OtherCPU = Known(min(max(30+20*r.NormFloat64(), 0), 100))
			changed = true
		}
		// Somebody is there from nine to eleven, now and then with the whole screen.
		if hour := w.now.Wall.Hour(); hour >= 9 && hour < 23 {
			if r.IntN(60) == 0 {
				w.s.LastInput = Known(w.now.Steady)
				changed = true
			}
			if r.IntN(2000) == 0 {
				w.s.Fullscreen = Known(r.IntN(3) == 0)
				changed = true
			}
		} else if full, _ := w.s.Fullscreen.Get(); full {
			w.s.Fullscreen = Known(false)
			changed = true
		}
		if d.Level > Off {
			spent := min(r.Int64N(int64(d.Budget.DownKbit)*125), d.DataLeft)
			w.st.Spend(w.now, spent, 0)
			days[dayOf(w.now.Wall)] += spent
			first, _ := periodOf(w.now.Wall, w.cfg.Data.MonthStarts)
			months[first] += spent
			changed = true
		}
		if changed || w.now.Steady >= due.Steady {
			d, w.st = Decide(w.cfg, w.s, w.st, w.now)
			due = w.now.plus(d.Next)
			changes.note(t, d.Level, w.now)
		}
		if d.Level > Off {
			worked++
			if d.Level > w.cfg.Schedule.Work.At(w.now.Wall) {
				t.Fatalf("%s: %s outside the hours", w.now.Wall, d.Level)
			}
		}
	}
	for day, n := range days {
		if n > 2e9 {
			t.Errorf("%d bytes on day %d", n, day)
		}
		if n == 2e9 {
			full++
		}
	}
	for month, n := range months {
		if n > 9e9 {
			t.Errorf("%d bytes in the month of day %d", n, month)
		}
	}
	if worked == 0 || full == 0 || len(months) != 2 || len(changes.at) < 20 {
		t.Errorf("worked %d s, used up %d days in %d months, %d changes: nothing was tried", worked, full,
			len(months), len(changes.at))
	}
	t.Logf("worked %s of 8 days, %d changes, %d of %d days used up", time.Duration(worked)*time.Second,
		len(changes.at), full, len(days))
}
