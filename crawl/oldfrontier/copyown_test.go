package frontier

import (
	"errors"
	"testing"
	"time"

	"github.com/forage-net/forage/crawl"
	"github.com/forage-net/forage/storage"
)

// clockOf returns how long a domain or host is still left alone, and whether it has a place in the
// order of due times.
func clockOf(t *testing.T, f *Frontier, name string) (left time.Duration, ok, due bool) {
	t.Helper()
	err := f.view(func(b *buckets) error {
		at, is := b.clock([]byte(name))
		left, ok = time.Duration(at-f.cfg.Now().UnixNano()), is
		due = is && b.due.Get(dueKey(at, []byte(name))) != nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return left, ok, due
}

// laterOf returns in how long visits of a domain or page are planned.
func laterOf(t *testing.T, f *Frontier, name []byte) (list []time.Duration) {
	t.Helper()
	err := f.view(func(b *buckets) error {
		return b.later.ForEach(func(key, _ []byte) error {
			if at, n := splitDueKey(key); string(n) == string(name) {
				list = append(list, time.Duration(at-f.cfg.Calendar().UnixNano()))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// busy is a log with a live lease, a domain whose gap runs, one that is due, one that a site
// asked to leave alone for long, a host on hold, a retired domain, a visited page and a slot.
func busy(t *testing.T) *rig {
	r := newRig(t, Config{})
	for _, d := range []string{"gap", "asked", "held", "retired"} {
		r.enqueue("http://"+d+".test/1", "http://"+d+".test/2")
		l := r.lease()
		o := r.at(page(1))
		switch d {
		case "asked":
			o = r.at(tooMany(20 * time.Hour))
		case "held":
			o = r.at(crawl.Outcome{Result: crawl.Deferred, Wait: 5 * time.Hour, Reason: "robots.txt: 503"})
		case "retired":
			tire(r.db, "retired.test")
			o = r.at(crawl.Outcome{Result: crawl.Failed, Reason: "connection refused"})
		}
		r.settle(l, l.Tasks[0], o)
		r.release(l)
	}
	r.enqueue("http://leased.test/1", "http://leased.test/2")
	r.lease()
	r.enqueue("http://due.test/1")
	r.propose(Entry{Slot: &Slot{Address: "192.0.2.1", Lease: 7, Domain: "leased.test", For: time.Minute}})
	return r
}

func TestCopy_ClocksAreTheMembersOwn(t *testing.T) {
	const passed = time.Minute
	r := busy(t)
	r.advance(passed)
	now := r.clock().Add(-12345 * time.Hour) // of the other member
	today := now.Add(90 * time.Minute)
	to := emptyLog(t, Config{Now: func() time.Time { return now }, Calendar: func() time.Time { return today }})
	mustCopy(t, r.Frontier, to)

	gap := minGapOf(r)
	for _, c := range []struct {
		name        string
		least, most time.Duration
		due         bool
	}{
		{"leased.test", DefaultLeaseFor*11/10 - passed, DefaultLeaseFor*11/10 - passed, true},
		{"gap.test", gap, gap, true}, // once more
		{"due.test", gap, gap, true},
		{"asked.test", 20*time.Hour - passed, 20*time.Hour - passed, true},
		{"held.test", 0, time.Minute, false},
		{"held.test\x00http://held.test", 5*time.Hour - passed, 5*time.Hour - passed, true},
		{"retired.test", retireFor - passed, retireFor - passed, false},
	} {
		left, ok, due := clockOf(t, to, c.name)
		if !ok || left < c.least || left > c.most || due != c.due {
			t.Errorf("%q: %v left, clock %v, due %v; want %v to %v, %v", c.name, left, ok, due, c.least, c.most, c.due)
		}
	}
	if got := laterOf(t, to, []byte("retired.test")); len(got) != 1 || got[0] != retireFor-passed {
		t.Errorf("retired.test is revived in %v, want %v", got, retireFor-passed)
	}
	key := pageKey("gap.test", "http://gap.test/1")
	if got, want := laterOf(t, to, key), r.clock().Add(-passed).Add(DefaultRevisitFirst).Sub(today); len(got) != 1 || got[0] != min(want, DefaultRevisitMost) {
		t.Errorf("the page is visited again in %v, want %v", got, want)
	}
	if err := to.view(func(b *buckets) error {
		rec, _, err := b.readSlots("192.0.2.1")
		if err != nil {
			return err
		}
		if at, ok := b.slotTime("192.0.2.1", rec.Holders[0].Number); !ok || time.Duration(at-now.UnixNano()) != time.Minute*11/10-passed {
			t.Errorf("the slot is counted %v until %v", ok, time.Duration(at-now.UnixNano()))
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// A log that begins anew without some members leaves sites alone for longer; so does who copies
// it.
func TestCopy_GapOfALogThatBeganAnew(t *testing.T) {
	r := newRig(t, Config{Members: 3})
	r.enqueue("http://a.test/1")
	r.propose(Entry{Anew: &Anew{Missing: []string{"B"}}})
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	if left, _, _ := clockOf(t, to, "a.test"); left != 3*minGapOf(r) {
		t.Errorf("left alone for %v, want 3 times %v", left, minGapOf(r))
	}
}

// A member that has a domain as it is goes on counting from where it is, and not from
// anew.
func TestCopy_WhatIsTheSameIsNotCountedAnew(t *testing.T) {
	r := busy(t)
	now := r.clock()
	to := emptyLog(t, Config{Now: func() time.Time { return now }})
	mustCopy(t, r.Frontier, to)
	now = now.Add(time.Hour)
	r.enqueue("http://new.test/")
	mustCopy(t, r.Frontier, to)
	if left, _, _ := clockOf(t, to, "asked.test"); left != 19*time.Hour {
		t.Errorf("%v left of 20 h after one", left)
	}
	if left, _, _ := clockOf(t, to, "leased.test"); left != DefaultLeaseFor*11/10-time.Hour {
		t.Errorf("the lease is counted anew: %v left", left)
	}
	if left, _, _ := clockOf(t, to, "new.test"); left != minGapOf(r) {
		t.Errorf("%v left of a domain that is new", left)
	}
}

// A lease that was renewed has the same record as before. Who missed that counts it for as long as
// the source does all the same.
func TestCopy_RenewedLeaseIsCountedAsAtTheSource(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	r.advance(100 * time.Second)
	r.propose(Entry{Renew: &Renew{Lease: l.ID, Domain: l.Domain, For: DefaultLeaseFor}})
	r.advance(10 * time.Second)
	mustCopy(t, r.Frontier, to)
	if left, _, _ := clockOf(t, to, "a.test"); left != DefaultLeaseFor*11/10-10*time.Second {
		t.Errorf("the lease is counted for %v more, want %v", left, DefaultLeaseFor*11/10-10*time.Second)
	}
}

// What was planned before for pages and domains, as they were, is not left behind.
func TestCopy_PlansOfBeforeAreDropped(t *testing.T) {
	r := busy(t)
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	r.advance(retireFor + time.Hour)
	r.wake() // revives, and queues the page once more
	edit(t, r.db, func(b *buckets) error {
		for _, d := range []crawl.Domain{"gap.test", "due.test", "asked.test", "held.test", "leased.test"} { // what is due beside it
			if err := b.setClock([]byte(d), r.clock().Add(time.Hour).UnixNano(), true); err != nil {
				return err
			}
		}
		return nil
	})
	r.retireAnew("retired.test", 0)
	mustCopy(t, r.Frontier, to)
	if got := laterOf(t, to, []byte("retired.test")); len(got) != 1 || got[0] != 2*retireFor {
		t.Errorf("retired.test is revived in %v, want %v", got, 2*retireFor)
	}
	page1 := pageKey("gap.test", "http://gap.test/1")
	if got := laterOf(t, to, page1); len(got) != 0 {
		t.Errorf("a page that is queued is planned in %v", got)
	}
	l := crawl.Lease{Domain: "gap.test"}
	r.settle(l, r.task("gap.test", "http://gap.test/1"), r.at(page(2)))
	mustCopy(t, r.Frontier, to)
	r.advance(time.Hour)
	r.propose(Entry{Recall: &Recall{Domain: "gap.test", Pages: [][]byte{page1[len(page1)-pageHash:]}}})
	r.settle(l, r.task("gap.test", "http://gap.test/1"), r.at(page(3)))
	mustCopy(t, r.Frontier, to)
	if got := laterOf(t, to, page1); len(got) != 1 {
		t.Errorf("a page is planned in %v", got)
	}
}

// A page that is aside when it is copied is visited again when it is put back.
func TestCopy_PagesAsideArePlanned(t *testing.T) {
	src, r := newRig(t, Config{}), newRig(t, Config{})
	src.enqueue("http://a.test/1")
	r.enqueue("http://a.test/2")
	l := r.lease()
	r.settle(l, l.Tasks[0], r.at(page(1)))
	r.release(l)
	src.propose(Entry{Close: &Close{Domains: names("a.test"), To: "dst"}})
	src.send(r, 1, 1, "a.test")
	key := pageKey("a.test", "http://a.test/2")
	early, late := emptyLog(t, r.cfg), emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, early)
	r.propose(Entry{Abort: &Abort{From: "src", N: 1}})
	mustCopy(t, r.Frontier, late)
	applyIn(t, early, Entry{Abort: &Abort{From: "src", N: 1}})
	for name, f := range map[string]*Frontier{"early": early, "late": late} {
		if got := laterOf(t, f, key); len(got) != 1 {
			t.Errorf("%s: the page is planned in %v", name, got)
		}
	}
}

// A hold that is over at the source is over in the copy, and one of a domain that arrives has no
// place in the order of due times until the domain is here.
func TestCopy_Holds(t *testing.T) {
	const host = "held.test\x00http://held.test"
	r, src := busy(t), newRig(t, Config{})
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	if _, held, due := clockOf(t, to, host); !held || !due {
		t.Errorf("the hold is %v, in the order of due times %v", held, due)
	}
	src.enqueue("http://held.test/3")
	src.propose(Entry{Close: &Close{Domains: names("held.test"), To: "dst"}})
	src.send(r, 1, 1, "held.test")
	mustCopy(t, r.Frontier, to)
	if _, held, due := clockOf(t, to, host); !held || due {
		t.Errorf("while the domain arrives, the hold is %v, in the order of due times %v", held, due)
	}
	r.propose(Entry{Abort: &Abort{From: "src", N: 1}})
	r.advance(6 * time.Hour)
	r.wake()
	mustCopy(t, r.Frontier, to)
	if _, held, _ := clockOf(t, to, host); held {
		t.Error("the hold is not over")
	}
}

// Of a domain that is being deleted there are no times.
func TestCopy_HoldsOfADomainThatIsGone(t *testing.T) {
	r := busy(t)
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	r.propose(Entry{Close: &Close{Domains: names("held.test"), To: "dst"}})
	r.stop()
	db, err := storage.Open(r.path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	from := reopened(t, db, r.cfg)
	from.cfg.piece = 1
	applyIn(t, from, Entry{Gone: &Gone{Domains: names("held.test"), To: "dst", N: 1}})
	mustCopy(t, from, to)
	for _, name := range []string{"held.test", "held.test\x00http://held.test"} {
		if _, ok, _ := clockOf(t, to, name); ok {
			t.Errorf("%q has a time", name)
		}
	}
}

// A domain that retires while its lease is live is retired in full, from when the lease is over
// or before.
func TestCopy_RetiredWithALiveLease(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1", "http://a.test/2")
	l := r.lease()
	tire(r.db, "a.test")
	r.settle(l, l.Tasks[0], r.at(crawl.Outcome{Result: crawl.Failed, Reason: "connection refused"}))
	to := emptyLog(t, r.cfg)
	mustCopy(t, r.Frontier, to)
	if left, _, due := clockOf(t, to, "a.test"); left != DefaultLeaseFor*11/10 || !due {
		t.Errorf("the lease is counted for %v, due %v", left, due)
	}
	if got := laterOf(t, to, []byte("a.test")); len(got) != 1 || got[0] != retireFor {
		t.Errorf("revived in %v, want %v", got, retireFor)
	}
}

// When somebody has set the calendar, what a member has planned for domains that did not change
// follows their clocks.
func TestCopy_CalendarThatWasSet(t *testing.T) {
	r := busy(t)
	var ahead time.Duration
	to := emptyLog(t, Config{Now: r.clock, Calendar: func() time.Time { return r.clock().Add(ahead) }})
	mustCopy(t, r.Frontier, to)
	for _, ahead = range []time.Duration{10 * day, -10 * day} {
		mustCopy(t, r.Frontier, to)
		if got := laterOf(t, to, []byte("retired.test")); len(got) != 1 || got[0] != retireFor {
			t.Errorf("%v ahead: revived in %v, want %v", ahead, got, retireFor)
		}
	}
}

// A slot is counted in full if it is another's under the same number.
func TestCopy_SlotsOfAnotherLog(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	cfg := Config{Now: func() time.Time { return now }}
	from, to := emptyLog(t, cfg), emptyLog(t, cfg)
	slot := Slot{Address: "192.0.2.1", Lease: 7, Domain: "a.test", For: time.Second}
	applyIn(t, to, Entry{Slot: &slot})
	slot.Address = "192.0.2.2" // this one the source does not know
	applyIn(t, to, Entry{Slot: &slot})
	applyIn(t, from, Entry{Slot: &Slot{Address: "192.0.2.1", Lease: 9, Domain: "b.test", For: time.Minute}})
	mustCopy(t, from, to)
	err := to.view(func(b *buckets) error {
		if at, ok := b.slotTime("192.0.2.1", 1); !ok || time.Duration(at-now.UnixNano()) != time.Minute*11/10 {
			t.Errorf("the slot is counted %v until %v", ok, time.Duration(at-now.UnixNano()))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// What was seen here before a copy need not be known in it, and moves that are not over go on.
func TestCopy_ForgetsWhatWasSeen(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/1")
	r.propose(Entry{Close: &Close{Domains: names("a.test"), To: "dst"}})
	r.stop()
	db, err := storage.Open(r.path, storage.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	from := reopened(t, db, r.cfg)
	from.cfg.piece = 1
	applyIn(t, from, Entry{Gone: &Gone{Domains: names("a.test"), To: "dst", N: 1}})
	to := emptyLog(t, r.cfg)
	to.seen.add("http://b.test/")
	mustCopy(t, from, to)
	if to.seen.has("http://b.test/") {
		t.Error("a link is taken for known that is not")
	}
	if !to.chores.Load() {
		t.Error("nobody goes on with deleting what is gone")
	}
	select {
	case <-to.changed:
	default:
		t.Error("nobody is told")
	}
}

func TestCopy_CanBeServed(t *testing.T) {
	r := busy(t)
	other := newRig(t, Config{})
	other.stop()
	other.db, _ = storage.Open(other.path, storage.Options{NoSync: true})
	to := reopened(t, other.db, other.cfg)
	mustCopy(t, r.Frontier, to)
	other.db.Close()
	other.open(other.path, Config{})
	if p := other.pick(); len(p.Grants) != 0 {
		t.Errorf("%d domains are leased at once", len(p.Grants))
	}
	other.advance(minGapOf(r))
	if p := other.pick(); len(p.Grants) != 2 { // gap.test and due.test
		t.Errorf("%d domains are due after the gap, want 2", len(p.Grants))
	}
	other.advance(DefaultLeaseFor * 11 / 10)
	if p := other.pick(); len(p.Lapsed) != 1 {
		t.Errorf("%d leases lapse, want 1", len(p.Lapsed))
	}
	other.advance(5 * time.Hour)
	if p := other.pick(); len(p.held) != 1 {
		t.Errorf("%d holds are over, want 1", len(p.held))
	}
}

func TestWipePart_DeletesAllInPieces(t *testing.T) {
	r := moving(t)
	f := reopened(t, r.db, r.cfg)
	empty := dumpAll(t, emptyLog(t, r.cfg).db)
	for i := 0; ; i++ {
		room, done := 7, false
		err := f.db.Update(func(tx *storage.Tx) (err error) {
			done, err = f.WipePart(tx, &room)
			return err
		})
		if err != nil || i > 100 {
			t.Fatalf("after %d pieces: %v", i, err)
		}
		if !done && room != 0 {
			t.Fatalf("%d keys could still go", room)
		}
		if done {
			if i < 5 {
				t.Errorf("done after %d pieces of 7 keys", i)
			}
			break
		}
	}
	if got := dumpAll(t, f.db); got != "" {
		t.Errorf("left is %s", got)
	}
	if _, err := Open(f.db, f.cfg); err != nil {
		t.Error(err)
	}
	if got := dumpAll(t, f.db); got != empty {
		t.Errorf("opened again it is %s", got)
	}
}

func TestInstall_RefusesAnotherForm(t *testing.T) {
	r := newRig(t, Config{})
	r.enqueue("http://a.test/")
	edit(t, r.db, func(b *buckets) error {
		m, err := b.readMeta()
		m.Form = form + 1
		if err == nil {
			err = putRecord(b.meta, keyState, &m)
		}
		return err
	})
	raw, err := encode.Marshal(copyRequest{Stage: stageHead})
	if err != nil {
		t.Fatal(err)
	}
	to := emptyLog(t, Config{})
	r.db.View(func(tx *storage.Tx) error {
		answer, err := r.Piece(tx, raw)
		if err != nil {
			t.Error(err)
		}
		if err := to.db.Update(func(tx *storage.Tx) error { _, err := to.Install(tx, raw, answer); return err }); !errors.Is(err, ErrCopy) {
			t.Errorf("Install = %v, want ErrCopy", err)
		}
		return nil
	})
	edit(t, r.db, func(b *buckets) error { // as its check wants it
		m, err := b.readMeta()
		m.Form = form
		if err == nil {
			err = putRecord(b.meta, keyState, &m)
		}
		return err
	})
}

// A member that applies an entry long after it came counts a lease from when it came.
func TestFrontier_LeaseCountsFromWhenItWasHeardOf(t *testing.T) {
	r := newRig(t, Config{})
	rec := &recorder{alone: alone{r.Frontier}}
	r.Frontier.log = rec
	r.enqueue("http://a.test/1")
	l := r.lease()
	full := l.For + l.For/10
	now := r.clock()
	for _, c := range []struct {
		name  string
		heard time.Time
		left  time.Duration
	}{
		{"not known when", time.Time{}, full},
		{"half a minute ago", now.Add(-30 * time.Second), full - 30*time.Second},
		{"by a clock that was ahead", now.Add(time.Hour), full},
	} {
		to := emptyLog(t, r.cfg)
		for _, data := range rec.data {
			if err := to.db.Update(func(tx *storage.Tx) error { return to.Apply(tx, LogEntry{Data: data, Heard: c.heard}) }); err != nil {
				t.Fatal(err)
			}
		}
		if left, _, _ := clockOf(t, to, "a.test"); left != c.left {
			t.Errorf("%s: %v left, want %v", c.name, left, c.left)
		}
	}
}
