package calls

import (
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/libp2p/go-libp2p/core/peer"
)

// newRecent returns an empty map of peers: the least recently used go first.
func newRecent[V any]() *simplelru.LRU[peer.ID, V] {
	m, _ := simplelru.NewLRU[peer.ID, V](maxPeers, nil) // fails for no size only
	return m
}
