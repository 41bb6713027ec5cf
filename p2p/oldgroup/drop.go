package oldgroup

import (
	"fmt"

	"github.com/forage-net/forage/storage"
)

// Drop deletes this node's copy of the log from the store; the group is of no use
// after that. The other members are not told. The error is of the store: the group is as it was, then.
func (g *Group) Drop() error {
	g.s.opening.Lock()
	defer g.s.opening.Unlock()
	if err := g.drop(); err != nil {
		return fmt.Errorf("drop log %s: %w", show(g.log), err)
	}
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	if g.s.groups[g.log] == g {
		delete(g.s.groups, g.log)
	}
	return nil
}

func (g *Group) drop() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil
	}
	err := g.s.cfg.DB.Update(func(tx *storage.Tx) error {
		if err := g.machine.Wipe(tx); err != nil {
			return err
		}
		logs := tx.Bucket(storage.BucketLogs)
		b := logs.Bucket([]byte(g.bucket))
		if b == nil {
			return nil
		}
		if b.Bucket(bucketRaft) != nil {
			if err := b.DeleteBucket(bucketRaft); err != nil {
				return err
			}
		}
		if key, _ := b.Cursor().First(); key == nil {
			return logs.DeleteBucket([]byte(g.bucket))
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.forgetOwed()
	g.closed, g.rn = true, nil
	g.abandon(ErrClosed)
	g.show()
	g.wakeWaiters()
	return nil
}
