package app

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl/robots"
	"github.com/forage-net/forage/storage"
)

const (
	// robotsKept is how long a robots.txt is kept that nobody asked for
	// again. RFC 9309 §2.3.1.4 counts 30 days of a host that cannot be reached.
	robotsKept = 31 * 24 * time.Hour
	// pruneEvery is how often old copies are looked for, after the start.
	pruneEvery = 24 * time.Hour
	// prunePart is how many copies are looked at in one transaction: a copy
	// may have 500 KiB.
	prunePart = 256
)

// pruneRobots drops copies of robots.txt that are no longer used, until ctx is done.
func (n *Node) pruneRobots(ctx context.Context) error {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		dropped, err := n.robots.prune(ctx, n.clock.Latest().Add(-robotsKept))
		if err != nil {
			n.log.Warn("Old copies of robots.txt not dropped", "error", err)
		} else if dropped > 0 {
			n.log.Info("Old copies of robots.txt dropped", "copies", dropped)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// prune drops the records that were fetched before a time, and those that
// cannot be read.
func (s *robotsStore) prune(ctx context.Context, before time.Time) (dropped int, err error) {
	for after, more := []byte(nil), true; more && ctx.Err() == nil; {
		var old [][]byte
		err := s.db.View(func(tx *storage.Tx) error {
			old, after, more = oldRobots(tx.Bucket(storage.BucketRobots), after, before)
			return nil
		})
		if err != nil {
			return dropped, fmt.Errorf("read copies of robots.txt: %w", err)
		}
		if len(old) == 0 {
			continue
		}
		err = s.db.Update(func(tx *storage.Tx) error {
			for _, origin := range old {
				if err := tx.Bucket(storage.BucketRobots).Delete(origin); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return dropped, fmt.Errorf("drop copies of robots.txt: %w", err)
		}
		dropped += len(old)
	}
	return dropped, nil
}

// oldRobots looks at the records that follow a key, and returns the keys of
// those that are old, the last key it looked at, and whether there are more.
func oldRobots(b *storage.Bucket, after []byte, before time.Time) (old [][]byte, last []byte, more bool) {
	c := b.Cursor()
	key, data := c.Seek(after)
	if after != nil && bytes.Equal(key, after) {
		key, data = c.Next()
	}
	for seen := 0; key != nil; key, data = c.Next() {
		var r robots.Record
		if err := r.UnmarshalBinary(data); err != nil || r.Fetched.Before(before) {
			old = append(old, bytes.Clone(key))
		}
		last = bytes.Clone(key)
		if seen++; seen == prunePart {
			return old, last, true
		}
	}
	return old, last, false
}
