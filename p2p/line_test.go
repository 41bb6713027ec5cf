package p2p

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/libp2p/go-libp2p/core/peer"
	ma "github.com/multiformats/go-multiaddr"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/roster"
)

// addMembers makes members known to a node, of which each owns a unit since a time.
func addMembers(t *testing.T, n *runningNode, since ...time.Duration) (ids []string) {
	t.Helper()
	until(t, "it owns the ring", func() bool { return n.Ring().Len() == 1 })
	own, _ := n.roster.Get(n.self)
	for i, ago := range since {
		key := newKey(t)
		id, err := peer.IDFromPrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		raw := recordOf(t, n.cfg.Network, key, func(r *roster.Record) {
			r.Capacity, r.Issued, r.Reach = 1, time.Now().Add(-ago).Unix(), own.Reach
			r.Addrs = []ma.Multiaddr{ma.StringCast(fmt.Sprintf("/ip4/127.1.%d.1/tcp/1", i))}
		})
		if _, err := n.roster.Add(raw); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(id))
	}
	n.refresh()
	if got := n.Ring().Len(); got != len(since)+1 {
		t.Fatalf("%d own domains, want %d", got, len(since)+1)
	}
	return ids
}

// Who began a crawl alone has had the domains of all who came lately, however many there are between, and who has been there
// among others for long only those it is near to.
func TestInLine_PassesOverWhoCameLately(t *testing.T) {
	n := aloneNode(t)
	const long, late = 20 * time.Hour, time.Hour
	ids := addMembers(t, n, long, long, long, long, long, long, late, late, late, late, late, late)
	old, came := ids[:6], ids[6:]
	const k = 2
	far := 0
	for i := range 50 {
		d := crawl.Domain(fmt.Sprintf("d%d.test", i))
		for _, but := range []string{n.Self(), old[0]} {
			before := 0
			for _, p := range n.Ring().Near(crawl.KeyOf(d), 13) {
				if p == but {
					continue
				}
				if got, want := n.InLineBut(but, p, d, k), before < k; got != want {
					t.Errorf("%s, behind %d that have been there for long: in line %v, want %v", d, before, got, want)
				}
				if before < k && slices.Index(n.Ring().Near(crawl.KeyOf(d), 13), p) > k {
					far++
				}
				if !slices.Contains(came, p) && p != n.Self() { // this node itself was started a moment ago
					before++
				}
			}
		}
	}
	if far == 0 {
		t.Error("nobody was in line who is not among the nearest: the test shows nothing")
	}
}

// However many came lately, most of a large network is not in line for a domain.
func TestInLine_HasAnEnd(t *testing.T) {
	n := aloneNode(t)
	addMembers(t, n, make([]time.Duration, maxLine+20)...)
	const d = crawl.Domain("a.test")
	for i, p := range n.Ring().Near(crawl.KeyOf(d), maxLine+20) {
		if p == n.Self() {
			continue
		}
		if got, want := n.InLine(p, d, 4), i <= maxLine; got != want {
			t.Errorf("number %d of a network that is new: in line %v, want %v", i, got, want)
		}
	}
}
