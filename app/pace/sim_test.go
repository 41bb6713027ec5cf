package pace

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// machine is a computer in simulated time whose processors do what tests say.
type machine struct {
	used atomic.Int64 // nanoseconds
	asks atomic.Int64 // for that
	fail atomic.Pointer[error]
}

func (m *machine) CPU() (time.Duration, error) {
	m.asks.Add(1)
	if err := m.fail.Load(); err != nil {
		return 0, *err
	}
	return time.Duration(m.used.Load()), nil
}

// burn uses processor time in steps, as a kernel counts it.
func (m *machine) burn(d time.Duration) {
	const step = time.Millisecond
	for ; d > 0; d -= step {
		part := min(d, step)
		time.Sleep(part)
		m.used.Add(int64(part))
	}
}

// within runs a test in a bubble with a Pacer of two cores that is served until the end.
func within(t *testing.T, f func(t *testing.T, m *machine, p *Pacer)) {
	synctest.Test(t, func(t *testing.T) {
		m := new(machine)
		m.used.Store(int64(time.Hour)) // of before
		p := New(Options{CPU: m.CPU, Cores: 2})
		stop := serve(t, p)
		defer stop()
		synctest.Wait()
		f(t, m, p)
	})
}

// serve runs a Pacer until stop is called.
func serve(t *testing.T, p *Pacer) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- p.Serve(ctx) }()
	return func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Serve = %v", err)
		}
	}
}

// held is the share of a second for which credit may gather.
const held = 0.25

// load is work without end: so many goroutines, pieces that cost so much, and pauses between.
type load struct {
	workers     int
	cost, pause time.Duration
}

// run runs a load for a time, and calls each after each second with the CPU seconds used in it.
func (l load) run(m *machine, p *Pacer, d time.Duration, each func(second int, used float64)) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range l.workers {
		all.Go(func() {
			for p.Wait(ctx) == nil {
				m.burn(l.cost)
				if l.pause > 0 {
					time.Sleep(l.pause)
				}
			}
		})
	}
	for i := range int(d / time.Second) {
		before := m.used.Load()
		time.Sleep(time.Second)
		if each != nil {
			each(i, time.Duration(m.used.Load()-before).Seconds())
		}
	}
	cancel()
	all.Wait()
}

// A goal is met over a minute and over each ten seconds, whatever the pieces are like, and nothing comes
// in bursts.
func TestPacer_HitsItsGoal(t *testing.T) {
	loads := map[string]load{
		"small pieces": {2, 300 * time.Microsecond, 0},
		"pages":        {2, 5 * time.Millisecond, 0},
		"large pieces": {2, 80 * time.Millisecond, 0},
		"with waits":   {16, 5 * time.Millisecond, 30 * time.Millisecond},
	}
	for name, l := range loads {
		for _, percent := range []float64{1, 10, 25, 50} {
			t.Run(name, func(t *testing.T) {
				within(t, func(t *testing.T, m *machine, p *Pacer) {
					p.Set(percent)
					rate := percent / 100 * 2
					before := m.used.Load()
					var ten []float64
					l.run(m, p, time.Minute, func(i int, used float64) {
						// The burst, and what had begun when the credit was used up.
						if most := (1+held)*rate + float64(l.workers)*l.cost.Seconds() + 0.05; used > most {
							t.Errorf("%v %%: %.3f CPU s in second %d, want at most %.3f", percent, used, i, most)
						}
						if ten = append(ten, used); len(ten) < int(window/time.Second) {
							return
						}
						sum := 0.0
						for _, u := range ten {
							sum += u
						}
						ten = ten[1:]
						if mean := sum / 10 / 2 * 100; math.Abs(mean-percent) > 1.5 {
							t.Errorf("%v %%: %.2f %% in the ten seconds until %d", percent, mean, i)
						}
						if u := p.Used(); math.Abs(u-sum/10/2*100) > 0.5 {
							t.Errorf("Used = %.2f, want %.2f", u, sum/10/2*100)
						}
					})
					mean := time.Duration(m.used.Load()-before).Minutes() / 2 * 100
					if math.Abs(mean-percent) > 0.5 {
						t.Errorf("%v %%: %.2f %% over a minute", percent, mean)
					}
				})
			})
		}
	}
}

// The same loads use most of the machine without a limit, or the test above would be worth nothing.
func TestPacer_NoLimit(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		for _, percent := range []float64{-1, 100, math.Inf(1)} {
			p.Set(percent)
			before := m.used.Load()
			load{2, 5 * time.Millisecond, 0}.run(m, p, 20*time.Second, nil)
			if mean := time.Duration(m.used.Load()-before).Seconds() / 20 / 2; mean < 0.99 {
				t.Errorf("%v: %.0f %%", percent, 100*mean)
			}
			if u := p.Used(); u < 99 {
				t.Errorf("%v: Used = %.1f", percent, u)
			}
		}
	})
}

