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
	for _, bad := range []Anew{{Missing: []string{""}}, {Missing: make([]string, maxMissing+1)}} {
		if _, err := r.Propose(t.Context(), Entry{Anew: &bad}); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
}
