package p2p

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/signed"
	"github.com/forage-net/forage/p2p/wire"
)

// One member's word that it met another where its record says makes that one a member for all.
func TestVouch_MakesMembers(t *testing.T) {
	first := aloneNode(t)
	until(t, "the first member of a network needs no vouch",
		func() bool { a := first.Vouches.Admission(); return a.Admitted && a.Applies })
	second := start(t, quickTimes(), first)
	third := start(t, quickTimes(), second) // its invite names one that is no founder
	nodes := []*runningNode{first, second, third}
	until(t, "three members agree, and vouch for each other", func() bool {
		for _, n := range nodes {
			if own := n.own.Load(); own == nil || len(own.Vouches) != 2 || !n.Vouches.Admission().Admitted {
				return false
			}
		}
		return agree(nodes)
	})
}

// A record is worth nothing where nobody answers, or somebody else: its member waits and is told why.
func TestVouch_NobodyVouchesForOneThatIsNotMet(t *testing.T) {
	first := aloneNode(t)
	for name, addr := range map[string]ma.Multiaddr{
		"nobody answers there":        ma.StringCast("/ip4/127.0.0.1/tcp/9"),
		"somebody else answers there": first.cfg.Host.Addrs()[0],
	} {
		n := startAs(t, quickTimes(), nil, 1, func(c *Config) {
			c.Addrs = func() []ma.Multiaddr { return []ma.Multiaddr{addr} }
		}, first)
		until(t, "it hears why: "+name, func() bool { return n.Vouches.Admission().Why == wire.RefusedUnmet })
		if a := n.Vouches.Admission(); a.Admitted || !a.Applies || first.Members.Roster.Admitted(n.self) ||
			first.Members.Count() != 1 || n.Members.Count() != 1 {
			t.Errorf("%s: %+v, %d members here and %d there", name, a, first.Members.Count(), n.Members.Count())
		}
		n.stop()
	}
}

// Who asks for a vouch dials nobody but itself, and no address twice in a row.
func TestVouch_RefusesWhatItShould(t *testing.T) {
	var dialled atomic.Int32
	n := startAs(t, quickTimes(), nil, 1, func(c *Config) {
		may := c.MayDial
		c.MayDial = func(p peer.ID, a ma.Multiaddr) bool { dialled.Add(1); return may(p, a) }
	})
	<-n.Joined()
	nobody := func(r *roster.Record) {
		r.Capacity, r.Joined, r.Addrs = 1, signed.HourOf(time.Now()),
			[]ma.Multiaddr{ma.StringCast("/ip4/127.0.0.9/tcp/9")}
	}
	l, other := newLiar(t, n, nil), newLiar(t, n, nil)
	ask := func(record []byte) (wire.Vouched, error) {
		for {
			raw, err := l.say(t, n, wire.KindVouch, &wire.Vouch{Record: record})
			if busy, ok := errors.AsType[*calls.Busy](err); ok {
				time.Sleep(busy.After)
				continue
			}
			if err != nil {
				return wire.Vouched{}, err
			}
			return wire.Decode[wire.Vouched](raw)
		}
	}
	for range 2 {
		if m, err := ask(recordOf(t, n.cfg.Network, l.key, nobody)); err != nil || m.Why != wire.RefusedUnmet {
			t.Errorf("an address where nobody is: %+v, %v", m, err)
		}
	}
	old := func(r *roster.Record) { nobody(r); r.Joined = signed.HourOf(time.Now()) - 48 }
	if m, err := ask(recordOf(t, n.cfg.Network, l.key, old)); err != nil || m.Why != wire.RefusedJoined {
		t.Errorf("a beginning that nobody remembers: %+v, %v", m, err)
	}
	before := n.Requests.Offences()["vouch"]
	for what, record := range map[string][]byte{
		"of somebody else": recordOf(t, n.cfg.Network, other.key, nobody), "that is none": []byte("garbage"),
	} {
		if m, err := ask(record); err == nil {
			t.Errorf("a record %s: %+v", what, m)
		}
	}
	if got := n.Requests.Offences()["vouch"]; got != before+2 {
		t.Errorf("%d lies counted, want 2", got-before)
	}
	if dialled.Load() > 2 {
		t.Errorf("asked %d times whether to dial", dialled.Load())
	}
	if m, err := ask(recordOf(t, n.cfg.Network, l.key, func(r *roster.Record) {
		nobody(r)
		r.Addrs = roster.Usable(l.host.Addrs(), roster.ReachPublic)
	})); err != nil || len(m.Vouch) == 0 {
		t.Errorf("one that is where it says: %+v, %v", m, err)
	}
}