// Work that does not wait is paid for by work that does, but not for longer than ten seconds.
func TestPacer_OthersAreCounted(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		p.Set(25)
		ctx, cancel := context.WithCancel(t.Context())
		var peers sync.WaitGroup
		peers.Go(func() {
			for ctx.Err() == nil {
				m.burn(10 * time.Millisecond)
				time.Sleep(20 * time.Millisecond) // a third of a core
			}
		})
		before := m.used.Load()
		load{4, 5 * time.Millisecond, 0}.run(m, p, time.Minute, nil)
		cancel()
		peers.Wait()
		if mean := time.Duration(m.used.Load()-before).Minutes() / 2 * 100; math.Abs(mean-25) > 0.5 {
			t.Errorf("%.2f %% in all, want 25", mean)
		}
		m.burn(5 * time.Minute)
		start := time.Now()
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d < 9*time.Second || d > 11*time.Second {
			t.Errorf("waited for %v after others used too much, want 10 s", d)
		}
	})
}

// Nothing is saved up: while nobody works, while nobody measures, as in a computer that sleeps, or when counts go back.
func TestPacer_NoBurstAfterAPause(t *testing.T) {
	for name, pause := range map[string]func(t *testing.T, m *machine, p *Pacer, stop func()) func(){
		"idle": func(_ *testing.T, _ *machine, _ *Pacer, stop func()) func() {
			time.Sleep(8 * time.Hour)
			return stop
		},
		"not served": func(t *testing.T, _ *machine, p *Pacer, stop func()) func() {
			stop()
			time.Sleep(8 * time.Hour)
			return serve(t, p)
		},
		"counts go back": func(_ *testing.T, m *machine, _ *Pacer, stop func()) func() {
			m.used.Add(-int64(time.Minute))
			time.Sleep(time.Second)
			m.used.Add(int64(time.Minute))
			time.Sleep(time.Second)
			return stop
		},
		"stopped": func(_ *testing.T, _ *machine, p *Pacer, stop func()) func() {
			p.Set(0)
			time.Sleep(8 * time.Hour)
			p.Set(10)
			return stop
		},
		"no limit": func(_ *testing.T, _ *machine, p *Pacer, stop func()) func() {
			p.Set(-1)
			time.Sleep(8 * time.Hour)
			p.Set(10)
			return stop
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := new(machine)
				p := New(Options{CPU: m.CPU, Cores: 2})
				p.Set(10)
				stop := pause(t, m, p, serve(t, p))
				defer stop()
				sum := 0.0
				load{16, 2 * time.Millisecond, 0}.run(m, p, 10*time.Second, func(i int, used float64) {
					if sum += used; used > 0.2*(1+held)+0.04 {
						t.Errorf("%.3f CPU s in second %d", used, i)
					}
				})
				if sum < 0.2*9 {
					t.Errorf("%.3f CPU s in ten seconds, want 2", sum)
				}
			})
		})
	}
}

// Work passes one after the other as it came, at the pace of what it costs.
func TestPacer_FirstComeFirstServed(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		p.Set(10)
		time.Sleep(time.Second)
		m.used.Add(int64(time.Second)) // five seconds of debt
		var mu sync.Mutex
		var order []int
		var all sync.WaitGroup
		start := time.Now()
		for i := range 10 {
			all.Go(func() {
				if err := p.Wait(t.Context()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				m.used.Add(int64(20 * time.Millisecond))
			})
			synctest.Wait()
		}
		all.Wait()
		for i, n := range order {
			if n != i {
				t.Fatalf("order %v", order)
			}
		}
		// 50 ms of credit, then 1 s of debt at 0.2, then 20 ms each.
		if d := time.Since(start); d < 5*time.Second || d > 6500*time.Millisecond {
			t.Errorf("it took %v", d)
		}
	})
}

func TestPacer_SetReachesThoseWhoWait(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		for name, free := range map[string]func(){
			"no limit": func() { p.Set(-1) },
			"more":     func() { p.Set(50) },
		} {
			p.Set(50)
			time.Sleep(time.Second) // there is credit
			p.Set(0)
			passed := make(chan error, 3)
			for range cap(passed) {
				go func() { passed <- p.Wait(t.Context()) }()
			}
			time.Sleep(time.Hour + limitedTick*3/2)
			if len(passed) > 0 {
				t.Fatalf("%s: %d passed at 0", name, len(passed))
			}
			start := time.Now()
			free()
			for range cap(passed) {
				if err := <-passed; err != nil {
					t.Error(err)
				}
			}
			if d := time.Since(start); d > 3*fresh {
				t.Errorf("%s: it took %v", name, d)
			}
		}
	})
}

