package sense

import (
	"context"
	"math"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// cpuEvery is what the use of processors is averaged over.
	cpuEvery = 6 * time.Second
	// cpuFirst is the same for the first reading.
	cpuFirst = time.Second
)

// cpuTimes are seconds since an unknown point, over all processors.
type cpuTimes struct{ all, busy, own float64 }

// sampleCPU samples what other programs use, where times returns the seconds that all processors have had, and
// those that they were busy.
func (h *Hub) sampleCPU(times func() (all, busy float64, err error)) func(context.Context, func(float64)) error {
	sample := func() (t cpuTimes, err error) {
		if t.all, t.busy, err = times(); err != nil {
			return t, err
		}
		own, err := h.opts.OwnCPU()
		t.own = own.Seconds()
		return t, err
	}
	return func(ctx context.Context, report func(float64)) error {
		last, err := sample()
		if err != nil {
			return err
		}
		for wait := cpuFirst; ladder.Pause(ctx, wait); wait = pulse.Within(cpuEvery) {
			now, err := sample()
			if err != nil {
				return err
			}
			if share, ok := now.others(last); ok {
				report(share)
			}
			last = now
		}
		return ctx.Err()
	}
}

// others returns the share of other programs between two samples, in steps of a hundredth.
func (t cpuTimes) others(last cpuTimes) (float64, bool) {
	all := t.all - last.all
	if !(all > 0) {
		return 0, false // a processor has been taken away, or no time has passed
	}
	share := (t.busy - last.busy - (t.own - last.own)) / all
	return math.Round(100*min(max(share, 0), 1)) / 100, true
}
