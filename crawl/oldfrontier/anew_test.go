package frontier

import (
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// While members are missing that a log began anew without, its sites are visited
// more seldom, and its leases have numbers that those cannot have given.
func TestAnew_KeepsLongerGapsUntilAllAreBack(t *testing.T) {
	gap := 10 * time.Second
	r := newRig(t, Config{Politeness: crawl.Politeness{Fixed: &gap}, Members: 3})
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3")
	visit := func(want time.Duration) crawl.LeaseID {
		t.Helper()
		l := r.lease()
		if l.Gap != want {
			t.Errorf("the fetcher is asked for a gap of %v, want %v", l.Gap, want)
		}
		r.settle(l, l.Tasks[0], fetched)
		r.release(l)
		r.advance(want - time.Second)
		if p := r.pick(); len(p.Grants) != 0 {
			t.Errorf("leased again before %v were over", want)
		}
		r.advance(time.Second)
		return l.ID
	}
	before := visit(gap)
	r.propose(Entry{Anew: &Anew{Missing: []string{"p", "q"}}})
	if list, err := r.Missing(); err != nil || !slices.Equal(list, []string{"p", "q"}) {
		t.Errorf("Missing = %q, %v", list, err)
	}
	if after := visit(3 * gap); after < before+leaseLeap {
		t.Errorf("lease %d after %d: the missing may have given that number too", after, before)
	}
	r.propose(Entry{Anew: &Anew{}})
	if list, err := r.Missing(); err != nil || len(list) != 0 {
		t.Errorf("Missing = %q, %v", list, err)
	}
	visit(gap)
	for _, bad := range []Anew{{Missing: []string{""}}, {Missing: make([]string, maxMissing+1)}, {Leap: maxLeap + 1}} {
		if _, err := r.Propose(t.Context(), Entry{Anew: &bad}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}

// Both parts of a divided network go on with the log of one owner, and move what they know of a domain to another owner,
// one after the other: it takes in both.
func TestAnew_MovesOfBothPartsAreTaken(t *testing.T) {
	few, most, to := newRig(t, Config{}), newRig(t, Config{}), newRig(t, Config{})
	few.propose(Entry{Anew: BeginAnew([]string{"p", "q"})})
	most.propose(Entry{Anew: BeginAnew([]string{"r"})})
	few.enqueue("http://a.test/1", "http://a.test/2")
	most.enqueue("http://a.test/2", "http://a.test/3", "http://b.test/")
	few.moveTo(to, "a.test")
	most.moveTo(to, "a.test", "b.test")
	if got := to.totals(); got.Known != 4 || got.Queued != 4 || got.Domains != 2 {
		t.Errorf("what two parts of a log moved is %+v, want four URLs of two domains", got)
	}
}
