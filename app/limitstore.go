package app

import (
	"encoding/json"
	"fmt"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/storage"
)

var keyLimits = []byte("limits")

// readLimits reads what the user asked for by hand and what was used, as saved by an earlier run. What
// cannot be read counts as nothing.
func readLimits(db *storage.DB) (saved limits.Saved, err error) {
	err = db.View(func(tx *storage.Tx) error {
		if raw := tx.Bucket(storage.BucketMeta).Get(keyLimits); raw != nil && json.Unmarshal(raw, &saved) != nil {
			saved = limits.Saved{}
		}
		return nil
	})
	if err != nil {
		return saved, fmt.Errorf("read what was used: %w", err)
	}
	return saved, nil
}

func putLimits(tx *storage.Tx, saved limits.Saved) error {
	raw, err := json.Marshal(saved)
	if err != nil {
		return fmt.Errorf("save what was used: %w", err)
	}
	return tx.Bucket(storage.BucketMeta).Put(keyLimits, raw)
}
