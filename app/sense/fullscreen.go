package sense

import (
	"context"
	"slices"
	"time"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/p2p/pulse"
)

// fullScreenEvery is how often the window in use is looked at though nothing told of a change.
const fullScreenEvery = 20 * time.Second

// x11FullScreen follows the window in use.
func (h *Hub) x11FullScreen(ctx context.Context, report func(bool)) error {
	x, err := h.opts.openX11(ctx)
	if err != nil {
		return err
	}
	defer x.close()
	stop := context.AfterFunc(ctx, x.close)
	defer stop()
	if err := h.ownDisplay(x, "knows some windows only"); err != nil {
		return err
	}
	w := windowInUse{x: x}
	if err := w.start(); err != nil {
		return err
	}
	for {
		x.changed = false
		full, err := w.fullScreen()
		if err != nil {
			return err
		}
		report(full)
		if !pause(ctx, minGap, nil) {
			return ctx.Err()
		}
		if err := x.wait(ctx, pulse.Within(fullScreenEvery)); err != nil {
			return err
		}
	}
}

// windowInUse finds the window in use.
type windowInUse struct {
	x                              *x11
	active, state, full, supported uint32 // atoms
	followed                       uint32 // window
}

func (w *windowInUse) start() (err error) {
	for _, a := range []struct {
		name string
		atom *uint32
	}{
		{"_NET_ACTIVE_WINDOW", &w.active}, {"_NET_WM_STATE", &w.state}, {"_NET_WM_STATE_FULLSCREEN", &w.full},
		{"_NET_SUPPORTED", &w.supported},
	} {
		if *a.atom, err = w.x.atom(a.name); err != nil {
			return err
		}
	}
	return w.x.follow(w.x.root)
}

func (w *windowInUse) fullScreen() (bool, error) {
	active, err := w.x.property(w.x.root, w.active)
	if err != nil {
		return false, err
	}
	if active == nil {
		supported, err := w.x.property(w.x.root, w.supported)
		if err == nil && supported == nil {
			err = local.Lacks("no window manager tells which window is in use")
		}
		return false, err
	}
	if active[0] == 0 {
		return false, nil
	}
	if active[0] != w.followed {
		if err := w.x.follow(active[0]); err != nil {
			return false, err
		}
		w.followed = active[0]
	}
	state, err := w.x.property(active[0], w.state)
	return slices.Contains(state, w.full), err
}
