package swarm

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/calls"
	"github.com/forage-net/forage/p2p/wire"
)

func TestAsk_NobodyHoldsMoreThanItsCredit(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(60, 1)
	if got := n.ask(liar, 1000); len(got) != firstCredit {
		t.Errorf("the first ask brings %d leases, want %d", len(got), firstCredit)
	}
	if got := n.ask(liar, 1000); len(got) != 0 {
		t.Errorf("the second ask brings %d leases more", len(got))
	}
	if n.Wanted() != 0 {
		t.Errorf("%d leases are wanted beyond the credit", n.Wanted())
	}
	if got := n.ask(other, 3); len(got) != 3 {
		t.Errorf("another gets %d leases, want 3", len(got))
	}
}

func TestAsk_ManyAtOnceBringNoMore(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(60, 1)
	var all sync.WaitGroup
	var mu sync.Mutex
	total := 0
	body := wire.Encode(&wire.Ask{Slots: 10})
	for range 8 {
		all.Go(func() {
			raw, err := n.handleAsk(t.Context(), liar, body)
			if err != nil {
				t.Error(err)
				return
			}
			g, err := wire.Decode[wire.Grants](raw)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			total += len(g.Leases)
		})
	}
	all.Wait()
	if total > firstCredit {
		t.Errorf("%d leases for one that asks eight times at once, want %d", total, firstCredit)
	}
	c := newCredits(n.lab.clock)
	if a, b, d := c.reserve(other, 10), c.reserve(other, 10), c.reserve(other, 10); a+b+d != firstCredit {
		t.Errorf("%d, %d and %d leases are being granted, want %d in all", a, b, d, firstCredit)
	}
}

