package app

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
)

// runMode returns when the node works, as its user chose. The mutex is held.
func (a *arbiter) runMode(now limits.Clock) api.RunMode {
	mode, until := a.state.Manual(now)
	switch {
	case mode == limits.Paused:
		return api.RunOff
	case mode == limits.On && until.IsZero(), a.cfg.Level.InUse > limits.Off:
		return api.RunAlways
	}
	return api.RunAway
}

// run is runMode at this moment.
func (a *arbiter) run() api.RunMode {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.runMode(a.now())
}

// SetRun implements api.Moder.
func (n *Node) SetRun(ctx context.Context, mode api.RunMode) error {
	if mode == api.RunOff {
		return n.Pause(ctx, 0)
	}
	if n.opts.hasUser() {
		if err := n.setLevels(ctx, mode); err != nil {
			return err
		}
	} else if mode == api.RunAway {
		return &api.InputError{Err: errors.New("nobody's presence is watched in a lab")}
	}
	n.arbiter.ask(func(s *limits.State, _ limits.Clock) { s.Clear() })
	return nil
}

// setLevels changes the settings as far as they stand in the way of a mode. While somebody is there, a little is
// enough.
func (n *Node) setLevels(ctx context.Context, mode api.RunMode) error {
	n.arbiter.mu.Lock()
	is := n.arbiter.cfg.Level
	n.arbiter.mu.Unlock()
	set := map[string]json.RawMessage{}
	if is.Away == limits.Off {
		set["level.away"] = json.RawMessage(`"full"`)
	}
	switch {
	case mode == api.RunAway && is.InUse > limits.Off:
		set["level.in_use"] = json.RawMessage(`"off"`)
	case mode == api.RunAlways && is.InUse == limits.Off:
		set["level.in_use"] = json.RawMessage(`"gentle"`)
	}
	if len(set) == 0 {
		return nil
	}
	_, err := n.ChangeSettings(ctx, api.SettingsChange{Set: set, Lang: api.Lang(ctx)})
	return err
}
