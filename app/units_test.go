package app

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/fetch"
)

// A node takes more of the ring a step a day, and as much as its smallest
// budget is good for.
func TestUnits_GrowAStepADay(t *testing.T) {
	o := labOptions(t, t.TempDir(), new(fetch.Hosts), "http://a.test/")
	o.Config.Limits.Budget.Full.Fetchers, o.Config.Limits.Budget.Full.PagesPerMin, o.Config.Limits.Disk.Max = 16, 300, 10_000_000_000
	n := newNode(t, o)
	if got, want := n.units.goal, uint8(2); got != want { // 16 fetchers are 2.6 units
		t.Errorf("goal of %d units, want %d", got, want)
	}
	n.units.goal = 4
	day := n.units.since
	n.units.wall = func() time.Time { return day }
	for _, step := range []struct {
		after time.Duration
		want  uint8
	}{{0, 1}, {23 * time.Hour, 1}, {time.Hour, 2}, {0, 2}, {25 * time.Hour, 4}, {48 * time.Hour, 4}} {
		day = day.Add(step.after)
		if got := n.units.now(); got != step.want {
			t.Errorf("at %v: %d units, want %d", day, got, step.want)
		}
	}
	again, err := n.openUnits()
	if err != nil || again.n != 4 {
		t.Errorf("after a restart: %d units, %v", again.n, err)
	}
	n.units.goal = 0
	if got := n.units.now(); got != 0 {
		t.Errorf("a node that owns nothing has %d units", got)
	}
}