func TestPacer_NotANumberIsNothing(t *testing.T) {
	within(t, func(t *testing.T, _ *machine, p *Pacer) {
		p.Set(math.NaN())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v", err)
		}
	})
}

// Debts are paid while nothing is allowed, and not made: work begins soon after it is allowed again.
func TestPacer_StopForgivesInTime(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		p.Set(10)
		m.burn(time.Second)
		p.Set(0)
		m.burn(20 * time.Second) // of others
		p.Set(10)
		start := time.Now()
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d > limitedTick {
			t.Errorf("waited for %v", d)
		}
	})
}

func TestPacer_WaitEndsWithItsContext(t *testing.T) {
	within(t, func(t *testing.T, _ *machine, p *Pacer) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.Wait(gone); !errors.Is(err, context.Canceled) {
			t.Errorf("without limit: Wait = %v", err)
		}
		p.Set(0)
		first, cancelFirst := context.WithCancel(t.Context())
		ended, passed := make(chan error), make(chan error)
		go func() { ended <- p.Wait(first) }()
		synctest.Wait()
		go func() { passed <- p.Wait(t.Context()) }()
		synctest.Wait()
		start := time.Now()
		cancelFirst()
		if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) > 0 {
			t.Errorf("Wait = %v after %v", err, time.Since(start))
		}
		p.Set(10)
		if err := <-passed; err != nil { // the place in the line is not lost to who gave up
			t.Error(err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.line) != 0 {
			t.Errorf("%d still wait", len(p.line))
		}
	})
}

// What cannot be measured cannot be within a limit.
func TestPacer_NothingPassesUnmeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(machine)
		broken := errors.New("broken")
		m.fail.Store(&broken)
		p := New(Options{CPU: m.CPU, Cores: 2})
		if err := p.Serve(t.Context()); !errors.Is(err, broken) {
			t.Errorf("Serve = %v", err)
		}
		if err := p.Wait(t.Context()); err != nil {
			t.Errorf("without a limit: Wait = %v", err)
		}
		p.Set(50)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait = %v", err)
		}
		m.fail.Store(nil)
		stop := serve(t, p)
		if err := p.Wait(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		stop()
		m.fail.Store(&broken)
		time.Sleep(fresh)
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("in credit: Wait = %v", err)
		}
	})
}

// It wakes up seldom where there is nothing to do, and not too often where there is.
func TestPacer_WakesUpSeldom(t *testing.T) {
	within(t, func(t *testing.T, m *machine, p *Pacer) {
		count := func() float64 {
			before := m.asks.Load()
			time.Sleep(time.Minute)
			return float64(m.asks.Load()-before) / 60
		}
		if n := count(); n > 1.1 {
			t.Errorf("%.1f a second without a limit", n)
		}
		p.Set(25)
		if n := count(); n > 1.5 {
			t.Errorf("%.1f a second while nobody waits", n)
		}
		before := m.asks.Load()
		for range 60 {
			p.Wait(t.Context())
			time.Sleep(time.Second)
		}
		if n := float64(m.asks.Load()-before) / 60; n < 9 || n > 11.1 {
			t.Errorf("%.1f a second while there is a little work", n)
		}
		before = m.asks.Load()
		load{16, time.Millisecond, 0}.run(m, p, time.Minute, nil)
		if n := float64(m.asks.Load()-before) / 60; n > 101 {
			t.Errorf("%.1f a second while many wait", n)
		}
		p.Set(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		before = m.asks.Load()
		p.Wait(ctx)
		if n := float64(m.asks.Load()-before) / 60; n > 1.1 {
			t.Errorf("%.1f a second while nothing is allowed", n)
		}
	})
}

func BenchmarkPacer_WaitWithoutLimit(b *testing.B) {
	p := New(Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for b.Loop() {
		if err := p.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPacer_WaitInCredit(b *testing.B) {
	p := New(Options{CPU: func() (time.Duration, error) { return 0, nil }, Cores: 1 << 20})
	p.Set(99)
	p.bucket.credit, p.cost = 1e15, 0
	ctx := context.Background()
	for b.Loop() {
		p.bucket.credit = 1e15
		if err := p.Wait(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProcessTime(b *testing.B) {
	for b.Loop() {
		if _, err := ProcessTime(); err != nil {
			b.Fatal(err)
		}
	}
}
