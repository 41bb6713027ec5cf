//go:build !items

package app

import (
	"slices"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"github.com/forage-net/forage/storage"
)

const (
	// maxKept bounds the logs whose keepers are remembered when the copy here has ended, and maxKeepers
	// those of each.
	maxKept    = 64
	maxKeepers = 24
)

// keyKeepers is where they are kept.
var keyKeepers = []byte("keepers")

// keepers remember who kept a log of which this node has no copy any more. Where a network was divided, a log ends here
// so that the one of its other part can take its place, and its leader is to be believed before that has come.
type keepers struct {
	db *storage.DB

	mu   sync.Mutex
	logs []keptBy // those that ended of late last
}

// keptBy is who kept a log.
type keptBy struct {
	Log   cbor.ByteString   `cbor:"1,keyasint"`
	Peers []cbor.ByteString `cbor:"2,keyasint"`
}

// loadKeepers reads them from the store.
func loadKeepers(db *storage.DB) (*keepers, error) {
	k := &keepers{db: db}
	err := db.View(func(tx *storage.Tx) error {
		if cbor.Unmarshal(tx.Bucket(storage.BucketMeta).Get(keyKeepers), &k.logs) != nil {
			k.logs = nil // others may still know
		}
		return nil
	})
	k.logs = k.logs[max(0, len(k.logs)-maxKept):]
	return k, err
}

// knew reports whether a peer kept a log as long as this node did.
func (k *keepers) knew(log, peer string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.logs, func(x keptBy) bool { return string(x.Log) == log })
	return i >= 0 && slices.Contains(k.logs[i].Peers, cbor.ByteString(peer))
}

// of returns who kept a log.
func (k *keepers) of(log string) (list []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.logs, func(x keptBy) bool { return string(x.Log) == log }); i >= 0 {
		for _, p := range k.logs[i].Peers {
			list = append(list, string(p))
		}
	}
	return list
}

// remember adds those that keep a log, or did.
func (k *keepers) remember(log string, peers []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	x := keptBy{Log: cbor.ByteString(log)}
	if i := slices.IndexFunc(k.logs, func(x keptBy) bool { return string(x.Log) == log }); i >= 0 {
		x = k.logs[i]
		k.logs = slices.Delete(k.logs, i, i+1)
	}
	x.Peers = slices.DeleteFunc(slices.Clone(x.Peers), func(p cbor.ByteString) bool { return slices.Contains(peers, string(p)) })
	for _, p := range peers {
		x.Peers = append(x.Peers, cbor.ByteString(p))
	}
	x.Peers = x.Peers[max(0, len(x.Peers)-maxKeepers):]
	k.logs = append(k.logs, x)
	k.logs = slices.Clone(k.logs[max(0, len(k.logs)-maxKept):])
	raw, err := cbor.Marshal(k.logs)
	if err != nil {
		return err
	}
	return k.db.Update(func(tx *storage.Tx) error { return tx.Bucket(storage.BucketMeta).Put(keyKeepers, raw) })
}
