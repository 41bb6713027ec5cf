package app

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/storage"
)

// keyClock is where the clock's state is kept, among what a store says of itself.
var keyClock = []byte("clock")

// openClock returns the clock that politeness is counted by, going on from
// where the store was last committed.
func openClock(db *storage.DB) (*clock.Clock, error) { return openClockWith(db, clock.Open) }

func openClockWith(db *storage.DB, open func(clock.State) *clock.Clock) (*clock.Clock, error) {
	var s clock.State
	err := db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyClock); cbor.Unmarshal(raw, &s) != nil {
			s = clock.State{} // none yet, or damaged: a new line begins
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read clock: %w", err)
	}
	return open(s), nil
}

// saveClock keeps the state of the clock with what is committed by it.
func saveClock(tx *storage.Tx, c *clock.Clock) error {
	raw, err := cbor.Marshal(c.State())
	if err != nil {
		return fmt.Errorf("save clock: %w", err)
	}
	return tx.Bucket(storage.BucketMeta).Put(keyClock, raw)
}
