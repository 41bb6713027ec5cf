//go:build !items

package app

import (
	"encoding/binary"
	"fmt"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

// The leases that this node works for others are kept in the store: after a
// crash their pages are taken from the archive, and not fetched once more.

// heldKey names such a lease: <lease number ‖ granter>.
func heldKey(granter string, id crawl.LeaseID) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(id)), granter...)
}

// keepHeld remembers leases before they are worked.
func (n *Node) keepHeld(leases []crawl.Lease) error {
	err := n.db.Update(func(tx *storage.Tx) error {
		for _, l := range leases {
			w := wire.LeaseOf(l)
			if err := tx.Bucket(storage.BucketHeld).Put(heldKey(l.Granter, l.ID), wire.Encode(&w)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep leases: %w", err)
	}
	return nil
}

// forgetHeld forgets leases whose outcomes are home.
func forgetHeld(tx *storage.Tx, over []crawl.Lease) error {
	for _, l := range over {
		if err := tx.Bucket(storage.BucketHeld).Delete(heldKey(l.Granter, l.ID)); err != nil {
			return err
		}
	}
	return nil
}

// heldLeases returns the leases that an earlier run worked for others. What
// cannot be read is forgotten: others will fetch those pages.
func (n *Node) heldLeases() (leases []crawl.Lease, err error) {
	err = n.db.Update(func(tx *storage.Tx) error {
		c := tx.Bucket(storage.BucketHeld).Cursor()
		for key, raw := c.First(); key != nil; key, raw = c.Next() {
			w, err := wire.Decode[wire.Lease](raw)
			if err == nil && len(key) > 8 {
				l, err := w.Lease()
				if err == nil {
					l.Granter = string(key[8:])
					leases = append(leases, l)
					continue
				}
			}
			if err := c.Delete(); err != nil {
				return err
			}
		}
		return nil
	})
	return leases, err
}
