package sense

import (
	"testing"
	"time"
)

func TestHub_SubscribersGetTheNewest(t *testing.T) {
	run(t, func(c *computer, h *Hub) {
		h.Want(Wanted{Dir: "/"})
		after(h, time.Minute)
		ch, stop := h.Subscribe()
		first := <-ch
		c.set(func() { c.addresses = "eth0 192.0.2.2/24" })
		after(h, time.Minute)
		c.set(func() { c.addresses = "eth0 192.0.2.3/24" })
		now := after(h, time.Minute)
		got := <-ch
		if got.Seq != now.Seq || got.Seq < first.Seq+2 || got.Network.Value != 2 {
			t.Errorf("got change %d with network %d, want %d with 2; the first was %d", got.Seq, got.Network.Value,
				now.Seq, first.Seq)
		}
		stop()
		c.set(func() { c.addresses = "" })
		after(h, time.Minute)
		select {
		case s := <-ch:
			t.Errorf("got %d after the end", s.Seq)
		default:
		}
	})
}

// Who uses the computer is asked less often while nothing has to stop then.
func TestInputDue(t *testing.T) {
	calm := false
	o := Options{Calm: func() bool { return calm }}
	for _, c := range []struct {
		calm bool
		in   Input
		want time.Duration
	}{
		{false, Input{}, watchEvery},
		{true, Input{}, watchCalmly},
		{false, Input{Active: true}, activeFor / 2},
		{true, Input{Active: true}, activeFor / 2},
	} {
		if calm = c.calm; o.inputDue(c.in) != c.want {
			t.Errorf("calm %v, %+v: %v, want %v", c.calm, c.in, o.inputDue(c.in), c.want)
		}
	}
	if o.Calm = nil; o.inputDue(Input{}) != watchEvery {
		t.Error("where nobody says it is not calm")
	}
}

// Processes are listed less often while nothing has to stop, while that takes long, and hardly ever for nobody.
func TestAppsDue(t *testing.T) {
	calm := false
	o := Options{Calm: func() bool { return calm }}
	for _, c := range []struct {
		calm     bool
		programs int
		cost     time.Duration
		want     time.Duration
	}{
		{false, 1, 0, appsEvery},
		{false, 1, 3 * time.Millisecond, 3 * time.Second},
		{false, 1, time.Second, appsSlow},
		{true, 1, 0, appsCalmly},
		{true, 1, 3 * time.Millisecond, 3 * time.Second},
		{true, 1, time.Second, appsSlow},
		{false, 0, 0, appsNone},
		{true, 0, time.Second, appsNone},
	} {
		if calm = c.calm; o.appsDue(c.programs, c.cost) != c.want {
			t.Errorf("calm %v, %d programs, %v each: %v, want %v", c.calm, c.programs, c.cost,
				o.appsDue(c.programs, c.cost), c.want)
		}
	}
	if o.Calm = nil; o.appsDue(1, 0) != appsEvery {
		t.Error("where nobody says it is not calm")
	}
}
