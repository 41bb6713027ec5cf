package sense

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/app/sense/wayland"
	"github.com/forage-net/forage/app/sense/x11"
	"github.com/forage-net/forage/p2p/pulse"
)

const (
	// activeFor is how long after an input somebody counts as active.
	activeFor = 5 * time.Second
	// watchEvery is how often idle time is asked for where nothing tells of the next input:
	// half of the two seconds within which work has to stop.
	watchEvery = time.Second
	// watchCalmly takes its place while there is no work that would have to stop.
	watchCalmly = 2 * time.Second
	// backup is how often a source is read again that tells of its changes.
	backup = 20 * time.Second
	// fullScreenEvery is how often the window in use is looked at though nothing told of a change.
	fullScreenEvery = 20 * time.Second
	// longest is an idle time that no computer has.
	longest = 10 * 365 * 24 * time.Hour
)

// inputAt makes an Input of an idle time.
func inputAt(now time.Time, idle time.Duration) (Input, error) {
	if idle < 0 || idle > longest {
		return Input{}, fmt.Errorf("%w: no input for %v", local.ErrAbsurd, idle)
	}
	if idle < activeFor {
		return Input{Active: true}, nil
	}
	return Input{Last: now.Add(-idle)}, nil
}

// inputDue is when to ask again for a value that nothing tells the end of.
func (o *Options) inputDue(i Input) time.Duration {
	switch {
	case i.Active:
		return activeFor / 2
	case o.Calm != nil && o.Calm():
		return watchCalmly
	}
	return watchEvery
}

// desktopInput are the sources of desktops that speak D-Bus, X11 or Wayland.
func (h *Hub) desktopInput(session, system *bus) []source[Input] {
	mutter := service{session, "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core",
		"org.gnome.Mutter.IdleMonitor"}
	muffin := service{session, "org.cinnamon.Muffin.IdleMonitor", "/org/cinnamon/Muffin/IdleMonitor/Core",
		"org.cinnamon.Muffin.IdleMonitor"}
	return []source[Input]{
		{"Wayland", h.waylandInput},
		{"Mutter", h.mutterInput(mutter)},
		{"Muffin", h.mutterInput(muffin)},
		{"X11", h.x11Input},
		{"ScreenSaver", h.screenSaverInput(session)},
		{"logind", h.logindInput(system)},
	}
}

// waylandInput listens to the compositor.
func (h *Hub) waylandInput(ctx context.Context, report func(Input)) error {
	w, err := wayland.Open(ctx, h.opts.host(), activeFor)
	if err != nil {
		return err
	}
	defer w.Close()
	report(Input{Active: true})
	var t local.Throttle
	for {
		changed, err := w.Next(backup)
		if err != nil {
			return err
		}
		if changed {
			i := Input{Active: w.Active()}
			if !i.Active {
				i.Last = h.opts.Now().Add(-activeFor)
			}
			report(i)
		}
		t.One()
	}
}

// mutterInput listens to the idle monitor of GNOME's compositor and its kin, which tells when
// idle time begins and ends.
func (h *Hub) mutterInput(s service) func(context.Context, func(Input)) error {
	return func(ctx context.Context, report func(Input)) error {
		hint, stop, err := s.listen(ctx, s.iface+".WatchFired")
		if err != nil {
			return err
		}
		defer stop()
		begins, err := first[uint32](s.call(ctx, "AddIdleWatch", uint64(activeFor.Milliseconds())))
		if err != nil {
			return err
		}
		defer s.post("RemoveWatch", begins)
		m := mutter{h: h, s: s}
		defer m.disarm()
		return poll(ctx, m.read, report, hint, each[Input](backup))
	}
}

type mutter struct {
	h     *Hub
	s     service
	watch uint32 // tells of the next input; 0 if none does
}

func (m *mutter) read(ctx context.Context) (Input, error) {
	i, err := m.ask(ctx)
	if err != nil || i.Active {
		m.disarm()
		return i, err
	}
	if m.watch != 0 {
		return i, nil
	}
	if m.watch, err = first[uint32](m.s.call(ctx, "AddUserActiveWatch")); err != nil {
		return i, err
	}
	return m.ask(ctx) // what came before the watch
}

func (m *mutter) ask(ctx context.Context) (Input, error) {
	ms, err := first[uint64](m.s.call(ctx, "GetIdletime"))
	if err != nil {
		return Input{}, err
	}
	return inputAt(m.h.opts.Now(), milliseconds(ms))
}

func (m *mutter) disarm() {
	if m.watch != 0 {
		m.s.post("RemoveWatch", m.watch)
		m.watch = 0
	}
}

