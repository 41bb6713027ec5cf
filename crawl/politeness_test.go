package crawl

import (
	"testing"
	"time"
)

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
