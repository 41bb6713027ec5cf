package desk

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// quick is a desk whose UI goroutine is any, one at a time.
func quick(ctx context.Context) *Desk {
	var turn sync.Mutex
	return &Desk{Ctx: ctx, Now: time.Now, UI: func(fn func()) {
		turn.Lock()
		defer turn.Unlock()
		fn()
	}}
}

// However often something is asked for again, there are answers.
func TestPoll_AgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := quick(ctx)
		var asked, told atomic.Int64
		p := NewPoll(d, time.Hour, func(ctx context.Context) (int, error) {
			asked.Add(1)
			select {
			case <-ctx.Done():
				return 0, ctx.Err()
			case <-time.After(50 * time.Millisecond):
				return 0, nil
			}
		}, func(int) { told.Add(1) })
		p.Run(true)
		for range 100 {
			time.Sleep(10 * time.Millisecond)
			synctest.Wait()
			p.Again()
		}
		if n := told.Load(); n < 18 {
			t.Errorf("in a second there are %d answers that take 50 ms each, want 19 or 20", n)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if told.Load() != asked.Load() {
			t.Errorf("of %d questions %d are answered", asked.Load(), told.Load())
		}
		p.Run(false)
		p.Again() // nobody looks
		cancel()
		d.Wait()
	})
}

// What is asked for from time to time is shown together, what somebody waits for at once.
func TestPoll_ShowsTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := quick(ctx)
		var at []time.Duration // of the UI goroutine
		shown := func() (copied []time.Duration) {
			d.UI(func() { copied = slices.Clone(at) })
			return copied
		}
		begun := time.Now()
		note := func(int) { at = append(at, time.Since(begun)) }
		answer := func(context.Context) (int, error) { return 0, nil }
		a, b := NewPoll(d, 2*time.Second, answer, note), NewPoll(d, 2*time.Second, answer, note)
		a.Run(true)
		time.Sleep(700 * time.Millisecond)
		b.Run(true)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		want := []time.Duration{0, 700 * time.Millisecond, 2*time.Second + moment, 2*time.Second + moment}
		if got := shown(); !slices.Equal(got, want) {
			t.Errorf("answers are shown at %v, want %v", got, want)
		}
		a.Again()
		synctest.Wait()
		if got := shown(); len(got) != 5 || got[4] != 3700*time.Millisecond {
			t.Errorf("what is waited for is shown at %v", got[4:])
		}
		b.Run(false)
		a.Run(false)
		time.Sleep(10 * time.Second)
		if n := len(shown()); n != 5 {
			t.Errorf("when nobody looks any more, %d answers are given", n-5)
		}
		cancel()
		d.Wait()
	})
}

// A frame shows what waits, and the next news waits a whole moment again.
func TestDesk_NewsComesWithAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := quick(ctx)
		var at []time.Duration // of the UI goroutine
		begun := time.Now()
		note := func() { at = append(at, time.Since(begun)) }
		d.Soon(note)
		time.Sleep(time.Second)
		d.UI(d.ShowNews) // with a frame
		d.Soon(note)
		time.Sleep(time.Minute)
		synctest.Wait()
		d.UI(func() {
			if want := []time.Duration{time.Second, time.Second + moment}; !slices.Equal(at, want) {
				t.Errorf("news is shown at %v, want %v", at, want)
			}
		})
		cancel()
		d.Wait()
	})
}
