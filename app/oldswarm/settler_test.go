package swarm

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

func TestHandlers_RefuseGarbage(t *testing.T) {
	n := newNode(t, newLab(t), self)
	stranger := &memNet{lab: n.lab, self: "stranger-peer"}
	for kind := range n.net.handlers {
		for _, body := range [][]byte{nil, {0xff}, []byte("hello"), {0x9f, 0x9f, 0x9f}} {
			before := n.net.weight(stranger.self)
			_, err := stranger.Call(t.Context(), self, kind, body)
			n.expectLie("garbage for "+kind.String(), stranger.self, before+19, err)
		}
	}
}

func TestReport_OnlyTheHolderIsBelieved(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	l := n.ask(other, 1)[0]
	n.expectLie("a report of another's lease", liar, 0, n.report(liar, l, true, page(0)))
	if got := n.totals(); got.Fetched != 0 || got.Leases != 1 {
		t.Errorf("totals = %+v, want a live lease and nothing fetched", got)
	}
	if err := n.report(other, l, true, page(0)); err != nil || n.totals().Fetched != 1 {
		t.Errorf("the holder's report: %v, %+v", err, n.totals())
	}
}

func TestReport_OfNoTaskIsALie(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 3)
	l := n.ask(liar, 1)[0]
	n.expectLie("an outcome of no task", liar, 0, n.report(liar, l, false, page(len(l.Tasks))))
}

// Who never held a lease of a domain can settle nothing, however well it guesses.
func TestReport_OfAnUnknownLeaseSettlesNothing(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(2, 1)
	held := n.ask(other, 2)
	if err := n.report(other, held[0], true); err != nil { // free again, and its tasks known
		t.Fatal(err)
	}
	task := held[0].Tasks[0]
	for _, moved := range []bool{false, true} {
		w := wire.OutcomeOf(page(0, outlink(t, "http://new.test/", 1)), func(crawl.Outlink) bool { return true })
		w.URL = task.URL.String()
		m := &wire.Report{Leases: []wire.LeaseReport{{Lease: 9999, Domain: held[0].Domain, Outcomes: []wire.Outcome{w}, Over: true, Moved: moved}}}
		if _, err := say[wire.Reported](n, liar, wire.KindReport, m); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.totals(); got.Fetched != 0 || got.Queued != 2 || got.Domains != 2 {
		t.Errorf("totals = %+v, want nothing fetched and two sites", got)
	}
}

func TestReport_ReplaysChangeNothing(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(2, 3)
	l := n.ask(liar, 1)[0]
	for range 3 {
		if err := n.report(liar, l, true, page(0), page(0), page(1)); err != nil {
			t.Fatal(err)
		}
	}
	if got := n.totals(); got.Fetched != 2 || got.Queued != 4 || got.Leases != 0 {
		t.Errorf("totals = %+v, want 2 fetched and 4 queued", got)
	}
	if got := n.credits.byPeer[liar]; got.limit != firstCredit+1 || len(got.held) != 0 {
		t.Errorf("credit = %+v, want one lease brought home", got)
	}
}

func TestReport_LinksOutOfScopeAreNotTaken(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 1)
	l := n.ask(liar, 1)[0]
	o := page(0, outlink(t, "http://elsewhere.example/", 1), outlink(t, "http://10.0.0.1/", 1), outlink(t, "http://127.0.0.1:22/", 1),
		outlink(t, "http://s0.test/movie.mp4", 1), outlink(t, "http://deep.test/", 4), outlink(t, "http://fine.test/", 1))
	if err := n.report(liar, l, true, o); err != nil {
		t.Fatal(err)
	}
	if got := n.totals(); got.Fetched != 1 || got.Known != 2 {
		t.Errorf("totals = %+v, want one link taken", got)
	}
	if n.net.weight(liar) < 5 {
		t.Error("links out of scope cost nothing")
	}
}

func TestReport_LinksOfAWiderCrawlAreNoLie(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 1)
	l := n.ask(other, 1)[0]
	o := page(0, outlink(t, "http://s0.test/movie.mp4", 1), outlink(t, "http://deep.test/", 4), outlink(t, "http://fine.test/", 1))
	if err := n.report(other, l, true, o); err != nil {
		t.Fatal(err)
	}
	if got, weight := n.totals(), n.net.weight(other); got.Known != 2 || weight > 0 {
		t.Errorf("totals = %+v, want one link taken; the peer is charged %d", got, weight)
	}
}

// A fetcher cannot make the crawl deeper by saying that links are nearer to the
// seeds than their page.
func TestReport_LinksAreFurtherFromTheSeedsThanTheirPage(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.enqueue("http://s0.test/")
	url := "http://s0.test/"
	for depth := range 6 {
		leases := n.ask(liar, 1)
		if len(leases) == 0 {
			if depth < 4 {
				t.Fatalf("nothing to fetch at depth %d", depth)
			}
			return
		}
		next := url + "x"
		a, b := outlink(t, next, 0), outlink(t, next+"y/", 0)
		a.Priority, b.Priority = crawl.PriorityNormal, crawl.PriorityHigh
		if err := n.report(liar, leases[0], true, page(0, a)); err != nil {
			t.Fatal(err)
		}
		url = next
		n.lab.advance(time.Hour)
	}
	t.Error("the crawl goes on beyond its depth")
}

