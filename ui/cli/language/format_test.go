package language

import (
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0", 7: "7", 999: "999", 1000: "1,000", 999_999: "999,999", 1_000_000: "1,000,000",
		-1: "-1", -100: "-100", -1000: "-1,000", -123_456: "-123,456", -1_234_567: "-1,234,567",
		1<<63 - 1: "9,223,372,036,854,775,807", -1 << 63: "-9,223,372,036,854,775,808",
	} {
		if got := Language("en").Number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for at, want := range map[time.Time]string{
		now.Add(time.Hour):   "13:00:00",
		now.AddDate(0, 0, 1): "2026-03-02 12:00",
		now.Add(time.Hour).In(time.FixedZone("far", 14*3600)): "13:00:00",
	} {
		if got := When(at, now); got != want {
			t.Errorf("when(%v) = %q, want %q", at, got, want)
		}
	}
}
