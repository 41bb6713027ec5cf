package peerhost

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
)

func TestTrim_LeavesWhoIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, _, closeAll := simHosts(t, Lab, 7)
		defer closeAll()
		for _, h := range hosts[1:] {
			if !connect(t, hosts[0], h, h.Addrs()) {
				t.Fatal("hosts do not connect")
			}
			hosts[0].ConnManager().Protect(h.ID(), bucketTag)
		}
		needed := []peer.ID{hosts[2].ID(), hosts[5].ID()}
		is := func(p peer.ID) bool { return slices.Contains(needed, p) }
		for _, c := range []struct{ most, closed, left int }{{6, 0, 6}, {4, 2, 4}, {1, 2, 2}, {1, 0, 2}} {
			if closed := Trim(hosts[0], c.most, is); closed != c.closed {
				t.Errorf("Trim(%d) closed %d, want %d", c.most, closed, c.closed)
			}
			if left := len(hosts[0].Network().Peers()); left != c.left {
				t.Errorf("%d peers are left of at most %d, want %d", left, c.most, c.left)
			}
		}
		for _, p := range needed {
			if hosts[0].Network().Connectedness(p) != network.Connected {
				t.Error("a peer that is needed is gone")
			}
		}
		gone := hosts[0].Network().Peers()
		for _, h := range hosts[1:] {
			if !slices.Contains(gone, h.ID()) && hosts[0].ConnManager().IsProtected(h.ID(), bucketTag) {
				t.Error("a peer that was closed is protected")
			}
		}
	})
}
