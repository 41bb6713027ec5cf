package cli

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits/tell"
)

func TestHourOf_IsTheHourThatClocksShow(t *testing.T) {
	for _, offset := range []int{0, 3600, 5*3600 + 1800, -3*3600 - 1800, 5*3600 + 2700} {
		zone := time.FixedZone("", offset)
		at := time.Date(2026, 5, 4, 13, 59, 59, 999, zone)
		if got, want := hourOf(at), time.Date(2026, 5, 4, 13, 0, 0, 0, zone); !got.Equal(want) {
			t.Errorf("the hour of %v is %v, want %v", at, got, want)
		}
	}
}

func TestWriteHistory_OneLineAnHour(t *testing.T) {
	start := hourOf(time.Now()).Add(-2 * time.Hour)
	h := api.LimitHistory{Summary: []string{"All limits were kept."}}
	minute := func(after time.Duration, seconds int, level string, mean, most float64) {
		h.Minutes = append(h.Minutes, api.LimitMinute{Start: start.Add(after), Seconds: seconds, Level: level, Figures: []api.LimitFigure{
			{Name: "cpu_percent", Limit: 25, Mean: mean, Max: most},
		}})
	}
	minute(0, 60, "full", 20, 24)
	minute(59*time.Minute, 20, "off", 0, 3)
	minute(time.Hour, 60, "gentle", 5, 7)
	var out bytes.Buffer
	writeHistory(&out, "", h)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 5 || lines[0] != "All limits were kept." {
		t.Fatalf("the history is\n%s", out.String())
	}
	for i, want := range []string{"1 0 1 15 24 0 0 0 0 0", "0 1 0 5 7 0 0 0 0 0"} {
		at := start.Add(time.Duration(i) * time.Hour).Format("2006-01-02 15:04 ")
		if got := strings.Join(strings.Fields(lines[3+i]), " "); got != at+want {
			t.Errorf("the line is %q, want %q", got, at+want)
		}
	}
}

func TestWriteLimits(t *testing.T) {
	until := time.Now().Add(90 * 24 * time.Hour)
	l := api.Limits{
		Level: "off", Footing: "silent", Sentence: "One.", Mode: "off", Until: &until, Fault: "config.toml:7: this is wrong",
		Reasons: []api.LimitReason{{Sentence: "One."}, {Sentence: "Two."}},
		Budgets: []api.LimitBudget{
			{Name: "cpu_percent", Unit: "%", Limit: 25, Now: 3.14, Minute: -1, Hour: 12.6, Day: 0, Month: 7.5}, {Name: "down_kbit", Unit: "kbit/s", Limit: -1},
		},
		Quotas: []api.LimitQuota{{Name: "data.day", Used: 1500, Sites: 1200, Limit: 1e9}, {Name: "data.month", Used: 1500, Limit: -1}, {Name: "disk", Limit: 0}},
	}
	var out bytes.Buffer
	writeLimits(&out, "", l)
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"One. Two. level off participation resting mode off until " + tell.Moment(until.Local(), time.Now(), tell.English),
		"config.toml:7: this is wrong", "cpu_percent 3.1 - 13 0 7.5 25 %", "down_kbit 0 0 0 0 0 no limit", "data.day 1.5 kB 1.0 GB sites 1.2 kB other computers 300 B", "data.month 1.5 kB no limit", "disk 0 B 0 B",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	l.Until, l.Mode = nil, "auto"
	out.Reset()
	writeLimits(&out, "", l)
	if strings.Contains(out.String(), "mode") {
		t.Errorf("nothing was asked for by hand, and it says\n%s", out.String())
	}
}

// People write lengths of time in many ways. What cannot be one is refused with what to write.
func TestDuration_AsPeopleWriteIt(t *testing.T) {
	evening := time.Date(2026, 11, 27, 19, 30, 0, 0, time.UTC)
	e := &env{now: func() time.Time { return evening }}
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Minute, "90": 90 * time.Minute, "5m": 5 * time.Minute, "5 min": 5 * time.Minute, "2 hours": 2 * time.Hour, "2h": 2 * time.Hour,
		"1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "1d": 24 * time.Hour, "1 day": 24 * time.Hour, "2 Tage": 48 * time.Hour, " 3 H ": 3 * time.Hour,
		"1 day 2 hours 5 minutes": 26*time.Hour + 5*time.Minute, "45 s": 45 * time.Second, "tomorrow": 10*time.Hour + 30*time.Minute, "Morgen": 10*time.Hour + 30*time.Minute,
	} {
		if got, err := e.duration(text); err != nil || got != want {
			t.Errorf("duration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-5", "0s", "soon", "5 parsecs", "9999999999", "400 d", "99999h", "1e9", "5 5", "h", "0x5", "1ns"} {
		if got, err := e.duration(text); codeOf(err) != exitUsage || !strings.Contains(err.Error(), "write 30m, 3h, 2d or tomorrow") {
			t.Errorf("duration(%q) = %v, %v", text, got, err)
		}
	}
}

func TestShellQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other rules")
	}
	for arg, want := range map[string]string{
		"/home/me/forage": "/home/me/forage", "": "''", "/a b": "'/a b'", "/it's": `'/it'\''s'`, "/$HOME;x": "'/$HOME;x'", `/a\b`: `'/a\b'`, "/ü": "'/ü'", "~/x": "'~/x'",
	} {
		if got := shellQuoted(arg); got != want {
			t.Errorf("shellQuoted(%q) = %s, want %s", arg, got, want)
		}
	}
}
