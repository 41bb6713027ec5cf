package frontier

import (
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// retireAnew makes a refusal the last visit of a domain that was retired before.
func (r *rig) retireAnew(d crawl.Domain, asked time.Duration) {
	r.t.Helper()
	edit(r.t, r.db, func(b *buckets) error {
		rec, _, err := b.readDomain(d)
		if err != nil {
			return err
		}
		rec.Retired, rec.Level, rec.Answers = 1, secondPatience, badAnswers()
		return putRecord(b.domains, []byte(d), &rec)
	})
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(tooMany(asked)))
	r.release(l)
	if !r.info(d).Retired {
		r.t.Fatal("not retired")
	}
}

// The calendar may run ahead, when somebody sets the wall clock. That ends the
// retirement, but not what the site asked for.
func TestRetire_CalendarAheadDoesNotShortenWhatASiteAskedFor(t *testing.T) {
	var ahead atomic.Int64
	r := &rig{t: t, now: time.Unix(1_800_000_000, 0)}
	r.open(filepath.Join(t.TempDir(), "forage.db"), Config{
		Calendar: func() time.Time { return r.clock().Add(time.Duration(ahead.Load())) },
	})
	t.Cleanup(func() { r.stop() })
	r.enqueue("http://a.test/1", "http://a.test/2")
	const asked = 20 * time.Hour
	r.retireAnew("a.test", asked)
	r.advance(time.Second)
	ahead.Store(int64(2*retireFor + day))
	r.wake()
	if r.info("a.test").Retired {
		t.Fatal("the retirement does not end by the calendar")
	}
	if got, want := r.nextVisit(), asked-time.Second; got != want {
		t.Errorf("the next visit is in %v, want %v", got, want)
	}
	r.advance(asked)
	if l := r.lease(); len(l.Tasks) != 1 {
		t.Errorf("%d tasks are due, want 1", len(l.Tasks))
	}
}

// Tasks of retired domains wait for a month or more. They do not keep others out, up to as
// many as the others may be.
func TestRetire_QueuesOfRetiredDomainsTakeNoRoomFromOthers(t *testing.T) {
	for i, c := range []struct {
		queued, parked uint64
		room           bool
	}{
		{maxQueued, 0, false},
		{maxQueued, 1, true},
		{maxQueued, maxQueued, true},
		{2*maxQueued - 1, maxQueued, true},
		{2 * maxQueued, maxQueued, false},
		{2 * maxQueued, 2 * maxQueued, false},
	} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/")
		r.visit(page(1))
		r.advance(8 * day)
		count := func(sign uint64) {
			edit(t, r.db, func(b *buckets) error {
				b.spoilHead(func(m *metaRecord) { m.Totals.Queued += sign * c.queued; m.Totals.Parked += sign * c.parked })
				return nil
			})
		}
		count(1)
		applied, err := r.Propose(t.Context(), Entry{Enqueue: &Enqueue{Links: []Link{{URL: fmt.Sprintf("http://b.test/%d", i), Priority: crawl.PriorityNormal}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := applied[0].New == 1; got != c.room {
			t.Errorf("with %d queued, %d of them of retired domains: a new URL is taken in: %v, want %v", c.queued, c.parked, got, c.room)
		}
		count(^uint64(0)) // back to what it is
		r.check()
	}
}

// A page that is due finds room too.
func TestRetire_QueuesOfRetiredDomainsKeepNoPageFromItsVisit(t *testing.T) {
	for _, parked := range []uint64{0, maxQueued} {
		r := newRig(t, Config{})
		r.enqueue("http://a.test/")
		r.visit(page(1))
		r.advance(8 * day)
		due := r.pick()
		count := func(sign uint64) {
			edit(t, r.db, func(b *buckets) error {
				b.spoilHead(func(m *metaRecord) { m.Totals.Queued += sign * maxQueued; m.Totals.Parked += sign * parked })
				return nil
			})
		}
		count(1)
		if err := r.Wake(t.Context(), due); err != nil {
			t.Fatal(err)
		}
		count(^uint64(0))
		r.check()
		if got, want := r.totals().Revisiting, parked/maxQueued; got != want {
			t.Errorf("with %d of %d queued of retired domains: %d pages are to be visited again, want %d", parked, maxQueued, got, want)
		}
	}
}
