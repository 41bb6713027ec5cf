package flood

import (
	"fmt"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
)

func TestBounds_AreBounded(t *testing.T) {
	g := New()
	for i := range 2 * maxPaced {
		g.May(peer.ID(fmt.Sprint(i)))
		g.Floods(peer.ID(fmt.Sprint(i)))
	}
	if g.of.Len() > maxPaced || g.gossipers.Len() > maxPaced {
		t.Errorf("%d members and %d peers are remembered", g.of.Len(), g.gossipers.Len())
	}
}
