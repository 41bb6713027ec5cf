package frontier

import (
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// tooMany is an answer that asks to be left alone for a while.
func tooMany(wait time.Duration) crawl.Outcome {
	return crawl.Outcome{Result: crawl.Refused, Status: 429, Wait: wait, Reason: "Too Many Requests"}
}

// lapse ends a lease whose time is over, as who grants leases does.
func (r *rig) lapse(l crawl.Lease) {
	r.t.Helper()
	r.advance(l.For + l.For/10)
	if p := r.pick(); len(p.Lapsed) != 1 || p.Lapsed[0].Lease != l.ID {
		r.t.Fatalf("lapsed are %+v, want lease %d", p.Lapsed, l.ID)
	}
	r.release(l)
}

// nextVisit returns how long from now nothing is due.
func (r *rig) nextVisit() time.Duration {
	r.t.Helper()
	p := r.pick()
	if len(p.Grants) > 0 {
		return 0
	}
	return p.Next.Sub(r.clock())
}

// What a site asks for counts though the answer comes when its lease has lapsed.
func TestFrontier_LateRefusalIsHeard(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	r.lapse(l)
	if a := r.settle(l, l.Tasks[0], r.at(tooMany(time.Hour))); !a.Settled {
		t.Error("a late refusal was not taken")
	}
	if got := r.nextVisit(); got != time.Hour {
		t.Errorf("the next visit is in %v, want 1h", got)
	}
	// Once it was waited for, it is over.
	r.advance(time.Hour)
	l = r.lease()
	r.settle(l, l.Tasks[0], r.at(fetched))
	r.release(l)
	if got := r.nextVisit(); got > time.Minute {
		t.Errorf("after a page the next visit is in %v", got)
	}
}

// Another lease may be live by then; the wait follows it.
func TestFrontier_LateRefusalCountsFromTheEndOfTheLiveLease(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	old := r.lease()
	r.lapse(old)
	r.advance(time.Hour)
	g := r.pick().Grants[0]
	g.Tasks = g.Tasks[1:] // the first is nobody's
	l := r.grantOf(g)
	if a := r.settle(old, old.Tasks[0], r.at(tooMany(time.Hour))); !a.Settled {
		t.Fatal("a late refusal of a free task was not taken")
	}
	r.advance(time.Second)
	r.settle(l, l.Tasks[0], r.at(fetched))
	r.release(l)
	if got := r.nextVisit(); got != time.Hour {
		t.Errorf("the next visit is in %v, want 1h", got)
	}
}

func TestFrontier_LateRefusalShortensNoWait(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2", "http://a.test/3")
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(tooMany(2*time.Hour)))
	r.release(l)
	r.settle(l, l.Tasks[1], r.at(tooMany(time.Hour)))
	if got := r.nextVisit(); got != 2*time.Hour {
		t.Errorf("the next visit is in %v, want 2h", got)
	}
}

// The gap begins when the lease is given back, not when that is committed: the owner would count it longer by what commits wait.
func TestFrontier_GapBeginsWithTheEndOfTheLease(t *testing.T) {
	for _, c := range []struct{ ago, want time.Duration }{
		{0, 10 * time.Second}, {time.Second, 9 * time.Second}, {2500 * time.Millisecond, 7500 * time.Millisecond}, {10 * time.Second, 0},
		{15 * time.Second, 0}, {-time.Hour, 10 * time.Second},
	} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/1", "http://a.test/2")
		l := r.lease()
		o := r.at(fetched)
		o.CrawlDelay = 10 * time.Second
		r.settle(l, l.Tasks[0], o)
		r.propose(Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, Ago: c.ago}})
		if got := r.nextVisit(); got != c.want {
			t.Errorf("given back %v ago: the next visit is in %v, want %v", c.ago, got, c.want)
		}
	}
	// A report that claims to be old does not shorten a wait of hours.
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(tooMany(time.Hour)))
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: l.Domain, Ago: time.Hour}})
	if got, want := r.nextVisit(), time.Hour-longestPatience; got != want {
		t.Errorf("the next visit is in %v, want %v", got, want)
	}
}
