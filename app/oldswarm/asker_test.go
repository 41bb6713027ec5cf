package swarm

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

// leaseOf is a lease as an owner would grant it.
func leaseOf(t *testing.T, id crawl.LeaseID, d crawl.Domain, urls ...string) crawl.Lease {
	l := crawl.Lease{ID: id, Domain: d, For: testLease}
	for i, u := range urls {
		l.Tasks = append(l.Tasks, crawl.Task{ID: crawl.TaskID(fmt.Sprint(i)), URL: mustURL(t, u)})
	}
	return l
}

// granting makes a peer that answers every ask with the same leases.
func granting(l *lab, id string, leases ...wire.Lease) *memNet {
	p := l.join(id)
	p.Handle(wire.KindAsk, func(context.Context, string, []byte) ([]byte, error) {
		return wire.Encode(&wire.Grants{Leases: leases, Due: 100}), nil
	})
	p.Handle(wire.KindReport, func(context.Context, string, []byte) ([]byte, error) { return wire.Encode(&wire.Reported{}), nil })
	return p
}

// What an owner that lies grants, and whether it is worked.
func TestAsker_WorksOnlyLeasesThatMayBe(t *testing.T) {
	good := leaseOf(t, 1, "a.test", "http://a.test/1")
	lease := func(change func(*crawl.Lease)) wire.Lease {
		l := good
		change(&l)
		return wire.LeaseOf(l)
	}
	for name, c := range map[string]struct {
		lease wire.Lease
		taken int
		lie   bool
	}{
		"a good one":          {lease(func(*crawl.Lease) {}), 1, false},
		"out of scope":        {wire.LeaseOf(leaseOf(t, 1, "a.example", "http://a.example/1")), 0, true},
		"a private address":   {wire.LeaseOf(leaseOf(t, 1, "10.0.0.1", "http://10.0.0.1/")), 0, true},
		"too deep":            {lease(func(l *crawl.Lease) { l.Tasks = []crawl.Task{{ID: "1", URL: mustURL(t, "http://a.test/1"), Depth: 4}} }), 0, false},
		"a film":              {wire.LeaseOf(leaseOf(t, 1, "a.test", "http://a.test/1.mp4")), 0, false},
		"tasks of another":    {wire.Lease{ID: 1, Domain: "b.test", ForMs: 1000, Tasks: lease(func(*crawl.Lease) {}).Tasks, Refs: lease(func(*crawl.Lease) {}).Refs}, 0, true},
		"of an heir":          {wire.LeaseOf(leaseOf(t, 1, "heirs.test", "http://heirs.test/1")), 0, false},
		"not its domain":      {wire.LeaseOf(leaseOf(t, 1, "mine.test", "http://mine.test/1")), 0, true},
		"for a day":           {lease(func(l *crawl.Lease) { l.For = 24 * time.Hour }), 1, false},
		"with a gap of hours": {lease(func(l *crawl.Lease) { l.Gap = 20 * time.Hour }), 1, false},
	} {
		l := newLab(t)
		n := newNode(t, l, self)
		n.fetcher.want = 10
		l.owner = liar
		l.owners["mine.test"], l.owners["heirs.test"] = self, self
		if name == "of an heir" {
			l.heirs = []string{liar}
		}
		granting(l, liar, c.lease)
		if _, _, err := n.asker.askOnce(t.Context(), liar, 10); err != nil && c.taken > 0 {
			t.Errorf("%s: %v", name, err)
		}
		if len(n.fetcher.taken) != c.taken || (n.net.weight(liar) > 0) != c.lie {
			t.Errorf("%s: %d leases are worked, the peer is charged %d", name, len(n.fetcher.taken), n.net.weight(liar))
		}
		for _, x := range n.fetcher.taken {
			if x.For > testLease || x.Granter != liar {
				t.Errorf("%s: worked for %v, of %q", name, x.For, x.Granter)
			}
		}
	}
}

// The owner is told that this node does not visit the domain, else it would lend it again and again.
func TestAsker_DeclinesWhatIsNotOfItsCrawl(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	l.owner = liar
	deep := leaseOf(t, 7, "a.test", "http://a.test/1")
	deep.Tasks[0].Depth = 4
	granting(l, liar, wire.LeaseOf(deep))
	if _, _, err := n.asker.askOnce(t.Context(), liar, 10); err != nil {
		t.Fatal(err)
	}
	n.returns.mu.Lock()
	defer n.returns.mu.Unlock()
	pile := n.returns.piles[liar]
	if pile == nil || pile.leases[heldLease{liar, 7}] == nil {
		t.Fatal("nothing is to be told of the lease")
	}
	x := pile.leases[heldLease{liar, 7}]
	if len(x.outcomes) != 1 || x.outcomes[0].Result != crawl.Declined || !x.over {
		t.Errorf("the owner is to hear %+v", x)
	}
}

