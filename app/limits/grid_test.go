package limits

import (
	"math/rand/v2"
	"testing"
	"time"
)

func mustGrid(t testing.TB, text string) Grid {
	t.Helper()
	g, err := ParseGrid(text)
	if err != nil {
		t.Fatalf("ParseGrid(%q): %v", text, err)
	}
	return g
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	l, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestGrid_Text(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"all full", "all full"},
		{"ALL  Off", "all off"},
		{"all gentle", "all gentle"},
		{"mon-sun 00:00-24:00 full", "all full"},
		{"all 22:00-06:00 full", "all 22:00-06:00 full"},
		{"all 0:00-6:00 full;all 22:00-24:00 full", "all 22:00-06:00 full"},
		{"fri 22:00-06:00 full", "fri 22:00-06:00 full"},
		{"sun 22:00-06:00 gentle", "sun 22:00-06:00 gentle"},
		{"fri 22:00-00:00 full", "fri 22:00-24:00 full"},
		{"all full; mon-fri 09:00-17:30 off", "all full; mon-fri 09:00-17:30 off"},
		{"sat,sun full", "sat,sun full"},
		{"fri-mon full", "mon,fri-sun full"},
		{"mon,wed,fri 08:15-08:30 gentle", "mon,wed,fri 08:15-08:30 gentle"},
		{"all off; sat 10:00-11:00 gentle", "sat 10:00-11:00 gentle"},
		// Friday's window governs Saturday's small hours, whatever Saturday has as a day.
		{"fri 22:00-06:00 full; sat gentle", "sat 06:00-24:00 gentle; fri 22:00-06:00 full"},
		// A day off is off, whatever else is said, and wherever.
		{"sat off; fri 22:00-06:00 full", "fri 22:00-24:00 full"},
		{"all 10:00-12:00 full; sun off", "mon-sat 10:00-12:00 full"},
		{"sun off; all 10:00-12:00 full", "mon-sat 10:00-12:00 full"},
		{"sun 00:00-24:00 off; all 10:00-12:00 full", "mon-sat 10:00-12:00 full"},
		{"sun off; all full", "mon-sat full"},
		{"all 22:00-06:00 full; sat,sun off", "mon-thu 22:00-06:00 full; fri 22:00-24:00 full"},
		// A later window counts more than an earlier one.
		{"fri 22:00-06:00 full; sat 00:00-04:00 off", "sat 04:00-06:00 full; fri 22:00-24:00 full"},
	} {
		g, err := ParseGrid(c.in)
		if err != nil {
			t.Errorf("ParseGrid(%q): %v", c.in, err)
			continue
		}
		if got := g.String(); got != c.out {
			t.Errorf("ParseGrid(%q).String() = %q, want %q", c.in, got, c.out)
		}
		if again := mustGrid(t, g.String()); again != g {
			t.Errorf("%q is read as another grid than %q", g.String(), c.in)
		}
	}
}

func TestParseGrid_RefusesWhatIsNone(t *testing.T) {
	const (
		noDay    = ", which is not a day: all, or mon, tue, wed, thu, fri, sat, sun"
		noTimes  = ", which are not times such as 22:00-06:00, in quarters of an hour"
		bothSaid = " both that it is off and that it is not; leave one of them out"
	)
	for text, want := range map[string]string{
		"":                     `holds "", which is not days, times and a level`,
		"all":                  `holds "all", which is not days, times and a level`,
		"all full;":            `holds "", which is not days, times and a level`,
		"all full mon gentle":  `holds "all full mon gentle", which is not days, times and a level`,
		"someday full":         `holds "someday"` + noDay,
		"mon-fri-sun full":     `holds "mon-fri-sun"` + noDay,
		"mon, full":            `holds ""` + noDay,
		"mon half":             `holds "half", which is none of ["off" "gentle" "full"]`,
		"mon 22:00 full":       `holds "22:00"` + noTimes,
		"mon 22:10-23:00 full": `holds "22:10-23:00"` + noTimes,
		"mon 22:00-24:15 full": `holds "22:00-24:15"` + noTimes,
		"mon 24:00-06:00 full": `holds "24:00-06:00"` + noTimes,
		"mon 1:60-06:00 full":  `holds "1:60-06:00"` + noTimes,
		"mon -1:00-06:00 full": `holds "-1:00-06:00"` + noTimes,
		"mon 06:00-06:00 full": `holds "06:00-06:00", ` +
			"which ends when it begins; a whole day has no times",
		"mon-fri 09:00-17:00 off":                        `says only when not to work; put "all full;" before it`,
		"mon off":                                        `says only when not to work; put "all full;" before it`,
		"sat off; sat 10:00-11:00 gentle":                "says of sat" + bothSaid,
		"sat,sun full; mon full; sun,sat off":            "says of sat,sun" + bothSaid,
		"mon-fri off; sat,sun off; all 10:00-12:00 full": "says of all" + bothSaid,
	} {
		if g, err := ParseGrid(text); err == nil || err.Error() != want {
			t.Errorf("ParseGrid(%q) = %v, %v, want %s", text, g, err, want)
		}
	}
	if _, err := ParseGrid(string(make([]byte, maxGridText+1))); err == nil || err.Error() != "is too long" {
		t.Errorf("a long text: %v", err)
	}
}

func TestGrid_TextOfAnyGridIsReadAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		g := randomGrid(r)
		text := g.String()
		if got, err := ParseGrid(text); err != nil || got != g {
			t.Fatalf("%q is not read as what was written (%v)", text, err)
		}
	}
}

// randomGrid has runs of all lengths.
func randomGrid(r *rand.Rand) Grid {
	var g Grid
	mean := 1 << r.IntN(10)
	level := Level(r.IntN(3))
	for i := range g {
		if r.IntN(mean) == 0 {
			level = Level(r.IntN(3))
		}
		g[i] = level
	}
	return g
}

func TestGrid_WindowBelongsToTheDayItBegins(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	g := mustGrid(t, "fri 22:00-06:00 full; sat 12:00-13:00 gentle")
	for _, c := range []struct {
		at   string
		want Level
		next string
	}{
		{"2026-11-20 21:59", Off, "2026-11-20 22:00"}, // a Friday
		{"2026-11-20 22:00", Full, "2026-11-21 06:00"},
		{"2026-11-21 00:00", Full, "2026-11-21 06:00"},
		{"2026-11-21 05:59", Full, "2026-11-21 06:00"},
		{"2026-11-21 06:00", Off, "2026-11-21 12:00"},
		{"2026-11-21 12:14", Gentle, "2026-11-21 13:00"},
		{"2026-11-21 23:00", Off, "2026-11-27 22:00"},
		{"2026-11-22 03:00", Off, "2026-11-27 22:00"},
	} {
		at, err := time.ParseInLocation("2006-01-02 15:04", c.at, berlin)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.At(at); got != c.want {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
		if got := g.change(at).Format("2006-01-02 15:04"); got != c.next {
			t.Errorf("after %s the next change is at %s, want %s", c.at, got, c.next)
		}
	}
}

// How long a window lasts on the days that are longer or shorter, counted by a clock
// that knows nothing of zones.
func TestGrid_DaylightSaving(t *testing.T) {
	for _, c := range []struct {
		zone, from string // before the window
		grid       string
		begins     string // RFC 3339
		lasts      time.Duration
	}{
		// Forward: 02:00 is 03:00 in Berlin and New York; 02:00 is 02:30 on Lord Howe.
		{"Europe/Berlin", "2026-03-28 20:00", "sat 22:00-06:00 full", "2026-03-28T22:00:00+01:00", 7 * time.Hour},
		{"America/New_York", "2026-03-07 20:00", "sat 22:00-06:00 full", "2026-03-07T22:00:00-05:00", 7 * time.Hour},
		{"Australia/Lord_Howe", "2026-10-03 20:00", "sat 22:00-06:00 full", "2026-10-03T22:00:00+10:30",
			7*time.Hour + 30*time.Minute},
		// Back: 03:00 is 02:00, and 02:00 is 01:00, and 02:00 is 01:30.
		{"Europe/Berlin", "2026-10-24 20:00", "sat 22:00-06:00 full", "2026-10-24T22:00:00+02:00", 9 * time.Hour},
		{"America/New_York", "2026-10-31 20:00", "sat 22:00-06:00 full", "2026-10-31T22:00:00-04:00", 9 * time.Hour},
		{"Australia/Lord_Howe", "2026-04-04 20:00", "sat 22:00-06:00 full", "2026-04-04T22:00:00+11:00",
			8*time.Hour + 30*time.Minute},
		// A window that begins in what is skipped begins late.
		{"Europe/Berlin", "2026-03-28 20:00", "sun 02:30-04:00 full", "2026-03-29T03:00:00+02:00", time.Hour},
		{"Australia/Lord_Howe", "2026-10-03 20:00", "sun 02:15-03:00 full", "2026-10-04T02:30:00+11:00",
			30 * time.Minute},
		// One that is skipped in whole is skipped until the next week.
		{"Europe/Berlin", "2026-03-28 20:00", "sun 02:15-02:45 full", "2026-04-05T02:15:00+02:00", 30 * time.Minute},
		// One in the hour that is shown twice is open twice.
		{"Europe/Berlin", "2026-10-24 20:00", "sun 02:15-02:45 full", "2026-10-25T02:15:00+02:00", 30 * time.Minute},
		{"Europe/Berlin", "2026-10-25T02:59:00+02:00", "sun 02:15-02:45 full", "2026-10-25T02:15:00+01:00",
			30 * time.Minute},
		// One that is open when the clock goes back into it stays so.
		{"Australia/Lord_Howe", "2026-04-05 00:00", "sun 01:30-02:00 full", "2026-04-05T01:30:00+11:00", time.Hour},
	} {
		l := zone(t, c.zone)
		at, err := time.ParseInLocation("2006-01-02 15:04", c.from, l)
		if err != nil { // a time that is shown twice
			if at, err = time.Parse(time.RFC3339, c.from); err != nil {
				t.Fatal(err)
			}
			at = at.In(l)
		}
		g := mustGrid(t, c.grid)
		begin := g.change(at)
		if got := begin.Format(time.RFC3339); got != c.begins {
			t.Errorf("%s, %s from %s: begins %s, want %s", c.zone, c.grid, c.from, got, c.begins)
			continue
		}
		if got := g.change(begin).Sub(begin); got != c.lasts {
			t.Errorf("%s, %s from %s: lasts %s, want %s", c.zone, c.grid, c.from, got, c.lasts)
		}
	}
}

// Next is compared with looking at every second quarter of an hour, over a year with its changes.
func TestGrid_NextChangeIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
		"Asia/Kathmandu", "Africa/Casablanca", "America/Havana"} {
		l := zone(t, name)
		for range 20 {
			g := randomGrid(r)
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, l).Add(time.Duration(r.Int64N(int64(365 * day))))
			if r.IntN(2) == 0 { // near a change of the zone
				if _, end := start.ZoneBounds(); !end.IsZero() {
					start = end.Add(-time.Duration(r.Int64N(int64(2 * day))))
				}
			}
			got := g.change(start)
			want := time.Time{}
			// All zones of these years keep to minutes that are multiples of 15.
			first := start.Truncate(15 * time.Minute).Add(15 * time.Minute)
			for at := first; at.Sub(start) <= gridHorizon; at = at.Add(15 * time.Minute) {
				if g.At(at) != g.At(start) {
					want = at
					break
				}
			}
			if !got.Equal(want) {
				t.Fatalf("%s, %q after %s: next change %s, want %s", name, g, start, got, want)
			}
		}
	}
}

