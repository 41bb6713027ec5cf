package frontier

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// lapseOf lets a lease of a peer lapse as who grants leases has it.
func (r *rig) lapseOf() Lapse {
	r.t.Helper()
	r.advance(2 * time.Minute)
	p := r.pick()
	if len(p.Lapsed) != 1 {
		r.t.Fatalf("%d leases lapsed, want 1", len(p.Lapsed))
	}
	r.propose(Entry{Release: &p.Lapsed[0].Release})
	r.check()
	r.advance(time.Minute)
	return p.Lapsed[0]
}

// formerOf returns who held leases that lapsed and covered tasks of the domain that is due.
func (r *rig) formerOf() (by []string) {
	r.t.Helper()
	p := r.pick()
	if len(p.Grants) != 1 {
		r.t.Fatalf("%d domains are due, want 1", len(p.Grants))
	}
	for _, l := range p.Former[p.Grants[0].Domain] {
		by = append(by, l.By)
	}
	return by
}

func newFormerRig(t *testing.T, urls ...string) *rig {
	r := newRig(t, Config{LeaseFor: 100 * time.Second})
	r.enqueue(urls...)
	return r
}

func TestFormer_HoldersOfLeasesThatLapsedAreRemembered(t *testing.T) {
	r := newFormerRig(t, "http://a.test/1", "http://a.test/2")
	if got := r.formerOf(); got != nil {
		t.Errorf("before any lease, former holders are %q", got)
	}
	var leases []crawl.Lease
	for i, want := range [][]string{{"A"}, {"B", "A"}, {"C", "B"}} {
		l, _ := r.leaseTo(want[0])
		leases = append(leases, l)
		if over := r.lapseOf(); over.Again != (i > 0) || !over.Lapsed {
			t.Errorf("the lease of %s lapsed as %+v", want[0], over)
		}
		if got := r.formerOf(); !slices.Equal(got, want) {
			t.Errorf("former holders are %q, want %q", got, want)
		}
	}
	if _, ok, err := r.Leased(leases[0].ID, "a.test"); ok || err != nil {
		t.Errorf("the lease of A is known: %v, %v", ok, err)
	}
	granted, ok, err := r.Leased(leases[1].ID, "a.test")
	if !ok || err != nil || granted.Live || granted.Holder != "B" || len(granted.Tasks) != 2 {
		t.Fatalf("the lease of B is %+v, %v, %v", granted, ok, err)
	}
	for i, task := range leases[1].Tasks { // what B brings leaves nothing to ask for
		if a := r.report("B", leases[1], task, r.at(fetched)); !a.Settled {
			t.Errorf("task %d of B was not settled", i)
		}
	}
	r.check()
	r.enqueue("http://a.test/3")
	if got := r.formerOf(); got != nil {
		t.Errorf("of a page that nobody had, former holders are %q", got)
	}
	l, _ := r.leaseTo("D")
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: "a.test", By: "D"}})
	if rec := r.record("a.test"); len(rec.Former) != 0 || rec.Over.Lapsed {
		t.Errorf("of leases whose tasks are settled, %+v is kept", rec.Former)
	}
}

func (r *rig) record(d crawl.Domain) (rec domainRecord) {
	r.t.Helper()
	if err := r.view(func(b *buckets) (err error) { rec, _, err = b.readDomain(d); return err }); err != nil {
		r.t.Fatal(err)
	}
	return rec
}

// Who brought a lease home has told everything, and is not to be asked.
func TestFormer_LeasesThatCameHomeAreNoneOfThem(t *testing.T) {
	r := newFormerRig(t, "http://a.test/1")
	first, _ := r.leaseTo("A")
	r.lapseOf()
	l, _ := r.leaseTo("B")
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: "a.test", By: "B"}})
	r.advance(time.Minute)
	if got := r.formerOf(); !slices.Equal(got, []string{"A"}) {
		t.Errorf("former holders are %q, want A", got)
	}
	for _, id := range []crawl.LeaseID{first.ID, l.ID} {
		if _, ok, err := r.Leased(id, "a.test"); !ok || err != nil {
			t.Errorf("lease %d cannot be reported late: %v", id, err)
		}
	}
}

// Only who had the very tasks that are to be granted is asked: hosts of a domain take turns.
func TestFormer_OfOtherHostsAreNotAsked(t *testing.T) {
	r := newFormerRig(t, "http://a.test/1", "http://b.a.test/1")
	r.leaseTo("A")
	if over := r.lapseOf(); over.Again {
		t.Error("the first lease that lapses is not the first")
	}
	if got := r.formerOf(); got != nil {
		t.Errorf("of the other host, former holders are %q", got)
	}
	l, _ := r.leaseTo("B")
	r.report("B", l, l.Tasks[0], r.at(fetched))
	r.propose(Entry{Release: &Release{Lease: l.ID, Domain: "a.test", By: "B"}})
	r.advance(time.Minute)
	if got := r.formerOf(); !slices.Equal(got, []string{"A"}) {
		t.Errorf("of the first host, former holders are %q, want A", got)
	}
}

// A partner that acts, or a member with a copy of the log, knows them too.
func TestFormer_GoWithACopyOfTheLog(t *testing.T) {
	from, to := newFormerRig(t, "http://a.test/1"), newFormerRig(t)
	for _, by := range []string{"A", "B"} {
		from.leaseTo(by)
		from.lapseOf()
	}
	c := copier{t: t, from: from.Frontier, to: to.Frontier}
	c.run()
	to.check()
	to.advance(from.clock().Sub(to.clock()) + time.Hour)
	if got := to.formerOf(); !slices.Equal(got, []string{"B", "A"}) {
		t.Errorf("former holders by the copy are %q, want B and A", got)
	}
	rec := from.record("a.test")
	for range maxFormer {
		rec.Former = append(rec.Former, rec.Over)
	}
	raw, err := encode.Marshal(&rec)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := readCopied(raw); ok {
		t.Error("a record with many of them was taken")
	}
}

// A store in which there are none goes on: what its last leases have is taken late, as before.
func TestFormer_StoreWithoutThemGoesOn(t *testing.T) {
	r := newFormerRig(t)
	path := filepath.Join(t.TempDir(), "older.db")
	r.stop()
	r.open(path, Config{LeaseFor: 100 * time.Second})
	r.enqueue("http://a.test/1", "http://a.test/2")
	r.leaseTo("A")
	r.lapseOf()
	l, _ := r.leaseTo("B")
	r.lapseOf()
	edit(t, r.db, func(b *buckets) error {
		rec, _, err := b.readDomain("a.test")
		if err != nil {
			return err
		}
		rec.Former, rec.Over.Lapsed = nil, false
		return putRecord(b.domains, []byte("a.test"), &rec)
	})
	r.stop()
	r.open(path, Config{LeaseFor: 100 * time.Second})
	r.check()
	if got := r.formerOf(); got != nil {
		t.Errorf("former holders are %q", got)
	}
	if a := r.report("B", l, l.Tasks[0], r.at(fetched)); !a.Settled {
		t.Error("a late outcome was not taken")
	}
	r.leaseTo("C")
	r.lapseOf()
	if got := r.formerOf(); !slices.Equal(got, []string{"C"}) {
		t.Errorf("former holders are %q, want C", got)
	}
}
