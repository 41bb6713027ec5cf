package ladder

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
		err := Poll(ctx, read, func(int) { reports++ }, hint, Each[int](time.Hour))
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
		err := Poll(t.Context(), read, func(int) {}, nil,
			func(v int) time.Duration { return time.Duration(v) * time.Minute })
		if took := time.Since(began); !errors.Is(err, errBroken) || took <= 3*time.Minute-4*time.Second ||
			took > 3*time.Minute {
			t.Errorf("Poll = %v after %v, want after 3m, or a little less to read together with others", err, took)
		}
	})
}
