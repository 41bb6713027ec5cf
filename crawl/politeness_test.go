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
	zero, second := time.Duration(0), time.Second
	three := func() int { return 3 }
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
		{Politeness{Fixed: &zero}, time.Hour, time.Hour, 0, 0},
		{Politeness{Fixed: &zero}, 0, 0, time.Hour, time.Hour},
		{Politeness{Fixed: &second}, time.Hour, time.Hour, time.Millisecond, time.Second},
		{Politeness{Times: three}, 0, 0, 0, 6 * time.Second},
		{Politeness{Times: three}, 10 * time.Second, time.Second, 0, 30 * time.Second},
		{Politeness{Fixed: &second, Times: three}, 0, 0, 0, 3 * time.Second},
	} {
		if got := c.p.Gap(c.delay, c.took, c.floor); got != c.want {
			t.Errorf("Gap(%v, %v, %v) = %v, want %v", c.delay, c.took, c.floor, got, c.want)
		}
	}
}

// A fetcher is told no more than it cannot know itself, unless every gap is to be
// longer.
func TestPoliteness_Floor(t *testing.T) {
	second := time.Second
	three := func() int { return 3 }
	for _, c := range []struct {
		p           Politeness
		level       uint8
		delay, want time.Duration
	}{
		{Politeness{}, 0, 0, 0},
		{Politeness{}, 0, 7 * time.Second, 7 * time.Second},
		{Politeness{}, 1, 7 * time.Second, 30 * time.Second},
		{Politeness{Fixed: &second}, 1, 7 * time.Second, time.Second},
		{Politeness{Fixed: &second, Times: three}, 0, 7 * time.Second, 3 * time.Second},
		{Politeness{Times: three}, 0, 0, 6 * time.Second},
		{Politeness{Times: three}, 0, 7 * time.Second, 21 * time.Second},
	} {
		if got := c.p.Floor(c.level, c.delay, 0); got != c.want {
			t.Errorf("Floor(%d, %v) = %v, want %v", c.level, c.delay, got, c.want)
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
