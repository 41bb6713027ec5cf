package storage

import (
	"bytes"
	"context"
)

// sweepLimit is how many keys Sweep collects before it drops them.
const sweepLimit = 4096

// Sweep calls fn for each key of a bucket and drops those for which it returns
// false, and buckets where values should be; with dryRun it only counts them. It
// returns how many there are, and stops at the first error or when ctx is done.
func Sweep(
	ctx context.Context, b *Bucket, dryRun bool, fn func(key, value []byte) (keep bool, err error),
) (dropped int, err error) {
	var drop [][]byte
	c := b.Cursor()
	for n, key, value := 0, []byte(nil), []byte(nil); ; n++ {
		if n == 0 {
			key, value = c.First()
		} else if len(drop) < sweepLimit {
			key, value = c.Next()
		} else {
			behind := append(bytes.Clone(key), 0)
			if err := dropAll(b, drop); err != nil {
				return dropped, err
			}
			drop, c = nil, b.Cursor()
			key, value = c.Seek(behind)
		}
		if key == nil {
			return dropped, dropAll(b, drop)
		}
		keep := false
		if value != nil || b.Bucket(key) == nil {
			if keep, err = fn(key, value); err != nil {
				return dropped, err
			}
		}
		if err := ctx.Err(); err != nil {
			return dropped, err
		}
		if keep {
			continue
		}
		dropped++
		if !dryRun {
			drop = append(drop, bytes.Clone(key))
		}
	}
}

func dropAll(b *Bucket, keys [][]byte) error {
	for _, key := range keys {
		err := makeRoom(b, key)
		if err == nil {
			err = b.Delete(key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
