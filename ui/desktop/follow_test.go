package desktop

import (
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/ui/desktop/desktest"
)

// A window whose stream breaks is told for a while that another one is open: itself.
func TestRival(t *testing.T) {
	type step struct {
		err      error
		followed bool
		lasted   time.Duration
		at       time.Duration
		want     bool
	}
	other, gone := api.ErrOtherWindow, api.ErrNotRunning
	for name, steps := range map[string][]step{
		"another was first":    {{other, false, 0, 0, true}},
		"another, after a try": {{gone, false, 0, 0, false}, {other, false, 0, time.Second, true}},
		"its own stream": {{other, true, 8 * time.Second, 0, false},
			{other, true, 0, 30 * time.Second, false}, {other, true, 0, time.Minute, false}},
		"another came": {{other, true, 8 * time.Second, 0, false},
			{other, true, 0, 30 * time.Second, false}, {other, true, 0, 61 * time.Second, true}},
		"it broke twice": {{other, true, 8 * time.Second, 0, false},
			{other, true, time.Hour, time.Hour, false}, {other, true, 0, time.Hour + time.Second, false}},
		"the node was away": {{other, true, 0, 0, false}, {gone, true, 0, 30 * time.Second, false},
			{other, true, 0, 70 * time.Second, false}},
	} {
		var r rival
		for i, s := range steps {
			if got := r.is(s.err, s.followed, s.lasted, desktest.Noon.Add(s.at)); got != s.want {
				t.Errorf("%s, step %d: %v, want %v", name, i, got, s.want)
			}
		}
	}
}
