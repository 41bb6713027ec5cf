package pace

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// fresh is how long a measurement is good for. Shorter, and a loaded process wakes up more often
	// than it has work for; longer, and more work starts before what it costs is known.
	fresh = 10 * time.Millisecond
	// limitedTick and freeTick are how often the time is measured where nobody waits; freeTick is too where no work has
	// begun for calmTicks of the other.
	limitedTick = 100 * time.Millisecond
	freeTick    = time.Second
	calmTicks   = 20
	// stillTick is the same where nothing may pass.
	stillTick = 2 * time.Second
	// firstCost is what a piece of work is taken to cost before any was measured.
	firstCost = 0.01
	// costWeight is what the latest pieces count for in the mean of what one costs.
	costWeight = 0.25
)

// Options say what a Pacer measures. The zero value is this process on this computer.
type Options struct {
	// CPU returns the processor time the process has used since it began. It is called by one
	// goroutine at a time, must be quick, and must not call the Pacer.
	CPU func() (time.Duration, error)
	// Cores is how many processors the whole machine has.
	Cores int
}

// Pacer lets work pass at the pace of a share of the machine. It is safe for concurrent use. Make one with New.
type Pacer struct {
	cpu     func() (time.Duration, error)
	cores   float64
	limited atomic.Bool   // Set changes it under mu
	wake    chan struct{} // Serve shall look at once

	mu      sync.Mutex
	bucket  bucket
	last    sample  // the last measurement; at is zero before the first
	failed  error   // of it
	begun   int     // pieces of work since the last measurement
	pieces  int     // and since the last one in history
	worked  bool    // a piece of work has begun since Serve looked last
	calm    int     // how often Serve has looked since one had
	cost    float64 // of a piece of work, in CPU seconds, by experience
	line    []chan struct{}
	history history
}

// New returns a Pacer without a limit.
func New(o Options) *Pacer {
	if o.CPU == nil {
		o.CPU = ProcessTime
	}
	if o.Cores <= 0 {
		o.Cores = runtime.NumCPU()
	}
	p := &Pacer{cpu: o.CPU, cores: float64(o.Cores), wake: make(chan struct{}, 1), cost: firstCost}
	p.bucket.set(-1)
	return p
}

// Set gives the process a share of the whole machine, all cores: with 25 on two cores it has
// half a core. 0 lets nothing pass, as does what is no number; below 0, and from 100 on, there is no
// limit. It takes effect at once, also for those who wait.
func (p *Pacer) Set(percent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rate := percent / 100 * p.cores
	switch {
	case math.IsNaN(percent):
		rate = 0
	case percent < 0 || percent >= 100:
		rate = -1
	}
	if rate == p.bucket.rate {
		return
	}
	p.measure() // by the old rate
	p.bucket.set(rate)
	p.limited.Store(rate >= 0)
	if rate < 0 {
		for _, c := range p.line {
			close(c)
		}
		p.line = nil
	}
	p.rouse()
}

// Wait returns nil when the next piece of work may begin, or the error of ctx once
// that is done. Without a limit it costs next to nothing. With one, somebody must run Serve.
func (p *Pacer) Wait(ctx context.Context) error {
	if err := ctx.Err(); err != nil || !p.limited.Load() {
		return err
	}
	turn := p.enter()
	if turn == nil {
		return nil
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		p.leave(turn)
		return ctx.Err()
	}
}

// enter begins a piece of work and returns nil, or a channel that is closed when it may begin.
func (p *Pacer) enter() chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bucket.rate < 0 {
		return nil
	}
	if len(p.line) == 0 {
		p.refresh()
		if p.begin() {
			return nil
		}
	}
	turn := make(chan struct{})
	p.line = append(p.line, turn)
	if len(p.line) == 1 {
		p.rouse()
	}
	return turn
}

// leave gives up a place in the line.
func (p *Pacer) leave(turn chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.line, turn); i >= 0 {
		p.line = slices.Delete(p.line, i, i+1)
	}
}

// begin counts another piece of work if there is credit beyond what those that began since the
// last measurement are likely to cost. So a credit for one does not let all pass that wait.
func (p *Pacer) begin() bool {
	if p.failed != nil || p.bucket.rate <= 0 || p.lacking() >= 0 {
		return false
	}
	p.begun++
	p.pieces++
	p.worked = true
	return true
}

// lacking returns how many CPU seconds are missing until the next piece may begin; below 0, none is.
func (p *Pacer) lacking() float64 { return float64(p.begun)*p.cost - p.bucket.credit }

// Serve measures, and lets those who wait go on, until ctx is done. It returns another error
// if the time cannot be measured: nothing passes then, if there is a limit. It must not run
// twice at a time.
func (p *Pacer) Serve(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-p.wake:
		case <-ctx.Done():
			return ctx.Err()
		}
		next, err := p.look()
		if err != nil {
			return fmt.Errorf("measure processor time: %w", err)
		}
		timer.Reset(next)
	}
}

// look lets pass who may, and returns when to look again.
func (p *Pacer) look() (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	if p.failed != nil {
		return 0, p.failed
	}
	n := 0
	for n < len(p.line) && p.begin() {
		close(p.line[n])
		n++
	}
	p.line = slices.Delete(p.line, 0, n)
	p.calm++
	if p.worked {
		p.worked, p.calm = false, 0
	}
	switch {
	case p.bucket.rate == 0: // whoever changes that says so
		return pulse.Until(stillTick), nil
	case p.bucket.rate < 0:
		return pulse.Until(freeTick), nil
	case len(p.line) == 0 && p.calm > calmTicks: // who comes has it measured
		return pulse.Until(freeTick), nil
	case len(p.line) == 0:
		return limitedTick, nil
	}
	wait := p.lacking() / p.bucket.rate * float64(time.Second)
	return time.Duration(min(max(wait, float64(fresh)), float64(limitedTick))), nil
}

// Used returns the mean share of the whole machine, in percent, that the process has
// used in the last ten seconds. It needs Serve.
func (p *Pacer) Used() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh()
	return 100 * p.history.share(p.last) / p.cores
}

// refresh measures unless it was done a moment ago.
func (p *Pacer) refresh() {
	if p.failed != nil || time.Since(p.last.at) >= fresh {
		p.measure()
	}
}

// measure debits what was used since the last time.
func (p *Pacer) measure() {
	used, err := p.cpu()
	if p.failed = err; err != nil {
		return
	}
	now := sample{time.Now(), used}
	if !p.last.at.IsZero() { // else it is of the time before us
		now.used = max(now.used, p.last.used) // counts of some systems go back a little
		p.bucket.pass(max(now.at.Sub(p.last.at), 0).Seconds(), (now.used - p.last.used).Seconds())
	}
	p.last, p.begun = now, 0
	before := now
	if n := len(p.history); n > 0 {
		before = p.history[n-1]
	}
	if p.history.add(now) {
		p.learn((now.used - before.used).Seconds())
	}
}

// learn takes into the mean what the pieces of work since the last sample cost, with all that went on beside.
func (p *Pacer) learn(used float64) {
	if p.pieces > 0 {
		p.cost += costWeight * (used/float64(p.pieces) - p.cost)
	}
	p.pieces = 0
}

func (p *Pacer) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}