// A fetcher that left before it was told of its leases does not keep their domains from others.
func TestAsk_LeasesOfAnAnswerThatIsLostAreTakenBack(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(5, 1)
	ctx, lost := calls.WithLost(t.Context())
	if err := n.hurried(func() error {
		_, err := n.handleAsk(ctx, other, wire.Encode(&wire.Ask{Slots: 5}))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got := n.totals().Leases; got != 5 {
		t.Fatalf("%d leases are live, want 5", got)
	}
	lost()
	n.ask(liar, 1) // the router comes by
	if _, err := n.f.Propose(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := n.totals().Leases; got != 0 {
		t.Fatalf("%d leases are live that nobody was told of", got)
	}
	n.lab.advance(time.Minute) // the gap
	if got := n.ask(liar, 5); len(got) != 5 {
		t.Errorf("the next who asks gets %d leases, want 5", len(got))
	}
	if held := n.credits.of(other).held; len(held) > 0 {
		t.Errorf("%d leases still count against who was not told of them", len(held))
	}
}

// Saying that leases came home that nobody holds brings no new ones.
func TestAsk_CreditComesBackWithLeasesAlone(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(60, 1)
	n.ask(liar, 1000)
	for i := range idleLimit / 2 {
		m := &wire.Report{Leases: []wire.LeaseReport{{Lease: crawl.LeaseID(1000 + i), Domain: "s1.test", Over: true}}}
		if _, err := say[wire.Reported](n, liar, wire.KindReport, m); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.ask(liar, 1000); len(got) != 0 {
		t.Errorf("%d leases more for bringing home what was never lent", len(got))
	}
}

// Leases that come home while another member leads the log are not held any more when this one does again.
func TestAsk_LeasesThatCameHomeElsewhereAreCountedNoMore(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(3*firstCredit, 1)
	leases := n.ask(other, 2*firstCredit)
	if len(leases) != firstCredit || n.credits.left(other) != 0 {
		t.Fatalf("%d leases, %d left", len(leases), n.credits.left(other))
	}
	for _, l := range leases[:10] { // as the log tells of it
		if _, err := n.f.Propose(t.Context(), frontier.Entry{Release: &frontier.Release{Lease: l.ID, Domain: l.Domain, By: other}}); err != nil {
			t.Fatal(err)
		}
	}
	n.recount()
	if got := n.credits.left(other); got != 10 {
		t.Errorf("%d leases may be granted, want 10", got)
	}
}

func TestAsk_WhoLetsLeasesLapseGetsFewer(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(60, 1)
	want := firstCredit
	for range 6 {
		if got := len(n.ask(liar, 1000)); got > want {
			t.Errorf("%d leases, want at most %d", got, want)
		}
		n.lab.advance(2 * testLease)
		n.ask(other, 0)
		n.ask(other, 1) // the router finds what lapsed
		want = max(want/2, 1)
	}
	if got := n.credits.byPeer[liar]; got.limit != 1 || len(got.held) > 1 {
		t.Errorf("credit = %+v, want one lease", got)
	}
}

func TestAsk_WhoGivesLeasesBackUnworkedHasToWait(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(60, 1)
	leases := 0
	for range 500 {
		for _, l := range n.ask(liar, 1) {
			leases++
			if err := n.report(liar, l, true); err != nil {
				t.Fatal(err)
			}
		}
		n.lab.advance(100 * time.Millisecond)
	}
	if most := idleLimit + 8; leases > most {
		t.Errorf("%d leases were taken and given back within 50 s, want at most %d", leases, most)
	}
	n.lab.advance(idleMost)
	got := n.ask(liar, 1)
	if len(got) != 1 {
		t.Fatal("it never gets one again")
	}
	if err := n.report(liar, got[0], true, page(0)); err != nil {
		t.Fatal(err)
	}
	if len(n.ask(liar, 1)) != 1 {
		t.Error("who works one has to wait")
	}
}

func TestCredits_RemembersNoMoreThanItMust(t *testing.T) {
	l := newLab(t)
	c := newCredits(l.clock)
	for i := range maxFetchers + 20 {
		peer := fmt.Sprint("fetcher ", i)
		c.lent(peer, c.reserve(peer, 1), []crawl.Lease{{ID: crawl.LeaseID(i + 1)}})
	}
	if len(c.byPeer) != maxFetchers {
		t.Errorf("%d fetchers are remembered, want %d", len(c.byPeer), maxFetchers)
	}
	if c.reserve("one more", 5) != 0 {
		t.Error("who cannot be remembered gets leases")
	}
	c.back("fetcher 0", 1, true)
	if c.reserve("one more", 5) != 5 {
		t.Error("nobody makes room")
	}
}

// Leases that do not fit into one message are free again at once.
func TestAsk_LeasesOfLongURLsFitIntoAnAnswer(t *testing.T) {
	n := newNode(t, newLab(t), self)
	var urls []string
	for i := range 40 {
		for p := range 30 {
			urls = append(urls, fmt.Sprintf("http://s%d.test/%d%s", i, p, strings.Repeat(string(rune('a'+(p+i)%26)), 1900)))
		}
		n.enqueue(urls...)
		urls = nil
	}
	seen := make(map[crawl.Domain]bool)
	body := wire.Encode(&wire.Ask{Slots: 64})
	n.credits.of(other).limit = 200
	for range 3 {
		raw, err := n.handleAsk(t.Context(), other, body)
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) > 1<<20 {
			t.Errorf("an answer of %d bytes", len(raw))
		}
		g, err := wire.Decode[wire.Grants](raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range g.Leases {
			seen[l.Domain] = true
		}
		n.lab.advance(time.Minute)
	}
	if len(seen) != 40 {
		t.Errorf("%d domains were leased, want 40", len(seen))
	}
}

func TestWants_OneFetcherCannotFillTheRefusals(t *testing.T) {
	l := newLab(t)
	w := newWants(l.clock, ChooseKnown, func(string) int { return 100 })
	w.decline(other, "kept.test", time.Hour)
	for i := range 2 * maxDeclined {
		w.decline(liar, crawl.Domain(fmt.Sprintf("d%d.test", i)), time.Hour)
	}
	if len(w.declined) > maxDeclined || !w.refuses(other, "kept.test") {
		t.Errorf("%d refusals are remembered, another's is kept: %v", len(w.declined), w.refuses(other, "kept.test"))
	}
	for i := range 2 * maxWants {
		w.set(fmt.Sprint("peer ", i), 1, "")
	}
	if len(w.byPeer) > maxWants {
		t.Errorf("%d wants are remembered", len(w.byPeer))
	}
}
