package x11

import (
	"slices"

	"github.com/forage-net/forage/app/sense/local"
	"github.com/forage-net/forage/assets/words"
)

// Window follows the window in use, which the window manager names by properties.
type Window struct {
	x                              *Display
	active, state, full, supported uint32 // atoms
	followed                       uint32 // window
}

// Window returns the window in use of a display. [Display.Wait] tells of its changes from now on.
func (x *Display) Window() (w *Window, err error) {
	w = &Window{x: x}
	for _, a := range []struct {
		name string
		atom *uint32
	}{
		{"_NET_ACTIVE_WINDOW", &w.active}, {"_NET_WM_STATE", &w.state}, {"_NET_WM_STATE_FULLSCREEN", &w.full},
		{"_NET_SUPPORTED", &w.supported},
	} {
		if *a.atom, err = x.atom(a.name); err != nil {
			return nil, err
		}
	}
	return w, x.follow(x.root)
}

// FullScreen reports whether the window in use covers the screen.
func (w *Window) FullScreen() (bool, error) {
	w.x.changed = false
	active, err := w.x.property(w.x.root, w.active)
	if err != nil {
		return false, err
	}
	if active == nil {
		supported, err := w.x.property(w.x.root, w.supported)
		if err == nil && supported == nil {
			err = local.Lacks(words.New("said.sensor.no-window-manager-tells-which-window", nil))
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
