package app

import (
	"errors"
	"io/fs"
	"os"

	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/app/config"
	"github.com/forage-net/forage/app/membership"
	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/fetch"
	"github.com/forage-net/forage/p2p/peerhost"
)

// NodeName returns the peer ID of a node that may not run, as people write it; "" if it has none yet.
func NodeName(paths config.Paths) (string, error) {
	path := membership.KeyPath(paths.State)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	key, err := peerhost.LoadOrCreateKey(path)
	if err != nil {
		return "", err
	}
	id, err := peer.IDFromPrivateKey(key)
	return id.String(), err
}

// mayAskAbout reports whether the DNS may be asked about a domain now: where its site might be visited.
func (n *Node) mayAskAbout(d crawl.Domain) bool {
	return !fetch.LocalName(string(d)) && n.Refusals().Domain(d) == "" && n.governor.Works()
}

// siteBytes returns what was received from sites that are not the user's own since the start, and sent to them.
func (n *Node) siteBytes() (received, sent int64) {
	return n.claims.Without(n.meter.Received(), n.meter.Sent())
}
