package membership

import (
	"context"
	"errors"
	"fmt"
)

// errDoubled ends a node whose home was copied.
var errDoubled = errors.New("another computer runs as this node, as after its home was copied, and goes on; this " +
	"one gives way")

// ServeTwins acts on what others have heard in the name of this node and its store knows nothing of. It ends with an
// error when another computer runs with the same key: no two may speak for one member.
//
// A store that was set back needs nothing but a later record. The shards do not rely on it: after every start a
// member neither votes nor acknowledges until the others of the shard have told how far they are, or all that it may
// have promised is over, and then it pulls. What it stamps has a run of its own.
func (m *Member) ServeTwins(ctx context.Context) error {
	node := m.Node
	for setBack := node.SetBack(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-setBack:
			setBack = nil
			m.cfg.Log.Warn("The store of this node is older than what other members know of it, as after a backup " +
				"was put back: they bring it what it lacks")
			node.TrustStore()
		case <-node.Doubled():
			m.doubled.Store(true)
			return fmt.Errorf("%w. To have both, delete %s of one of them while it does not run: it becomes a "+
				"node of its own then", errDoubled, KeyPath(m.cfg.Paths.State))
		}
	}
}

// Doubled reports whether another computer runs as this node.
func (m *Member) Doubled() bool { return m.doubled.Load() }