func TestPeriodOf(t *testing.T) {
	for _, c := range []struct {
		at     string
		starts int
		first  string
		next   string
	}{
		{"2026-11-22", 1, "2026-11-01", "2026-12-01"},
		{"2026-11-22", 22, "2026-11-22", "2026-12-22"},
		{"2026-11-21", 22, "2026-10-22", "2026-11-22"},
		{"2026-01-05", 15, "2025-12-15", "2026-01-15"},
		{"2026-12-31", 15, "2026-12-15", "2027-01-15"},
		{"2026-02-27", 31, "2026-01-31", "2026-02-28"},
		{"2026-02-28", 31, "2026-02-28", "2026-03-31"},
		{"2028-02-28", 30, "2028-01-30", "2028-02-29"},
		{"2026-03-30", 31, "2026-02-28", "2026-03-31"},
		{"2026-11-22", 0, "2026-11-01", "2026-12-01"},
		{"2026-11-22", 99, "2026-10-31", "2026-11-30"},
	} {
		at, err := time.ParseInLocation("2006-01-02", c.at, zone(t, "America/New_York"))
		if err != nil {
			t.Fatal(err)
		}
		first, next := periodOf(at, c.starts)
		date := func(d int64) string { return time.Unix(d*daySecs, 0).UTC().Format("2006-01-02") }
		if date(first) != c.first || date(next) != c.next {
			t.Errorf("periodOf(%s, %d) = %s, %s, want %s, %s", c.at, c.starts, date(first), date(next), c.first, c.next)
		}
	}
}

