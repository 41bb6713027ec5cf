package doctor

import (
	"context"
	"fmt"

	"github.com/forage-net/forage/app/clock"
	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/crawl/frontier/store"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/record"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/storage"
)

// repairShared drops what cannot be read of what members keep together, and makes the indexes of the frontier again if
// they do not fit it. What is lost comes back from other members when the node runs. With dryRun nothing is written,
// and the store may be open for reading. The result says what was found.
func repairShared(ctx context.Context, db *storage.DB, dryRun bool) ([]storage.Mended, error) {
	f, err := offline(db)
	if err != nil {
		return nil, err
	}
	run := db.Update
	if dryRun {
		run = db.View
	}
	var found []storage.Mended
	err = run(func(tx *storage.Tx) error {
		found, err = mendShared(stream.FromStorage(tx), dryRun)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("repair what members share: %w", err)
	}
	indexes, err := f.Repair(ctx, db, dryRun)
	return append(found, indexes...), err
}

func mendShared(tx stream.Tx, dryRun bool) (list []storage.Mended, err error) {
	note := func(n int, found, done *words.Message) {
		if n > 0 {
			list = append(list, storage.Mended{Count: n, Found: found, Done: done})
		}
	}
	d, err := stream.Mend(tx, dryRun, store.Valid)
	if err != nil {
		return nil, err
	}
	note(d.Items, words.New("said.doctor.damaged-urls-and-domains", nil),
		words.New("said.doctor.dropped-others-send-theirs", nil))
	note(d.Domains, words.New("said.doctor.damaged-notes-of-changes", nil),
		words.New("said.doctor.dropped-all-is-compared", nil))
	note(d.Marks, words.New("said.doctor.damaged-notes-of-shards", nil),
		words.New("said.doctor.dropped-others-are-asked", nil))
	logs, err := raftlog.Mend(tx, dryRun, func(s stream.Shard, snapshot []byte) bool {
		_, _, ok := record.Decode(s, snapshot)
		return ok
	})
	note(logs, words.New("said.doctor.damaged-records-of-keepers", nil),
		words.New("said.doctor.dropped-others-send-theirs", nil))
	return list, err
}

// offline returns the frontier of a store that no node uses, by the clock of that store.
func offline(db *storage.DB) (*frontier.Frontier, error) {
	was, err := clock.Stored(db)
	return nodeapi.OpenBooks(db, clock.Open(was)).Frontier, err
}

// CheckFrontier returns the counts of the frontier of a store that no node uses, and the first fault of its indexes.
func CheckFrontier(db *storage.DB) (t frontier.Totals, err error) {
	f, err := offline(db)
	if err != nil {
		return t, err
	}
	err = db.View(func(tx *storage.Tx) error {
		if err := f.Check(tx); err != nil {
			return err
		}
		t, err = f.Totals(tx)
		return err
	})
	return t, err
}
