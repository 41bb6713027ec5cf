package app

import (
	"bytes"
	"encoding/binary"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// Outcomes of leases of others are counted when their granter has them, some before the lease is over.
// Which ones is kept until then: after a crash they are read from the archive again,
// and told again, but not counted again.

// countedBytes holds a bit for each task of a lease.
const countedBytes = wire.MaxTasks / 8

// countedKey names what is kept of a lease.
func countedKey(granter string, id crawl.LeaseID) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{prefixCounted}, uint64(id)), granter...)
}

// onlyNew returns the outcomes that were not counted before, and notes that they are.
func onlyNew(tx *storage.Tx, outcomes []crawl.Outcome) (fresh []crawl.Outcome, err error) {
	b := tx.Bucket(storage.BucketStats)
	for _, o := range outcomes {
		key := countedKey(o.Granter, o.Lease)
		bits := make([]byte, countedBytes)
		copy(bits, b.Get(key))
		if o.Index < 0 || o.Index >= wire.MaxTasks {
			continue // there is no such task
		}
		if bits[o.Index/8]&(1<<(o.Index%8)) != 0 {
			continue
		}
		bits[o.Index/8] |= 1 << (o.Index % 8)
		if err := b.Put(key, bits); err != nil {
			return nil, err
		}
		fresh = append(fresh, o)
	}
	return fresh, nil
}

// forgetCounted forgets what is kept of leases that are over.
func forgetCounted(tx *storage.Tx, over []crawl.Lease) error {
	for _, l := range over {
		if err := tx.Bucket(storage.BucketStats).Delete(countedKey(l.Granter, l.ID)); err != nil {
			return err
		}
	}
	return nil
}

// keepCounted forgets what is kept of all other leases than these: they are over.
func keepCounted(tx *storage.Tx, live []crawl.Lease) error {
	keys := make(map[string]bool, len(live))
	for _, l := range live {
		keys[string(countedKey(l.Granter, l.ID))] = true
	}
	b := tx.Bucket(storage.BucketStats)
	var old [][]byte
	c := b.Cursor()
	for key, _ := c.Seek([]byte{prefixCounted}); key != nil && key[0] == prefixCounted; key, _ = c.Next() {
		if !keys[string(key)] {
			old = append(old, bytes.Clone(key))
		}
	}
	for _, key := range old {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}
