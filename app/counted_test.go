//go:build !items

package app

import (
	"errors"
	"testing"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// outcomesOf makes outcomes of a lease, by the names of their tasks.
func outcomesOf(granter string, id crawl.LeaseID, tasks ...string) (list []crawl.Outcome) {
	for _, name := range tasks {
		list = append(list, crawl.Outcome{Granter: granter, Lease: id, Result: crawl.Fetched, Task: crawl.Task{ID: crawl.TaskID(name)}})
	}
	return list
}

func TestOnlyNew_CountsOnceUntilTheLeaseIsOver(t *testing.T) {
	db := openDB(t)
	aborted := errors.New("aborted")
	for _, step := range []struct {
		name     string
		outcomes []crawl.Outcome
		over     []crawl.Lease
		fails    bool
		fresh    int
		leases   int // of which something is kept
	}{
		{"the first", outcomesOf("other", 1, "a", "b"), nil, false, 2, 1},
		{"told again after a crash", outcomesOf("other", 1, "a", "b"), nil, false, 0, 1},
		{"one of them is new, and it is not committed", outcomesOf("other", 1, "b", "c"), nil, true, 1, 1},
		{"the same again", outcomesOf("other", 1, "b", "c"), nil, false, 1, 1},
		{"another lease with the same tasks", outcomesOf("other", 2, "a", "b"), nil, false, 2, 2},
		{"a lease of that number of somebody else", outcomesOf("third", 1, "a"), nil, false, 1, 3},
		{"twice in one message", outcomesOf("third", 1, "d", "d"), nil, false, 1, 3},
		{"the end, with one more", outcomesOf("other", 1, "c", "d"), []crawl.Lease{{ID: 1, Granter: "other"}}, false, 1, 2},
		{"whole and over at once", outcomesOf("other", 3, "a", "b"), []crawl.Lease{{ID: 3, Granter: "other"}}, false, 2, 2},
		{"over, with nothing", nil, []crawl.Lease{{ID: 1, Granter: "third"}}, false, 0, 1},
		{"of the own log, over", outcomesOf("self", 7, "a"), []crawl.Lease{{ID: 7, Granter: "self"}}, false, 1, 2},
		{"of the own log, applied later", outcomesOf("self", 7, "a"), nil, false, 0, 2},
	} {
		var fresh []crawl.Outcome
		err := db.Update(func(tx *storage.Tx) (err error) {
			if fresh, err = onlyNew(tx, "self", step.outcomes, step.over); err == nil && step.fails {
				err = aborted
			}
			return err
		})
		if err != nil && !errors.Is(err, aborted) {
			t.Fatal(err)
		}
		kept, err := countedLeases(db)
		if err != nil || len(fresh) != step.fresh || len(kept) != step.leases {
			t.Errorf("%s: %d are new, something is kept of %v, %v; want %d, and %d leases", step.name, len(fresh), kept, err, step.fresh, step.leases)
		}
	}
}
