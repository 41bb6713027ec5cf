package peerhost

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	kb "github.com/libp2p/go-libp2p-kbucket"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"
)

func TestFinder_FiveHostsMeetThroughOneBootstrapAddress(t *testing.T) {
	first, g := startHost(t, labConfig(t))
	startFinder(t, FinderConfig{Host: first, Gater: g})
	var hosts []host.Host
	var finders []*Finder
	for range 4 {
		h, g := startHost(t, labConfig(t))
		f, _ := startFinder(t, FinderConfig{Host: h, Gater: g, Bootstrap: Peers{Known: []peer.AddrInfo{info(first)}}})
		hosts, finders = append(hosts, h), append(finders, f)
	}
	for i, f := range finders {
		await(t, "everybody knows everybody", func() bool { return f.TableSize() == 4 })
		found, err := f.FindPeer(t.Context(), hosts[(i+1)%4].ID())
		if err != nil || len(found.Addrs) == 0 {
			t.Errorf("FindPeer = %v, %v, want addresses", found, err)
		}
		key := []byte("example.org")
		got, err := f.table.Load().GetClosestPeers(t.Context(), string(key))
		if err != nil {
			t.Fatal(err)
		}
		all := []peer.ID{first.ID()}
		for j, h := range hosts {
			if j != i {
				all = append(all, h.ID())
			}
		}
		want := kb.SortClosestPeers(all, kb.ConvertKey(string(key)))
		if len(got) != 4 || got[0] != want[0] {
			t.Errorf("the closest are %v, want %v", got, want)
		}
	}
}

func TestFinder_OtherNetworksStayApart(t *testing.T) {
	first, g := startHost(t, labConfig(t))
	a, _ := startFinder(t, FinderConfig{Host: first, Gater: g, Network: "lab-one"})
	second, g := startHost(t, labConfig(t))
	b, _ := startFinder(t, FinderConfig{Host: second, Gater: g, Network: "lab-two", Bootstrap: Peers{Known: []peer.AddrInfo{info(first)}}})
	third, g := startHost(t, labConfig(t))
	c, _ := startFinder(t, FinderConfig{Host: third, Gater: g, Network: "lab-one", Bootstrap: Peers{Known: []peer.AddrInfo{info(first)}}})
	await(t, "the two of one network know each other", func() bool { return a.TableSize() == 1 && c.TableSize() == 1 })
	if n := b.TableSize(); n != 0 {
		t.Errorf("host of another network has %d peers in its table, want 0", n)
	}
}

func TestFinder_RememberedPeerSuffices(t *testing.T) {
	first, g := startHost(t, labConfig(t))
	startFinder(t, FinderConfig{Host: first, Gater: g})
	book := new(memoryBook)
	c := labConfig(t)
	second, g := startHost(t, c)
	f, stop := startFinder(t, FinderConfig{Host: second, Gater: g, Book: book, Bootstrap: Peers{Known: []peer.AddrInfo{info(first)}}})
	await(t, "the bootstrap peer is known", func() bool { return f.TableSize() == 1 })
	stop()
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if len(book.list) != 1 || book.list[0].ID != first.ID() {
		t.Fatalf("remembered %v, want %s", book.list, first.ID())
	}
	again, g := startHost(t, c)
	f, _ = startFinder(t, FinderConfig{Host: again, Gater: g, Book: book})
	await(t, "the remembered peer is known", func() bool { return f.TableSize() == 1 })
}

func TestFinder_SearchesOnlyWhileServing(t *testing.T) {
	h, g := startHost(t, labConfig(t))
	f, err := NewFinder(FinderConfig{Host: h, Gater: g, World: Lab, Network: "lab-test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.FindPeer(t.Context(), newID(t)); err != ErrNotServing {
		t.Errorf("FindPeer = %v, want ErrNotServing", err)
	}
	f.PeerGone(newID(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 { // it can be started again
		if err := f.Serve(ctx); err == nil {
			t.Error("Serve with a cancelled context = nil, want its error")
		}
	}
}

func TestFinder_TwentyHostsFindEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("TestFinder_PublicHostsFindEachOther does it with eight")
	}
	synctest.Test(t, func(t *testing.T) { findEachOther(t, Lab, 20) })
}

func TestFinder_PublicHostsFindEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { findEachOther(t, Public, 8) })
}

func findEachOther(t *testing.T, world World, n int) {
	hosts, gaters, closeAll := simHosts(t, world, n)
	defer closeAll()
	finders, stops := make([]*Finder, n), make([]func(), n)
	for i, h := range hosts {
		c := FinderConfig{Host: h, Gater: gaters[i], World: world}
		if i > 0 {
			c.Bootstrap.Known = []peer.AddrInfo{info(hosts[0])}
		}
		finders[i], stops[i] = startFinder(t, c)
	}
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	time.Sleep(130 * time.Second) // second connections last a minute and a half
	synctest.Wait()
	conns := 0
	for i, f := range finders {
		if got := f.TableSize(); got != n-1 {
			t.Errorf("host %d knows %d peers, want %d", i, got, n-1)
		}
		found, err := f.FindPeer(t.Context(), hosts[(i+7)%n].ID())
		if err != nil || len(found.Addrs) != 1 {
			t.Errorf("host %d: FindPeer = %v, %v, want one address", i, found, err)
		}
		conns += len(hosts[i].Network().Conns())
	}
	if perHost := float64(conns) / float64(n); perHost > float64(n) {
		t.Errorf("%.1f connections per host, want about one per peer", perHost)
	}
	finders[3].PeerGone(hosts[4].ID())
	if got := finders[3].TableSize(); got != n-2 {
		t.Errorf("after PeerGone %d peers known, want %d", got, n-2)
	}
}
