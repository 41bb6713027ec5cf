package frontier

import (
	"context"
	"reflect"

	"github.com/forage-net/forage/crawl"
)

// numberLeap is how far task and lease numbers leap ahead when the last ones
// given are not known: none is given twice.
const numberLeap = 1 << 32

// readMeta reads the head of the log; what cannot be read is found again by the
// other steps.
func (r *repairer) readMeta() {
	r.nextTask, r.nextLease = 1, 1
	if meta, err := r.b.readMeta(); err == nil && r.b.meta.Get(keyState) != nil && meta.NextTask < maxNumber && meta.NextLease < maxNumber && meta.Lost < maxNumber {
		r.meta = meta
		return
	}
	r.headLost = true
	if !r.dry && r.b.meta.Bucket(keyState) != nil {
		r.pending = append(r.pending, change{in: r.b.meta, key: keyState, bucket: true})
	}
}

// checkMeta makes numbers and totals agree with what was found.
func (r *repairer) checkMeta(context.Context) error {
	r.totals.Leases = uint64(len(r.leases))
	r.totals.Dropped += r.meta.Lost
	if r.headLost {
		if r.isNew() {
			return nil
		}
		r.found[damagedMeta]++
		r.meta = metaRecord{
			Applied: 1, NextTask: r.nextTask + numberLeap, NextLease: r.nextLease + numberLeap, Totals: r.totals, Form: form,
			LastMove: uint64(max(r.today, 0)), Gone: r.gone, Moves: r.moves, MovesOver: r.movesOver, // no log has moved that often
		}
		return r.putRecord(r.b.meta, keyState, &r.meta)
	}
	was := r.meta
	r.meta.NextTask, r.meta.NextLease = max(was.NextTask, r.nextTask), max(was.NextLease, r.nextLease)
	r.meta.Totals, r.meta.Gone, r.meta.Moves, r.meta.MovesOver = r.totals, r.gone, r.moves, r.movesOver
	if r.meta.NextTask != was.NextTask || r.meta.NextLease != was.NextLease {
		r.found[lowNumber]++
	}
	if r.meta.Totals != was.Totals || r.gone != was.Gone || r.moves != was.Moves || r.movesOver != was.MovesOver {
		r.found[wrongTotals]++
	}
	if reflect.DeepEqual(r.meta, was) {
		return nil
	}
	return r.putRecord(r.b.meta, keyState, &r.meta)
}

// isNew reports whether nothing has ever been brought into the log.
func (r *repairer) isNew() bool { return len(r.domains) == 0 && r.b.meta.Get(keyState) == nil }

// head is what is to be found for the head of the log.
type head struct {
	nextTask  uint64
	nextLease crawl.LeaseID
	totals    Totals
	headLost  bool

	gone, moves, movesOver uint64
}
