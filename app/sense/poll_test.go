package sense

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestPoll_HintsWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		hint := make(chan struct{})
		close(hint)
		reads, reports := 0, 0
		read := func(context.Context) (int, error) { reads++; return reads, nil }
		err := poll(ctx, read, func(int) { reports++ }, hint, each[int](time.Hour))
		if !errors.Is(err, context.DeadlineExceeded) || reads < 50 || reads > 51 || reports != reads {
			t.Errorf("%d reads and %d reports within 10 s, want 50 or 51; %v", reads, reports, err)
		}
	})
}

func TestPoll_EndsWithTheFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		read := func(context.Context) (int, error) {
			if n++; n == 3 {
				return 0, errBroken
			}
			return n, nil
		}
		began := time.Now()
		err := poll(t.Context(), read, func(int) {}, nil,
			func(v int) time.Duration { return time.Duration(v) * time.Minute })
		if took := time.Since(began); !errors.Is(err, errBroken) || took <= 3*time.Minute-4*time.Second ||
			took > 3*time.Minute {
			t.Errorf("poll = %v after %v, want after 3m, or a little less to read together with others", err, took)
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
