package limiter

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/forage-net/forage/app/limits"
	"github.com/forage-net/forage/storage"
)

var keyLimits = []byte("limits")

// readLimits reads what the user asked for by hand and what was used, as saved by an earlier run. What
// cannot be read counts as nothing, and that is said: a pause may be gone with it, and data that were used.
func readLimits(db *storage.DB, log *slog.Logger) (saved limits.Saved, err error) {
	err = db.View(func(tx *storage.Tx) error {
		raw := tx.Bucket(storage.BucketMeta).Get(keyLimits)
		if raw == nil {
			return nil
		}
		if err := json.Unmarshal(raw, &saved); err != nil {
			saved = limits.Saved{}
			log.Warn("What you asked for by hand and how much data was used before is lost: its record is damaged",
				"error", err)
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
