package settings

import (
	"context"
	"errors"
	"fmt"

	"github.com/forage-net/forage/app/api"
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
		return &api.InputError{Err: errors.New("this node is not one that starts with the computer")}
	}
	if err := k.cfg.Startup.Start(on); err != nil {
		return &api.InputError{Err: fmt.Errorf("not changed what starts with the computer: %w", err)}
	}
	return nil
}
