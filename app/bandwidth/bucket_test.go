package bandwidth

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// rates are those that a user may choose, in kbit/s.
var rates = []int{64, 256, 1000, 10_000, 50_000}

// consume takes bytes of a class as fast as it may, from several places at once, until
// ctx ends, and returns how many it got when wg is done.
func consume(ctx context.Context, wg *sync.WaitGroup, b *Budget, class Class, places, size int) *int64 {
	got := make([]int64, places)
	sum := new(int64)
	var own sync.WaitGroup
	for i := range places {
		own.Go(func() {
			w := waiter{class: class, ready: make(chan struct{}, 1)}
			for {
				w.want, w.ticket = size, 0
				if ctx.Err() != nil || b.down.take(ctx, &w) != nil {
					return
				}
				b.down.count(class, w.got)
				got[i] += int64(w.got)
			}
		})
	}
	wg.Go(func() {
		own.Wait()
		for _, n := range got {
			*sum += n
		}
	})
	return sum
}

// near reports whether got is want except for some percent.
func near(got, want, percent float64) bool { return math.Abs(got-want) <= want*percent/100 }

func TestBudget_KeepsTheRate(t *testing.T) {
	for _, kbit := range rates {
		synctest.Test(t, func(t *testing.T) {
			b := New()
			b.Set(kbit, 0)
			time.Sleep(time.Minute) // a rest earns no more than a burst
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			got := consume(ctx, &wg, b, Pages, 6, 32<<10)
			wg.Wait()
			want := float64(kbit) * 1000 / 8 * 10
			if !near(float64(*got), want, 5) {
				t.Errorf("%d kbit/s: %d bytes in 10 s, want %.0f", kbit, *got, want)
			}
			if mean := b.Mean(10 * time.Second).Received; !near(float64(mean.All*10), want, 5) || mean.All != mean.Class[Pages] {
				t.Errorf("%d kbit/s: the mean is said to be %+v, want %.0f", kbit, mean, want/10)
			}
		})
	}
}

// What does not wait makes the others slower, so that the sum is the rate.
func TestBudget_DebitsSlowTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(1000, -1) // 125,000 bytes a second
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		pages := consume(ctx, &wg, b, Pages, 4, 16<<10)
		wg.Go(func() {
			for ctx.Err() == nil {
				b.Debit(Control, false, 2_500)
				time.Sleep(50 * time.Millisecond)
			}
		})
		wg.Wait()
		if want := 750_000.; !near(float64(*pages), want, 5) {
			t.Errorf("pages got %d bytes beside 500,000 of control, want %.0f", *pages, want)
		}
		if all := b.Totals().Received.All; !near(float64(all), 1_250_000, 5) {
			t.Errorf("%d bytes in all, want 1,250,000", all)
		}
	})
}

func TestBudget_ClassesShare(t *testing.T) {
	for _, x := range []struct {
		name  string
		want  [Classes]float64 // shares
		tries [Classes]int     // places that take as much as they may
	}{
		{"all", [Classes]float64{Work: .5, Bulk: .25, Pages: .25}, [Classes]int{Work: 3, Bulk: 1, Pages: 6}},
		{"pages and bulk", [Classes]float64{Bulk: .5, Pages: .5}, [Classes]int{Bulk: 1, Pages: 6}},
		{"pages and work", [Classes]float64{Work: 2. / 3, Pages: 1. / 3}, [Classes]int{Work: 1, Pages: 6}},
		{"pages alone", [Classes]float64{Pages: 1}, [Classes]int{Pages: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := New()
			b.Set(1000, -1)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			var got [Classes]*int64
			for c, places := range x.tries {
				got[c] = consume(ctx, &wg, b, Class(c), places, 16<<10)
			}
			wg.Wait()
			for c, share := range x.want {
				if want := share * 125_000 * 20; !near(float64(*got[c]), want, 5) && share > 0 {
					t.Errorf("%s: %v got %d bytes, want %.0f", x.name, Class(c), *got[c], want)
				}
			}
		})
	}
}

