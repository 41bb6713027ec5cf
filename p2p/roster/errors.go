package roster

import (
	"errors"
	"fmt"

	"github.com/forage-net/forage/p2p/signed"
)

var (
	// ErrInvalid is signed.ErrInvalid.
	ErrInvalid = signed.ErrInvalid

	// ErrForeign is returned for an item or summary of a network with another name.
	ErrForeign = errors.New("roster: of another network")

	// ErrExpired is returned for an item issued more than Lifetime ago. An honest
	// peer with a slow clock may still send it.
	ErrExpired = errors.New("roster: expired")

	// ErrFuture is returned for an item dated more than MaxSkew ahead. Somebody's clock
	// is wrong, perhaps ours.
	ErrFuture = errors.New("roster: dated in the future")

	// ErrOld is returned for an item that a newer one has replaced.
	ErrOld = errors.New("roster: superseded")

	// ErrFull is returned for a member that there is no room for.
	ErrFull = errors.New("roster: full")

	// ErrUnvouched is returned for the record of a member that does not count here: too few established members
	// vouch for it, and it was not brought by that member itself.
	ErrUnvouched = errors.New("roster: not vouched for")

	// ErrBusy is returned for a record that came too soon after others (Config.Pace).
	ErrBusy = errors.New("roster: too many new records")

	// ErrUnentitled is returned for an out note whose signers may not end the
	// record it names, as far as this node knows the ring.
	ErrUnentitled = errors.New("roster: signers not entitled")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
