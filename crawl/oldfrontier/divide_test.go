package frontier

import (
	"sync/atomic"
	"testing"

	"github.com/forage-net/forage/crawl"
)

// An outcome waits for its commit. Meanwhile another member comes, asks whether
// the domain that it has a link to is here, and is told that it is not.
func TestDivide_IsByWhoOwnsADomainWhenItIsCommitted(t *testing.T) {
	var others atomic.Bool
	before := make(chan struct{})
	r := newRig(t, Config{
		Owns:         func(d crawl.Domain) bool { return d == "a.test" || !others.Load() },
		Ask:          func() bool { return others.Load() },
		BeforeCommit: func() error { <-before; return nil },
	})
	go func() { before <- struct{}{} }()
	r.propose(Entry{Enqueue: &Enqueue{Links: []Link{{URL: "http://a.test/"}}}})
	go func() { before <- struct{}{} }()
	l := r.lease()
	done := make(chan Applied, 1)
	o := crawl.Outcome{Lease: l.ID, Domain: l.Domain, Task: l.Tasks[0], Result: crawl.Fetched, Outlinks: outlinks(t, "http://b.test/", "http://a.test/2")}
	if err := r.Settle(t.Context(), o, func(a Applied, _ error) { done <- a }); err != nil {
		t.Fatal(err)
	}
	others.Store(true)
	close(before)
	if a := <-done; !a.Settled || a.New != 1 {
		t.Errorf("%+v, want it settled with one new URL", a)
	}
	r.Await()
	r.check()
	if p, err := r.Where("b.test"); err != nil || p.State != StateNone {
		t.Errorf("b.test is %v here, %v; want %v", p.State, err, StateNone)
	}
	if out := r.outbox(); len(out) != 1 || out[0].Link.URL != "http://b.test/" {
		t.Errorf("outbox %v, want the link to b.test", out)
	}
}
