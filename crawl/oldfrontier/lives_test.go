package frontier

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
)

// life is a frontier to which things happen in a random order: several leases at a time,
// outcomes that come late or twice, restarts, a calendar that somebody sets.
type life struct {
	*rig
	rnd   *rand.Rand
	ahead atomic.Int64 // of the calendar
	path  string
	cfg   Config
	live  []crawl.Lease
	over  []crawl.Lease // whose outcomes may still come
}

func newLife(t *testing.T, seed uint64) *life {
	l := &life{
		rig: &rig{t: t, now: time.Unix(1_800_000_000, 0)}, rnd: rand.New(rand.NewPCG(seed, 7)), path: filepath.Join(t.TempDir(), "forage.db"),
	}
	l.cfg = Config{Calendar: func() time.Time { return l.clock().Add(time.Duration(l.ahead.Load())) }, Budget: Budget{Base: 30, Most: 60}}
	if seed%3 == 0 {
		l.cfg.Politeness.Fixed = new(time.Duration)
	}
	l.open(l.path, l.cfg)
	t.Cleanup(func() { l.stop() })
	return l
}

func (l *life) url() string {
	host := []string{"", "www.", "x."}[l.rnd.IntN(3)]
	return fmt.Sprintf("http://%sd%d.test/%d", host, l.rnd.IntN(5), l.rnd.IntN(15))
}

func (l *life) propose(entries ...Entry) []Applied {
	l.t.Helper()
	applied, err := l.Propose(l.t.Context(), entries...)
	if err != nil {
		l.t.Fatal(err)
	}
	return applied
}

// step lets one thing happen.
func (l *life) step() {
	switch l.rnd.IntN(12) {
	case 0:
		l.propose(Entry{Enqueue: &Enqueue{Links: []Link{{URL: l.url(), Priority: 2}, {URL: l.url(), Priority: 2}}}})
	case 1, 2, 3:
		l.grant(1 + l.rnd.IntN(5))
	case 4, 5, 6, 7:
		if len(l.live) > 0 {
			l.settleOne(&l.live[l.rnd.IntN(len(l.live))])
			return
		}
		l.settleLate()
	case 8:
		if len(l.live) > 0 {
			i := l.rnd.IntN(len(l.live))
			lease := l.live[i]
			l.propose(Entry{Release: &Release{Lease: lease.ID, Domain: lease.Domain}})
			l.over = append(l.over, lease)
			l.live = append(l.live[:i:i], l.live[i+1:]...)
		}
	case 9:
		l.advance(time.Duration(l.rnd.IntN(600)) * time.Second)
	case 10:
		if l.rnd.IntN(3) == 0 {
			l.advance(time.Duration(l.rnd.IntN(100)) * time.Hour)
		}
		l.settleLate()
	default:
		l.disturb()
	}
}

// disturb restarts the frontier, or sets the calendar, once in a while.
func (l *life) disturb() {
	switch l.rnd.IntN(15) {
	case 0:
		l.ahead.Add(int64(l.rnd.IntN(40)) * int64(day))
	case 1:
		l.stop()
		l.open(l.path, l.cfg)
	}
}

