package app

import (
	"crypto/rand"
	"testing"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/peerhost"
)

// Who connects, as any number of other nodes may, gets no more of the user's connections than sites leave.
func TestFooting_PeersTakeNoMoreConnectionsThanTheUserAllows(t *testing.T) {
	const all, callers = 10, 12
	v := startVisitor(t, text(10), func(o *Options) {
		o.Config.Limits.Budget.Full.Sockets, o.Config.Limits.Budget.Gentle.Sockets = all, all
	})
	v.works()
	host := v.node.member.Host
	for range callers {
		key, _, err := crypto.GenerateEd25519Key(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		h, _, err := peerhost.New(peerhost.Config{Key: key, Listen: []ma.Multiaddr{ma.StringCast("/ip4/127.0.0.1/tcp/0")}, World: peerhost.Lab})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { h.Close() })
		if err := h.Connect(t.Context(), peer.AddrInfo{ID: host.ID(), Addrs: host.Addrs()}); err != nil {
			t.Fatal(err)
		}
	}
	v.until("no more than may be", func() bool {
		v.node.foot.Trim()
		return v.node.meter.Sockets()+v.node.member.Conns() <= all
	})
	if n := len(host.Network().Conns()); n < all*3/4-all/10 || n > all-all/10 {
		t.Errorf("%d connections to other nodes are left of %d, want %d to %d", n, callers, all*3/4-all/10, all-all/10)
	}
}
