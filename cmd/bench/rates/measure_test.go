package rates

import (
	"testing"
	"time"
)

// Pages, frames and what libp2p adds keep to the rates together, at the node's
// sockets and at those of the others. A busy machine may be slower, never faster.
func TestMeasure_NeverMoreThanTheRate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, kbit := range []int{1000, 10_000} {
		r, err := Measure(t.Context(), kbit, kbit/4, 4*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]Flow{"down": r.Down, "up": r.Up} {
			// 4 s are less than the 10 s that 5 % are promised over.
			if off := f.Off(); off > 8 {
				t.Errorf("%d kbit/s %s: %.1f %% more than the limit at socket calls: %+v", kbit, name, off, f)
			}
			if off, known := f.KernelOff(); known && off > 15 {
				t.Errorf("%d kbit/s %s: %.1f %% more than the limit by TCP_INFO: %+v", kbit, name, off, f)
			}
			if f.Pages <= 0 || f.Work <= 0 || f.Bulk <= 0 || f.Control <= 0 {
				t.Errorf("%d kbit/s %s: a class moved nothing: %+v", kbit, name, f)
			}
			// What the node counts is what its sockets move.
			if sum := f.Pages + f.Work + f.Bulk + f.Control; sum < f.Sockets*0.99 || sum > f.Sockets*1.01 {
				t.Errorf("%d kbit/s %s: the budget counts %.0f bytes a second, sockets %.0f", kbit, name, sum, f.Sockets)
			}
		}
		if r.Pings == 0 {
			t.Errorf("%d kbit/s: no control call was answered", kbit)
		}
	}
}
