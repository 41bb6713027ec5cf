package store

import (
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// indexed says how far the indexes of a domain are: the value in the bucket indexed, empty if it has none.
type indexed []byte

// The first byte of an indexed.
const (
	stateBuilt      = 0
	stateBuilding   = 1 // the key follows at which Build goes on
	stateForgetting = 2
)

func stateOf(tx *storage.Tx, d crawl.Domain) indexed { return tx.Bucket(bucketIndexed).Get([]byte(d)) }

// Indexed reports whether the indexes of a domain are complete.
func Indexed(tx *storage.Tx, d crawl.Domain) bool { return stateOf(tx, d).is(stateBuilt) }

func (s indexed) is(first byte) bool { return len(s) > 0 && s[0] == first }

// covers reports whether the indexes hold an item with the key, if there is one.
func (s indexed) covers(key string) bool {
	return s.is(stateBuilt) || s.is(stateBuilding) && key < string(s[1:])
}
