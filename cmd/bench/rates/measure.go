package rates

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/forage-net/forage/app/bandwidth"
)

const (
	// settle is how long traffic flows before it is measured: what peers send all at once
	// in the beginning is a debt that is worked off then.
	settle = 6 * time.Second
	// sampled is how often the kernel is asked: what a socket moved after the last time
	// it was asked and before its end is lost.
	sampled = 100 * time.Millisecond
)

// Flow is the traffic of one direction in bytes per second.
type Flow struct {
	Limit float64
	// Pages, Work, Bulk and Control are the classes as the budget counts them.
	Pages, Work, Bulk, Control float64
	// Sockets is what the node's socket calls moved, Far those of the others.
	Sockets, Far float64
	// Worst is the most that Sockets was over any stretch as long as the measurement, from the
	// first byte on: what peers send at once may come at the end of one.
	Worst float64
	// TCP is the part of Sockets that went over TCP, Kernel what the kernel says of
	// it; below 0 where the kernel cannot be asked.
	TCP, Kernel float64
}

// Off returns by how many percent what socket calls moved is off the limit.
func (f Flow) Off() float64 { return (f.Sockets/f.Limit - 1) * 100 }

// WorstOff returns the same of the worst stretch.
func (f Flow) WorstOff() float64 { return (f.Worst/f.Limit - 1) * 100 }

// KernelOff returns the same with what the kernel says of TCP, false if it
// cannot be asked.
func (f Flow) KernelOff() (float64, bool) {
	return ((f.Sockets-f.TCP+f.Kernel)/f.Limit - 1) * 100, f.Kernel >= 0
}

// Row is one measurement.
type Row struct {
	DownKbit, UpKbit int
	Seconds          float64
	Down, Up         Flow
	// Pings is how many calls of class Control were answered, Median and Slowest how long
	// they took.
	Pings           int
	Median, Slowest time.Duration
}

// Measure holds a node to so many kbit/s down and up and measures it for a time.
func Measure(ctx context.Context, downKbit, upKbit int, over time.Duration) (Row, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	budget := bandwidth.New()
	budget.Set(downKbit, upKbit)
	s, err := newStage(budget)
	if err != nil {
		return Row{}, fmt.Errorf("set up traffic: %w", err)
	}
	defer s.close()
	done := s.play(ctx)
	defer func() { cancel(); done() }()
	if err := s.watch(ctx, settle); err != nil {
		return Row{}, err
	}
	s.pings.reset()
	begin, before := time.Now(), s.counts()
	if err := s.watch(ctx, over); err != nil {
		return Row{}, err
	}
	after, took := s.counts(), time.Since(begin).Seconds()
	r := Row{DownKbit: downKbit, UpKbit: upKbit, Seconds: took}
	r.Down = flow(before.down, after.down, took, downKbit)
	r.Up = flow(before.up, after.up, took, upKbit)
	r.Down.Worst, r.Up.Worst = worst(s.samples, over)
	times := s.pings.reset()
	if r.Pings = len(times); r.Pings > 0 {
		slices.Sort(times)
		r.Median, r.Slowest = times[len(times)/2], times[len(times)-1]
	}
	return r, nil
}

// sample is what the node's sockets had moved at a time.
type sample struct {
	at       time.Time
	down, up int64
}

// worst returns the most bytes per second over any stretch of samples that is so long.
func worst(samples []sample, over time.Duration) (down, up float64) {
	first := 0
	for _, s := range samples {
		for s.at.Sub(samples[first].at) > over {
			first++
		}
		if f := samples[max(first-1, 0)]; s.at.Sub(f.at) >= over {
			seconds := s.at.Sub(f.at).Seconds()
			down = max(down, float64(s.down-f.down)/seconds)
			up = max(up, float64(s.up-f.up)/seconds)
		}
	}
	return down, up
}

func flow(a, b way, seconds float64, kbit int) Flow {
	per := func(from, to int64) float64 { return float64(to-from) / seconds }
	class := func(c bandwidth.Class) float64 { return per(a.classes.Class[c], b.classes.Class[c]) }
	f := Flow{
		Limit: float64(kbit) * 1000 / 8,
		Pages: class(bandwidth.Pages), Work: class(bandwidth.Work), Bulk: class(bandwidth.Bulk),
		Sockets: per(a.sockets(), b.sockets()),
		Far:     per(a.farPages+a.farPeers, b.farPages+b.farPeers),
		TCP:     per(a.pages+a.tcp, b.pages+b.tcp),
		Kernel:  per(a.kernel, b.kernel),
	}
	f.Control = per(a.classes.All, b.classes.All) - f.Pages - f.Work - f.Bulk
	if !kernelKnows {
		f.Kernel = -1
	}
	return f
}
