package frontier

import (
	"errors"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// leaseTo grants the one lease that is due to a peer.
func (r *rig) leaseTo(holder string) (crawl.Lease, Grant) {
	r.t.Helper()
	p := r.pick()
	if len(p.Grants) != 1 || len(p.Last) != 1 {
		r.t.Fatalf("%d domains are due, want 1", len(p.Grants))
	}
	g := p.Grants[0]
	g.Holder = holder
	return r.grantOf(g), g
}

func (r *rig) report(by string, l crawl.Lease, t crawl.Task, o crawl.Outcome) Applied {
	r.t.Helper()
	o.Lease, o.Domain, o.Task = l.ID, l.Domain, t
	done := make(chan []Applied, 1)
	go func() {
		applied, err := r.SettleAll(r.t.Context(), []Report{{By: by, Outcome: o}})
		if err != nil {
			r.t.Error(err)
		}
		done <- applied
	}()
	for {
		r.propose() // urgent, so that the report need not wait
		select {
		case a := <-done:
			if len(a) != 1 {
				r.t.FailNow()
			}
			return a[0]
		default:
		}
	}
}

func TestLease_OnlyItsHolderMovesClocks(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3")
	l, _ := r.leaseTo("peer")
	live, err := r.Leases()
	if err != nil || len(live) != 1 || live[0].Holder != "peer" {
		t.Fatalf("Leases = %+v, %v", live, err)
	}
	if lent, err := r.LentLeases(); err != nil || len(lent) != 1 || lent["peer"] != 1 {
		t.Errorf("LentLeases = %v, %v, want one of peer", lent, err)
	}
	slow := r.at(fetched)
	slow.CrawlDelay = time.Hour
	for _, by := range []string{"", "other"} {
		if a := r.report(by, l, l.Tasks[0], slow); a.Settled {
			t.Errorf("an outcome by %q settled a task that peer holds", by)
		}
		r.propose(Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, By: by, CrawlDelay: time.Hour}})
		if a := r.propose(Entry{Renew: &Renew{Lease: l.ID, Domain: l.Domain, By: by, For: time.Minute}}); a[0].Lease != 0 {
			t.Errorf("%q renewed the lease of peer", by)
		}
	}
	if got := r.totals(); got.Leases != 1 {
		t.Fatal("the lease was ended by another")
	}
	if a := r.report("peer", l, l.Tasks[0], r.at(fetched)); !a.Settled {
		t.Error("an outcome of the holder was not taken")
	}
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, By: "peer"}})
	if got := r.totals(); got.Leases != 0 || got.Fetched != 1 {
		t.Errorf("totals = %+v", got)
	}
	if got := r.nextVisit(); got > time.Minute {
		t.Errorf("the next visit is in %v: somebody else moved the clock", got)
	}
	// A task that nobody holds is settled by whoever has fetched it.
	if a := r.report("other", l, l.Tasks[1], slow); !a.Settled {
		t.Error("a late outcome was not taken")
	}
	r.advance(time.Minute)
	if p := r.pick(); len(p.Grants) != 1 || p.Last[0] != "peer" {
		t.Errorf("picked %+v, want one domain that peer had last", p)
	}
	d, err := r.Domains("", 1)
	if err != nil || d[0].Last != "peer" || d[0].Holder != "" {
		t.Errorf("Domains = %+v, %v", d, err)
	}
}

func TestLease_LapsesWhoeverHoldsIt(t *testing.T) {
	r := newRig(t, Config{LeaseFor: 10 * time.Second})
	r.enqueue("http://a.test/1")
	l, _ := r.leaseTo("peer")
	r.advance(11 * time.Second)
	p := r.pick()
	if len(p.Lapsed) != 1 || p.Lapsed[0].Lease != l.ID {
		t.Fatalf("lapsed are %+v", p.Lapsed)
	}
	r.propose(Entry{Release: &p.Lapsed[0].Release})
	if got := r.totals(); got.Leases != 0 {
		t.Error("the lease goes on")
	}
}