// The worst report there is costs a site half a minute.
func TestReport_AStormOfFailuresCountsOnce(t *testing.T) {
	for name, c := range map[string]struct {
		o        crawl.Outcome
		backoffs uint64
	}{
		"failed":       {crawl.Outcome{Result: crawl.Failed}, 0},
		"forbidden":    {crawl.Outcome{Result: crawl.Gone, Status: 403}, 0},
		"no such name": {crawl.Outcome{Result: crawl.Gone}, 0},
		"refused":      {crawl.Outcome{Result: crawl.Refused, Status: 503}, 1},
	} {
		o := c.o
		n := newNode(t, newLab(t), self)
		n.sites(1, 24)
		l := n.ask(liar, 1)[0]
		var all []crawl.Outcome
		for i := range l.Tasks {
			o.Index = i
			all = append(all, o)
		}
		if len(all) < 15 {
			t.Fatalf("a lease of %d tasks", len(all))
		}
		if err := n.report(liar, l, true, all...); err != nil {
			t.Fatal(err)
		}
		got := n.info("s0.test")
		if got.Retired || got.Backoffs != c.backoffs || got.Next.After(n.lab.clock().Add(time.Minute)) {
			t.Errorf("%s: retired %v, backed off %d times, next in %v", name, got.Retired, got.Backoffs, got.Next.Sub(n.lab.clock()))
		}
		if n.net.weight(liar) == 0 {
			t.Errorf("%s: a storm costs nothing", name)
		}
	}
}

func TestReport_AnotherLooksBeforeOneSaysAgainThatASiteFails(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 40)
	for range 2 {
		n.lab.advance(10 * time.Minute)
		leases := n.ask(liar, 1)
		if len(leases) != 1 {
			t.Fatal("nothing is due")
		}
		if err := n.report(liar, leases[0], true, crawl.Outcome{Result: crawl.Failed}); err != nil {
			t.Fatal(err)
		}
	}
	n.lab.advance(5 * time.Minute)
	if got := n.ask(liar, 1); len(got) != 0 {
		t.Error("who found the site failing twice gets it again")
	}
	leases := n.ask(other, 1)
	if len(leases) != 1 {
		t.Fatal("another does not get it")
	}
	if err := n.report(other, leases[0], true, page(0)); err != nil {
		t.Fatal(err)
	}
	// Even alone it gets it by and by.
	n.lab.advance(lookFor * testLease)
	if got := n.ask(liar, 1); len(got) != 1 {
		t.Error("it never gets it again")
	}
}

func TestReport_LongWaitsNeedAnothersWord(t *testing.T) {
	refused := crawl.Outcome{Result: crawl.Refused, Status: 503, Wait: 24 * time.Hour}
	n := newNode(t, newLab(t), self)
	n.sites(1, 40)
	if err := n.report(liar, n.ask(liar, 1)[0], true, refused); err != nil {
		t.Fatal(err)
	}
	if wait := n.info("s0.test").Next.Sub(n.lab.clock()); wait > maxHold+time.Minute || wait < maxHold-time.Minute {
		t.Errorf("on one's word the site is left alone for %v, want an hour", wait)
	}
	n.lab.advance(2 * time.Hour)
	if err := n.report(other, n.ask(other, 1)[0], true, refused); err != nil {
		t.Fatal(err)
	}
	if wait := n.info("s0.test").Next.Sub(n.lab.clock()); wait < 23*time.Hour {
		t.Errorf("on two's word the site is left alone for %v, want a day", wait)
	}
}

func TestReport_FewLongWaitsAreBelieved(t *testing.T) {
	n := newNode(t, newLab(t), self)
	long := 0
	for range 10 * waitBurst {
		if n.believed(liar, 25*time.Hour) > shortWait {
			long++
		}
	}
	if long != waitBurst {
		t.Errorf("%d long waits were believed, want %d", long, waitBurst)
	}
	if n.believed(other, time.Hour) != time.Hour || n.believed(liar, 30*time.Second) != 30*time.Second {
		t.Error("others, or short waits, are not believed")
	}
	n.lab.advance(waitEvery)
	if n.believed(liar, time.Hour) != time.Hour || n.believed(liar, time.Hour) != shortWait {
		t.Error("one more is not believed after a while, or two are")
	}
}

func TestReport_CrawlDelayOfAReleaseIsBounded(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 10)
	for range waitBurst {
		n.believed(liar, time.Hour)
	}
	l := n.ask(liar, 1)[0]
	m := &wire.Report{Leases: []wire.LeaseReport{{Lease: l.ID, Domain: l.Domain, Over: true, CrawlDelayMs: (24 * time.Hour).Milliseconds()}}}
	if _, err := say[wire.Reported](n, liar, wire.KindReport, m); err != nil {
		t.Fatal(err)
	}
	if got := n.info("s0.test").CrawlDelay; got > shortWait {
		t.Errorf("crawl delay %v", got)
	}
}