// grant leases what is due, after calling back what is.
func (l *life) grant(limit int) (granted []crawl.Lease, lapsed int) {
	l.t.Helper()
	p, err := l.Pick(limit, never)
	if err == nil {
		err = l.Wake(l.t.Context(), p)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	for _, over := range p.Lapsed {
		l.propose(Entry{Release: &over.Release})
	}
	for _, g := range p.Grants {
		id := l.propose(Entry{Grant: &g})[0].Lease
		if id == 0 {
			continue
		}
		tasks, _, err := l.Tasks(g)
		if err != nil {
			l.t.Fatal(err)
		}
		granted = append(granted, crawl.Lease{ID: id, Domain: g.Domain, Tasks: tasks})
	}
	l.live = append(l.live, granted...)
	return granted, len(p.Lapsed)
}

func (l *life) settleLate() {
	if len(l.over) > 0 {
		l.settleOne(&l.over[l.rnd.IntN(len(l.over))])
	}
}

// settleOne settles a task of a lease with any outcome, which may come again.
func (l *life) settleOne(lease *crawl.Lease) {
	if len(lease.Tasks) == 0 {
		return
	}
	i := l.rnd.IntN(len(lease.Tasks))
	o := l.outcome()
	o.Lease, o.Domain, o.Task = lease.ID, lease.Domain, lease.Tasks[i]
	if l.rnd.IntN(4) > 0 {
		lease.Tasks = append(lease.Tasks[:i:i], lease.Tasks[i+1:]...)
	}
	if err := l.Settle(l.t.Context(), o, nil); err != nil {
		l.t.Fatal(err)
	}
}

func (l *life) outcome() crawl.Outcome {
	o := crawl.Outcome{
		Date: l.clock(), Took: time.Duration(l.rnd.IntN(3)) * time.Second, Digest: [20]byte{byte(l.rnd.IntN(4))}, Duplicate: l.rnd.IntN(3) == 0,
	}
	if l.rnd.IntN(40) == 0 {
		o.Received = 100 << 20
	}
	if l.rnd.IntN(3) == 0 {
		o.Result, o.Status = crawl.Fetched, 200
		for range l.rnd.IntN(8) {
			o.Outlinks = append(o.Outlinks, l.outlink())
		}
		return o
	}
	switch o.Result = crawl.Result(1 + l.rnd.IntN(11)); o.Result {
	case crawl.Gone:
		o.Status = []int{404, 403, 0}[l.rnd.IntN(3)]
	case crawl.Failed:
		o.Status = []int{500, 0}[l.rnd.IntN(2)]
	case crawl.Refused:
		o.Status, o.Wait = 429, time.Duration(l.rnd.IntN(3))*time.Hour
	case crawl.Deferred:
		o.Wait = time.Duration(l.rnd.IntN(7200)) * time.Second
	case crawl.Fetched, crawl.Unchanged, crawl.Redirected, crawl.Skipped:
		o.Status = 200
	}
	return o
}

func (l *life) outlink() crawl.Outlink {
	u, err := crawl.ParseURL(l.url())
	if err != nil {
		l.t.Fatal(err)
	}
	k := crawl.Outlink{URL: u, Depth: uint8(l.rnd.IntN(4)), Priority: crawl.PriorityNormal}
	if l.rnd.IntN(3) == 0 {
		k.Modified = l.clock().Add(-time.Duration(l.rnd.IntN(48)) * time.Hour)
	}
	return k
}

// end gives up every page, until nothing is queued however long one waits.
func (l *life) end() {
	l.t.Helper()
	for empty := 0; empty < 60; {
		granted, lapsed := l.grant(100)
		for _, lease := range granted {
			for _, task := range lease.Tasks {
				o := crawl.Outcome{Lease: lease.ID, Domain: lease.Domain, Task: task, Result: crawl.Gone, Status: 404, Date: l.clock()}
				if err := l.Settle(l.t.Context(), o, nil); err != nil {
					l.t.Fatal(err)
				}
			}
			l.propose(Entry{Release: &Release{Lease: lease.ID, Domain: lease.Domain}})
		}
		if len(granted)+lapsed > 0 {
			continue
		}
		if l.totals().Queued == 0 {
			empty++
		}
		if l.clock().Sub(time.Unix(1_800_000_000, 0)) > 20*365*day {
			l.t.Fatalf("there is no end: %+v", l.totals())
		}
		l.advance(25 * time.Hour)
	}
}

// Whatever happens, the log is healthy after each step, every task comes up one day, and
// every page that is to be visited again has its day.
func TestFrontier_AnyLifeEndsWell(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			l := newLife(t, seed)
			for range 300 {
				l.step()
				l.propose() // what is settled is committed
				l.check()
			}
			l.end()
			l.check()
			edit(t, l.db, func(b *buckets) error { return unplanned(t, b) })
		})
	}
}

// unplanned finds pages that should be visited again and never will be.
func unplanned(t *testing.T, b *buckets) error {
	planned := make(map[string]bool)
	if err := b.later.ForEach(func(key, _ []byte) error {
		_, name := splitDueKey(key)
		planned[string(name)] = true
		return nil
	}); err != nil {
		return err
	}
	return b.pages.ForEach(func(key, _ []byte) error {
		rec, _, err := b.page(key)
		if err != nil {
			return err
		}
		if rec.Every > 0 && !planned[string(key)] {
			t.Errorf("%s has no next visit: %+v", rec.URL, rec)
		}
		return nil
	})
}
