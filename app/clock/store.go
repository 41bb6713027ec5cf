package clock

import (
	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// keyState is where the state is kept, among what a store says of itself.
var keyState = []byte("clock")

// Stored returns the state that was last committed to a store. It is zero if there is none yet or it is damaged: then a
// new line begins.
func Stored(db *storage.DB) (s State, err error) {
	err = db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyState); cbor.Unmarshal(raw, &s) != nil {
			s = State{}
		}
		return nil
	})
	if err != nil {
		return s, words.New("said.trouble.read-clock", words.Args{"error": err})
	}
	return s, nil
}

// Save keeps the state with what is committed by the clock.
func (c *Clock) Save(tx *storage.Tx) error {
	raw, err := cbor.Marshal(c.State())
	if err != nil {
		return words.New("said.trouble.save-clock", words.Args{"error": err})
	}
	return tx.Bucket(storage.BucketMeta).Put(keyState, raw)
}
