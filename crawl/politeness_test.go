package crawl

import (
	"testing"
	"time"
)

// Slowing down makes the smallest gaps longer and leaves what the site asked
// for as it is.
func TestPoliteness_Slow(t *testing.T) {
	slow := 1
	p := Politeness{Slow: func() int { return slow }}
	for _, c := range []struct {
		slow              int
		delay, took, want time.Duration
	}{
		{0, 0, 0, 2 * time.Second}, {1, 0, 0, 2 * time.Second}, {2, 0, 0, 4 * time.Second}, {8, 0, 0, 16 * time.Second},
		{8, time.Minute, 0, time.Minute}, {8, 0, time.Minute, 4 * time.Minute}, {4, 0, time.Second, 20 * time.Second},
	} {
		if slow = c.slow; p.Gap(c.delay, c.took, 0) != c.want {
			t.Errorf("slowed to 1/%d: Gap(%v, %v) = %v, want %v", c.slow, c.delay, c.took, p.Gap(c.delay, c.took, 0), c.want)
		}
	}
}

func TestPoliteness_Gap(t *testing.T) {
	zero := time.Duration(0)
	for _, c := range []struct {
		p                        Politeness
		delay, took, floor, want time.Duration
	}{
		{Politeness{}, 0, 0, 0, 2 * time.Second},
		{Politeness{}, 0, time.Second, 0, 5 * time.Second},
		{Politeness{}, 0, time.Minute, 0, 30 * time.Second},
		{Politeness{}, 10 * time.Second, time.Second, 0, 10 * time.Second},
		{Politeness{}, 24 * time.Hour, 0, 0, time.Hour},
		{Politeness{}, 0, 0, time.Minute, time.Minute},
		{Politeness{Fixed: &zero}, time.Hour, time.Hour, time.Hour, 0},
	} {
		if got := c.p.Gap(c.delay, c.took, c.floor); got != c.want {
			t.Errorf("Gap(%v, %v, %v) = %v, want %v", c.delay, c.took, c.floor, got, c.want)
		}
	}
}

func TestPoliteness_Backoff(t *testing.T) {
	zero := time.Duration(0)
	for _, c := range []struct {
		p           Politeness
		level       uint8
		asked, want time.Duration
	}{
		{Politeness{}, 0, 0, 0},
		{Politeness{}, 1, 0, 30 * time.Second},
		{Politeness{}, 3, 0, 2 * time.Minute},
		{Politeness{}, 12, 0, 30 * time.Second << 11},
		{Politeness{}, 200, 0, 24 * time.Hour},
		{Politeness{}, 1, time.Hour, time.Hour},
		{Politeness{}, 1, 100 * time.Hour, 24 * time.Hour},
		{Politeness{}, 1, -time.Hour, 30 * time.Second},
		{Politeness{Fixed: &zero}, 9, 0, 0},
		{Politeness{Fixed: &zero}, 9, time.Minute, time.Minute},
	} {
		if got := c.p.Backoff(c.level, c.asked); got != c.want {
			t.Errorf("Backoff(%d, %v) = %v, want %v", c.level, c.asked, got, c.want)
		}
	}
}
