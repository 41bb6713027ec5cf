package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSpared_AddsWhatPassedAndReadsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const start, slept = time.Hour, 8 * time.Hour
		begun, suspended, reads := time.Now(), time.Duration(0), 0
		now := spared(func() time.Duration {
			reads++
			return start + suspended + time.Since(begun)
		})
		for _, c := range []struct {
			wait, suspend, want time.Duration
			reads               int
		}{
			{0, 0, start, 1},
			{time.Millisecond, 0, start + time.Millisecond, 1},
			{readEvery - 2*time.Millisecond, 0, start + readEvery - time.Millisecond, 1},
			{time.Millisecond, 0, start + readEvery, 2},
			{time.Millisecond, slept, start + readEvery + time.Millisecond, 2},
			{readEvery, 0, start + slept + 2*readEvery + time.Millisecond, 3},
		} {
			time.Sleep(c.wait)
			suspended += c.suspend
			if got := now(); got != c.want || reads != c.reads {
				t.Errorf("%v on: %v after %d reads, want %v after %d", c.wait, got, reads, c.want, c.reads)
			}
		}
	})
}
