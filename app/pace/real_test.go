package pace

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// measured is how long each share is measured: go test ./app/pace -run RealProcess -v -measured 60s.
var measured = flag.Duration("measured", 3*time.Second, "how long the real process is measured at each share")

// This process, on this computer, keeps to its share, and reaches it where others leave it the processors.
func TestPacer_RealProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("it keeps the processors busy for seconds")
	}
	cores := float64(runtime.NumCPU())
	p := New(Options{})
	defer serve(t, p)()
	stop := burn(p)
	defer stop()
	judged := 0
	for _, percent := range []float64{10, 25, 50} {
		free, _ := observe(t, time.Second)
		t.Logf("without a limit: %.1f %% of the machine", 100*free/cores)
		if 100*free/cores < percent+5 {
			continue // others leave too little for the limit to matter
		}
		judged++
		p.Set(percent)
		time.Sleep(time.Second) // what was under way ends
		used, idle := observe(t, *measured)
		share := 100 * used / cores
		t.Logf("%v %%: %.2f %% over %v (the machine was idle for %.0f %%)", percent, share, *measured, 100*idle)
		// In a short time the burst and a piece of work on each processor are no small part.
		slack := 1 + 100*(burst*percent/100+0.02)/measured.Seconds()
		if share > percent+slack {
			t.Errorf("%v %%: %.2f %%, want at most %.1f more", percent, share, slack)
		}
		if share < percent-slack && idle > 0.3 {
			t.Errorf("%v %%: %.2f %% while the machine was idle for %.0f %%", percent, share, 100*idle)
		}
		if u, want := p.Used(), share; *measured >= window && math.Abs(u-want) > 3 {
			t.Errorf("Used = %.1f, want about %.1f", u, want)
		}
		p.Set(-1)
	}
	if judged == 0 {
		t.Skip("others leave too little of the machine to judge a limit")
	}
}

// burn keeps all processors busy with pieces of work that wait for their turn, until stop is called.
func burn(p *Pacer) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	page := bytes.Repeat([]byte("<p>All that is gold does not glitter, <a href='/wander'>not all</a> who wander are lost.</p>\n"), 500)
	for range 2 * runtime.NumCPU() {
		all.Go(func() {
			for p.Wait(ctx) == nil {
				var out bytes.Buffer
				z := gzip.NewWriter(&out)
				z.Write(page)
				z.Close()
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
	}
}

// observe returns how many processors this process used for a time, and what share of all was idle meanwhile.
func observe(t *testing.T, d time.Duration) (used, idle float64) {
	read := func() (sample, []float64) {
		u, err := ProcessTime()
		if err != nil {
			t.Fatal(err)
		}
		return sample{time.Now(), u}, machineTimes()
	}
	from, before := read()
	time.Sleep(d)
	to, after := read()
	all := 0.0
	for i := range min(len(before), len(after)) {
		all += after[i] - before[i]
	}
	if len(before) > 4 && all > 0 {
		idle = (after[3] - before[3] + after[4] - before[4]) / all
	}
	return (to.used - from.used).Seconds() / to.at.Sub(from.at).Seconds(), idle
}

// machineTimes reads the first line of /proc/stat: user, nice, system, idle, waiting and so on. It is nil where
// there is no such file, and the machine then counts as busy.
func machineTimes() (times []float64) {
	b, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(b), "\n")
	for i, f := range strings.Fields(line) {
		if v, err := strconv.ParseFloat(f, 64); i > 0 && i <= 8 && err == nil {
			times = append(times, v)
		}
	}
	return times
}
