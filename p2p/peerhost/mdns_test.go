package peerhost

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/libp2p/go-libp2p-kad-dht/pb"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	ma "github.com/multiformats/go-multiaddr"
	"golang.org/x/time/rate"

	"github.com/forage-net/forage/p2p/peerhost/dhtrpc"
)

// needMulticast skips the test where a packet to a group does not come back.
func needMulticast(t *testing.T) {
	t.Helper()
	group := &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 5353}
	in, err := net.ListenMulticastUDP("udp4", nil, group)
	if err != nil {
		t.Skipf("no multicast here: %v", err)
	}
	defer in.Close()
	out, err := net.DialUDP("udp4", nil, group)
	if err != nil {
		t.Skipf("no multicast here: %v", err)
	}
	defer out.Close()
	if _, err := out.Write([]byte("forage test")); err != nil {
		t.Skipf("no multicast here: %v", err)
	}
	if err := in.SetReadDeadline(time.Now().Add(3 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for buf := make([]byte, 9000); ; {
		n, err := in.Read(buf)
		if err != nil {
			t.Skipf("multicast does not come back here: %v", err)
		}
		if string(buf[:n]) == "forage test" {
			return
		}
	}
}

func TestFinder_HostsOnOneNetworkMeetByMDNS(t *testing.T) {
	needMulticast(t)
	network := "lab-" + newID(t).String()[:20] // nobody else's
	var finders []*Finder
	for range 2 {
		h, g := startHost(t, labConfig(t))
		f, _ := startFinder(t, FinderConfig{Host: h, Gater: g, Network: network, MDNS: true})
		finders = append(finders, f)
	}
	for _, f := range finders {
		await(t, "the two know each other", func() bool { return f.TableSize() == 1 })
	}
}

func TestFinder_DialsOnlyNeighboursThatMDNSClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Public, 1)
		defer closeAll()
		gaters[0].subnets = testGater(Public).subnets
		gaters[0].SetBanned(func(peer.ID) bool { return true }) // nobody is there to answer
		f, err := NewFinder(FinderConfig{Host: hosts[0], Gater: gaters[0], World: Public, Network: "main"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			addr string
			want bool
		}{
			{"/ip4/192.168.1.7/udp/4001/quic-v1", true},
			{"/ip4/192.168.2.7/udp/4001/quic-v1", false},
			{"/ip4/10.0.0.1/udp/4001/quic-v1", false},
			{"/ip4/127.0.0.1/udp/4001/quic-v1", false},
			{"/ip4/5.5.5.10/udp/4001/quic-v1", false}, // public ones are the DHT's business
			{"/dns4/printer.local/udp/4001/quic-v1", false},
		} {
			p := peer.AddrInfo{ID: newID(t), Addrs: []ma.Multiaddr{addr(t, c.addr)}}
			f.greet(t.Context(), p, rate.NewLimiter(rate.Inf, 1))
			if got := gaters[0].IsLAN(p.ID); got != c.want {
				t.Errorf("%s: allowed %t, want %t", c.addr, got, c.want)
			}
			if got := len(hosts[0].Peerstore().Addrs(p.ID)) > 0; got != c.want {
				t.Errorf("%s: remembered %t, want %t", c.addr, got, c.want)
			}
		}
	})
}

func TestFinder_GarbageOnTheLANIsDialledSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Lab, 1)
		defer closeAll()
		f, err := NewFinder(FinderConfig{Host: hosts[0], Gater: gaters[0], World: Lab, Network: "lab-test"})
		if err != nil {
			t.Fatal(err)
		}
		var dials atomic.Int32
		gaters[0].SetBanned(func(peer.ID) bool { dials.Add(1); return true })
		found := make(foundPeers, lanQueue)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		go func() {
			for i := range 3000 {
				a := addr(t, fmt.Sprintf("/ip4/10.1.%d.%d/udp/4001/quic-v1", i/250, i%250+1))
				found.HandlePeerFound(peer.AddrInfo{ID: newID(t), Addrs: []ma.Multiaddr{a}})
				time.Sleep(10 * time.Millisecond)
			}
		}()
		f.greetLAN(ctx, found, rate.NewLimiter(lanRate, lanBurst))
		synctest.Wait()
		if n := dials.Load(); n == 0 || n > lanBurst+30*lanRate+1 {
			t.Errorf("%d dials in 30 s, want at most %d", n, lanBurst+30*lanRate+1)
		}
	})
}

