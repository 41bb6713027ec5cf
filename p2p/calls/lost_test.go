package calls

import (
	"context"
	"errors"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

func TestIfLost_WhenTheCallerHasLeft(t *testing.T) {
	started, goOn, undone := make(chan struct{}), make(chan struct{}), make(chan struct{}, 2)
	spec := echo()
	spec.Handle = func(ctx context.Context, _ peer.ID, _ []byte) ([]byte, error) {
		IfLost(ctx, func() { undone <- struct{}{} })
		started <- struct{}{}
		<-goOn
		return make([]byte, 8<<10), nil
	}
	caller, server := newPair(t, spec)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := caller.Call(ctx, server.id(), 1, nil)
		ended <- err
	}()
	<-started
	cancel()
	<-ended
	// One that is answered comes behind it on the same connection: the end of the first has arrived by then.
	go func() {
		_, err := caller.Call(t.Context(), server.id(), 1, nil)
		ended <- err
	}()
	<-started
	goOn <- struct{}{}
	goOn <- struct{}{}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	<-undone
	select {
	case <-undone:
		t.Error("the reply that was read counts as lost too")
	default:
	}
}

// late is a Limiter that finds an error when all of a frame has been written, or part of it.
type late struct {
	freely
	whole bool
}

var errLate = errors.New("no bandwidth")

func (l late) Send(_ context.Context, _ Class, frame []byte, write func([]byte) (int, error)) error {
	if !l.whole {
		frame = frame[:len(frame)/2]
	}
	if _, err := write(frame); err != nil {
		return err
	}
	return errLate
}

// What was written to its end may have been read.
func TestIfLost_OnlyIfPartOfTheReplyWasWritten(t *testing.T) {
	for _, whole := range []bool{true, false} {
		undone := make(chan struct{}, 1)
		spec := echo()
		spec.Handle = func(ctx context.Context, _ peer.ID, body []byte) ([]byte, error) {
			IfLost(ctx, func() { undone <- struct{}{} })
			return body, nil
		}
		limiters := []Limiter{freely{}, late{whole: whole}}
		caller, server := newPair(t, spec, func(c *Config) { c.Limiter, limiters = limiters[0], limiters[1:] })
		_, err := caller.Call(t.Context(), server.id(), 1, []byte("a longer one"))
		if (err == nil) != whole {
			t.Errorf("whole = %v: Call() = %v", whole, err)
		}
		if !whole {
			<-undone
			continue
		}
		if _, err := caller.Call(t.Context(), server.id(), 1, nil); err != nil { // over the same stream
			t.Error(err)
		}
		select {
		case <-undone:
			t.Error("a reply that was written whole counts as lost")
		default:
		}
	}
}

func TestIfLost_NotWhatWasAnswered(t *testing.T) {
	undone := make(chan struct{}, 1)
	spec := echo()
	spec.Handle = func(ctx context.Context, _ peer.ID, body []byte) ([]byte, error) {
		IfLost(ctx, func() { undone <- struct{}{} })
		return body, nil
	}
	caller, server := newPair(t, spec)
	for range 3 {
		if _, err := caller.Call(t.Context(), server.id(), 1, []byte("a")); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-undone:
		t.Error("a reply that was read counts as lost")
	default:
	}
}
