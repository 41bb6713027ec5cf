package frontier

import (
	"context"
	"errors"

	"github.com/forage-net/forage/storage"
)

// Log puts entries into one order and makes them durable. It has them applied
// (Frontier.Apply) on every member that keeps the log.
type Log interface {
	// Propose returns when the entry is durable on a majority of the members and
	// applied here; mine goes to Apply with it. The error is ErrNotLed if another
	// member leads the log, or came to lead it meanwhile: then nobody knows whether
	// the entry is in it.
	Propose(ctx context.Context, data []byte, mine any) error
	// Leads reports whether this member may propose.
	Leads() bool
	// Shared reports whether other members keep the log too: entries travel.
	Shared() bool
}

// ErrNotLed is returned for proposals to a log that another member leads.
var ErrNotLed = errors.New("frontier: another member leads the log")

// ErrTooLarge is returned for what does not fit into one entry of a log that
// others keep too.
var ErrTooLarge = errors.New("frontier: too large for an entry of the log")

// alone is the log of a store that nobody else has.
type alone struct{ f *Frontier }

func (a alone) Propose(_ context.Context, data []byte, mine any) error {
	return a.f.db.Update(func(tx *storage.Tx) error { return a.f.Apply(tx, LogEntry{Data: data, Mine: mine}) })
}

func (alone) Leads() bool  { return true }
func (alone) Shared() bool { return false }

// Lead makes the frontier go on with what the member that led the log before has
// left to do.
//
// What it remembers of links may not be so any more.
func (f *Frontier) Lead() {
	f.seen.clear()
	if err := f.db.View(func(tx *storage.Tx) error {
		more, err := hasChores(tx, f.cfg.LogID)
		f.chores.Store(more)
		return err
	}); err != nil {
		f.chores.Store(true) // the next commit finds out
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Leads reports whether this member leads the log: on others nothing that is
// proposed comes to anything.
func (f *Frontier) Leads() bool { return f.log.Leads() }

// Shared reports whether other members keep the log too.
func (f *Frontier) Shared() bool { return f.log.Shared() }

// hasChores reports whether moves have left something to do for this member.
func (f *Frontier) hasChores() bool { return f.chores.Load() && f.log.Leads() }
