package limiter

import (
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
)

// View is what holds at one moment, for what is shown of a node.
type View struct {
	limits.Decision
	At          limits.Clock
	Fault       error // what is wrong with the settings
	Mode        api.Mode
	Run         api.RunMode
	PausedUntil time.Time // when a pause ends by itself, zero if there is none or it does not
	Consent     bool      // the node may work as far as consent goes
	HelpNow     bool      // it rests, and would work if the user asked it to
	Away        bool      // it is known that nobody has used the computer for as long as counts
	Fullscreen  bool      // a program is known to fill the screen
}

// View returns what was decided last, and what else holds now.
func (a *Arbiter) View() View {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	v := View{
		Decision: a.is, At: now, Fault: a.fault, Mode: api.ModeAuto, Run: a.runMode(now), Consent: a.bounds.Consent,
		HelpNow: a.helpsNow(now),
	}
	switch mode, until := a.state.Manual(now); {
	case mode == limits.Paused:
		v.Mode, v.PausedUntil = api.ModePaused, until
	case mode == limits.On:
		v.Mode = api.ModeWork
	case slices.ContainsFunc(a.is.Reasons, func(r limits.Reason) bool { return r.Kind == limits.Finishing }):
		v.Mode = api.ModeFinish
	}
	if a.hub != nil {
		s := readSensors(a.hub.Snapshot(), now)
		last, known := s.LastInput.Get()
		v.Away = known && now.Steady-last >= a.bounds.Idle.After
		full, known := s.Fullscreen.Get()
		v.Fullscreen = known && full
	}
	return v
}

// Pause implements api.Node.
func (a *Arbiter) Pause(_ context.Context, d time.Duration) error {
	a.ask(func(s *limits.State, now limits.Clock) { s.Pause(now, d) })
	return nil
}

// Resume implements api.Node.
func (a *Arbiter) Resume(context.Context) error {
	a.ask(func(s *limits.State, _ limits.Clock) { s.Resume() })
	return nil
}

// Work implements api.Node.
func (a *Arbiter) Work(_ context.Context, d time.Duration) error {
	a.ask(func(s *limits.State, now limits.Clock) { s.Work(now, d) })
	return nil
}

func orNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
