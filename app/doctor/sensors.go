package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/app/sense"
	"github.com/forage-net/forage/app/sense/ladder"
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
	a := d.area("sensors")
	hub := sense.New(*d.opts.Sense)
	hub.Want(sense.Wanted{Apps: d.settings.Limits.Pause.Apps, Dir: d.paths.WARC()})
	within, cancel := context.WithTimeout(ctx, sensorsWithin)
	defer cancel()
	served := make(chan struct{})
	go func() {
		defer close(served)
		hub.Serve(within)
	}()
	list := settled(within, hub, d.opts.Lang)
	cancel()
	<-served
	known := 0
	for _, s := range list {
		name := d.say("said.doctor.sensor."+s.Name, nil)
		switch {
		case s.Known:
			known++
			a.note(fmt.Errorf("%s: %s (%s)", name, s.Value, ladder.SourceIn(d.opts.Lang, s.Source)))
		case s.Name == "input":
			a.note(words.New("said.doctor.input-not-known-which-counts-as", words.Args{"why": s.Why}))
		case s.Never:
			a.note(words.New("said.doctor.nothing-here-can-tell-so-it", words.Args{"sensor": name, "why": s.Why}))
		default:
			a.note(words.New("said.doctor.not-known-which-counts-as-use", words.Args{"sensor": name, "why": s.Why}))
		}
	}
	a.Summary = d.say("said.doctor.of-tell-something", words.Args{"known": known, "all": len(list)})
	return a
}

// settled returns what the sensors say as soon as all have answered, or ctx is done.
func settled(ctx context.Context, hub *sense.Hub, lang string) []sense.Status {
	for {
		list, waiting := hub.Status(lang), false
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
