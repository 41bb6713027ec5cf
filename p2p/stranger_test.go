package p2p

import (
	"context"
	"slices"
	"testing"
	"time"

	pubsub "github.com/libp2p/go-libp2p-pubsub"
	pb "github.com/libp2p/go-libp2p-pubsub/pb"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peer"

	"github.com/forage-net/forage/p2p/roster"
	"github.com/forage-net/forage/p2p/wire"
)

// A peer that is no member is told of a few members, of the same ones each time; a member of all.
func TestSync_StrangersAreToldOfFew(t *testing.T) {
	n := aloneNode(t)
	for range 40 {
		if _, err := n.Members.Roster.Add("", memberOf(t, n, newKey(t),
			func(r *roster.Record) { r.Capacity = 1 })); err != nil {
			t.Fatal(err)
		}
	}
	n.Members.Refresh()
	l := newLiar(t, n, nil)
	told := func(items ...[]byte) (ids []peer.ID) {
		summary, _, _ := roster.New(roster.Config{Network: n.cfg.Network}).Summary("", 0, wire.MaxSummary)
		raw, err := l.say(t, n, wire.KindSync, &wire.Sync{Digest: make([]byte, 16), Summary: summary, Items: items})
		if err != nil {
			t.Fatal(err)
		}
		m, err := wire.Decode[wire.Sync](raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range m.Items {
			if r, err := roster.Open(n.cfg.Network, item); err != nil {
				t.Fatal(err)
			} else if r.Peer != l.host.ID() && r.Peer != n.self {
				ids = append(ids, r.Peer)
			}
		}
		if lines := (len(m.Summary) - 21) / 19; len(items) == 0 && lines > len(ids)+2 {
			t.Errorf("a summary of %d members, and %d are told", lines, len(ids))
		}
		slices.Sort(ids)
		return slices.Compact(ids)
	}
	first := told()
	if len(first) == 0 || len(first) > 16 {
		t.Errorf("a stranger is told of %d members", len(first))
	}
	applies := recordOf(t, n.cfg.Network, l.key, func(r *roster.Record) { r.Capacity, r.Addrs = 1, l.host.Addrs() })
	if again := told(applies); !slices.Equal(again, first) {
		t.Errorf("a stranger that asks again is told of %d members, %d of them others", len(again),
			len(again)-len(first))
	}
	admitted := memberOf(t, n, l.key, func(r *roster.Record) {
		r.Capacity, r.Addrs, r.Seq = 1, l.host.Addrs(),
			r.Seq+1
	})
	if all := told(admitted); len(all) != 40 {
		t.Errorf("a member is told of %d of 40", len(all))
	}
}

// What members gossip about goes to no stranger, by whichever protocol it subscribes.
func TestGossip_PassesStrangersBy(t *testing.T) {
	n := aloneNode(t)
	m := start(t, quickTimes(), n)
	until(t, "two members agree", func() bool { return agree([]*runningNode{n, m}) })
	heard := make(chan *pubsub.Message, 256)
	type subscriber func(context.Context, host.Host, ...pubsub.Option) (*pubsub.PubSub, error)
	for _, subscribe := range []subscriber{pubsub.NewFloodSub, pubsub.NewGossipSub} {
		l := newLiar(t, n, nil)
		ps, err := subscribe(t.Context(), l.host, pubsub.WithMessageSignaturePolicy(pubsub.StrictNoSign),
			pubsub.WithNoAuthor(),
			pubsub.WithMessageIdFn(func(m *pb.Message) string { return string(m.Data) }))
		if err != nil {
			t.Fatal(err)
		}
		sub, err := ps.Subscribe(topicName(n.cfg.Network))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			for msg, err := sub.Next(t.Context()); err == nil; msg, err = sub.Next(t.Context()) {
				heard <- msg
			}
		}()
		if err := l.host.Connect(t.Context(), peer.AddrInfo{ID: n.self, Addrs: n.cfg.Host.Addrs()}); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "one of them has subscribed", func() bool { return len(n.gossip.topic.ListPeers()) >= 2 })
	for range 20 {
		before := m.own.Load().Seq
		m.exchange.disputed.own.Store(true)
		m.reissue()
		until(t, "the other's news has come", func() bool {
			x,
				_ := n.Members.Roster.Get(m.self)
			return x.Seq > before
		})
	}
	if len(heard) > 0 {
		t.Errorf("strangers hear %d messages", len(heard))
	}
}

// A record does not tell when exactly its member began to run, or changed its address.
func TestRecord_TellsTheHour(t *testing.T) {
	n := aloneNode(t)
	until(t, "it has a record", func() bool { return n.own.Load() != nil })
	r := n.own.Load()
	if hour := int64(3600); r.Issued%hour != 0 || int64(r.Seq)%(hour*1000) > 100 {
		t.Errorf("a record is issued at %d, its number is %d", r.Issued, r.Seq)
	}
	if err := n.Rest(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if d := n.Members.RestedFor(n.self); d > time.Minute {
		t.Errorf("one that just began to rest has rested for %v", d)
	}
}

// In a network with more members than a stranger is told of, newcomers get to know all, and one that only
// fetches knows some.
func TestNodes_MoreThanStrangersAreTold(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of work under the race detector")
	}
	times := quickTimes()
	// so many in one process may be slow to answer
	times.Beat, times.Out, times.Unheard = time.Second, time.Minute, time.Minute
	nodes := []*runningNode{startWith(t, times, nil, 1)}
	for i := range 19 {
		nodes = append(nodes, start(t, times, nodes[i/4]))
	}
	until(t, "twenty members agree", func() bool { return agree(nodes) })
	fetcher := startWith(t, times, nil, 0, nodes[0])
	until(t, "it knows some", func() bool { return fetcher.Members.Count() > 5 })
	late := start(t, times, nodes[1])
	until(t, "twenty-one members agree", func() bool { return agree(append(nodes, late)) })
}

// However many strangers connect, members that share a shard stay connected.
func TestNode_StrangersPushNoPartnerOut(t *testing.T) {
	a := aloneNode(t)
	b := start(t, quickTimes(), a)
	until(t, "two members agree", func() bool { return agree([]*runningNode{a, b}) })
	for _, n := range []*runningNode{a, b} {
		partners, _ := n.Members.Partners()
		if !n.cfg.Host.ConnManager().IsProtected(partners[0], "partner") {
			t.Error("a partner's connection may be closed for that of a stranger")
		}
	}
	b.stop()
	until(t, "one is out", func() bool { return a.Members.Count() == 1 })
	until(t, "it is protected no more", func() bool { return !a.cfg.Host.ConnManager().IsProtected(b.self, "partner") })
}