// Two networks that began apart become one when a member of one meets the other.
func TestVouch_TwoFoundersMeet(t *testing.T) {
	a, b := aloneNode(t), aloneNode(t)
	if err := a.cfg.Host.Connect(t.Context(), peer.AddrInfo{ID: b.self, Addrs: b.cfg.Host.Addrs()}); err != nil {
		t.Fatal(err)
	}
	until(t, "both are members of one network", func() bool { return agree([]*runningNode{a, b}) })
}

// A member that somebody vouched for without having met it leaves the ring soon.
func TestOut_AMemberThatNobodyHeardIsOutSoon(t *testing.T) {
	times := quickTimes()
	times.Out = time.Hour
	nodes := []*runningNode{start(t, times)}
	<-nodes[0].Joined()
	nodes = append(nodes, start(t, times, nodes[0]), start(t, times, nodes[0]))
	until(t, "three members agree", func() bool { return agree(nodes) })
	n, key := nodes[0], newKey(t)
	nobody, _ := peer.IDFromPrivateKey(key)
	if changed, err := n.Members.Roster.Add("", memberOf(t, n, key,
		func(r *roster.Record) { r.Capacity = 1 })); !changed ||
		err != nil {
		t.Fatal(changed, err)
	}
	n.Members.Refresh()
	if n.Members.Count() != 4 {
		t.Fatalf("%d members, want 4", n.Members.Count())
	}
	until(t, "it is out everywhere", func() bool {
		for _, n := range nodes {
			if m, _ := n.Members.Roster.Get(nobody); !m.Out || n.Members.Count() != 3 {
				return false
			}
		}
		return true
	})
}

// A network that begins around a node that never owns anything has its first members, and grows.
func TestVouch_ABootstrapNodeIsEnough(t *testing.T) {
	door := startWith(t, quickTimes(), nil, 0)
	<-door.Joined()
	nodes := []*runningNode{start(t, quickTimes(), door)}
	until(t, "the first member owns everything", func() bool {
		return nodes[0].Members.Count() == 1 &&
			nodes[0].Members.Share() == 1
	})
	for range 2 {
		nodes = append(nodes, start(t, quickTimes(), door))
	}
	until(t, "three members agree, and whom they met knows them", func() bool {
		for _, n := range append(nodes, door) {
			if n.Members.Count() != 3 || n.Members.Owners() != nodes[0].Members.Owners() {
				return false
			}
		}
		return true
	})
}

// A member whose address changes stays one: it names the old address until it was met at the new one.
func TestVouch_AChangedAddressCostsNothing(t *testing.T) {
	first := aloneNode(t)
	var moved atomic.Bool
	n := startAs(t, quickTimes(), nil, 1, func(c *Config) {
		at := make(map[bool]ma.Multiaddr)
		port, err := c.Host.Addrs()[0].ValueForProtocol(ma.P_TCP)
		if err != nil {
			t.Fatal(err)
		}
		at[false], at[true] = ma.StringCast("/ip4/127.0.0.1/tcp/"+port), ma.StringCast("/ip4/127.0.0.2/tcp/"+port)
		if err := c.Host.Network().Listen(at[true]); err != nil {
			t.Fatal(err)
		}
		c.Addrs = func() []ma.Multiaddr { return []ma.Multiaddr{at[moved.Load()]} }
	}, first)
	until(t, "it is a member", func() bool { return agree([]*runningNode{first, n}) })
	owners := first.Members.Owners()
	moved.Store(true)
	n.reissue()
	until(t, "it was met at its new address", func() bool {
		if first.Members.Owners() != owners {
			t.Fatal("it was no member meanwhile")
		}
		m, _ := first.Members.Roster.Get(n.self)
		return len(m.Addrs) == 1 && m.Addrs[0].String()[:len("/ip4/127.0.0.2")] == "/ip4/127.0.0.2" &&
			len(m.Vouches) == 1
	})
}