// milliseconds is -1 for what is too much.
func milliseconds(ms uint64) time.Duration {
	if ms > uint64(longest/time.Millisecond) {
		return -1
	}
	return time.Duration(ms) * time.Millisecond
}

// x11Input asks the display. A display beneath Wayland sees the input of some windows only.
func (h *Hub) x11Input(ctx context.Context, report func(Input)) error {
	x, err := h.ownDisplay(ctx, "sees the input of some windows only")
	if err != nil {
		return err
	}
	defer x.Close()
	read := func(context.Context) (Input, error) {
		idle, err := x.Idle()
		if err != nil {
			return Input{}, err
		}
		return inputAt(h.opts.Now(), idle)
	}
	return poll(ctx, read, report, nil, h.opts.inputDue)
}

// x11FullScreen follows the window in use.
func (h *Hub) x11FullScreen(ctx context.Context, report func(bool)) error {
	x, err := h.ownDisplay(ctx, "knows some windows only")
	if err != nil {
		return err
	}
	defer x.Close()
	w, err := x.Window()
	if err != nil {
		return err
	}
	for {
		full, err := w.FullScreen()
		if err != nil {
			return err
		}
		report(full)
		if !pause(ctx, minGap, nil) {
			return ctx.Err()
		}
		if err := x.Wait(pulse.Within(fullScreenEvery)); err != nil {
			return err
		}
	}
}

// ownDisplay connects to the display, unless it is a guest of a Wayland compositor.
func (h *Hub) ownDisplay(ctx context.Context, which string) (*x11.Display, error) {
	x, err := x11.Open(ctx, h.opts.host())
	if err != nil {
		return nil, err
	}
	guest, err := x.Guest()
	if guest || h.opts.Getenv("WAYLAND_DISPLAY") != "" || h.opts.Getenv("XDG_SESSION_TYPE") == "wayland" {
		err = cmp.Or(err, local.Lacks("in a Wayland session the X11 display "+which))
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// screenSaverInput asks the screen saver. Some tell seconds, others milliseconds; until two
// answers have shown which, there counts as input.
func (h *Hub) screenSaverInput(session *bus) func(context.Context, func(Input)) error {
	return func(ctx context.Context, report func(Input)) error {
		s := service{session, "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver",
			"org.freedesktop.ScreenSaver"}
		var unit screenSaverUnit
		read := func(ctx context.Context) (Input, error) {
			n, err := first[uint32](s.call(ctx, "GetSessionIdleTime"))
			if err != nil {
				return Input{}, err
			}
			return inputAt(h.opts.Now(), unit.idle(n, h.opts.Awake()))
		}
		return poll(ctx, read, report, nil, h.opts.inputDue)
	}
}

// screenSaverUnit finds out what an idle time is told in.
type screenSaverUnit struct {
	unit time.Duration
	n    uint32
	at   time.Duration // 0 if there was no answer yet
}

// idle returns 0 as long as the unit is not known.
func (u *screenSaverUnit) idle(n uint32, at time.Duration) time.Duration {
	switch {
	case u.unit != 0:
	case u.at == 0 || n < u.n:
		u.n, u.at = n, at
	case at-u.at >= 4*time.Second:
		grown, passed := float64(n-u.n), (at - u.at).Seconds()
		switch {
		case grown > 500*passed && grown < 2000*passed:
			u.unit = time.Millisecond
		case grown > 0.5*passed && grown < 2*passed:
			u.unit = time.Second
		default:
			u.n, u.at = n, at
		}
	}
	return time.Duration(n) * u.unit
}

// logindInput asks the session manager of the system, which knows what desktops and terminals
// tell it: some desktops never do.
func (h *Hub) logindInput(system *bus) func(context.Context, func(Input)) error {
	return func(ctx context.Context, report func(Input)) error {
		s := logind(system)
		hint, stop, err := s.listen(ctx, propertiesChanged)
		if err != nil {
			return err
		}
		defer stop()
		var noticed time.Time // when idle time began of which nobody says so
		read := func(ctx context.Context) (Input, error) {
			idle, err := as[bool](s.get(ctx, "IdleHint"))
			if err != nil || !idle {
				noticed = time.Time{}
				return Input{Active: err == nil}, err
			}
			since, err := as[uint64](s.get(ctx, "IdleSinceHint"))
			if err != nil {
				return Input{}, err
			}
			now := h.opts.Now()
			if since == 0 {
				if noticed.IsZero() {
					noticed = now
				}
				return Input{Last: noticed}, nil
			}
			// It is told by the wall clock, which may have been set since.
			return inputAt(now, max(time.Since(time.UnixMicro(int64(min(since, 1<<62)))), 0))
		}
		return poll(ctx, read, report, hint, each[Input](backup))
	}
}

func logind(system *bus) service {
	return service{system, "org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"}
}
