//go:build linux

package app

import (
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/app/api"
)

// finishCalm is how long nothing is under way before a node ends.
const finishCalm = time.Second

// A node that was told to finish ends when what is in flight has ended, and not before; nothing is begun meanwhile.
func TestFinish(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	held, release := make(chan struct{}, 100), make(chan struct{})
	v := startVisitor(t, func(w io.Writer) {
		if hold.Load() {
			held <- struct{}{}
			<-release
		}
	}, nil)
	v.works()
	hold.Store(true)
	<-held
	if err := v.api.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.until("what is not held to end", func() bool { requests, _ := v.node.pool.InFlight(); return requests == len(held)+1 })
	begun := len(v.visits())
	time.Sleep(2 * finishCalm)
	if l := v.limits(); l.Level != "off" || l.Reasons[0].Kind != "finishing" {
		t.Errorf("with a request in flight, limits are %+v", l)
	}
	close(release)
	v.until("the end", func() bool {
		_, err := v.api.Status(t.Context())
		return errors.Is(err, api.ErrNotRunning)
	})
	v.end()
	if n := len(v.visits()); n != begun {
		t.Errorf("%d requests were begun meanwhile", n-begun)
	}
}

// The end can be taken back.
func TestFinish_TakenBack(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), nil)
	v.works()
	for _, back := range []func() error{
		func() error { return v.api.Resume(t.Context()) },
		func() error { return v.api.Work(t.Context(), time.Hour) },
	} {
		if err := errors.Join(v.api.Finish(t.Context()), back()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * finishCalm)
		v.works()
	}
}

// Who has nothing under way is finished at once.
func TestFinish_AtRest(t *testing.T) {
	t.Parallel()
	v := startVisitor(t, text(10), func(o *Options) { o.Config.Limits.Idle.After = 2 * time.Hour })
	v.stops("in_use", "standby")
	if err := v.api.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.until("the end", func() bool {
		_, err := v.api.Status(t.Context())
		return errors.Is(err, api.ErrNotRunning)
	})
}
