package swarm

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

// asked are the leases that fetchers were asked for, in their order.
type asked struct {
	mu   sync.Mutex
	list []string
}

// answers makes a peer a fetcher that is asked for what it has.
func (a *asked) answers(l *lab, name string) {
	l.join(name).Handle(wire.KindRecall, func(_ context.Context, _ string, body []byte) ([]byte, error) {
		r, err := wire.Decode[wire.Recall](body)
		a.mu.Lock()
		defer a.mu.Unlock()
		a.list = append(a.list, fmt.Sprint(name, r.Leases))
		return wire.Encode(&wire.Done{}), err
	})
}

// take returns who was asked for what, whatever the order, once the calls are over.
func (a *asked) take(n *node) []string {
	n.wg.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	list := slices.Sorted(slices.Values(a.list))
	a.list = nil
	return list
}

// lapse lets the one lease that is live lapse, and releases it, whoever has to be waited for.
func (n *node) lapse(asks string) {
	n.lab.t.Helper()
	n.lab.advance(testLease + testLease/10 + time.Minute)
	for range 2 {
		if got := n.ask(asks, 1); len(got) != 0 {
			n.lab.t.Fatalf("%s was granted %v", asks, got)
		}
		if n.totals().Leases == 0 {
			break
		}
		n.lab.advance(overdueFor)
	}
	n.lab.advance(time.Minute)
}

// answerAll is answers for some members.
func (a *asked) answerAll(l *lab, names ...string) {
	for _, name := range names {
		a.answers(l, name)
	}
}

// What two fetchers one after the other could not tell of is taken from the first of them when it is
// back: both are asked, at once, before the tasks go to a third one.
func TestRecover_AsksAllFormerHoldersAtOnce(t *testing.T) {
	l := newLab(t)
	l.down = make(map[string]bool)
	n := newNode(t, l, self)
	n.sites(1, 3)
	var a asked
	a.answerAll(l, "A", "B", "C")
	first := n.ask("A", 1)
	n.lapse("B")
	if got, want := a.take(n), []string{fmt.Sprint("A", []crawl.LeaseID{first[0].ID})}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	second := n.ask("B", 1)
	if len(second) != 1 || len(second[0].Tasks) != 3 {
		t.Fatalf("B was granted %v", second)
	}
	n.lapse("C")
	if got := n.ask("C", 1); len(got) != 0 {
		t.Fatal("a third fetcher has the tasks before the two were asked")
	}
	want := []string{fmt.Sprint("A", []crawl.LeaseID{first[0].ID}), fmt.Sprint("B", []crawl.LeaseID{second[0].ID})}
	if got := a.take(n); !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	n.ask("C", 1)
	if got := a.take(n); len(got) != 0 {
		t.Errorf("asked %v again", got)
	}
	if err := n.report("A", first[0], true, page(0)); err != nil {
		t.Fatal(err)
	}
	if err := n.report("B", second[0], true, page(1)); err != nil {
		t.Fatal(err)
	}
	l.advance(overdueFor)
	third := n.ask("C", 1)
	if len(third) != 1 || len(third[0].Tasks) != 1 || third[0].Tasks[0].URL != first[0].Tasks[2].URL {
		t.Fatalf("C was granted %v, want the one page that neither had", third)
	}
	if got := n.totals(); got.Fetched != 2 {
		t.Errorf("%d pages are fetched, want 2", got.Fetched)
	}
}

// Who leads the log from now on has asked nobody yet, but knows whom to ask.
func TestRecover_NewLeaderAsks(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 1)
	var a asked
	a.answerAll(l, "A", "B", "C")
	n.ask("A", 1)
	n.lapse("B")
	n.ask("B", 1)
	n.lapse("C")
	n.overdue = newOverdue(testLease)
	a.take(n)
	if got := n.ask("C", 1); len(got) != 0 {
		t.Error("not waited for")
	}
	if got := a.take(n); len(got) != 2 {
		t.Errorf("asked %v, want two", got)
	}
	l.advance(overdueFor)
	if got := n.ask("C", 1); len(got) != 1 {
		t.Error("still waited for")
	}
}

