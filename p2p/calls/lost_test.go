package calls

import (
	"context"
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
