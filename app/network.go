package app

import (
	"strconv"

	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/assets/words"
	"github.com/forage-net/forage/storage"
)

// ErrOtherNetwork is returned by New for a home that holds a crawl of another
// network.
var ErrOtherNetwork error = words.New("said.cli.this-home-holds-another-network", nil)

// checkNetwork makes sure that the store is one of this network: a lab's names
// mean nothing to the public web, and asking for them would lose the crawl. The
// error is ErrOtherNetwork.
func checkNetwork(db *storage.DB, name string) error {
	return db.Update(func(tx *storage.Tx) error {
		if was := nodeapi.NetworkOf(tx); was != "" && was != name {
			return words.New("said.cli.another-network",
				words.Args{"error": ErrOtherNetwork, "was": strconv.Quote(was), "name": strconv.Quote(name)})
		}
		return nodeapi.SetNetwork(tx, name)
	})
}
