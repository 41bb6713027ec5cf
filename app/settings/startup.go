package settings

import (
	"context"

	"github.com/forage-net/forage/app/api"
	"github.com/forage-net/forage/assets/words"
)

// Startup is how the system of this computer starts a node.
type Startup interface {
	// Starts reports whether it does.
	Starts() (bool, error)
	// Start has it do so, or not, from the next login on.
	Start(on bool) error
}

// Startup says whether the node starts with the computer, as far as that can be said here.
func (k *Keeper) Startup() api.Startup {
	if k.cfg.Startup == nil {
		return api.Startup{}
	}
	on, err := k.cfg.Startup.Starts()
	if err != nil {
		k.cfg.Log.Debug("It is not known whether the system starts Forage", "error", err)
	}
	return api.Startup{Possible: err == nil, On: on}
}

// SetStartup implements api.Settler.
func (k *Keeper) SetStartup(_ context.Context, on bool) error {
	if k.cfg.Startup == nil {
		return &api.InputError{Err: words.New("said.api.not-one-that-starts", nil)}
	}
	if err := k.cfg.Startup.Start(on); err != nil {
		return &api.InputError{Err: words.New("said.api.not-changed-what-starts", words.Args{"error": err})}
	}
	return nil
}
