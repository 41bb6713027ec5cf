package scale

import (
	"slices"
	"testing"
	"time"
)

// A run of every kind of work leaves a frontier that finds no fault with itself, filters that know what was added, and figures
// that fit together.
func TestRun_FrontierHolds(t *testing.T) {
	var stages []Stage
	r, err := Run(t.Context(), Config{Dir: t.TempDir(), URLs: 2000, Domains: 50, Digests: true, Paced: 100 * time.Millisecond}, func(s Stage) error {
		stages = append(stages, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Known < 2000 || r.Missing > 0 || r.Dropped > 0 || r.Late != 0 || r.Faults != "" || r.Probes < 20_000 || r.Wrong > 1 || r.Lost < 0 || r.Lost > 1 || r.Blocks < 50 {
		t.Errorf("got %+v, want 2,000 URLs known, nothing missing, wrong, late or lost", r)
	}
	var names []string
	taken, offered := 0, 0
	for _, s := range stages {
		if s.Known == 0 || s.Queued == 0 || s.Queued >= s.Known || s.StoreBytes == 0 {
			t.Errorf("stage %+v does not fit together", s)
		}
		for _, span := range s.Spans {
			names = append(names, span.Name)
			taken += span.New
			offered += span.Offered
		}
	}
	if taken != r.Known || offered < taken {
		t.Errorf("the stretches took in %d of %d URLs, want %d", taken, offered, r.Known)
	}
	want := []string{"seeds", "first", "enqueues", "settles", "paced", "between", "last", "enqueues", "settles", "paced"}
	if !slices.Equal(names, want) {
		t.Errorf("stretches are %q, want %q", names, want)
	}
}
