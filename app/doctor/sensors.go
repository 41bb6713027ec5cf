package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/assets/words"
)

// sensorsWithin is how long sensors have to answer: a source may take three seconds for its first value.
const sensorsWithin = 4 * time.Second

// lookAtSensors says what is known of the computer, by which the user's limits are kept. A sensor that
// cannot tell is worth knowing, and no problem: it counts as use of the computer. Nil if it was not asked for.
func (d *doctor) lookAtSensors(ctx context.Context) *Area {
	if d.opts.Sense == nil {
		return nil
	}
	a := newArea("sensors")
	hub := sense.New(*d.opts.Sense)
	hub.Want(sense.Wanted{Apps: d.settings.Limits.Pause.Apps, Dir: d.paths.WARC()})
	within, cancel := context.WithTimeout(ctx, sensorsWithin)
	defer cancel()
	served := make(chan struct{})
	go func() {
		defer close(served)
		hub.Serve(within)
	}()
	list := settled(within, hub)
	cancel()
	<-served
	known := 0
	for _, s := range list {
		switch {
		case s.Known:
			known++
			a.note("%s: %s (%s)", s.Name, s.Value, s.Source)
		case s.Name == "input":
			a.note("input: not known, which counts as use of the computer unless idle.unknown_is is \"away\" (%s)",
				s.Why)
		case s.Never:
			a.note("%s: nothing here can tell, so it has no effect (%s)", s.Name, s.Why)
		default:
			a.note("%s: not known, which counts as use of the computer (%s)", s.Name, s.Why)
		}
	}
	a.Summary = fmt.Sprintf("%d of %d tell something", known, len(list))
	return a
}

// settled returns what the sensors say as soon as all have answered, or ctx is done.
func settled(ctx context.Context, hub *sense.Hub) []sense.Status {
	for {
		list, waiting := hub.Status(words.English), false
		for _, s := range list {
			waiting = waiting || !s.Known && !s.Never && isStarting(s)
		}
		if !waiting {
			return list
		}
		select {
		case <-ctx.Done():
			return list
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func isStarting(s sense.Status) bool {
	for _, source := range s.Sources {
		if source.State == "starting" {
			return true
		}
	}
	return false
}
