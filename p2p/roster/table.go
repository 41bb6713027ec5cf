package roster

import (
	"cmp"
	"slices"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
)

// table finds entries by ID and lists them in two orders, so that a view of
// thousands of members needs no sorting after every change.
type table struct {
	byPeer map[peer.ID]*entry
	byID   []*entry // by the bytes of IDs
	byHash []*entry // by hashes, then IDs
}

func newTable() table { return table{byPeer: make(map[peer.ID]*entry)} }

func compareIDs(a, b *entry) int { return cmp.Compare(a.id, b.id) }

func compareHashes(a, b *entry) int {
	return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.id, b.id))
}

// put adds an entry or replaces the one of the same member.
func (t *table) put(e *entry) {
	t.byPeer[e.id] = e
	t.byID = putSorted(t.byID, e, compareIDs)
	t.byHash = putSorted(t.byHash, e, compareHashes)
}

// drop removes the entry of a member, if there is one.
func (t *table) drop(id peer.ID) {
	e := t.byPeer[id]
	if e == nil {
		return
	}
	delete(t.byPeer, id)
	t.byID = dropSorted(t.byID, e, compareIDs)
	t.byHash = dropSorted(t.byHash, e, compareHashes)
}

// held returns what is held of a member and has not expired, if only an empty entry.
func (t *table) held(id peer.ID, now time.Time) *entry {
	if e := t.byPeer[id]; e != nil {
		if e = e.live(now); e != nil {
			return e
		}
	}
	return &entry{id: id, hash: hashOf(id)}
}

// purge drops what has expired and tells whether there was any.
func (t *table) purge(now time.Time) (dropped bool) {
	for id, e := range t.byPeer {
		switch kept := e.live(now); kept {
		case e:
			continue
		case nil:
			t.drop(id)
		default:
			t.put(kept)
		}
		dropped = true
	}
	return dropped
}

func putSorted(list []*entry, e *entry, compare func(a, b *entry) int) []*entry {
	i, found := slices.BinarySearchFunc(list, e, compare)
	if found {
		list[i] = e
		return list
	}
	return slices.Insert(list, i, e)
}

func dropSorted(list []*entry, e *entry, compare func(a, b *entry) int) []*entry {
	if i, found := slices.BinarySearchFunc(list, e, compare); found {
		return slices.Delete(list, i, i+1)
	}
	return list
}