func TestFinder_PublicNeighboursMeetWithoutTheInternet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHostsAt(t, Public, "192.168.1.7", "192.168.1.8")
		defer closeAll()
		var finders []*Finder
		for i, h := range hosts {
			gaters[i].subnets = testGater(Public).subnets
			f, stop := startFinder(t, FinderConfig{Host: h, Gater: gaters[i], World: Public, Network: "main"})
			defer stop()
			finders = append(finders, f)
		}
		other := peer.AddrInfo{ID: hosts[1].ID(), Addrs: hosts[1].Network().ListenAddresses()}
		if err := finders[0].Connect(t.Context(), other); err == nil {
			t.Error("local address dialled before mDNS told of it")
		}
		time.Sleep(time.Minute) // libp2p does not retry a failed address at once
		finders[0].greet(t.Context(), other, rate.NewLimiter(rate.Inf, 1))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for i, f := range finders {
			if f.TableSize() != 1 {
				t.Errorf("host %d knows %d peers, want its neighbour", i, f.TableSize())
			}
			if r := f.Reachability(); r.Direct == Yes || r.LANPeers != 1 || len(r.Announced) != 0 || len(r.Local) != 1 {
				t.Errorf("host %d: %+v, want one neighbour and nothing announced", i, r)
			}
		}
		if got := hosts[0].Peerstore().Addrs(other.ID); len(got) == 0 {
			t.Error("identify dropped the address that mDNS gave")
		}
	})
}

func TestServiceName_TellsTheNetworkOnlyByHash(t *testing.T) {
	name := serviceName("lab-secret-project")
	label, _, _ := strings.Cut(name, ".")
	if strings.Contains(name, "secret") || len(label) > 16 || !strings.HasSuffix(name, "._udp") {
		t.Errorf("serviceName = %q, want at most 15 letters and no name in it (RFC 6763)", name)
	}
	if serviceName("a") == serviceName("b") {
		t.Error("two networks have one service name")
	}
}

func TestLANAnnouncement_HoldsLocalAddressesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, world := range []World{Public, Lab} {
			hosts, _, closeAll := simHosts(t, world, 1)
			got, err := lanHost{hosts[0], world}.Network().InterfaceListenAddresses()
			if want := map[World]int{Public: 0, Lab: 1}[world]; err != nil || len(got) != want {
				t.Errorf("world %d: mDNS announces %v, %v, want %d addresses", world, got, err, want)
			}
			closeAll()
		}
	})
}

func TestFinder_TellsStrangersNoLocalAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, gaters, closeAll := simHosts(t, Public, 3)
		defer closeAll()
		local := addr(t, "/ip4/192.168.1.7/udp/4001/quic-v1")
		var finders []*Finder
		for i, h := range hosts {
			c := FinderConfig{Host: h, Gater: gaters[i], World: Public, Network: "main"}
			if i > 0 {
				c.Bootstrap.Known = []peer.AddrInfo{info(hosts[0])}
			}
			f, stop := startFinder(t, c)
			defer stop()
			finders = append(finders, f)
		}
		hosts[0].Peerstore().AddAddr(hosts[1].ID(), local, lanAddrTTL) // as if by mDNS
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		ask := dhtrpc.NewSender(hosts[2], []protocol.ID{"/forage/main/kad/1.0.0"})
		reply, err := ask.SendRequest(t.Context(), hosts[0].ID(), pb.NewMessage(pb.Message_FIND_NODE, []byte(hosts[1].ID()), 0))
		if err != nil || len(reply.CloserPeers) != 1 || len(reply.CloserPeers[0].Addrs) != 1 {
			t.Errorf("FIND_NODE = %v, %v, want one peer with one address", reply, err)
		}
		found, err := finders[2].FindPeer(t.Context(), hosts[1].ID())
		if err != nil || len(found.Addrs) != 1 {
			t.Errorf("FindPeer = %v, %v, want one address", found, err)
		}
		for _, a := range hosts[2].Peerstore().Addrs(hosts[1].ID()) {
			if a.Equal(local) {
				t.Error("a stranger learned an address of the local network")
			}
		}
	})
}
