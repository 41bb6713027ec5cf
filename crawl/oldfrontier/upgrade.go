package frontier

import (
	"fmt"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
	"github.com/forage-net/forage/storage/bloom"
)

// form is the form of a log's records. Form 1 has filters of seen keys rather
// than of URLs as they are spelt, and an order of visits that are days away, and
// it keeps no records of hosts. In form 2 a lease keeps the tasks that are settled.
const form = 2

// nameHosts is the bucket of form 0 that form 1 does without.
var nameHosts = []byte("hosts")

// upgrade brings a log to the form of today.
func upgrade(tx *storage.Tx, cfg *Config) error {
	b, err := openBuckets(tx, cfg.LogID)
	if err != nil {
		return err
	}
	meta, err := b.readMeta()
	if err != nil || meta.Form >= form {
		return err
	}
	if log := tx.Bucket(storage.BucketLogs).Bucket([]byte(cfg.LogID)); log.Bucket(nameHosts) != nil {
		if err := log.DeleteBucket(nameHosts); err != nil {
			return fmt.Errorf("drop records of hosts: %w", err)
		}
	}
	if meta.Form < 1 && meta.Applied > 0 {
		if err := b.fillFilters(); err != nil {
			return fmt.Errorf("upgrade filters: %w", err)
		}
		if err := b.planVisits(cfg); err != nil {
			return fmt.Errorf("upgrade visits: %w", err)
		}
	}
	meta.Form = form
	return putRecord(b.meta, keyState, &meta)
}

// fillFilters puts the URLs that are queued or were visited into the filters.
func (b *buckets) fillFilters() error {
	batch := bloom.NewBatch(b.filters)
	add := func(u crawl.URL) error {
		_, err := batch.Add(append([]byte(u.Domain()), 0), bloom.HashOf(u.SeenKey()))
		return err
	}
	err := b.queue.ForEach(func(key, value []byte) error {
		t, err := readTask(key, value)
		if err != nil {
			return nil // no URL by today's rules
		}
		return add(t.URL)
	})
	if err != nil {
		return err
	}
	err = b.pages.ForEach(func(key, _ []byte) error {
		rec, _, err := b.page(key)
		if err != nil {
			return err
		}
		if u, err := crawl.ParseURL(rec.URL); err == nil {
			return add(u)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return batch.Flush()
}

// planVisits gives every page that was fetched its next visit, spread over the
// time it would have been due in.
func (b *buckets) planVisits(cfg *Config) error {
	if cfg.Revisit.First < 0 {
		return nil
	}
	today := cfg.Calendar()
	for _, key := range keysOf(b.pages) {
		rec, _, err := b.page(key)
		if err != nil {
			return err
		}
		if rec.Result != crawl.Fetched || rec.Queued {
			continue
		}
		rec.Every = cfg.Revisit.First.Milliseconds()
		if err := b.putPage(key, &rec); err != nil {
			return err
		}
		wait := time.Duration(key[len(key)-1]) * cfg.Revisit.First / 256
		if err := b.later.Put(dueKey(today.Add(cfg.Revisit.First+wait).UnixNano(), key), []byte{}); err != nil {
			return err
		}
	}
	return nil
}

// keysOf returns copies of the keys of a bucket: one that is changed must not
// be walked through at the same time.
func keysOf(b *storage.Bucket) [][]byte {
	var keys [][]byte
	c := b.Cursor()
	for key, _ := c.First(); key != nil; key, _ = c.Next() {
		keys = append(keys, append([]byte(nil), key...))
	}
	return keys
}
