package app

import (
	"errors"
	"fmt"

	"github.com/forage-net/forage/app/nodeapi"
	"github.com/forage-net/forage/storage"
)

// ErrOtherNetwork is returned by New for a home that holds a crawl of another
// network.
var ErrOtherNetwork = errors.New("this home holds a crawl of another network")

// checkNetwork makes sure that the store is one of this network: a lab's names
// mean nothing to the public web, and asking for them would lose the crawl. The
// error is ErrOtherNetwork.
func checkNetwork(db *storage.DB, name string) error {
	return db.Update(func(tx *storage.Tx) error {
		if was := nodeapi.NetworkOf(tx); was != "" && was != name {
			return fmt.Errorf(
				"%w: of %q, not of %q; use another --home, or \"forage erase\" it first", ErrOtherNetwork, was, name,
			)
		}
		return nodeapi.SetNetwork(tx, name)
	})
}
