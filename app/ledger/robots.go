package ledger

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier/store"
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
	// maxDelayed bounds the hosts whose crawl delay is looked up.
	maxDelayed = 64
)

// RobotsStore keeps the node's own copies of robots.txt. They go to disk with
// the next commit of the frontier, which comes within seconds: a commit of their own
// for each host would double the syncs.
type RobotsStore struct {
	db *storage.DB

	mu      sync.Mutex
	pending map[string][]byte
}

func NewRobotsStore(db *storage.DB) *RobotsStore {
	return &RobotsStore{db: db, pending: make(map[string][]byte)}
}

// Robots implements robots.Store.
func (s *RobotsStore) Robots(origin string) (data []byte, err error) {
	s.mu.Lock()
	data, ok := s.pending[origin]
	s.mu.Unlock()
	if ok {
		return data, nil
	}
	err = s.db.View(func(tx *storage.Tx) error {
		data = bytes.Clone(tx.Bucket(storage.BucketRobots).Get([]byte(origin)))
		return nil
	})
	return data, err
}

// PutRobots implements robots.Store.
func (s *RobotsStore) PutRobots(origin string, data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending[origin] = bytes.Clone(data)
	return nil
}

// commit writes what is pending.
func (s *RobotsStore) commit(tx *storage.Tx) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	written := make(map[string][]byte, len(s.pending))
	for origin, data := range s.pending {
		if err := tx.Bucket(storage.BucketRobots).Put([]byte(origin), data); err != nil {
			return err
		}
		written[origin] = data
	}
	tx.OnCommit(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for origin, data := range written {
			if bytes.Equal(s.pending[origin], data) {
				delete(s.pending, origin)
			}
		}
	})
	return nil
}

// DropOld drops copies that are no longer used, by a clock, until ctx is done.
func (s *RobotsStore) DropOld(ctx context.Context, now func() time.Time, log *slog.Logger) error {
	ticker := time.NewTicker(pruneEvery)
	defer ticker.Stop()
	for {
		dropped, err := s.prune(ctx, now().Add(-robotsKept))
		if err != nil {
			log.Warn("Old copies of robots.txt not dropped", "error", err)
		} else if dropped > 0 {
			log.Info("Old copies of robots.txt dropped", "copies", dropped)
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
func (s *RobotsStore) prune(ctx context.Context, before time.Time) (dropped int, err error) {
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

// KnownDelay returns the crawl delay that is known at some time of the hosts of a domain that have something to visit.
func KnownDelay(db *storage.DB, rules *robots.Cache, now time.Time, d crawl.Domain) (delay time.Duration) {
	var origins []string
	_ = db.View(func(tx *storage.Tx) error {
		for origin := range store.Ready(tx, d) {
			if origins = append(origins, origin); len(origins) == maxDelayed {
				break
			}
		}
		return nil
	})
	for _, origin := range origins {
		_, rules, _ := rules.Get(now, origin)
		delay = max(delay, rules.CrawlDelay())
	}
	return delay
}
