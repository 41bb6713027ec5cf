package stats

import (
	"github.com/forage-net/forage/app/away"
	"github.com/forage-net/forage/storage"
)

// ReadAbsence reads what is kept under KeyAway or KeyBack; it is of no pages if nothing is.
func ReadAbsence(b *storage.Bucket, key []byte) (r away.Record, err error) {
	_, err = getStat(b, key, &r)
	return r, err
}

// PutAbsence keeps it.
func PutAbsence(b *storage.Bucket, key []byte, r *away.Record) error { return putStat(b, key, r) }
