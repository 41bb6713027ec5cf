package app

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/raftlog"
	"github.com/forage-net/forage/p2p/stream"
	"github.com/forage-net/forage/p2p/wire"
	"github.com/forage-net/forage/storage"
)

const (
	// foundLook is how often a newcomer asks again whether anybody keeps anything.
	foundLook = 500 * time.Millisecond
	// foundAsk is how long a member has to answer, and foundWait how long one that does not answer is waited for.
	foundAsk  = 2 * time.Second
	foundWait = time.Minute
)

// founding decides whether this node founds its network: nobody keeps anything yet, and of those that could found it this one
// has the smallest ID.
type founding struct {
	keeps atomic.Bool // this node keeps a shard, or is about to
	is    atomic.Bool
}

// handleKeeps tells whether this node keeps a shard.
func (f *founding) handleKeeps(context.Context, string, []byte) ([]byte, error) {
	return wire.Encode(&wire.Keeping{Keeps: f.keeps.Load()}), nil
}

// decideFounding returns when it is known whether this node founds its network.
func (n *Node) decideFounding(ctx context.Context) error {
	defer n.founding.keeps.Store(true)
	err := n.db.View(func(tx *storage.Tx) error {
		keeps, err := raftlog.Keeps(stream.FromStorage(tx), crawl.PeerID(n.member.node.Self()))
		n.founding.keeps.Store(keeps)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for shards: %w", err)
	}
	for began := time.Now(); !n.founding.keeps.Load(); {
		kept, first, silent := n.askKeeps(ctx)
		switch {
		case kept:
			return nil
		case first && (!silent || time.Since(began) >= foundWait):
			n.founding.is.Store(true)
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(foundLook):
		}
	}
	return nil
}

// askKeeps asks all members that own domains whether they keep a shard. It reports whether one does, whether this node has the
// smallest ID among those that answer, and whether some do not.
func (n *Node) askKeeps(ctx context.Context) (kept, first, silent bool) {
	ctx, cancel := context.WithTimeout(ctx, foundAsk)
	defer cancel()
	var all sync.WaitGroup
	var keeps, before, quiet atomic.Bool
	self := n.member.node.Self()
	for _, p := range n.owners() {
		if string(p) == self {
			continue
		}
		all.Go(func() {
			raw, err := n.member.node.Call(ctx, string(p), wire.KindKeeps, nil)
			answer, bad := wire.Decode[wire.Keeping](raw)
			switch {
			case err != nil || bad != nil:
				quiet.Store(true)
			case answer.Keeps:
				keeps.Store(true)
			case string(p) < self:
				before.Store(true)
			}
		})
	}
	all.Wait()
	return keeps.Load(), !before.Load(), quiet.Load()
}