// A class that takes less than its share hardly waits, however much the others want.
func TestBudget_WorkComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(1000, -1)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		consume(ctx, &wg, b, Pages, 6, 16<<10)
		consume(ctx, &wg, b, Bulk, 2, 16<<10)
		var longest time.Duration
		for range 50 {
			time.Sleep(200 * time.Millisecond)
			begin := time.Now()
			if err := b.Wait(ctx, Work, false, 5_000); err != nil {
				t.Fatal(err)
			}
			longest = max(longest, time.Since(begin))
		}
		cancel()
		wg.Wait()
		// 5,000 bytes take 40 ms, and what was granted before them a burst.
		if longest > 200*time.Millisecond {
			t.Errorf("work waited %v", longest)
		}
	})
}

func TestBudget_ControlNeverWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(64, 64)
		b.Debit(Pages, true, 1<<20)
		begin := time.Now()
		if err := b.Wait(t.Context(), Control, true, 10_000); err != nil || time.Since(begin) != 0 {
			t.Errorf("control waited %v, %v", time.Since(begin), err)
		}
		if got := b.Totals().Sent.Class[Control]; got != 10_000 {
			t.Errorf("%d bytes of control counted, want 10000", got)
		}
	})
}

func TestBudget_ZeroLetsNothingPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(0, 0)
		for c := range Class(Classes) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			if err := b.Wait(ctx, c, true, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Wait of %v at rate 0 = %v, want deadline exceeded", c, err)
			}
			cancel()
		}
		var wg sync.WaitGroup
		begin := time.Now()
		for c := range Class(Classes) {
			wg.Go(func() {
				if err := b.Wait(t.Context(), c, true, 1000); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Minute)
		if n := b.Totals().Sent.All; n != 0 {
			t.Errorf("%d bytes passed at rate 0", n)
		}
		b.Set(0, 256)
		wg.Wait()
		if took := time.Since(begin); took < time.Minute || took > time.Minute+time.Second {
			t.Errorf("who waited at rate 0 went on after %v, want soon after a minute", took)
		}
	})
}

func TestBudget_RatesChangeWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(64, -1)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		consume(ctx, &wg, b, Pages, 4, 16<<10)
		last := int64(0)
		for _, kbit := range []int{64, 10_000, 256, 0, 1000} {
			b.Set(kbit, -1)
			time.Sleep(5 * time.Second)
			all := b.Totals().Received.All
			if got, want := float64(all-last), float64(kbit)*1000/8*5; math.Abs(got-want) > want/20+burstLeast {
				t.Errorf("%.0f bytes in 5 s at %d kbit/s, want %.0f", got, kbit, want)
			}
			last = all
		}
		b.Set(-1, -1)
		cancel()
		wg.Wait()
	})
}

// A debt from faster times, or of more than ten seconds, does not stop everything.
func TestBudget_DebtsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(50_000, -1)
		b.Debit(Control, false, 100<<20)
		b.Set(256, -1)
		begin := time.Now()
		if err := b.Wait(t.Context(), Pages, false, 1000); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); took < debtFor || took > debtFor+time.Second {
			t.Errorf("a debt took %v to work off, want %v", took, debtFor)
		}
	})
}

// Sockets are exact, and frames tell of what class their bytes are: the sum is
// that of the sockets.
func TestPeers_FramesAreNotCountedTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(1000, 1000)
		p := b.Peers()
		begin := time.Now()
		frame := make([]byte, 250_000)
		pieces := 0
		write := func(piece []byte) (int, error) {
			pieces++
			p.Socket(true, len(piece)+len(piece)/20) // what encryption adds
			return len(piece), nil
		}
		if err := p.Send(t.Context(), Work, frame, write); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin).Seconds(); !near(took, 2.1, 5) || pieces < 10 {
			t.Errorf("sent in %.2f s and %d pieces, want 2.1 s and many", took, pieces)
		}
		sent := b.Totals().Sent
		if sent.Class[Work] != 250_000 || !near(float64(sent.Class[Control]), 12_500, 1) || sent.All != sent.Class[Work]+sent.Class[Control] {
			t.Errorf("sent %+v, want 250,000 of work and 12,500 of control", sent)
		}

		begin = time.Now()
		p.Socket(false, 262_500)
		if err := p.Received(t.Context(), Bulk, 250_000); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin).Seconds(); !near(took, 2.1, 5) {
			t.Errorf("received in %.2f s, want 2.1", took)
		}
		if got := b.Totals().Received; got.All != 262_500 || got.Class[Bulk] != 250_000 {
			t.Errorf("received %+v, want 262,500, of them 250,000 bulk", got)
		}
		time.Sleep(5 * time.Second) // what belongs to no frame is control in the end
		if got := b.Totals().Received; got.All != 262_500 || got.Class[Control] != 12_500 {
			t.Errorf("received %+v, want 12,500 of control", got)
		}
	})
}

