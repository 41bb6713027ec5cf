package sense

import (
	"cmp"
	"context"
	"time"

	"github.com/forage-net/forage/app/sense/bus"
	"github.com/forage-net/forage/app/sense/ladder"
	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/app/sense/wayland"
	"github.com/forage-net/forage/app/sense/x11"
	"github.com/forage-net/forage/assets/words"
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
		return Input{}, words.Join(": ", local.ErrAbsurd,
			words.New("said.sensor.no-input-for", words.Args{"time": idle}))
	}
	if idle < activeFor {
		return Input{Active: true}, nil
	}
	return Input{Last: now.Add(-idle)}, nil
}

// watchIdle asks for idle time again and again.
func (h *Hub) watchIdle(
	ctx context.Context, idle func(context.Context) (time.Duration, error), report func(Input),
) error {
	read := func(ctx context.Context) (Input, error) {
		d, err := idle(ctx)
		if err != nil {
			return Input{}, err
		}
		return inputAt(h.opts.Now(), d)
	}
	return ladder.Poll(ctx, read, report, nil, h.opts.inputDue)
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
func (h *Hub) desktopInput(session, system *bus.Bus) []ladder.Source[Input] {
	mutter := session.Service("org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core",
		"org.gnome.Mutter.IdleMonitor")
	muffin := session.Service("org.cinnamon.Muffin.IdleMonitor", "/org/cinnamon/Muffin/IdleMonitor/Core",
		"org.cinnamon.Muffin.IdleMonitor")
	return []ladder.Source[Input]{
		{Name: "Wayland", Run: h.waylandInput},
		{Name: "Mutter", Run: h.mutterInput(mutter)},
		{Name: "Muffin", Run: h.mutterInput(muffin)},
		{Name: "X11", Run: h.x11Input},
		{Name: "ScreenSaver", Run: h.screenSaverInput(session)},
		listening("logind", logind(system), h.logindInput()),
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
func (h *Hub) mutterInput(s bus.Service) func(context.Context, func(Input)) error {
	return func(ctx context.Context, report func(Input)) error {
		hint, stop, err := s.Listen(ctx, "WatchFired")
		if err != nil {
			return err
		}
		defer stop()
		begins, err := bus.Call[uint32](ctx, s, "AddIdleWatch", uint64(activeFor.Milliseconds()))
		if err != nil {
			return err
		}
		defer s.Post("RemoveWatch", begins)
		m := mutter{h: h, s: s}
		defer m.disarm()
		return ladder.Poll(ctx, m.read, report, hint, ladder.Each[Input](backup))
	}
}

type mutter struct {
	h     *Hub
	s     bus.Service
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
	if m.watch, err = bus.Call[uint32](ctx, m.s, "AddUserActiveWatch"); err != nil {
		return i, err
	}
	return m.ask(ctx) // what came before the watch
}

func (m *mutter) ask(ctx context.Context) (Input, error) {
	ms, err := bus.Call[uint64](ctx, m.s, "GetIdletime")
	if err != nil {
		return Input{}, err
	}
	tooMuch := uint64(longest/time.Millisecond) + 1
	return inputAt(m.h.opts.Now(), time.Duration(min(ms, tooMuch))*time.Millisecond)
}

func (m *mutter) disarm() {
	if m.watch != 0 {
		m.s.Post("RemoveWatch", m.watch)
		m.watch = 0
	}
}

// x11Input asks the display. A display beneath Wayland sees the input of some windows only.
func (h *Hub) x11Input(ctx context.Context, report func(Input)) error {
	x, err := h.ownDisplay(ctx, words.New("said.sensor.x11-sees-some-windows", nil))
	if err != nil {
		return err
	}
	defer x.Close()
	return h.watchIdle(ctx, func(context.Context) (time.Duration, error) { return x.Idle() }, report)
}

// x11FullScreen follows the window in use.
func (h *Hub) x11FullScreen(ctx context.Context, report func(bool)) error {
	x, err := h.ownDisplay(ctx, words.New("said.sensor.x11-knows-some-windows", nil))
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
		if !ladder.Pause(ctx, ladder.MinGap) {
			return ctx.Err()
		}
		if err := x.Wait(pulse.Within(fullScreenEvery)); err != nil {
			return err
		}
	}
}

// ownDisplay connects to the display, unless it is a guest of a Wayland compositor, of which a guest knows a part.
func (h *Hub) ownDisplay(ctx context.Context, part error) (*x11.Display, error) {
	x, err := x11.Open(ctx, h.opts.host())
	if err != nil {
		return nil, err
	}
	guest, err := x.Guest()
	if guest || h.opts.Getenv("WAYLAND_DISPLAY") != "" || h.opts.Getenv("XDG_SESSION_TYPE") == "wayland" {
		err = cmp.Or(err, local.Lacks(part))
	}
	if err != nil {
		x.Close()
		return nil, err
	}
	return x, nil
}

// screenSaverInput asks the screen saver. Some tell seconds, others milliseconds; until two
// answers have shown which, there counts as input.
func (h *Hub) screenSaverInput(session *bus.Bus) func(context.Context, func(Input)) error {
	return func(ctx context.Context, report func(Input)) error {
		s := session.Service("org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver",
			"org.freedesktop.ScreenSaver")
		var unit screenSaverUnit
		return h.watchIdle(ctx, func(ctx context.Context) (time.Duration, error) {
			n, err := bus.Call[uint32](ctx, s, "GetSessionIdleTime")
			if err != nil {
				return 0, err
			}
			return unit.idle(n, h.opts.Awake()), nil
		}, report)
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
func (h *Hub) logindInput() func(context.Context, bus.Service) (Input, error) {
	var noticed time.Time // when idle time began of which nobody says so
	return func(ctx context.Context, s bus.Service) (Input, error) {
		idle, err := bus.Get[bool](ctx, s, "IdleHint")
		if err != nil || !idle {
			noticed = time.Time{}
			return Input{Active: err == nil}, err
		}
		since, err := bus.Get[uint64](ctx, s, "IdleSinceHint")
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
}

func logind(system *bus.Bus) bus.Service {
	return system.Service("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
}
