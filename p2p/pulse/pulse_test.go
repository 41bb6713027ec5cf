package pulse

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestUntil(t *testing.T) {
	for _, c := range []struct {
		at, every, want time.Duration
	}{
		{0, time.Second, time.Second},
		{300 * time.Millisecond, time.Second, 700 * time.Millisecond},
		{999 * time.Millisecond, time.Second, time.Millisecond},
		{time.Second - time.Microsecond, time.Second, time.Second + time.Microsecond},
		{1300 * time.Millisecond, 2 * time.Second, 700 * time.Millisecond},
		{59 * time.Second, time.Minute, time.Second},
		{-300 * time.Millisecond, time.Second, 300 * time.Millisecond},
	} {
		if got := until(c.at, c.every); got != c.want {
			t.Errorf("until(%v, %v) = %v, want %v", c.at, c.every, got, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		at, d, want time.Duration
	}{
		{300 * time.Millisecond, time.Second, 700 * time.Millisecond},
		{300 * time.Millisecond, 2500 * time.Millisecond, 1700 * time.Millisecond},
		{0, 5 * time.Second, 5 * time.Second},
		{time.Second, 2 * time.Second, time.Second},
		{time.Second, 6 * time.Second, 5 * time.Second},
		{100 * time.Millisecond, 5 * time.Second, 4900 * time.Millisecond},
		{time.Second, 10 * time.Second, 9 * time.Second},
		{0, time.Minute, time.Minute},
	} {
		if got := within(c.at, c.d); got != c.want {
			t.Errorf("within(%v, %v) = %v, want %v", c.at, c.d, got, c.want)
		}
	}
}

func TestUntil_PartsThatBeganApartWakeTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		woken := make(chan time.Time, 6)
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(i) * 210 * time.Millisecond)
				for range 2 {
					time.Sleep(Until(time.Second))
					woken <- time.Now()
				}
			}()
		}
		parts := make(map[time.Duration]int) // of a second
		for range 6 {
			parts[time.Duration((<-woken).Nanosecond())]++
		}
		if len(parts) != 1 {
			t.Errorf("woken at %v of a second, want one moment", parts)
		}
	})
}
