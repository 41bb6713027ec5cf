package frontier

import (
	"context"
	"errors"
	"fmt"

	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/storage"
)

// Repair makes the indexes again, in a store that nothing else uses, if they are not what the items come to. It
// returns what it met, nil if all was well. Of each domain that had indexes the next visit waits for its gap
// from now on. With dryRun nothing is written. A run that is cut short leaves domains without indexes, which
// Led makes.
func (f *Frontier) Repair(ctx context.Context, db *storage.DB, dryRun bool) ([]storage.Mended, error) {
	var wrong error
	err := db.View(func(tx *storage.Tx) error {
		wrong = f.Check(tx)
		return nil
	})
	if err != nil || wrong == nil {
		return nil, err
	}
	found := []storage.Mended{{
		Count: 1, Found: words.New("said.doctor.indexes-do-not-fit", words.Args{"error": wrong}),
		Done: words.New("said.doctor.made-again", nil),
	}}
	if errors.Is(wrong, storage.ErrDamaged) || dryRun {
		return found, nil
	}
	var list []crawl.Domain
	err = db.Update(func(tx *storage.Tx) error {
		list, err = store.Reset(tx)
		return err
	})
	for _, d := range list {
		for done := !validDomain(d); !done && err == nil; {
			if err = ctx.Err(); err == nil {
				err = db.Update(func(tx *storage.Tx) error {
					done, err = f.Led(tx, d)
					return err
				})
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("make indexes again: %w", err)
	}
	return found, nil
}
