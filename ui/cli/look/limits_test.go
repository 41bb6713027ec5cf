package look

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits/tell"
	"github.com/forage-net/forage/assets/words"
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
	WriteHistory(&out, "", h)
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
	WriteLimits(&out, "", l)
	text := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{
		"One. Two. level off participation resting mode off until " + tell.Moment(until.Local(), time.Now(), words.English),
		"config.toml:7: this is wrong", "cpu_percent 3.1 - 13 0 7.5 25 %", "down_kbit 0 0 0 0 0 no limit", "data.day 1.5 kB 1.0 GB sites 1.2 kB other computers 300 B", "data.month 1.5 kB no limit", "disk 0 B 0 B",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	l.Until, l.Mode = nil, "auto"
	out.Reset()
	WriteLimits(&out, "", l)
	if strings.Contains(out.String(), "mode") {
		t.Errorf("nothing was asked for by hand, and it says\n%s", out.String())
	}
}