func TestRenew_CountsFromNow(t *testing.T) {
	r := newRig(t, Config{LeaseFor: 100 * time.Second})
	r.enqueue("http://a.test/1")
	l, _ := r.leaseTo("peer")
	r.advance(60 * time.Second)
	renew := Entry{Renew: &Renew{Lease: l.ID, Domain: "a.test", By: "peer", For: time.Hour}}
	if a := r.propose(renew); a[0].Lease != l.ID {
		t.Errorf("Renew = %+v, want lease %d", a[0], l.ID)
	}
	r.advance(110*time.Second - 1)
	if p := r.pick(); len(p.Lapsed) != 0 {
		t.Error("lapsed before LeaseFor and a tenth from the renewal")
	}
	r.advance(1)
	p := r.pick()
	if len(p.Lapsed) != 1 {
		t.Fatal("renewed for more than LeaseFor")
	}
	r.propose(Entry{Release: &p.Lapsed[0].Release})
	if a := r.propose(renew); a[0].Lease != 0 {
		t.Error("a lease that is over was renewed")
	}
}

func TestLeased_NamesTasksByTheirIndex(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3")
	l, _ := r.leaseTo("peer")
	r.report("peer", l, l.Tasks[1], r.at(fetched))
	check := func(live bool) {
		t.Helper()
		g, ok, err := r.Leased(l.ID, "a.test")
		if err != nil || !ok || g.Live != live || g.Holder != "peer" || len(g.Tasks) != 3 {
			t.Fatalf("Leased = %+v, %v, %v", g, ok, err)
		}
		for i, done := range []bool{false, true, false} {
			if g.Done[i] != done || !done && g.Tasks[i].URL != l.Tasks[i].URL {
				t.Errorf("task %d: done %v, %s", i, g.Done[i], g.Tasks[i].URL)
			}
		}
	}
	check(true)
	if g, ok, err := r.Lease(l.ID); !ok || err != nil || g.Domain != "a.test" {
		t.Errorf("Lease = %+v, %v, %v", g, ok, err)
	}
	if live, _ := r.Leases(); len(live[0].Tasks) != 2 {
		t.Errorf("%d tasks are not settled, want 2", len(live[0].Tasks))
	}
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: "a.test", By: "peer"}})
	check(false)
	if _, ok, _ := r.Lease(l.ID); ok {
		t.Error("a lease that is over is live")
	}
	if _, ok, _ := r.Leased(l.ID+1, "a.test"); ok {
		t.Error("a lease that was never granted is known")
	}
}

func TestSettleAll_RefusesWhatIsNoOutcome(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	l, _ := r.leaseTo("peer")
	good := crawl.Outcome{Lease: l.ID, Domain: "a.test", Task: l.Tasks[0], Result: crawl.Fetched}
	bad := good
	bad.Domain = "a b"
	for _, reports := range [][]Report{{{"peer", good}, {"peer", bad}}, make([]Report, MaxReports+1)} {
		if _, err := r.SettleAll(t.Context(), reports); !errors.Is(err, ErrEntry) {
			t.Errorf("SettleAll = %v, want ErrEntry", err)
		}
	}
	if got := r.totals(); got.Fetched != 0 {
		t.Error("a part of the reports was taken")
	}
}

func TestAsk_DomainsWaitForTheAnswer(t *testing.T) {
	r := newRig(t, Config{Ask: func() bool { return true }})
	r.enqueue("http://a.test/1", "http://b.test/1")
	if p := r.pick(); len(p.Grants) != 0 {
		t.Fatal("a domain is due that others were not asked about")
	}
	list, err := r.Unasked("", 10)
	if err != nil || len(list) != 2 {
		t.Fatalf("Unasked = %v, %v", list, err)
	}
	if rest, _ := r.Unasked(list[0], 10); len(rest) != 1 || rest[0] != "b.test" {
		t.Errorf("Unasked after a.test = %v", rest)
	}
	g := Grant{Domain: "a.test", Origin: "http://a.test", Tasks: [][]byte{{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1}}, For: time.Minute}
	if a := r.propose(Entry{Grant: &g}); a[0].Lease != 0 {
		t.Error("it was granted all the same")
	}
	for i := range 2 {
		a := r.propose(Entry{Confirm: &Confirm{Domains: []crawl.Domain{"a.test", "none.test"}}})
		if want := 1 - i; a[0].Domains != want {
			t.Errorf("Confirm has changed %d domains, want %d", a[0].Domains, want)
		}
	}
	if l := r.lease(); l.Domain != "a.test" {
		t.Errorf("%s is due, want a.test", l.Domain)
	}
	if tot := r.totals(); tot.Unasked != 1 {
		t.Errorf("totals = %+v", tot)
	}
}
