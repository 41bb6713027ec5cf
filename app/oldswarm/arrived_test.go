package swarm

import (
	"fmt"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/p2p/wire"
)

const formerOwner = "former-owner"

// arrived is a node to which a domain has come, of which another peer had held the last lease.
func arrived(t *testing.T, urls ...string) *node {
	t.Helper()
	n := newNode(t, newLab(t), self)
	n.heir(formerOwner)
	m := &wire.Move{N: 1, Seq: 1, Last: true, Domains: list("a.test"), Items: packed(t, list("a.test"), urls...)}
	if got, err := n.move(formerOwner, m); err != nil || got.State != wire.MoveOpened {
		t.Fatalf("move = %+v, %v", got, err)
	}
	return n
}

// tellLate reports outcomes of a lease that the former owner of a.test had granted.
func (n *node) tellLate(from string, lease crawl.LeaseID, result crawl.Result, urls ...string) {
	n.lab.t.Helper()
	r := wire.LeaseReport{Lease: lease, Domain: "a.test", Over: true, Moved: true}
	for _, u := range urls {
		o := page(0)
		o.Result = result
		w := wire.OutcomeOf(o, func(crawl.Outlink) bool { return true })
		w.URL = u
		r.Outcomes = append(r.Outcomes, w)
	}
	if _, err := say[wire.Reported](n, from, wire.KindReport, &wire.Report{Leases: []wire.LeaseReport{r}}); err != nil {
		n.lab.t.Fatalf("report of %s: %v", from, err)
	}
}

// What follows its domain tells of pages by their URLs: tasks that move are numbered anew. Nobody but who held the last lease is
// believed, however well others guess.
func TestLate_OnlyTheLastHolderIsBelieved(t *testing.T) {
	n := arrived(t, "http://a.test/1", "http://a.test/2") // the first was fetched there
	for _, c := range []struct {
		from    string
		fetched uint64
	}{{liar, 1}, {formerOwner, 1}, {other, 2}, {other, 2}} {
		n.tellLate(c.from, 9999, crawl.Fetched, "http://a.test/2")
		if got := n.totals(); got.Fetched != c.fetched || got.Queued != 2-c.fetched {
			t.Errorf("after the report of %s totals = %+v, want %d fetched", c.from, got, c.fetched)
		}
	}
}

func TestLate_NoMoreThanALeaseIsTold(t *testing.T) {
	var urls []string
	for i := range lateOutcomes + 10 {
		urls = append(urls, fmt.Sprintf("http://a.test/%03d", i))
	}
	n := arrived(t, append([]string{"http://a.test/"}, urls...)...)
	for rest := urls; len(rest) > 0; {
		some := rest[:min(len(rest), 64)]
		n.tellLate(other, 7, crawl.Gone, some...)
		rest = rest[len(some):]
	}
	if got := n.totals(); got.Other != lateOutcomes/64*64 || got.Queued < 10 {
		t.Errorf("totals = %+v, want %d pages gone", got, lateOutcomes/64*64)
	}
}

// A task that is put back has another number, so what is told again would count again.
func TestLate_FailuresAreNotCountedTwice(t *testing.T) {
	n := arrived(t, "http://a.test/1", "http://a.test/2")
	for range 5 {
		n.tellLate(other, 7, crawl.Failed, "http://a.test/2")
		n.tellLate(other, 7, crawl.Refused, "http://a.test/2")
		n.tellLate(other, 7, crawl.Deferred, "http://a.test/2")
	}
	if got := n.totals(); got.Failed != 0 || got.Queued != 1 {
		t.Errorf("totals = %+v, want one page queued still", got)
	}
	n.lab.advance(time.Hour)
	l := n.ask(other, 1)
	if len(l) != 1 || len(l[0].Tasks) != 1 || l[0].Tasks[0].Attempts != 1 {
		t.Errorf("leased are %+v, want the page that was refused once", l)
	}
	if n.net.weight(other) > 0 {
		t.Errorf("who tells again has offended by %d", n.net.weight(other))
	}
}

// The number of a lease says nothing in another log.
func TestLate_LeasesOfOtherLogsAreNotLive(t *testing.T) {
	n := arrived(t, "http://a.test/1", "http://a.test/2")
	n.lab.advance(time.Minute) // its gap is over
	l := n.ask(other, 1)[0]
	n.tellLate(other, l.ID, crawl.Refused, l.Tasks[0].URL.String())
	if got := n.info("a.test"); !got.Leased || got.Troubled || got.Backoffs > 0 {
		t.Errorf("what was told of another lease counts for the live one: %+v", got)
	}
}

func TestArrived_WordOfAMoveIsRepeated(t *testing.T) {
	n := arrived(t, "http://a.test/1", "http://a.test/2")
	n.lab.advance(time.Minute)
	if len(n.ask(liar, 1)) != 1 { // it is the last holder now, here
		t.Fatal("no lease")
	}
	if _, err := n.move(formerOwner, &wire.Move{N: 1, Abort: true, Domains: list("a.test")}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from string
		n    uint64
		last string
	}{{formerOwner, 1, other}, {formerOwner, 2, liar}, {other, 2, liar}} {
		if err := n.noteArrived(c.from, c.n, list("a.test")); err != nil {
			t.Fatal(err)
		}
		if got, ok := n.Swarm.arrived.get("a.test", n.now()); !ok || got.last != c.last {
			t.Errorf("of move %d from %s %+v is believed, want %s", c.n, c.from, got, c.last)
		}
	}
	n.sites(1, 1)
	for _, from := range []string{other, FormerName(other)} { // whose own fetcher has no name in its log
		if err := n.noteArrived(from, 3, list("s0.test")); err != nil {
			t.Fatal(err)
		}
		if got, ok := n.Swarm.arrived.get("s0.test", n.now()); !ok || got.last != other {
			t.Errorf("of a domain from %s %+v is believed, want its owner", from, got)
		}
	}
	if got, ok := n.Swarm.arrived.get("s0.test", n.now().Add(lateFor)); ok {
		t.Errorf("%v later %+v is believed", lateFor, got)
	}
}
