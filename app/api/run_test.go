package api

import (
	"testing"
	"time"
)

func TestUntilTomorrow(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(month time.Month, day, hour, min int) time.Time {
		return time.Date(2026, month, day, hour, min, 0, 0, berlin)
	}
	for _, c := range []struct {
		now  time.Time
		want time.Duration
	}{
		{at(5, 31, 22, 0), 8 * time.Hour}, {at(5, 31, 3, 59), 2*time.Hour + time.Minute},
		{at(5, 31, 4, 0), 26 * time.Hour}, {at(12, 31, 6, 0), 24 * time.Hour},
		{at(3, 28, 22, 0), 7 * time.Hour}, {at(10, 24, 22, 0), 9 * time.Hour}, // the clocks change
	} {
		if got := UntilTomorrow(c.now); got != c.want {
			t.Errorf("UntilTomorrow(%s) = %s, want %s", c.now, got, c.want)
		}
	}
}
