// Package priority makes the whole process step back: whatever else wants a
// processor or a disk goes first. What is set counts for every thread there is and, since a
// thread begins with the priority of the one that makes it, for those to come.
//
// There is no way back: a process without privileges may lower its priority, not raise it. The
// programs it starts inherit it too, unless a Launcher starts them.
package priority

import (
	"context"
	"errors"
	"time"
)

// every is how often Keep looks for threads that were missed: one that was
// being made while its maker was lowered may appear later with the priority of before.
const every = 30 * time.Second

// Lower gives all threads but the launcher's, which may be nil, the lowest priority that still runs. Where the system
// offers several kinds it tries each, and returns what could not be set, joined. On a
// system where nothing can be set the error is errors.ErrUnsupported. Doing it again is
// cheap; it may be called from any goroutine.
func Lower(but *Launcher) error { return lower(but) }

// Keep lowers the priority now, and again from time to time until ctx is done, when
// it returns ctx.Err(). If nothing of that can succeed on this system it returns at once
// with errors.ErrUnsupported; other errors go to failed, which may be nil, each text once.
func Keep(ctx context.Context, but *Launcher, failed func(error)) error {
	return keep(ctx, func() error { return lower(but) }, failed)
}

func keep(ctx context.Context, lower func() error, failed func(error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	said := ""
	for {
		switch err := lower(); {
		case err == nil:
		case errors.Is(err, errors.ErrUnsupported):
			return err
		case failed != nil && err.Error() != said:
			said = err.Error()
			failed(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
