package raftlog

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/stream"
)

// Mend deletes the logs that cannot be read, in a store that nothing else uses: those that Read refuses, and those
// whose snapshot valid refuses. Their shards are to this member then as if its disk was lost. It returns how many there
// are. With dryRun nothing is written.
func Mend(tx stream.Tx, dryRun bool, valid func(s stream.Shard, snapshot []byte) bool) (dropped int, err error) {
	var keys [][]byte
	bad := make(map[stream.Shard]bool)
	err = tx.Scan(Bucket, nil, func(k, _ []byte) bool {
		keys = append(keys, append([]byte(nil), k...))
		return true
	})
	for _, k := range keys {
		s, ok := shardOf(k)
		if _, known := bad[s]; !known {
			bad[s] = !ok || !sound(tx, s, valid)
		}
	}
	for _, k := range keys {
		if s, _ := shardOf(k); bad[s] && !dryRun && err == nil {
			err = tx.Delete(Bucket, k)
		}
	}
	for _, b := range bad {
		if b {
			dropped++
		}
	}
	return dropped, err
}

// sound reports whether the log of a shard can be read.
func sound(tx stream.Tx, s stream.Shard, valid func(stream.Shard, []byte) bool) bool {
	l, err := Read(tx, s, crawl.PeerID("any"))
	if err != nil || l == nil {
		return err == nil
	}
	snap, err := l.Snapshot()
	return err == nil && (snap.GetMetadata().GetIndex() == 0 || valid(s, snap.GetData()))
}
