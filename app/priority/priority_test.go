package priority

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestKeep_LowersAgainUntilTheContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*every+every/2)
		defer cancel()
		answers := []error{nil, errors.New("a"), errors.New("a"), nil, errors.New("b")}
		var said []string
		n := 0
		err := keep(ctx, func() error { n++; return answers[n-1] }, func(err error) { said = append(said, err.Error()) })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Keep = %v", err)
		}
		if n != len(answers) || !slices.Equal(said, []string{"a", "b"}) {
			t.Errorf("lowered %d times, want %d; told %q", n, len(answers), said)
		}
	})
}

func TestKeep_EndsWhereItCannotBeDone(t *testing.T) {
	none := fmt.Errorf("here: %w", errors.ErrUnsupported)
	err := keep(t.Context(), func() error { return none }, func(err error) { t.Errorf("told %v", err) })
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Keep = %v", err)
	}
}

func TestKeep_ReturnsWithItsContextAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	start := time.Now()
	if err := keep(ctx, func() error { return nil }, nil); !errors.Is(err, context.Canceled) || time.Since(start) > every {
		t.Errorf("Keep = %v", err)
	}
}
