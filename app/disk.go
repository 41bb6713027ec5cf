package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/forage-net/forage/app/ledger"
	"github.com/forage-net/forage/p2p/pulse"
)

// filesEvery is how often it is made sure that the node's files are still there.
const filesEvery = 2 * time.Second

// watch ends with an error if the node's files were taken away, and with nil when ctx is done.
func (n *Node) watch(ctx context.Context) error {
	for {
		path := n.opts.Paths.Store()
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(info, n.storeFile) {
			return fmt.Errorf("the store %s %w", path, ledger.ErrTakenAway)
		}
		if err := n.archivist.Missing(n.opts.Paths.WARC()); err != nil {
			return err
		}
		select {
		case <-time.After(pulse.Until(filesEvery)):
		case <-ctx.Done():
			return nil
		}
	}
}
