package find

import (
	"context"
	"errors"

	"github.com/forage-net/forage/storage/index"
	"github.com/forage-net/forage/storage/warc/lookup"
)

// Purge takes out of an index what is not in its archive any more, to the last word. Nothing else may have the
// index open. One that is damaged goes as a whole; the next Open makes it again.
func Purge(ctx context.Context, cfg Config) error {
	x, err := index.Open(cfg.Index, false)
	if errors.Is(err, index.ErrDamaged) {
		return index.Remove(cfg.Index)
	}
	if err != nil {
		return err
	}
	err = x.KeepPlaces(ctx, func(file string) (map[int64]bool, error) { return lookup.Records(cfg.Archive, file) })
	err = errors.Join(err, x.Close())
	if errors.Is(err, index.ErrDamaged) {
		return index.Remove(cfg.Index)
	}
	return err
}
