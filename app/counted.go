//go:build !items

package app

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
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
// Those of this node's own log are noted in any case: they may be told before the log has come so far here.
func onlyNew(tx *storage.Tx, self string, outcomes []crawl.Outcome, over []crawl.Lease) (fresh []crawl.Outcome, err error) {
	over = slices.DeleteFunc(slices.Clone(over), func(l crawl.Lease) bool { return l.Granter == self })
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

// countedLeases returns the leases of which something is counted.
func countedLeases(db *storage.DB) (list []heldCounted, err error) {
	err = db.View(func(tx *storage.Tx) error {
		c := tx.Bucket(storage.BucketStats).Cursor()
		for key, _ := c.Seek([]byte{prefixCounted}); key != nil && key[0] == prefixCounted; key, _ = c.Next() {
			if len(key) < 18 {
				continue // the doctor drops it
			}
			l := heldCounted{string(key[9 : len(key)-9]), crawl.LeaseID(binary.BigEndian.Uint64(key[1:]))}
			if len(list) == 0 || list[len(list)-1] != l {
				list = append(list, l)
			}
		}
		return nil
	})
	return list, err
}

// overCounted returns the leases of which something is counted and that are over: those of this node's own log,
// and if live is not nil those of others that are not in it.
func (n *Node) overCounted(live []crawl.Lease) (over []heldCounted, err error) {
	counted, err := countedLeases(n.db)
	if err != nil || len(counted) == 0 {
		return nil, err
	}
	self := n.member.node.Self()
	lives := make(map[heldCounted]bool, len(live))
	for _, l := range live {
		lives[heldCounted{l.Granter, l.ID}] = true
	}
	own, next, err := n.frontier.LeaseNumbers() // read last, so that it knows all that are counted
	if err != nil {
		return nil, err
	}
	for _, id := range own {
		lives[heldCounted{self, id}] = true
	}
	for _, l := range counted {
		if l.granter == self && l.id < next && !lives[l] || l.granter != self && live != nil && !lives[l] {
			over = append(over, l)
		}
	}
	return over, nil
}

// tidyAtStart forgets what is counted of leases that neither this node's log nor held has: nobody tells
// of them again.
func (n *Node) tidyAtStart(held []crawl.Lease) error {
	over, err := n.overCounted(append([]crawl.Lease{}, held...))
	if err != nil || len(over) == 0 {
		return err
	}
	return n.forgetOver(over)
}

// tidy forgets what is counted of leases of this node's own log that were over when it was called last: by now everybody
// has told of them who will. It returns those that are over now.
func (n *Node) tidy(before []heldCounted) (over []heldCounted, err error) {
	if over, err = n.overCounted(nil); err != nil {
		return before, err
	}
	old := slices.DeleteFunc(slices.Clone(over), func(l heldCounted) bool { return !slices.Contains(before, l) })
	if len(old) == 0 {
		return over, nil
	}
	return over, n.forgetOver(old)
}

func (n *Node) forgetOver(over []heldCounted) error {
	leases := make([]crawl.Lease, len(over))
	for i, l := range over {
		leases[i] = crawl.Lease{ID: l.id, Granter: l.granter}
	}
	return n.db.Update(func(tx *storage.Tx) error { return forgetCounted(tx.Bucket(storage.BucketStats), leases) })
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

// appliedLate counts outcomes of this node's own log that another commit than the one they were proposed
// with has brought: of an earlier run that was killed in between, of a leader that acts for this
// node. What the log does not tell of them is taken from the captures that are not settled yet.
func (n *Node) appliedLate(tx *storage.Tx, outcomes []crawl.Outcome) error {
	self := n.member.node.Self()
	for i := range outcomes {
		outcomes[i].Granter = self
		n.archivist.complete(&outcomes[i])
	}
	fresh, err := onlyNew(tx, self, outcomes, nil)
	if err != nil || len(fresh) == 0 {
		return err
	}
	tx.OnCommit(func() { n.countPages(fresh) })
	return n.stats.count(tx, time.Now(), frontier.Committed{Outcomes: fresh})
}
