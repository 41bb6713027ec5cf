package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/forage-net/forage/app/pace"
)

// profile notes where processor time goes, until stop.
func profile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}

// timings are how long searches took.
type timings struct{ wall, cpu []time.Duration }

func (t *timings) take(fn func() error) error {
	begun, cpu := time.Now(), cpuTime()
	err := fn()
	t.wall, t.cpu = append(t.wall, time.Since(begun)), append(t.cpu, cpuTime()-cpu)
	return err
}

func (t *timings) String() string {
	return fmt.Sprintf("median %v, 95 of 100 within %v, all within %v; of CPU time %v, %v, %v",
		at(t.wall, 50), at(t.wall, 95), at(t.wall, 100), at(t.cpu, 50), at(t.cpu, 95), at(t.cpu, 100))
}

// at returns the value that so many in a hundred are not above.
func at(list []time.Duration, percent int) time.Duration {
	slices.Sort(list)
	return list[max(0, min(len(list)*percent/100, len(list)-1))].Round(100 * time.Microsecond)
}

// cpuTime returns the processor time that this process has taken, 0 if it is not known.
func cpuTime() time.Duration {
	used, _ := pace.ProcessTime()
	return used
}
