package membership

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"

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

// Founding decides whether this node founds its network: nobody keeps anything yet, and of those that could found it
// this one has the smallest ID.
type Founding struct {
	DB     *storage.DB
	Member *Member

	keeps atomic.Bool // this node keeps a shard, or is about to
	is    atomic.Bool
}

// Handle tells others whether this node keeps a shard.
func (f *Founding) Handle(context.Context, peer.ID, []byte) ([]byte, error) {
	return wire.Encode(&wire.Keeping{Keeps: f.keeps.Load()}), nil
}

// Is reports whether this node founds its network.
func (f *Founding) Is() bool { return f.is.Load() }

// Decide returns when it is known whether this node founds its network.
func (f *Founding) Decide(ctx context.Context) error {
	defer f.keeps.Store(true)
	err := f.DB.View(func(tx *storage.Tx) error {
		keeps, err := raftlog.Keeps(stream.FromStorage(tx), crawl.PeerID(f.Member.Node.Self()))
		f.keeps.Store(keeps)
		return err
	})
	if err != nil {
		return fmt.Errorf("look for shards: %w", err)
	}
	for began := time.Now(); !f.keeps.Load(); {
		kept, first, silent := f.askKeeps(ctx)
		switch {
		case kept:
			return nil
		case first && (!silent || time.Since(began) >= foundWait):
			f.is.Store(true)
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

// askKeeps asks all members that own domains whether they keep a shard. It reports whether one does, whether this
// node has the smallest ID among those that answer, and whether some do not.
func (f *Founding) askKeeps(ctx context.Context) (kept, first, silent bool) {
	ctx, cancel := context.WithTimeout(ctx, foundAsk)
	defer cancel()
	var all sync.WaitGroup
	var keeps, before, quiet atomic.Bool
	self := f.Member.Node.Self()
	for _, p := range f.Member.Owners() {
		if string(p) == self {
			continue
		}
		all.Go(func() {
			raw, err := f.Member.Node.Requests.Call(ctx, string(p), wire.KindKeeps, nil)
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