// In Havana midnight is skipped in spring: the day begins at one.
func TestReach_SkippedMidnight(t *testing.T) {
	at := time.Date(2026, 3, 7, 12, 0, 0, 0, zone(t, "America/Havana"))
	got := reach(at, (dayOf(at)+1)*daySecs)
	if want := "2026-03-08T01:00:00-04:00"; got.Format(time.RFC3339) != want {
		t.Errorf("the day begins at %s, want %s", got.Format(time.RFC3339), want)
	}
}

func TestDuration_Text(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"5 min": 5 * time.Minute, "5min": 5 * time.Minute, "5m": 5 * time.Minute, " 90 s ": 90 * time.Second,
		"1 h 30 min": 90 * time.Minute, "1h30m": 90 * time.Minute, "2d": 48 * time.Hour, "0 s": 0,
		"5 minutes": 5 * time.Minute, "2 Hours": 2 * time.Hour, "1 day 2 hrs": 26 * time.Hour,
		"3 Stunden": 3 * time.Hour, "1 Tag": 24 * time.Hour,
		"366 d": MaxDuration, "8784h": MaxDuration,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "min", "5 parsecs", "-5 min", "1.5 h", "30 min 1 h", "1 h 1 h", "367 d",
		"366 d 1 s", "99999999999999999999 s", "5 min!"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0 s", 90 * time.Second: "1 min 30 s", 25 * time.Hour: "1 d 1 h", -time.Second: "0 s",
		1500 * time.Millisecond: "1 s",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}

// A gentle window ends, for who reads why, when more is allowed, not when less is.
func TestGrid_Rise(t *testing.T) {
	g := mustGrid(t, "sun 08:00-10:00 gentle; sun 10:00-12:00 off; sun 12:00-13:00 gentle; sun 13:00-14:00 full")
	at := func(hour int) time.Time { return time.Date(2026, 11, 22, hour, 0, 0, 0, time.UTC) }
	for now, want := range map[int]int{7: 8, 8: 13, 11: 12, 12: 13} {
		if got := g.rise(at(now)); !got.Equal(at(want)) {
			t.Errorf("at %d more is allowed from %s on, want %d", now, got, want)
		}
	}
	if got := g.rise(at(13)); !got.IsZero() {
		t.Errorf("at full more is allowed from %s on", got)
	}
}

// Hours of gentle work have not begun with those without work before them, and none with the node.
func TestGrid_Began(t *testing.T) {
	g := mustGrid(t, "sun 08:00-10:00 gentle; sun 10:00-12:00 off; sun 12:00-13:00 gentle; sun 13:00-14:00 full")
	at := func(hour int) time.Time { return time.Date(2026, 11, 22, hour, 0, 0, 0, time.UTC) }
	for now, want := range map[int]time.Time{7: at(14).AddDate(0, 0, -7), 8: at(8), 9: at(8), 11: at(10),
		12: at(12), 20: at(14)} {
		if got := g.began(at(now)); !got.Equal(want) {
			t.Errorf("at %d the level holds since %s, want %s", now, got, want)
		}
	}
	always := AllWeek(Gentle)
	if got := always.began(at(13)); !got.IsZero() {
		t.Errorf("a week of one level began %s", got)
	}
	// The hour that is shown twice is one of two.
	l := zone(t, "Europe/Berlin")
	night := mustGrid(t, "all full; sun 02:15-02:45 off")
	for _, c := range [][2]string{{"2026-10-25T02:20:00+02:00", "2026-10-25T02:15:00+02:00"},
		{"2026-10-25T02:30:00+01:00", "2026-10-25T02:15:00+01:00"}} {
		now, _ := time.Parse(time.RFC3339, c[0])
		if got := night.began(now.In(l)).Format(time.RFC3339); got != c[1] {
			t.Errorf("at %s the level holds since %s, want %s", c[0], got, c[1])
		}
	}
}