func TestAsker_NoDomainIsWorkedForTwo(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	l.heirs = []string{liar, other}
	l.owner = liar
	granting(l, liar, wire.LeaseOf(leaseOf(t, 1, "a.test", "http://a.test/1")))
	granting(l, other, wire.LeaseOf(leaseOf(t, 7, "a.test", "http://a.test/2")))
	for _, p := range []string{liar, other} {
		l.mu.Lock()
		l.owner = p // it moves meanwhile
		l.mu.Unlock()
		if _, _, err := n.asker.askOnce(t.Context(), p, 10); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.fetcher.taken) != 1 || n.fetcher.taken[0].Granter != liar {
		t.Errorf("%d leases of one domain are worked", len(n.fetcher.taken))
	}
}

func TestAsker_TakesNoMoreThanItAskedFor(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 3
	l.owner = liar
	var many []wire.Lease
	for i := range wire.MaxLeases {
		d := fmt.Sprintf("d%d.test", i)
		many = append(many, wire.LeaseOf(leaseOf(t, crawl.LeaseID(i+1), crawl.Domain(d), "http://"+d+"/")))
	}
	granting(l, liar, many...)
	n.asker.ask(t.Context(), liar)
	if len(n.fetcher.taken) != 3 || n.net.weight(liar) == 0 {
		t.Errorf("%d leases are worked, want 3; the peer is charged %d", len(n.fetcher.taken), n.net.weight(liar))
	}
	for i := range 10_000 {
		many = append(many, many[i%10])
	}
	granting(l, other, many[:4000]...)
	if _, _, err := n.asker.askOnce(t.Context(), other, 3); err == nil || n.net.weight(other) < 20 {
		t.Errorf("four thousand leases: %v, charged %d", err, n.net.weight(other))
	}
}

// Who offers again and again and grants nothing is asked less and less.
func TestAsker_EmptyOffersAreNotFollowedForLong(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	p := granting(l, liar)
	for range 20 * 60 { // at its rate, for a minute
		if _, err := say[wire.Done](n, liar, wire.KindOffer, &wire.Offer{Count: 9}); err != nil {
			t.Fatal(err)
		}
		for _, owner := range n.asker.next() {
			n.asker.ask(t.Context(), owner)
		}
		l.advance(50 * time.Millisecond)
	}
	if got := p.count(wire.KindAsk); got > 20 {
		t.Errorf("asked %d times within a minute", got)
	}
}

func TestAsker_AsksFewAtOnceHoweverManyOffer(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 10
	for i := range 2 * maxAsks {
		if _, err := n.handleOffer(t.Context(), fmt.Sprint("peer number ", i), wire.Encode(&wire.Offer{Count: 1})); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(n.asker.next()); got > maxAsking || len(n.asker.owners) > maxAsks {
		t.Errorf("%d are asked at once, %d remembered", got, len(n.asker.owners))
	}
	if got := len(n.asker.next()); got != 0 {
		t.Errorf("%d more are asked while those are", got)
	}
}

func TestRecall_EndsOnlyOnesOwnLeases(t *testing.T) {
	n := newNode(t, newLab(t), self)
	if _, err := say[wire.Done](n, liar, wire.KindRecall, &wire.Recall{Leases: []crawl.LeaseID{5}}); err != nil {
		t.Fatal(err)
	}
	if want := []string{liar + " 5"}; !slices.Equal(n.fetcher.recalled, want) {
		t.Errorf("recalled %q, want %q", n.fetcher.recalled, want)
	}
}

func TestAsker_LeasesGivenBackDoNotPileUp(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.fetcher.want = 1 << 20
	l.owner = self // so that nothing is the peer's to grant
	for round := range 40 {
		var many []wire.Lease
		for i := range wire.MaxLeases {
			many = append(many, wire.LeaseOf(leaseOf(t, crawl.LeaseID(1+round*wire.MaxLeases+i), "a.test", "http://a.test/")))
		}
		granting(l, liar, many...)
		if _, _, err := n.asker.askOnce(t.Context(), liar, 1000); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.returns.waitingFor(liar); got > maxGivenBack {
		t.Errorf("%d leases wait to be given back", got)
	}
	if n.net.weight(liar) < 100 {
		t.Errorf("it is charged %d", n.net.weight(liar))
	}
}
