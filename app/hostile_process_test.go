package app

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl/frontier"
)

// TestHostile_Process is the node of the hostile tests: they run it in a process of its own.
func TestHostile_Process(t *testing.T) {
	file := os.Getenv(hostileEnv)
	if file == "" {
		t.Skip("run by the hostile tests")
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var plan hostilePlan
	if err := json.Unmarshal(raw, &plan); err != nil {
		t.Fatal(err)
	}
	o := labOptions(t, plan.Home, mustHosts(t, plan.Hosts), plan.Seeds...)
	o.ExitWhenIdle = 0
	o.Config.Limits.Budget.Full.Fetchers = 4
	tighten(&o)
	n := newNode(t, o)
	r := hostileResult{WARC: o.Paths.WARC()}

	runtime.GC()
	r.Base = heapInUse()
	r.Heap = r.Base
	begun := time.Now()
	done := make(chan struct{})
	var sampler sync.WaitGroup
	sampler.Go(func() { r.Heap = peakHeap(r.Base, done) })
	served := make(chan error, 1)
	go func() { served <- n.Serve(t.Context()) }()
	if !n.waitSettled(plan.Limit) {
		_, leases := n.pool.InFlight()
		due, next, err := n.lookAhead()
		t.Errorf("there is something left to do after %v: %d leases, %d outcomes on their way, %d domains due, the next at %v, %v", plan.Limit, leases, n.swarm.Waiting(), due, next, err)
	}
	r.Ended, r.Took = time.Now(), time.Since(begun)
	n.Stop(t.Context())
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
	close(done)
	sampler.Wait()
	if err := n.checkBooks(); err != nil {
		t.Errorf("Check: %v", err)
	}
	if r.Domains, err = n.frontier.Domains("", 1<<20); err != nil {
		t.Error(err)
	}
	closeNode(t, n)
	if info, err := os.Stat(o.Paths.Store()); err == nil {
		r.Store = info.Size()
	}
	again := newNode(t, o)
	if err := again.checkBooks(); err != nil {
		t.Errorf("Check after another start: %v", err)
	}
	closeNode(t, again)
	r.Resident = residentPeak(t)
	writeJSON(t, file+".result", r)
}

// tighten gives a node shorter limits.
func tighten(o *Options) {
	o.Lab.Budget = frontier.Budget{Base: uint64(hostileBudget), Most: 4 * uint64(hostileBudget)}
	o.Lab.Fetch = hostileLimits
}

// waitSettled waits until nothing is under way and nothing is due within a
// minute. It reports false if that did not come in time.
func (n *Node) waitSettled(limit time.Duration) bool {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(limit)
	for times := 0; times < 5; {
		select {
		case <-ticker.C:
		case <-late:
			return false
		}
		if n.isSettled() {
			times++
		} else {
			times = 0
		}
	}
	return true
}

func (n *Node) isSettled() bool {
	if _, leases := n.pool.InFlight(); leases > 0 || n.isSettling() || !n.seeds.in.Load() {
		return false
	}
	due, next, err := n.lookAhead()
	return err == nil && due == 0 && (next.IsZero() || time.Until(next) > time.Minute)
}

// peakHeap returns the most bytes the heap had in use until done is closed.
func peakHeap(peak int64, done <-chan struct{}) int64 {
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		peak = max(peak, heapInUse())
		select {
		case <-ticker.C:
		case <-done:
			return peak
		}
	}
}

// heapInUse returns HeapInuse of runtime.MemStats without stopping the world.
func heapInUse() (sum int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		sum += int64(s.Value.Uint64())
	}
	return sum
}

// residentPeak returns the most memory the process had, in bytes, 0 where the
// operating system does not say.
func residentPeak(t *testing.T) int64 {
	t.Helper()
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kb int64
			if _, err := fmt.Sscanf(value, "%d kB", &kb); err != nil {
				t.Errorf("read %q: %v", line, err)
			}
			return kb << 10
		}
	}
	return 0
}
