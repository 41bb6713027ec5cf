package membership

import (
	"context"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/layout"
	"github.com/forage-net/forage/p2p/roster"
)

// layoutEvery is how often the layout is brought up to date at least.
const layoutEvery = 2 * time.Second

// Owners returns the members that may act for domains.
func (m *Member) Owners() []crawl.PeerID {
	var list []crawl.PeerID
	for _, x := range m.Node.Members.Ring().Members() {
		list = append(list, crawl.PeerID(x.ID))
	}
	return list
}

// ServeLayout keeps the layout as the roster says, until ctx is done.
func (m *Member) ServeLayout(ctx context.Context) error {
	timer := time.NewTicker(layoutEvery)
	defer timer.Stop()
	for {
		m.SetLayout()
		select {
		case <-ctx.Done():
			return nil
		case <-m.Node.Members.Changed():
		case <-timer.C:
		}
	}
}

// SetLayout brings the layout to what the roster says now.
func (m *Member) SetLayout() {
	ring, self := m.Node.Members.Ring(), m.Node.Self()
	list := []layout.Member{{ID: crawl.PeerID(self), Units: ring.Units(self)}}
	for _, x := range m.Node.Members.Roster.Members() {
		if id := string(x.Peer); id != self {
			out := x.Out || x.State == roster.StateLeft // who has left has handed everything over
			list = append(list, layout.Member{ID: crawl.PeerID(id), Units: ring.Units(id), Out: out})
		}
	}
	m.Layout.Set(list)
}
