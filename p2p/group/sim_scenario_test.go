package group_test

import (
	"testing"
	"time"

	"github.com/forage-net/forage/p2p/group"
)

// swarm makes a world of n members that are settled; they all crawl.
func swarm(t *testing.T, seed uint64, n int, times group.Times, domains int) *world {
	t.Helper()
	w := newWorld(seed, times, times.Beat/2)
	w.roster.quick = true
	first := w.addMachine()
	w.roster.join(first, nil, 1)
	first.start()
	for range n - 1 {
		m := w.addMachine()
		m.start()
		w.roster.join(m, first, 1)
	}
	w.load.begin(domains)
	w.settle(t)
	return w
}

// settle waits until everything is as it should be.
func (w *world) settle(t *testing.T) {
	t.Helper()
	why := ""
	if !w.until(20*w.times.Lease+w.times.Careful, func() bool { why = w.unsettled(); return why == "" }) {
		if w.failed == nil {
			w.blame(why, "at the start")
		}
		t.Fatal(w.report())
	}
}

// passes fails the test if an invariant broke.
func (w *world) passes(t *testing.T) {
	t.Helper()
	if w.failed != nil {
		t.Fatal(w.report())
	}
}

func TestScenario_00_Settles(t *testing.T) {
	for n := 1; n <= 7; n++ {
		w := swarm(t, uint64(n), n, group.LabTimes, 5)
		t.Logf("%d members settle within %v", n, w.now)
		w.quietEnd()
		w.passes(t)
	}
	_ = time.Second
}
