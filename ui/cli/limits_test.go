package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/forage-net/forage/ui/cli/env"
)

// People write lengths of time in many ways. What cannot be one is refused with what to write.
func TestDuration_AsPeopleWriteIt(t *testing.T) {
	evening := time.Date(2026, 11, 27, 19, 30, 0, 0, time.UTC)
	e := &env.Env{Now: func() time.Time { return evening }}
	for text, want := range map[string]time.Duration{
		"5": 5 * time.Minute, "90": 90 * time.Minute, "5m": 5 * time.Minute, "5 min": 5 * time.Minute, "2 hours": 2 * time.Hour, "2h": 2 * time.Hour,
		"1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "1d": 24 * time.Hour, "1 day": 24 * time.Hour, "2 Tage": 48 * time.Hour, " 3 H ": 3 * time.Hour,
		"1 day 2 hours 5 minutes": 26*time.Hour + 5*time.Minute, "45 s": 45 * time.Second, "tomorrow": 10*time.Hour + 30*time.Minute, "Morgen": 10*time.Hour + 30*time.Minute,
	} {
		if got, err := durationOf(e, text); err != nil || got != want {
			t.Errorf("duration(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-5", "0s", "soon", "5 parsecs", "9999999999", "400 d", "99999h", "1e9", "5 5", "h", "0x5", "1ns"} {
		if got, err := durationOf(e, text); env.CodeOf(err) != env.ExitUsage || !strings.Contains(err.Error(), "write 30m, 3h, 2d or tomorrow") {
			t.Errorf("duration(%q) = %v, %v", text, got, err)
		}
	}
}
