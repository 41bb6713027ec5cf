package sense

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// cpuEvery is what the use of processors is averaged over.
	cpuEvery = 6 * time.Second
	// cpuFirst is the same for the first reading.
	cpuFirst = time.Second
	// ticks of the kernel's counts are hundredths of a second on every architecture.
	ticks = 100
)

// cpuTimes are seconds since an unknown point, over all processors.
type cpuTimes struct{ all, busy, own float64 }

// otherCPU samples what other programs use.
func (h *Hub) sampleCPU(times func() (cpuTimes, error)) func(context.Context, func(float64)) error {
	return func(ctx context.Context, report func(float64)) error {
		last, err := times()
		if err != nil {
			return err
		}
		for wait := cpuFirst; ladder.Pause(ctx, wait); wait = pulse.Within(cpuEvery) {
			now, err := times()
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

// procTimes reads the counts of proc.
func (h *Hub) procTimes() (t cpuTimes, err error) {
	b, err := readFile(filepath.Join(h.opts.Proc, "stat"), 1<<20)
	if err != nil {
		return t, err
	}
	t, err = parseStat(b)
	if err != nil {
		return t, err
	}
	own, err := h.opts.OwnCPU()
	t.own = own.Seconds()
	return t, err
}

// parseStat reads the first line: user, nice, system, idle, waiting, interrupts, soft interrupts, stolen. What
// is waited for or stolen is not used by a program here; guests are within user.
func parseStat(b []byte) (t cpuTimes, err error) {
	line, _, _ := bytes.Cut(b, []byte{'\n'})
	f := strings.Fields(string(line))
	if len(f) < 5 || f[0] != "cpu" {
		return t, errors.New("it has no line of all processors")
	}
	for i, s := range f[1:min(len(f), 9)] {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return cpuTimes{}, errors.New("its counts are not numbers")
		}
		v := float64(n) / ticks
		t.all += v
		switch i {
		case 3, 4, 7:
		default:
			t.busy += v
		}
	}
	return t, nil
}

// OwnCPU returns the processor time that this process has used.
func OwnCPU() (time.Duration, error) { return ownCPU() }
