package swarm

import (
	"context"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/crawl/oldfrontier"
	"github.com/forage-net/forage/p2p/wire"
)

// Before the tasks of a lease that is over go to another fetcher, the one that held
// it is asked for what it has; who does not answer is not waited for.
func TestOverdue_AsksWhoHeldTheLease(t *testing.T) {
	l := newLab(t)
	l.down = make(map[string]bool)
	n := newNode(t, l, self)
	n.sites(1, 3)
	held := l.join(other)
	recalled := make(chan crawl.LeaseID, 8)
	held.Handle(wire.KindRecall, func(_ context.Context, _ string, body []byte) ([]byte, error) {
		r, err := wire.Decode[wire.Recall](body)
		for _, id := range r.Leases {
			recalled <- id
		}
		return wire.Encode(&wire.Done{}), err
	})
	l.join("third")
	lost := n.ask(other, 1)
	if len(lost) != 1 {
		t.Fatalf("%d leases", len(lost))
	}
	l.advance(testLease + testLease/10 + time.Minute)
	if again := n.ask("third", 1); len(again) != 0 {
		t.Fatal("its tasks went to another before it was asked")
	}
	if id := <-recalled; id != lost[0].ID {
		t.Errorf("asked for lease %d, want %d", id, lost[0].ID)
	}
	if err := n.report(other, lost[0], true, page(0)); err != nil {
		t.Fatal(err)
	}
	l.advance(time.Minute)
	again := n.ask("third", 1)
	if len(again) != 1 || len(again[0].Tasks) != 2 {
		t.Fatalf("then it was granted %v, want the two other tasks", again)
	}

	// The next one is lost with its computer.
	l.mu.Lock()
	l.down["third"] = true
	l.mu.Unlock()
	l.advance(testLease + testLease/10 + time.Minute)
	n.ask(other, 1) // what is over is released
	l.advance(time.Minute)
	if last := n.ask(other, 1); len(last) != 1 || len(last[0].Tasks) != 2 {
		t.Errorf("granted %v, want what the lost one had", last)
	}
}

// A holder that has nothing is waited for only so long.
func TestOverdue_WaitsNotForLong(t *testing.T) {
	l := newLab(t)
	l.down = make(map[string]bool)
	n := newNode(t, l, self)
	n.sites(1, 1)
	l.join(other).Handle(wire.KindRecall, func(context.Context, string, []byte) ([]byte, error) { return wire.Encode(&wire.Done{}), nil })
	n.ask(other, 1)
	l.advance(testLease + testLease/10 + time.Minute)
	if len(n.ask("third", 1)) != 0 {
		t.Fatal("not waited for")
	}
	l.advance(overdueFor)
	n.ask("third", 1) // what is over is released
	l.advance(time.Minute)
	if len(n.ask("third", 1)) != 1 {
		t.Error("still waited for")
	}
}

// What an earlier run fetched of this node's own leases is settled before their tasks
// are granted again: its log may have been led elsewhere until now.
func TestOverdue_WaitsForWhatAnEarlierRunFetched(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	n.sites(1, 3)
	picked, err := n.f.Pick(1, func(crawl.Domain) bool { return false })
	if err != nil || len(picked.Grants) != 1 {
		t.Fatalf("%d domains are due, %v", len(picked.Grants), err)
	}
	granted, err := n.f.Propose(t.Context(), frontier.Entry{Grant: &picked.Grants[0]})
	if err != nil {
		t.Fatal(err)
	}
	own := crawl.Lease{ID: granted[0].Lease, Domain: "s0.test", Granter: self}
	o := page(0)
	o.Lease, o.Domain, o.Granter = own.ID, own.Domain, self
	if err := n.Settle(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	n.Release(own)
	l.advance(testLease + testLease/10 + time.Minute)
	if again := n.ask(other, 1); len(again) != 0 {
		t.Fatal("its tasks were granted before it was told what had come of them")
	}
	n.hurried(func() error { n.returns.sendDue(t.Context()); return nil })
	l.advance(time.Minute)
	if again := n.ask(other, 1); len(again) != 1 || len(again[0].Tasks) != 2 {
		t.Errorf("granted %v, want the two other tasks", again)
	}
}

// Such a lease is not waited for if there is nothing to tell of it, nor for long.
func TestOverdue_OwnLeasesAreNotWaitedForInVain(t *testing.T) {
	l := newLab(t)
	n := newNode(t, l, self)
	if n.Overdue("", 7) {
		t.Error("a lease of which there is nothing to tell is waited for")
	}
	n.Release(crawl.Lease{ID: 7, Domain: "s0.test", Granter: self})
	if !n.Overdue("", 7) {
		t.Error("not waited for")
	}
	l.advance(overdueFor)
	if n.Overdue("", 7) {
		t.Error("still waited for")
	}
}