// Dates and sizes that a fetcher makes up retire no site.
func TestReport_MadeUpDatesAndSizesDoNotRetireASite(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 24)
	l := n.ask(liar, 1)[0]
	var all []crawl.Outcome
	for i := range 21 {
		o := crawl.Outcome{Index: i, Result: crawl.Deferred, NoRobots: true, Date: time.Now(), Wait: 20 * time.Hour}
		if i == 0 {
			o.Date = time.Unix(1, 0)
		}
		all = append(all, o)
	}
	if err := n.report(liar, l, true, all...); err != nil {
		t.Fatal(err)
	}
	got := n.info("s0.test")
	if got.Retired {
		t.Error("a site was retired for its robots.txt by one report")
	}
	n.lab.advance(maxHold + time.Minute)
	n.ask(other, 1) // wakes the host
	leases := n.ask(other, 1)
	if len(leases) != 1 {
		t.Fatal("a host is held for more than an hour on a fetcher's word")
	}
	o := page(0)
	o.Received = 1 << 40
	if err := n.report(other, leases[0], true, o); err != nil {
		t.Fatal(err)
	}
	if got := n.info("s0.test"); got.Retired || got.Received > maxReceived {
		t.Errorf("retired %v for %d bytes", got.Retired, got.Received)
	}
}

func TestReport_DeclinedCountsOnlyForAHeldLease(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 1)
	for range 3 {
		m := &wire.Report{Leases: []wire.LeaseReport{{Lease: 77, Domain: "s0.test", Outcomes: []wire.Outcome{{Result: crawl.Declined}}}}}
		if _, err := say[wire.Reported](n, liar, wire.KindReport, m); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.wants.declined) != 0 {
		t.Error("a refusal was remembered of who held no lease")
	}
}

func TestReport_OfMegabytesOfLinksIsRefused(t *testing.T) {
	n := newNode(t, newLab(t), self)
	n.sites(1, 24)
	l := n.ask(liar, 1)[0]
	long := "http://s0.test/" + string(make([]byte, 0))
	for len(long) < 2000 {
		long += "x"
	}
	var same []wire.Link
	for range 300 {
		same = append(same, wire.Link{URL: long, Depth: 1, Priority: crawl.PriorityNormal})
	}
	w := wire.LeaseReport{Lease: l.ID, Domain: l.Domain}
	for i := range 10 {
		w.Outcomes = append(w.Outcomes, wire.Outcome{Index: uint8(i), Result: crawl.Fetched, Status: 200, Depth: 1, Links: wire.AppendLinks(nil, 1, same)})
	}
	m := &wire.Report{Leases: []wire.LeaseReport{w}}
	if size := len(wire.Encode(m)); size > 64<<10 {
		t.Fatalf("the report takes %d bytes", size)
	}
	_, err := say[wire.Reported](n, liar, wire.KindReport, m)
	n.expectLie("six megabytes of links in a few kilobytes", liar, 0, err)
	if n.totals().Fetched != 0 {
		t.Error("a part of it was settled")
	}
}

// Who is at work on a lease is given its time anew, from when it asked; who
// brings nothing, or does not hold it, is not.
func TestReport_RenewsALeaseAtWork(t *testing.T) {
	lab := newLab(t)
	n := newNode(t, lab, self)
	n.sites(1, 4)
	l := n.ask(other, 1)[0]
	renew := func(from string, outcomes ...crawl.Outcome) []crawl.LeaseID {
		t.Helper()
		m := &wire.Report{Leases: []wire.LeaseReport{{Lease: l.ID, Domain: l.Domain, Renew: true}}}
		for _, o := range outcomes {
			m.Leases[0].Outcomes = append(m.Leases[0].Outcomes, wire.OutcomeOf(o, func(crawl.Outlink) bool { return true }))
		}
		answer, _ := say[wire.Reported](n, from, wire.KindReport, m)
		return answer.Renewed
	}
	if got := renew(other); len(got) != 0 {
		t.Errorf("renewed %v for nothing", got)
	}
	if got := renew(liar, page(0)); len(got) != 0 {
		t.Errorf("renewed %v for another", got)
	}
	lab.advance(l.For * 2 / 3)
	if got := renew(other, page(0)); len(got) != 1 || got[0] != l.ID {
		t.Fatalf("renewed %v, want lease %d", got, l.ID)
	}
	lab.advance(l.For * 2 / 3) // the first time is over, the second is not
	if got := n.ask(liar, 1); len(got) != 0 {
		t.Errorf("granted %d leases of a site that is leased", len(got))
	}
	if got := renew(other, page(1)); len(got) != 1 {
		t.Errorf("renewed %v, want the lease a second time", got)
	}
	lab.advance(l.For * 6 / 5)
	n.ask(liar, 1) // finds it over
	lab.advance(time.Minute)
	if got := n.ask(liar, 1); len(got) != 1 {
		t.Errorf("granted %d leases after the last time was over, want 1", len(got))
	}
}