// A frame once begun is not slowed by those that come later: its peer waits for
// the end of it.
func TestPeers_FramesAreFinishedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(-1, 64) // 8,000 bytes a second
		p := b.Peers()
		var wg sync.WaitGroup
		var took [5]time.Duration
		begin := time.Now()
		for i := range took {
			wg.Go(func() {
				err := p.Send(t.Context(), Bulk, make([]byte, 16_000), func(b []byte) (int, error) { p.Socket(true, len(b)); return len(b), nil })
				if err != nil {
					t.Error(err)
				}
				took[i] = time.Since(begin)
			})
			synctest.Wait()
		}
		wg.Wait()
		for i, d := range took {
			if want := 2 * float64(i+1); !near(d.Seconds(), want, 25) {
				t.Errorf("frame %d was sent after %v, want %.0f s", i, d, want)
			}
		}
	})
}

func TestPeers_LostFramesAreGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		b.Set(-1, 1000)
		p := b.Peers()
		broken := errors.New("broken")
		time.Sleep(time.Second)
		for range 1000 {
			err := p.Send(t.Context(), Work, make([]byte, 2000), func([]byte) (int, error) { return 0, broken })
			if err != broken {
				t.Fatalf("Send = %v, want %v", err, broken)
			}
		}
		if n := b.Totals().Sent.All; n != 0 {
			t.Errorf("%d bytes counted of frames that were never sent", n)
		}
		begin := time.Now()
		if err := b.Wait(t.Context(), Pages, true, 2000); err != nil || time.Since(begin) > 0 {
			t.Errorf("Wait took %v, %v, want no time: nothing was sent", time.Since(begin), err)
		}
	})
}

func TestBudget_HistoryOfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New()
		if m := b.Mean(time.Minute); m != (Usage{}) {
			t.Errorf("mean at the start %+v", m)
		}
		for range 100 {
			b.Debit(Pages, false, 1000)
			b.Debit(Control, true, 100)
			time.Sleep(time.Second)
		}
		b.Debit(Pages, false, 60_000)
		time.Sleep(5 * time.Second)
		for _, x := range []struct {
			over time.Duration
			want int64
		}{{time.Second, 0}, {10 * time.Second, 6500}, {time.Minute, 1916}, {time.Hour, 1916}} {
			if m := b.Mean(x.over); m.Received.Class[Pages] != x.want || m.Received.All != x.want {
				t.Errorf("mean of %v is %+v, want %d of pages received", x.over, m, x.want)
			}
		}
		time.Sleep(time.Hour)
		if m := b.Mean(time.Minute); m != (Usage{}) {
			t.Errorf("mean after an hour of nothing %+v", m)
		}
		if all := b.Totals(); all.Received.All != 160_000 || all.Sent.Class[Control] != 10_000 {
			t.Errorf("totals %+v", all)
		}
	})
}

// A rate that holds for a while gives what comes in that while, and goes on when it is set again.
func TestBudget_SetFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const kbit, hold = 400, 300 * time.Millisecond // 15,000 bytes
		b := New()
		b.Set(kbit, 0)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		consume(ctx, &wg, b, Pages, 3, 4<<10)
		time.Sleep(5 * time.Second) // what a burst gives is used up
		passed := func(wait time.Duration) int64 {
			before := b.Totals().Received.All
			time.Sleep(wait)
			return b.Totals().Received.All - before
		}
		b.SetFor(kbit, 0, hold)
		if got := passed(time.Minute); !near(float64(got), 15_000, 30) {
			t.Errorf("%d bytes passed at a rate that held for %v, want 15000", got, hold)
		}
		if got := passed(time.Minute); got > 0 {
			t.Errorf("%d bytes passed when it held no longer", got)
		}
		b.SetFor(kbit, 0, hold)
		if got := passed(time.Minute); !near(float64(got), 15_000, 30) {
			t.Errorf("%d bytes passed when it was set again, want 15000", got)
		}
		b.Set(kbit, 0)
		if got := passed(10 * time.Second); !near(float64(got), 500_000, 5) {
			t.Errorf("%d bytes passed in 10 s at a rate that holds, want 500000", got)
		}
		cancel()
		wg.Wait()
	})
}
