package app

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/frontier"
	"github.com/forage-net/forage/storage"
)

// An outcome that does not come back from this node's own commit can be met more than once: when its lease is
// not over, it is read from the archive again after a crash and told again; and one of this node's own log, when an
// entry that was taken for lost is applied after all. So it is kept which ones are counted, until their
// lease is over.

// heldCounted is a lease and its granter.
type heldCounted struct {
	granter string
	id      crawl.LeaseID
}

// key begins the keys of what is counted of a lease.
func (h heldCounted) key() []byte {
	key := binary.BigEndian.AppendUint64([]byte{prefixCounted}, uint64(h.id))
	return append(append(key, h.granter...), 0)
}

// countedKey stands for an outcome. Two tasks of one lease have the same by a chance that is no
// concern.
func countedKey(o *crawl.Outcome) []byte {
	h := fnv.New64a()
	h.Write([]byte(o.Task.ID))
	return h.Sum(heldCounted{o.Granter, o.Lease}.key())
}

// onlyNew returns the outcomes that were not counted before, and notes those of them whose lease goes on.
func onlyNew(tx *storage.Tx, outcomes []crawl.Outcome, over []crawl.Lease) (fresh []crawl.Outcome, err error) {
	ended := make(map[heldCounted]bool, len(over))
	for _, l := range over {
		ended[heldCounted{l.Granter, l.ID}] = true
	}
	b := tx.Bucket(storage.BucketStats)
	for _, o := range outcomes {
		key := countedKey(&o)
		if b.Get(key) != nil {
			continue
		}
		fresh = append(fresh, o)
		if ended[heldCounted{o.Granter, o.Lease}] {
			continue
		}
		if err := b.Put(key, []byte{}); err != nil {
			return nil, err
		}
	}
	return fresh, forgetCounted(b, over)
}

// forgetCounted forgets what is kept of leases that are over.
func forgetCounted(b *storage.Bucket, over []crawl.Lease) error {
	for _, l := range over {
		var old [][]byte
		prefix := heldCounted{l.Granter, l.ID}.key()
		c := b.Cursor()
		for key, _ := c.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = c.Next() {
			old = append(old, key)
		}
		if err := deleteAll(b, old); err != nil {
			return err
		}
	}
	return nil
}

// keepCounted forgets what is kept of all leases but these: they are over.
func keepCounted(b *storage.Bucket, live []crawl.Lease) error {
	keys := make(map[string]bool, len(live))
	for _, l := range live {
		keys[string(heldCounted{l.Granter, l.ID}.key())] = true
	}
	var old [][]byte
	c := b.Cursor()
	for key, _ := c.Seek([]byte{prefixCounted}); key != nil && key[0] == prefixCounted; key, _ = c.Next() {
		if len(key) < 8 || !keys[string(key[:len(key)-8])] {
			old = append(old, key)
		}
	}
	return deleteAll(b, old)
}

func deleteAll(b *storage.Bucket, keys [][]byte) error {
	for i := range keys {
		keys[i] = bytes.Clone(keys[i]) // a deletion moves what is mapped
	}
	for _, key := range keys {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// keepCountedOf forgets what is counted but of the leases that an earlier run had, of this node and of others.
func (n *Node) keepCountedOf(own []frontier.LiveLease, held []crawl.Lease) error {
	live := slices.Clone(held)
	for _, l := range own {
		live = append(live, crawl.Lease{ID: l.ID, Granter: n.member.node.Self()})
	}
	return n.db.Update(func(tx *storage.Tx) error { return keepCounted(tx.Bucket(storage.BucketStats), live) })
}

// appliedLate counts outcomes of this node's own log that another commit than the one they were proposed
// with has brought: of an earlier run that was killed in between, of a leader that acts for this
// node. What the log does not tell of them is taken from the captures that are not settled yet.
func (n *Node) appliedLate(tx *storage.Tx, outcomes []crawl.Outcome) error {
	self := n.member.node.Self()
	for i := range outcomes {
		outcomes[i].Granter = self
		n.archivist.complete(&outcomes[i])
	}
	fresh, err := onlyNew(tx, outcomes, nil)
	if err != nil || len(fresh) == 0 {
		return err
	}
	tx.OnCommit(func() { n.countPages(fresh) })
	return n.stats.count(tx, time.Now(), frontier.Committed{Outcomes: fresh})
}
