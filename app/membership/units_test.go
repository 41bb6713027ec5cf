package membership

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/storage"
)

// A node takes more of the ring a step a day, and as much as its smallest
// budget is good for.
func TestUnits_GrowAStepADay(t *testing.T) {
	var c config.Config
	c.Limits.Budget.Full.Fetchers, c.Limits.Budget.Full.PagesPerMin, c.Limits.Disk.Max = 16, 300, 10_000_000_000
	db, err := storage.Open(filepath.Join(t.TempDir(), "db"), storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	u, err := openUnits(db, unitsGoal(c, true))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := u.goal, uint8(2); got != want { // 16 fetchers are 2.6 units
		t.Errorf("goal of %d units, want %d", got, want)
	}
	u.goal = 4
	day := u.since
	u.wall = func() time.Time { return day }
	for _, step := range []struct {
		after time.Duration
		want  uint8
	}{{0, 1}, {23 * time.Hour, 1}, {time.Hour, 2}, {0, 2}, {25 * time.Hour, 4}, {48 * time.Hour, 4}} {
		day = day.Add(step.after)
		if got := u.now(); got != step.want {
			t.Errorf("at %v: %d units, want %d", day, got, step.want)
		}
	}
	again, err := openUnits(db, 4)
	if err != nil || again.n != 4 {
		t.Errorf("after a restart: %d units, %v", again.n, err)
	}
	u.goal = 0
	if got := u.now(); got != 0 {
		t.Errorf("a node that owns nothing has %d units", got)
	}
}
