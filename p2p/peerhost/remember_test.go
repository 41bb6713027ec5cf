package peerhost

import (
	"errors"
	"testing"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"
)

func TestMemory_KeepsTheMostRecentlyUseful(t *testing.T) {
	var m memory
	some := func(n int) []peer.AddrInfo {
		out := make([]peer.AddrInfo, n)
		for i := range out {
			out[i].ID = newID(t)
		}
		return out
	}
	first, second := some(50), some(30)
	m.renew(first)
	got := m.renew(second)
	if len(got) != maxRemembered || got[0].ID != second[0].ID || got[30].ID != first[0].ID {
		t.Errorf("%d remembered, want %d with the new ones in front", len(got), maxRemembered)
	}
	again := []peer.AddrInfo{{ID: first[3].ID, Addrs: []ma.Multiaddr{addr(t, "/ip4/5.5.5.10/tcp/4001")}}}
	if got = m.renew(again); len(got) != maxRemembered || got[0].ID != first[3].ID || len(got[0].Addrs) != 1 {
		t.Errorf("peer met again is not in front with its address: %v", got[0])
	}
	if got = m.renew(nil); len(got) != maxRemembered {
		t.Errorf("%d remembered after a lonely run, want all %d", len(got), maxRemembered)
	}
}

// brokenBook holds garbage, or nothing readable.
type brokenBook struct{ err error }

func (b brokenBook) Load() ([]peer.AddrInfo, error) {
	return []peer.AddrInfo{{}, {ID: "x", Addrs: []ma.Multiaddr{nil}}}, b.err
}
func (b brokenBook) Save([]peer.AddrInfo) error { return errors.New("disk full") }

func TestFinder_RunsWithABrokenBook(t *testing.T) {
	first, g := startHost(t, labConfig(t))
	startFinder(t, FinderConfig{Host: first, Gater: g})
	for _, b := range []brokenBook{{}, {errors.New("unreadable")}} {
		h, g := startHost(t, labConfig(t))
		f, stop := startFinder(t, FinderConfig{Host: h, Gater: g, Book: b, Bootstrap: Peers{Known: []peer.AddrInfo{info(first)}}})
		await(t, "the bootstrap peer is known", func() bool { return f.TableSize() == 1 })
		stop()
	}
}
