package limiter

import (
	"context"
	"encoding/json"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/assets/words"
)

// runMode returns when the node works, as its user chose. The mutex is held.
func (a *Arbiter) runMode(now limits.Clock) api.RunMode {
	mode, until := a.state.Manual(now)
	switch {
	case mode == limits.Paused:
		return api.RunOff
	case mode == limits.On && until.IsZero(), a.bounds.Level.InUse > limits.Off:
		return api.RunAlways
	}
	return api.RunAway
}

// SetRun implements api.Moder.
func (a *Arbiter) SetRun(ctx context.Context, mode api.RunMode) error {
	if mode == api.RunOff {
		return a.Pause(ctx, 0)
	}
	if a.cfg.Rules.HasUser() {
		if err := a.setLevels(ctx, mode); err != nil {
			return err
		}
	} else if mode == api.RunAway {
		return &api.InputError{Err: words.New("said.api.nobody-s-presence-is-watched", nil)}
	}
	a.ask(func(s *limits.State, _ limits.Clock) { s.Clear() })
	return nil
}

// setLevels changes the settings as far as they stand in the way of a mode. While somebody is there, a little is
// enough.
func (a *Arbiter) setLevels(ctx context.Context, mode api.RunMode) error {
	a.mu.Lock()
	is := a.bounds.Level
	a.mu.Unlock()
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
	_, err := a.cfg.Change(ctx, api.SettingsChange{Set: set, Lang: api.Lang(ctx)})
	return err
}