// A fetcher that held several leases is told of them in one message, and who cannot be reached is
// neither asked nor waited for.
func TestRecover_OneMessageForEach(t *testing.T) {
	l := newLab(t)
	l.down = make(map[string]bool)
	n := newNode(t, l, self)
	var a asked
	a.answers(l, "A")
	a.answers(l, "B")
	former := []frontier.Release{{Lease: 1, By: "A"}, {Lease: 2, By: "A"}, {Lease: 3, By: "B"}, {Lease: 4, By: "gone"}}
	if !n.Recover(former) {
		t.Error("not waited for")
	}
	if got, want := a.take(n), []string{"A[1 2]", "B[3]"}; !slices.Equal(got, want) {
		t.Errorf("asked %v, want %v", got, want)
	}
	if n.Recover(former[3:]) {
		t.Error("one that is no member is waited for")
	}
	l.advance(overdueFor)
	if n.Recover(former) {
		t.Error("still waited for")
	}
	l.advance(testLease)
	if !n.Recover(former[:1]) || len(a.take(n)) != 1 {
		t.Error("not asked anew a lease later")
	}
}

func TestOverdue_RemembersNoMoreThanItMust(t *testing.T) {
	o := newOverdue(testLease)
	now := time.Now()
	for id := range crawl.LeaseID(maxOverdue) {
		o.first(id+1, now)
	}
	if first, wait := o.first(maxOverdue+1, now); first || wait {
		t.Error("one more is asked and waited for")
	}
	if first, wait := o.first(maxOverdue+1, now.Add(overdueFor)); !first || !wait || len(o.since) != 1 {
		t.Errorf("asked %v, waited for %v, %d remembered when those before were waited for", first, wait, len(o.since))
	}
}

// Who is back while another has its tasks tells what it has at once. That counts if the other does
// not come home.
func TestRecover_OutcomesThatCameWhileAnotherHadTheTask(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	var a asked
	a.answerAll(l, "A", "B", "C")
	first := n.ask("A", 1)
	n.lapse("B")
	n.ask("B", 1)
	if err := n.report("A", first[0], true, page(0), page(1)); err != nil {
		t.Fatal(err)
	}
	if got := n.totals(); got.Fetched != 0 {
		t.Errorf("%d pages are fetched while another has them", got.Fetched)
	}
	n.lapse("C")
	if err := n.hurried(func() error { n.ask("C", 1); n.wg.Wait(); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := n.totals(); got.Fetched != 2 {
		t.Errorf("%d pages are fetched, want the two that A had", got.Fetched)
	}
	l.advance(overdueFor)
	if third := n.ask("C", 1); len(third) != 1 || len(third[0].Tasks) != 1 {
		t.Errorf("C was granted %v, want one task", third)
	}
	if n.late.count != 0 || n.late.bytes != 0 || len(n.late.kept)+len(n.late.busy) != 0 {
		t.Errorf("%d outcomes are kept", n.late.count)
	}
}

func TestLate_KeepsNoMoreThanItMay(t *testing.T) {
	k := newLate()
	now := time.Now()
	keep := func(d crawl.Domain, at time.Time) {
		k.keep(&frontier.Report{By: "A", Outcome: crawl.Outcome{Domain: d}}, at)
	}
	for i := range 2 * maxLate {
		keep(crawl.Domain(fmt.Sprintf("s%d.test", i%100)), now)
	}
	if k.count != maxLate {
		t.Errorf("%d outcomes are kept, want %d", k.count, maxLate)
	}
	then := now.Add(keptFor + time.Second)
	if got := k.take("s1.test", then); got != nil {
		t.Errorf("%d old outcomes are settled", len(got))
	}
	keep("new.test", then)
	if got := k.take("new.test", then); len(got) != 1 || !k.isBusy("new.test") {
		t.Errorf("%d outcomes are settled, want one", len(got))
	}
	for d := range k.kept {
		k.drop(d)
	}
	if k.count != 0 || k.bytes != 0 {
		t.Errorf("%d outcomes of %d bytes are counted, want none", k.count, k.bytes)
	}
}
