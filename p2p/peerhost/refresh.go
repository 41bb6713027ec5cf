package peerhost

import (
	"context"
	"log/slog"
	"time"

	dht "github.com/libp2p/go-libp2p-kad-dht"
)

const (
	// youth is how long after its start a node refreshes often, and ever more seldom,
	// so that it and those who came with it get to know each other.
	youth = 5 * time.Minute
	// fewPeers is the size below which the routing table is refreshed often.
	fewPeers = 5
	// refreshOften costs 2.5 KB/s each way among 50 peers; refreshSeldom to
	// twice of it, nothing worth counting. In between, failure detection elsewhere
	// tells us of the dead (PeerGone).
	refreshOften  = time.Minute
	refreshSeldom = 30 * time.Minute
	// afterJoin is how long after reaching the first peer the table is
	// refreshed: it takes a few round trips until that peer is in it.
	afterJoin = 2 * time.Second
)

// keepFresh refreshes the routing table.
func (f *Finder) keepFresh(ctx context.Context, table *dht.IpfsDHT) {
	begun := time.Now()
	for {
		wait := refreshWait(time.Since(begun), table.RoutingTable().Size())
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-f.joined:
			pause(ctx, afterJoin, nil)
		case <-ctx.Done():
		}
		t.Stop()
		if ctx.Err() != nil {
			return
		}
		if table.RoutingTable().Size() == 0 {
			continue
		}
		select {
		case err := <-table.RefreshRoutingTable():
			if err != nil {
				f.log.LogAttrs(ctx, slog.LevelDebug, "Refresh of the routing table incomplete", slog.Any("err", err))
			}
		case <-ctx.Done():
			return
		}
	}
}

// refreshWait is the time from one refresh to the next, for a node up for so
// long whose table has so many peers.
func refreshWait(up time.Duration, size int) time.Duration {
	if size < fewPeers {
		return refreshOften
	}
	if wait := max(refreshOften, up); up+wait <= youth { // after one, two and four minutes
		return wait
	}
	return jitter(refreshSeldom, 2*refreshSeldom)
}
